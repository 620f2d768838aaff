"""Concordance: how far judges agree with each other, with themselves, and with the rest.

References
----------
.. [1] M. G. Kendall, B. Babington Smith (1939). The problem of m rankings. Annals of Mathematical
   Statistics 10, 275-287.
.. [2] M. G. Kendall (1938). A new measure of rank correlation. Biometrika 30, 81-93.
.. [3] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Statistical
   Applications in Genetics and Molecular Biology 9, 39.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.rankings.ballots import (
    pair_signs,
    prompt_mean,
    ratio,
    read_ballots,
    read_own,
    without_own,
)
from judgeworthy.statistics.rankings.rii import BOOTSTRAP, rii, rii_values

TAU = "Kendall's tau-b"

NO_PANEL = "no prompt with two complete ballots"
ONE_RUN = "no judge has two valid ballots on a prompt in different runs"
NO_RUNS = "fewer than two runs in which candidates can be ordered"
NO_OTHERS = "no ballot beside one of another judge"
NO_CANDIDATE = "the judge is no candidate"
TOO_FEW = "fewer than two judges with both, or all of them level"

_DECIMALS = 9

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Concordance:
    """Kendall's W beside what random ballots give.

    Attributes
    ----------
    w : Estimate
        From 0 to 1; `n` counts panels, the judges of a prompt in a run.
    null_mean : float or None
        The mean of W under random ballots: 1/m for m judges, averaged over the panels.
    null_low, null_high : float or None
        The middle 95 % of the permutations.
    p : float or None
        The probability that random ballots give a W at least as large.
    """

    w: Estimate
    null_mean: float | None
    null_low: float | None
    null_high: float | None
    p: float | None


@dataclass(frozen=True)
class Stability:
    """How far rankings stay the same between runs.

    Attributes
    ----------
    ballots : Estimate
        Mean of Kendall's tau between two ballots of a judge on a prompt in different runs.
    judges : tuple of Estimate
        The same for each judge.
    orders : Estimate
        Mean of Kendall's tau between the orders by RII of two runs; without interval, for
        resampling adds to the very noise that it measures.
    """

    ballots: Estimate
    judges: tuple[Estimate, ...]
    orders: Estimate


@dataclass(frozen=True)
class TradeOff:
    """Each judge's closeness to the others against its own model's standing.

    Attributes
    ----------
    agreement : tuple of Estimate
        One a judge, as `agreement_with_others` gives it.
    performance : tuple of Estimate
        One a judge: the RII of its own model, which no judge's vote for itself enters.
    correlation : Estimate
        Kendall's tau between the two over judges; `n` counts judges. Without interval.
    """

    agreement: tuple[Estimate, ...]
    performance: tuple[Estimate, ...]
    correlation: Estimate


def kendall_w(
    ranks: ArrayLike, confidence: float = 0.95, permutations: int = 1000, seed: int = 0
) -> Concordance:
    """Estimate the concordance of judges, as Kendall's W [1]_ averaged over panels.

    A panel is the complete ballots of two judges or more on one prompt in one run; ballots that
    leave a candidate out do not enter. With R the sum of a candidate's ranks over the m ballots of
    N candidates, W = 12 Σ (R - m(N + 1)/2)² / (m² (N³ - N)). Its mean under random ballots is 1/m,
    not 0, so it is to be read beside its null. Each permutation draws every ballot anew, and the p
    counts the observed value among them [3]_.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    confidence : float
        Nominal coverage of the interval, which is clustered on prompts.
    permutations : int
    seed : int

    Returns
    -------
    Concordance
        Undefined without a panel.

    Raises
    ------
    ValueError
        If the ballots are not as described, or `confidence` is not between 0 and 1.
    """
    ballots = read_ballots(ranks)
    complete = np.isfinite(ballots).all(axis=-1) & (ballots.shape[-1] > 1)
    found = _panels(np.nan_to_num(ballots), complete)
    w = prompt_mean(found, confidence, NO_PANEL)
    if w.value is None:
        return Concordance(w, None, None, None, None)
    generator = np.random.default_rng(seed)
    drawn = np.array([_random_w(generator, complete, ballots.shape) for _ in range(permutations)])
    low, high = np.quantile(drawn, [0.025, 0.975])
    judges = np.where(np.isfinite(found), complete.sum(axis=1), np.nan)
    as_large = np.count_nonzero(drawn >= w.value - 10.0**-_DECIMALS)
    p = float((1 + as_large) / (1 + permutations))
    return Concordance(w, float(np.nanmean(1 / judges)), float(low), float(high), p)


def stability(ranks: ArrayLike, confidence: float = 0.95) -> Stability:
    """Estimate how far rankings stay the same between runs, by Kendall's tau [2]_.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    confidence : float
        Nominal coverage of the intervals, which are clustered on prompts.

    Returns
    -------
    Stability
        Undefined for fewer than two runs.

    Raises
    ------
    ValueError
        If the ballots are not as described, or `confidence` is not between 0 and 1.
    """
    ballots = read_ballots(ranks)
    signs = pair_signs(ballots)
    runs = list(combinations(range(ballots.shape[2]), 2))
    taus = [_tau(signs[:, :, one], signs[:, :, two]) for one, two in runs]
    between = np.stack(taus, axis=-1) if runs else np.empty((*ballots.shape[:2], 0))
    judges = tuple(
        prompt_mean(between[:, judge], confidence, ONE_RUN) for judge in range(between.shape[1])
    )
    return Stability(prompt_mean(between, confidence, ONE_RUN), judges, _order_stability(ballots))


def agreement_with_others(ranks: ArrayLike, confidence: float = 0.95) -> tuple[Estimate, ...]:
    """Estimate how close each judge is to the consensus of the others.

    The consensus on a prompt is, for each pair of candidates, the order that most of the other
    judges prefer, each judge weighing the same over its runs; a pair on which they are level does
    not count. A judge's agreement is the mean over its ballots of the pairs in that order minus
    those in the other, as a share of both: Kendall's tau [2]_ where no pair is level.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    confidence : float
        Nominal coverage of the intervals, which are clustered on prompts.

    Returns
    -------
    tuple of Estimate
        One a judge, from -1 to 1; undefined where no other judge has ballots.

    Raises
    ------
    ValueError
        If the ballots are not as described, or `confidence` is not between 0 and 1.
    """
    signs = pair_signs(read_ballots(ranks))
    views = np.nan_to_num(ratio(signs.sum(axis=2), np.abs(signs).sum(axis=2)))
    agreed = []
    for judge in range(signs.shape[1]):
        others = np.sign(np.round(views.sum(axis=1) - views[:, judge], _DECIMALS))
        agreed.append(
            prompt_mean(_tau(signs[:, judge], others[:, np.newaxis]), confidence, NO_OTHERS)
        )
    return tuple(agreed)


def trade_off(
    ranks: ArrayLike,
    own: ArrayLike,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> TradeOff:
    """Set each judge's agreement with the others against the standing of its own model.

    Both are taken from ballots without the judges' own answers, so that a judge that favours
    itself gains nothing on either side. Two judges that are candidates then have a pair in common
    only among four candidates or more: with three models that all judge, agreement is undefined.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    own : array_like of shape (n_judges,)
        Which candidate each judge is, -1 for none.
    confidence, resamples, seed
        As in `judgeworthy.statistics.rankings.rii.rii`.

    Returns
    -------
    TradeOff

    Raises
    ------
    ValueError
        As `rii` does.
    """
    ballots = without_own(ranks, own)
    models = read_own(own, ballots.shape[1], ballots.shape[-1])
    agreement = agreement_with_others(ballots, confidence)
    index = rii(ranks, own, confidence, resamples, seed).estimates
    performance = tuple(
        index[model] if model >= 0 else undefined(NO_CANDIDATE, BOOTSTRAP)
        for model in models.tolist()
    )
    pairs = [
        (close.value, high.value)
        for close, high in zip(agreement, performance, strict=True)
        if close.value is not None and high.value is not None
    ]
    return TradeOff(agreement, performance, _correlation(pairs))


def _panels(ranks: Floats, complete: Bools) -> Floats:
    """W of each prompt and run; NaN for fewer than two complete ballots."""
    candidates = ranks.shape[-1]
    judges = complete.sum(axis=1)
    centred = (ranks - (candidates + 1) / 2) * complete[..., np.newaxis]
    spread = 12 * (centred.sum(axis=1) ** 2).sum(axis=-1)
    largest = judges**2 * (candidates**3 - candidates)
    return ratio(spread, np.where(judges > 1, largest, 0))


def _random_w(generator: np.random.Generator, complete: Bools, shape: tuple[int, ...]) -> float:
    drawn = generator.random(shape).argsort(axis=-1).astype(np.float64) + 1
    return float(np.nanmean(_panels(drawn, complete)))


def _tau(one: ArrayLike, two: ArrayLike) -> Floats:
    """Kendall's tau from the signs of pairs; pairs with a sign of 0 do not count."""
    products = np.multiply(one, two)
    return ratio(products.sum(axis=-1), np.abs(products).sum(axis=-1))


def _order_stability(ballots: Floats) -> Estimate:
    orders = [rii_values(ballots[:, :, [run]]) for run in range(ballots.shape[2])]
    taus = [_tau_b(one, two) for one, two in combinations(orders, 2)]
    defined = [tau for tau in taus if tau is not None]
    if not defined:
        return undefined(NO_RUNS, TAU)
    note = "no interval: resampling adds to the noise that is measured"
    return Estimate(float(np.mean(defined)), None, None, len(defined), len(defined), TAU, note)


def _correlation(pairs: list[tuple[float, float]]) -> Estimate:
    tau = _tau_b(*np.reshape(pairs, (len(pairs), 2)).T)
    if tau is None:
        return undefined(TOO_FEW, TAU, len(pairs), len(pairs))
    note = f"{len(pairs)} judges: no interval"
    return Estimate(tau, None, None, len(pairs), len(pairs), TAU, note)


def _tau_b(one: Floats, two: Floats) -> float | None:
    """Kendall's tau over what both have; None where there are fewer than two or one is level."""
    kept = np.isfinite(one) & np.isfinite(two)
    if kept.sum() < 2:
        return None
    tau = float(
        kendalltau(np.round(one[kept], _DECIMALS), np.round(two[kept], _DECIMALS)).statistic
    )
    return None if np.isnan(tau) else tau
