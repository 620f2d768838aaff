"""The Relative Intelligence Index: how often a model's answers are preferred to the others'.

The index and its name are those of "A Consensus-Based Relative Preference Evaluation Framework for
Large Language Models" (arXiv 2607.21632); the formula is this project's reading of it. On a ballot
of k candidates the candidate at rank r earns (k - r) / (k - 1), the share of the others that it
beat: rank points, min-max normalised, so any increasing linear scale of points gives the same. The
RII is 100 times the mean of a judge's ballots, averaged over judges, so that each judge weighs the
same however many of its ballots are invalid. 50 is average, 100 is always first.

References
----------
.. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge
   University Press, section 3.8.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Bounds, Estimate, undefined
from judgeworthy.statistics.rankings.ballots import (
    NO_BALLOTS,
    ONE_PROMPT,
    candidate_pairs,
    ratio,
    read_ballots,
    read_own,
    shares_beaten,
    without_own,
)
from judgeworthy.statistics.resampling import draws

BOOTSTRAP = "percentile (prompt bootstrap)"
CONSTANT = "the resamples do not vary: no interval"
FEW_PROMPTS = 30
FEW = f"fewer than {FEW_PROMPTS} prompts: the interval covers less than it claims"

_BLOCK = 500
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Rii:
    """The index of every candidate.

    Attributes
    ----------
    estimates : tuple of Estimate
        One a candidate, from 0 to 100. `n` counts ballots, `clusters` prompts.
    leads : dict of (int, int) to Estimate
        The index of the first candidate minus that of the second, for every pair in which the
        first has the smaller number. Its interval comes from the same resamples: two candidates
        are told apart where it excludes 0, not where their own intervals do not overlap.
    bounds : tuple of Bounds
        One a candidate: the index if every invalid ballot had put it last, and first.
    """

    estimates: tuple[Estimate, ...]
    leads: dict[tuple[int, int], Estimate]
    bounds: tuple[Bounds, ...]

    @property
    def values(self) -> tuple[float | None, ...]:
        """The index of each candidate."""
        return tuple(estimate.value for estimate in self.estimates)


@dataclass(frozen=True)
class JudgeInfluence:
    """What leaving a judge out does to the index.

    Attributes
    ----------
    rii : Rii
        The index without the judge.
    shift : float or None
        The largest change of a candidate's index, without a sign; None where none can be compared.
    swaps : int
        Pairs of candidates that change their order. A pair that becomes level, or is no longer
        level, does not count.
    """

    rii: Rii
    shift: float | None
    swaps: int


def rii(
    ranks: ArrayLike,
    own: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Rii:
    """Estimate the index of every candidate, with intervals from a bootstrap of prompts [1]_.

    A resample draws as many prompts as there are, with replacement, each with all its ballots. A
    judge without a valid ballot, or without one in a resample, does not enter the mean. With 30
    prompts or more 95 % intervals covered 94 % of simulated indices, with 15 prompts 92 %.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    own : array_like of shape (n_judges,), optional
        With it each judge's own answer is taken off its ballots first.
    confidence : float
        Nominal coverage, between 0 and 1.
    resamples : int
    seed : int

    Returns
    -------
    Rii
        Undefined for a candidate on no valid ballot; without interval for one prompt, and where
        the resamples do not vary.

    Raises
    ------
    ValueError
        If the ballots or `own` are not as described, `confidence` is not between 0 and 1, or
        `resamples` is not positive.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    if resamples < 1:
        raise ValueError(f"resamples must be positive, got {resamples}")
    sums = _Sums.of(without_own(ranks, own))
    values = sums.index()
    drawn = np.concatenate(list(_resampled(sums, resamples, seed)))
    first, second = candidate_pairs(len(values))
    estimates = _estimates(values, drawn, sums.tally(), confidence, sums.note())
    both = tuple(np.minimum(part[first], part[second]) for part in sums.tally())
    leads = _estimates(
        values[first] - values[second], drawn[:, first] - drawn[:, second], both, confidence
    )
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return Rii(estimates, dict(zip(pairs, leads, strict=True)), _bounds(ranks, own, sums))


def rii_values(ballots: Floats) -> Floats:
    """Return the index of every candidate alone, NaN for one on no ballot.

    Parameters
    ----------
    ballots : array of shape (n_prompts, n_judges, n_runs, n_candidates)
        As `read_ballots` or `without_own` returns them.
    """
    return _Sums.of(ballots).index()


def leave_one_judge_out(
    ranks: ArrayLike,
    own: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[JudgeInfluence, ...]:
    """Estimate the index without each judge in turn.

    Parameters
    ----------
    ranks, own, confidence, resamples, seed
        As in `rii`.

    Returns
    -------
    tuple of JudgeInfluence
        One a judge.

    Raises
    ------
    ValueError
        As `rii` does.
    """
    ballots = read_ballots(ranks)
    judges = ballots.shape[1]
    models = read_own(own, judges, ballots.shape[-1])
    everyone = rii_values(without_own(ballots, models))
    influences = []
    for judge in range(judges):
        rest, others = np.delete(ballots, judge, axis=1), np.delete(models, judge)
        found = rii(rest, others, confidence, resamples, seed)
        influences.append(JudgeInfluence(found, *_change(everyone, found.values)))
    return tuple(influences)


@dataclass(frozen=True)
class _Sums:
    """Sums of earned shares and counts of ballots, each of shape (prompts, judges, candidates)."""

    totals: Floats
    counts: Floats

    @classmethod
    def of(cls, ballots: Floats) -> "_Sums":
        shares = shares_beaten(ballots)
        totals, counts = np.nansum(shares, axis=2), np.isfinite(shares).sum(axis=2)
        filled = counts.any(axis=(1, 2))
        return cls(totals[filled], counts[filled].astype(np.float64))

    def index(self) -> Floats:
        return _index(self.totals.sum(axis=0), self.counts.sum(axis=0))

    def tally(self) -> tuple[Floats, Floats]:
        """Ballots, and prompts, that each candidate is on."""
        return self.counts.sum(axis=(0, 1)), self.counts.any(axis=1).sum(axis=0)

    def note(self) -> str:
        judges = self.counts.shape[1]
        silent = judges - np.count_nonzero(self.counts.any(axis=(0, 2)))
        return f"{silent} of {judges} judges without a valid ballot" if silent else ""


def _index(totals: Floats, counts: Floats) -> Floats:
    """Average ballots within judges, then judges; the last two axes are judges and candidates."""
    heard = counts > 0
    means = np.divide(totals, counts, out=np.zeros_like(totals), where=heard)
    return 100 * ratio(means.sum(axis=-2), heard.sum(axis=-2))


def _resampled(sums: _Sums, resamples: int, seed: int) -> Iterator[Floats]:
    prompts, *shape = sums.totals.shape
    flat = prompts, int(np.prod(shape))
    totals, counts = sums.totals.reshape(flat), sums.counts.reshape(flat)
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        weights = draws(prompts, size, generator)
        drawn = (weights @ totals).reshape(size, *shape), (weights @ counts).reshape(size, *shape)
        yield _index(*drawn)


def _estimates(
    values: Floats,
    drawn: Floats,
    tally: tuple[Floats, ...],
    confidence: float,
    note: str = "",
) -> tuple[Estimate, ...]:
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    found = []
    for value, column, n, prompts in zip(values, drawn.T, *tally, strict=True):
        size = int(n), int(prompts)
        if np.isnan(value):
            found.append(undefined(NO_BALLOTS, BOOTSTRAP))
            continue
        kept = column[np.isfinite(column)]
        missing = ONE_PROMPT if prompts == 1 else CONSTANT if np.ptp(kept) < _ROUNDING else ""
        low, high = (None, None) if missing else map(float, np.quantile(kept, tails))
        few = "" if missing or prompts >= FEW_PROMPTS else FEW
        notes = "; ".join(filter(None, (missing, few, note)))
        found.append(Estimate(float(value), low, high, *size, BOOTSTRAP, notes))
    return tuple(found)


def _bounds(ranks: ArrayLike, own: ArrayLike | None, sums: _Sums) -> tuple[Bounds, ...]:
    ballots = read_ballots(ranks)
    judges, candidates = ballots.shape[1], ballots.shape[-1]
    models = read_own(own, judges, candidates)
    invalid = np.isnan(ballots).all(axis=-1).sum(axis=(0, 2))
    missing = np.where(models[:, np.newaxis] == np.arange(candidates), 0, invalid[:, np.newaxis])
    totals, counts = sums.totals.sum(axis=0), sums.counts.sum(axis=0) + missing
    ends = _index(totals, counts), _index(totals + missing, counts)
    return tuple(
        Bounds(None, None) if np.isnan(low) else Bounds(float(low), float(high))
        for low, high in zip(*ends, strict=True)
    )


def _change(before: Floats, after: tuple[float | None, ...]) -> tuple[float | None, int]:
    later = np.array(after, dtype=np.float64)
    kept = np.isfinite(before) & np.isfinite(later)
    old, new = before[kept], later[kept]
    first, second = candidate_pairs(len(old))
    turned = np.round(old[first] - old[second], 9) * np.round(new[first] - new[second], 9) < 0
    shift = float(np.abs(new - old).max()) if len(old) else None
    return shift, int(turned.sum())
