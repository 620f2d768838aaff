"""Resampling: the cluster bootstrap, of a mean and of a mean that is standardised.

References
----------
.. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge
   University Press, section 3.8.
.. [2] K. J. Rothman, S. Greenland, T. L. Lash (2008). Modern Epidemiology, 3rd edition. Lippincott
   Williams & Wilkins, chapter 4: standardised rates.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Floats, Rows, read_rows
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.workers import spread

BOOTSTRAP = "percentile (cluster bootstrap)"
# Means of resamples that differ by less, relative to the largest value, are the same number.
ROUNDING = 1e-12
SHARD = 2000  # resamples that have a stream of random numbers of their own
# From the sums and sizes of the cells, (…, cells) each, to the estimate.
Statistic = Callable[[Floats, Floats], Floats]


def cluster_bootstrap(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Estimate a mean with the percentile interval of a bootstrap that draws whole clusters [1]_.

    A resample is as many clusters as there are, drawn with replacement; its mean is that of all
    their rows. Each 2,000 resamples have a stream of random numbers of their own; where there are
    more, the workers of a cluster may draw them (`judgeworthy.workers.spread`).

    Parameters
    ----------
    values : array_like of shape (n_rows,)
        Any numbers; NaN is missing.
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.
    resamples : int
        How many.
    seed : int
        Of the draws; the same seed gives the same interval.

    Returns
    -------
    Estimate
        Undefined without valid rows. Without interval where there is one cluster, or where every
        resample has the same mean: that says nothing about the error.

    Raises
    ------
    ValueError
        If a value is infinite, if the shapes differ, if `confidence` is not between 0 and 1, or if
        `resamples` is not positive.
    ClusterError
        If there should be a cluster and is none.
    """
    rows = read_rows(values, clusters)
    cells = np.zeros(rows.n, dtype=np.intp)
    return _bootstrap(rows, cells, 1, _mean, confidence, resamples, seed)


def standardised_bootstrap(
    values: ArrayLike,
    strata: Sequence[str],
    groups: Sequence[str],
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Estimate the mean over groups as it were if all groups had the same mixture of strata [2]_.

    Within a stratum each group weighs the same, whatever its number of rows; the strata weigh as
    they occur over all groups together. Both weights are computed anew in every resample. A group
    without rows in a stratum has no say in it.

    Parameters
    ----------
    values : array_like of shape (n_rows,)
        Any numbers; NaN is missing.
    strata, groups : sequence of str of length n_rows
        To which stratum and which group each row belongs.
    clusters, confidence, resamples, seed
        As in `cluster_bootstrap`.

    Returns
    -------
    Estimate
        As `cluster_bootstrap` returns it.

    Raises
    ------
    ValueError
        As in `cluster_bootstrap`.
    """
    rows = read_rows(values, clusters)
    if not len(strata) == len(groups) == np.asarray(values).size:
        raise ValueError("values, strata and groups differ in length")
    valid = ~np.isnan(np.asarray(values, dtype=np.float64))
    (names, which), (others, whose) = (
        np.unique(np.asarray(labels, dtype=str)[valid], return_inverse=True)
        for labels in (strata, groups)
    )
    shape = len(names), len(others)
    cells = which * shape[1] + whose

    def standardised(totals: Floats, sizes: Floats) -> Floats:
        return _standardised(
            totals.reshape(*totals.shape[:-1], *shape), sizes.reshape(*sizes.shape[:-1], *shape)
        )

    return _bootstrap(rows, cells, shape[0] * shape[1], standardised, confidence, resamples, seed)


def draws(units: int, resamples: int, seed: int | Sequence[int] | np.random.Generator) -> Floats:
    """Return how often each unit is drawn when as many are drawn, with replacement, as there are.

    Parameters
    ----------
    units, resamples : int
        How many there are, and how often that many are drawn.
    seed : int, sequence of int or Generator
        Of the draws, or what draws them.

    Returns
    -------
    ndarray of shape (resamples, units)
        Whole numbers; each row sums to `units`.
    """
    most = max(units, 1)
    smallest = np.min_scalar_type(most - 1)  # several times as fast to draw as 64 bits
    drawn = np.random.default_rng(seed).integers(most, size=(resamples, units), dtype=smallest)
    counts = np.empty(drawn.shape, dtype=np.float64)
    for row, one in enumerate(drawn):
        counts[row] = np.bincount(one, minlength=units)
    return counts


def _mean(totals: Floats, sizes: Floats) -> Floats:
    mean: Floats = totals[..., 0] / sizes[..., 0]
    return mean


def _standardised(totals: Floats, sizes: Floats) -> Floats:
    """Standardise cells laid out as (…, strata, groups)."""
    filled = sizes > 0
    means = np.divide(totals, sizes, out=np.zeros_like(totals), where=filled)
    groups = np.maximum(filled.sum(axis=-1), 1)
    shares = sizes.sum(axis=-1) / sizes.sum(axis=(-1, -2))[..., None]
    value: Floats = (shares * means.sum(axis=-1) / groups).sum(axis=-1)
    return value


def _bootstrap(
    rows: Rows,
    cells: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    n_cells: int,
    statistic: Statistic,
    confidence: float,
    resamples: int,
    seed: int,
) -> Estimate:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    if resamples < 1:
        raise ValueError(f"resamples must be positive, got {resamples}")
    if rows.n == 0:
        return undefined("no valid rows", BOOTSTRAP)
    totals, sizes = _totals(rows, cells, n_cells)
    value = float(statistic(totals.sum(axis=0), sizes.sum(axis=0)))
    found = _resampled(totals, sizes, statistic, resamples, seed)
    if rows.clusters == 1 or np.ptp(found) <= ROUNDING * np.abs(rows.values).max():
        what = "one cluster only" if rows.clusters == 1 else "the resamples do not vary"
        return Estimate(value, None, None, rows.n, rows.clusters, BOOTSTRAP, f"{what}: no interval")
    low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(value, float(low), float(high), rows.n, rows.clusters, BOOTSTRAP)


def _totals(
    rows: Rows, cells: np.ndarray[tuple[int, ...], np.dtype[np.intp]], n_cells: int
) -> tuple[Floats, Floats]:
    """Return the sum and the number of rows of each cluster that has rows, by cell."""
    filled = rows.sizes > 0
    places = rows.labels * n_cells + cells
    totals, sizes = (
        np.bincount(places, weights, minlength=len(filled) * n_cells)
        .reshape(len(filled), n_cells)[filled]
        .astype(np.float64)
        for weights in (rows.values, None)
    )
    return totals, sizes


def _resampled(
    totals: Floats, sizes: Floats, statistic: Statistic, resamples: int, seed: int
) -> Floats:
    """Return the estimate of each resample, the same numbers wherever its shard is drawn."""
    starts = range(0, resamples, SHARD)
    shards = [(seed, number, min(SHARD, resamples - at)) for number, at in enumerate(starts)]
    return np.concatenate(spread(partial(_shard, totals, sizes, statistic), shards))


def _shard(
    totals: Floats, sizes: Floats, statistic: Statistic, shard: tuple[int, int, int]
) -> Floats:
    seed, number, resamples = shard
    drawn = draws(len(totals), resamples, (seed, number))  # the first one's stream is the seed's
    return statistic(drawn @ totals, drawn @ sizes)
