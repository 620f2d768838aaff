"""Resampling: the cluster bootstrap.

References
----------
.. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge
   University Press, section 3.8.
"""

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Floats, Rows, read_rows
from judgeworthy.statistics.estimate import Estimate, undefined

BOOTSTRAP = "percentile (cluster bootstrap)"
# Means of resamples that differ by less, relative to the largest value, are the same number.
ROUNDING = 1e-12


def cluster_bootstrap(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    weights: ArrayLike | None = None,
) -> Estimate:
    """Estimate a mean with the percentile interval of a bootstrap that draws whole clusters [1]_.

    A resample is as many clusters as there are, drawn with replacement; its mean is that of all
    their rows, weighted if there are weights.

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
    weights : array_like of shape (n_rows,), optional
        Of each row, positive; 1 without it. A row of weight 2 counts as two rows of its cluster.

    Returns
    -------
    Estimate
        `n` counts rows, whatever they weigh. Undefined without valid rows. Without interval where
        there is one cluster, or where every resample has the same mean: that says nothing about
        the error.

    Raises
    ------
    ValueError
        If a value is infinite, if the shapes differ, if the weight of a valid row is not positive
        and finite, if `confidence` is not between 0 and 1, or if `resamples` is not positive.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    if resamples < 1:
        raise ValueError(f"resamples must be positive, got {resamples}")
    rows = read_rows(values, clusters)
    if rows.n == 0:
        return undefined("no valid rows", BOOTSTRAP)
    totals, sizes = _totals(rows, _weights(values, weights))
    value = float(totals.sum() / sizes.sum())
    means = _means(totals, sizes, resamples, seed)
    if rows.clusters == 1 or np.ptp(means) <= ROUNDING * np.abs(rows.values).max():
        what = "one cluster only" if rows.clusters == 1 else "the resamples do not vary"
        return Estimate(value, None, None, rows.n, rows.clusters, BOOTSTRAP, f"{what}: no interval")
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(value, float(low), float(high), rows.n, rows.clusters, BOOTSTRAP)


def _weights(values: ArrayLike, weights: ArrayLike | None) -> Floats:
    """Return the weights of the valid rows."""
    numbers = np.asarray(values, dtype=np.float64)
    weighing = np.ones(numbers.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if weighing.shape != numbers.shape:
        raise ValueError(f"values and weights differ in shape: {numbers.shape}, {weighing.shape}")
    weighing = weighing[~np.isnan(numbers)]
    if not (np.isfinite(weighing) & (weighing > 0)).all():
        raise ValueError("weights must be positive and finite")
    return weighing


def _totals(rows: Rows, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weighted sum and the weight of each cluster that has rows."""
    filled = rows.sizes > 0
    totals, sizes = (
        np.bincount(rows.labels, part, minlength=len(filled))[filled].astype(np.float64)
        for part in (rows.values * weights, weights)
    )
    return totals, sizes


def _means(totals: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    clusters = len(totals)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    means: Floats = (drawn @ totals) / (drawn @ sizes)
    return means
