"""Ballots: the array that every ranking estimator reads.

`ranks` has the shape (n_prompts, n_judges, n_runs, n_candidates) and holds the rank, 1 for the
best, that a judge gave a candidate's answer to a prompt in a run. A ballot is one row of it: a
strict order of k candidates, that is, each of the ranks 1 to k once. NaN marks a candidate that is
not on the ballot, as where judges are not shown their own answer; a ballot that is NaN throughout
is invalid. Prompts are the independent units. A domain, a run or a set of judges is a slice:
``ranks[domains == "safety"]``, ``ranks[:, :, [0]]``, ``ranks[:, keep]``.

`own` has the shape (n_judges,) and holds which candidate is the judge's own model, -1 for a judge
that is no candidate.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import cluster_mean

NO_BALLOTS = "no valid ballots"
ONE_PROMPT = "one prompt only: no interval"


def read_ballots(ranks: ArrayLike) -> Floats:
    """Check that every ballot is a strict order or invalid.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as the module describes them.

    Returns
    -------
    array of shape (n_prompts, n_judges, n_runs, n_candidates)

    Raises
    ------
    ValueError
        If there are not four axes, or if the ranks of a ballot are not 1 to k.
    """
    ballots = np.asarray(ranks, dtype=np.float64)
    if ballots.ndim != 4:
        raise ValueError(f"ranks must have four axes, got the shape {ballots.shape}")
    places = np.arange(1.0, ballots.shape[-1] + 1)
    ranked = np.isfinite(ballots).sum(axis=-1, keepdims=True)
    strict = np.where(places <= ranked, places, np.nan)
    if not np.array_equal(np.sort(ballots, axis=-1), strict, equal_nan=True):
        raise ValueError("the ranks of a ballot must be 1 to k, each once, and NaN elsewhere")
    return ballots


def read_own(own: ArrayLike | None, judges: int, candidates: int) -> NDArray[np.intp]:
    """Check which candidate each judge is.

    Parameters
    ----------
    own : array_like of shape (n_judges,), optional
        Without it no judge is a candidate.
    judges, candidates : int

    Returns
    -------
    array of shape (n_judges,)

    Raises
    ------
    ValueError
        If the shape differs, or if an entry is no candidate and not -1.
    """
    models = np.full(judges, -1) if own is None else np.asarray(own)
    if models.shape != (judges,):
        raise ValueError(f"own must name a candidate for each of {judges} judges")
    if not np.isin(models, np.arange(-1, candidates)).all():
        raise ValueError(f"own must lie between -1 and {candidates - 1}")
    return models.astype(np.intp)


def without_own(ranks: ArrayLike, own: ArrayLike | None) -> Floats:
    """Take each judge's own answer off its ballots, and close up the ranks below it.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
    own : array_like of shape (n_judges,) or None
        None takes nothing off.

    Returns
    -------
    array of shape (n_prompts, n_judges, n_runs, n_candidates)

    Raises
    ------
    ValueError
        As `read_ballots` and `read_own` do.
    """
    ballots = read_ballots(ranks).copy()
    models = read_own(own, ballots.shape[1], ballots.shape[-1])
    for judge in np.flatnonzero(models >= 0):
        mine = ballots[:, judge, :, models[judge]].copy()
        ballots[:, judge] -= ballots[:, judge] > mine[..., np.newaxis]
        ballots[:, judge, :, models[judge]] = np.nan
    return ballots


def prompt_labels(values: ArrayLike) -> NDArray[np.intp]:
    """Return the prompt of each value of an array, flattened.

    Parameters
    ----------
    values : array_like of shape (n_prompts, ...)

    Returns
    -------
    array of shape (n_values,)
        Numbers from 0.
    """
    shape = np.shape(values)
    return np.repeat(np.arange(shape[0]), int(np.prod(shape[1:])))


def prompt_mean(values: Floats, confidence: float, nothing: str = NO_BALLOTS) -> Estimate:
    """Estimate the mean of an array of shape (n_prompts, ...), clustered on prompts.

    Parameters
    ----------
    values : array of shape (n_prompts, ...)
        NaN is missing.
    confidence : float
    nothing : str
        The reason that is given where every value is missing.
    """
    found = cluster_mean(values.ravel(), prompt_labels(values), confidence).estimate
    return found if found.defined else undefined(nothing, found.method)


def ratio(totals: ArrayLike, counts: ArrayLike) -> Floats:
    """Divide, with NaN where the count is 0.

    Parameters
    ----------
    totals, counts : array_like
        Of shapes that broadcast.
    """
    numerator, denominator = np.broadcast_arrays(totals, counts)
    missing = np.full(numerator.shape, np.nan)
    quotient: Floats = np.divide(numerator, denominator, out=missing, where=denominator > 0)
    return quotient


def mean_of_valid(values: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Average along axes without what is NaN; NaN where all is.

    Parameters
    ----------
    values : array
        Of any shape.
    axis : int or tuple of int
    """
    return ratio(np.nansum(values, axis=axis), np.isfinite(values).sum(axis=axis))


def shares_beaten(ballots: Floats) -> Floats:
    """Return the share of the others on the ballot that each candidate beat, (k - r) / (k - 1).

    Parameters
    ----------
    ballots : array of shape (..., n_candidates)
        Ranks, as `read_ballots` returns them.

    Returns
    -------
    array of shape (..., n_candidates)
        From 0 to 1; NaN where the candidate is not on the ballot, or alone on it.
    """
    ranked = np.isfinite(ballots).sum(axis=-1, keepdims=True)
    return ratio(ranked - ballots, np.maximum(ranked - 1, 0))


def candidate_pairs(candidates: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second candidate of every pair.

    Parameters
    ----------
    candidates : int
        How many there are.

    Returns
    -------
    tuple of two arrays of shape (n_pairs,)
        The first of a pair has the smaller number.
    """
    first, second = np.triu_indices(candidates, 1)
    return first, second


def pair_signs(ballots: Floats) -> NDArray[np.int8]:
    """Return 1 where a ballot puts the first of a pair above the second, -1 where below.

    Parameters
    ----------
    ballots : array of shape (..., n_candidates)
        Ranks, as `read_ballots` returns them.

    Returns
    -------
    array of shape (..., n_pairs)
        In the order of `candidate_pairs`; 0 where one of the two is not on the ballot.
    """
    first, second = candidate_pairs(ballots.shape[-1])
    signs = np.sign(ballots[..., second] - ballots[..., first])
    return np.nan_to_num(signs).astype(np.int8)


def count_wins(ballots: Floats) -> Floats:
    """Count the ballots that put the row's candidate above the column's.

    Parameters
    ----------
    ballots : array of shape (..., n_candidates)
        Ranks, as `read_ballots` returns them.

    Returns
    -------
    array of shape (n_candidates, n_candidates)
    """
    rows = ballots.reshape(-1, ballots.shape[-1])
    wins = [(rows[:, [candidate]] < rows).sum(axis=0) for candidate in range(rows.shape[1])]
    return np.array(wins, dtype=np.float64)
