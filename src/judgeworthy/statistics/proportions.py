"""Proportions, means and paired differences of rows that may be clustered.

A row is 1, 0 or missing (NaN). Missing rows are left out of the estimate and of `n`; what they
could change at most is `proportion_bounds` and `difference_bounds`.

References
----------
.. [1] E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
   Journal of the American Statistical Association 22, 209-212.
.. [2] E. L. Korn, B. I. Graubard (1998). Confidence intervals for proportions with small expected
   number of positive counts estimated from survey data. Survey Methodology 24, 193-201.
.. [3] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
.. [4] C. Franco, R. J. A. Little, T. A. Louis, E. V. Slud (2019). Comparative study of confidence
   intervals for proportions in complex sample surveys. Journal of Survey Statistics and
   Methodology 7, 334-364.
.. [5] R. G. Newcombe (1998). Improved confidence intervals for the difference between binomial
   proportions based on paired data. Statistics in Medicine 17, 2635-2650.
.. [6] G. Y. Zou, A. Donner (2008). Construction of confidence limits about effect measures: a
   general approach. Statistics in Medicine 27, 1693-1702.
.. [7] L. A. Mancl, T. A. DeRouen (2001). A covariance estimator for GEE with improved
   small-sample properties. Biometrics 57, 126-134.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Rows, read_binary_rows, read_rows
from judgeworthy.statistics.estimate import Bounds, Estimate, undefined
from judgeworthy.statistics.quantiles import two_sided

WILSON = "Wilson"
EFFECTIVE_WILSON = "Wilson at the effective sample size (CR2, t)"
CLUSTER_WILSON = "Wilson on clusters"
CLUSTER_T = "t (CR2)"
SQUARE_AND_ADD = "square-and-add (Newcombe 10)"

NO_ROWS = "no valid rows"
ONE_CLUSTER = "one cluster only: no interval"


def wilson(successes: int, n: int, confidence: float = 0.95) -> Estimate:
    """Estimate a proportion of independent rows, with Wilson's score interval [1]_.

    Parameters
    ----------
    successes, n : int
        Rows that are 1, and all rows.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        Undefined where `n` is 0.

    Raises
    ------
    ValueError
        If `successes` is not between 0 and `n`, or `confidence` not between 0 and 1.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n, got {successes} of {n}")
    if n == 0:
        return undefined(NO_ROWS, WILSON)
    value = successes / n
    low, high = _wilson_limits(value, n, two_sided(confidence))
    return Estimate(value, low, high, n, n, WILSON)


def clustered_proportion(
    values: ArrayLike, clusters: ArrayLike | None = None, confidence: float = 0.95
) -> Estimate:
    """Estimate a proportion whose rows share clusters.

    Where every cluster has one row this is Wilson's interval. Otherwise it is Wilson's interval
    at the effective sample size p(1 - p) / SE² [2]_, with the bias-reduced (CR2) error [3]_ and
    the quantile of t with (clusters - 1) degrees of freedom; [4]_ found this form to hold its
    coverage best. The effective sample size is capped at `n`, because a negative intra-cluster
    correlation is mostly noise. Where all rows are 0, or all are 1, the error is 0 and says
    nothing: Wilson's interval then counts clusters instead of rows.

    Parameters
    ----------
    values : array_like of shape (n_rows,)
        0, 1 or NaN (missing).
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        Undefined without valid rows; without interval where several rows make up one cluster.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    return _proportion(read_binary_rows(values, clusters), confidence)


@dataclass(frozen=True)
class ClusterMean:
    """A mean with every common standard error beside it.

    Attributes
    ----------
    estimate : Estimate
        The mean, with the interval of `cr2` and t with (clusters - 1) degrees of freedom.
    naive : float or None
        Standard error that takes the rows for independent.
    cr0, cr1, cr2, cr3 : float or None
        Cluster-robust standard errors: without correction (as GEE's robust error and the
        exhaustive cluster bootstrap have it), times sqrt(G / (G - 1)), bias-reduced [3]_, and
        GEE's bias-corrected error [7]_. None for fewer than two clusters.
    """

    estimate: Estimate
    naive: float | None
    cr0: float | None
    cr1: float | None
    cr2: float | None
    cr3: float | None


def cluster_mean(
    values: ArrayLike, clusters: ArrayLike | None = None, confidence: float = 0.95
) -> ClusterMean:
    """Estimate a mean whose rows share clusters.

    With S_g the sum of the residuals in cluster g and h_g = n_g / n its leverage, the squared
    errors are n⁻² times the sum of S_g² (CR0), of S_g² G / (G - 1) (CR1), of S_g² / (1 - h_g)
    (CR2 [3]_) and of S_g² / (1 - h_g)² (CR3 [7]_). CR1 and CR2 agree where the clusters are of
    one size.

    Parameters
    ----------
    values : array_like of shape (n_rows,)
        Any numbers; NaN is missing.
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    ClusterMean
        Undefined without valid rows; without interval where there is one cluster, or where the
        cluster totals do not vary.

    Raises
    ------
    ValueError
        If a value is infinite, if the shapes differ, or if `confidence` is not between 0 and 1.
    """
    rows = read_rows(values, clusters)
    if rows.n == 0:
        return ClusterMean(undefined(NO_ROWS, CLUSTER_T), None, None, None, None, None)
    naive = float(rows.values.std()) / sqrt(rows.n)
    if rows.clusters == 1:
        only = Estimate(rows.mean, None, None, rows.n, 1, CLUSTER_T, ONE_CLUSTER)
        return ClusterMean(only, naive, None, None, None, None)
    cr0, cr2, cr3 = (_cluster_error(rows, power) for power in (0, 1, 2))
    cr1 = cr0 * sqrt(rows.clusters / (rows.clusters - 1))
    return ClusterMean(_t_interval(rows, cr2, confidence), naive, cr0, cr1, cr2, cr3)


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the proportion of `first` minus that of `second`, paired row by row.

    Each proportion is taken over its own valid rows. The interval combines their two intervals
    by square-and-add [6]_ with the correlation of the two proportions. For complete pairs of
    independent rows that is Newcombe's method 10 [5]_: the correlation is φ with its continuity
    correction, and 0 where a margin is 0.

    In general the correlation is that of the residual totals of the clusters. For independent
    rows with missing ones it is φ scaled by n_pairs / sqrt(n_first n_second): a row without its
    partner adds variance but no covariance. The continuity correction of half a pair becomes
    half a cluster.

    Parameters
    ----------
    first, second : array_like of shape (n_rows,)
        0, 1 or NaN (missing).
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        `n` counts complete pairs. Undefined where one side has no valid rows; without interval
        where one side has none.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.shape != right.shape:
        raise ValueError(f"first and second differ in shape: {left.shape}, {right.shape}")
    rows = read_binary_rows(left, clusters), read_binary_rows(right, clusters)
    pairs = read_rows(left - right, clusters)
    one, two = (_proportion(side, confidence) for side in rows)
    note = _difference_note(one, two, pairs.n)
    if one.value is None or two.value is None:
        return undefined(note, SQUARE_AND_ADD, pairs.n, pairs.clusters)
    low, high = _square_and_add(one, two, _correlation(*rows))
    difference = one.value - two.value
    return Estimate(difference, low, high, pairs.n, pairs.clusters, SQUARE_AND_ADD, note)


def proportion_bounds(accepted: int, rejected: int, invalid: int) -> Bounds:
    """Bound a proportion over all ways to count the invalid rows as accepted or rejected.

    Parameters
    ----------
    accepted, rejected, invalid : int
        Counts of rows.

    Returns
    -------
    Bounds
        None and None where all three are 0.

    Raises
    ------
    ValueError
        If a count is negative.
    """
    if min(accepted, rejected, invalid) < 0:
        raise ValueError(f"counts must not be negative: {accepted}, {rejected}, {invalid}")
    total = accepted + rejected + invalid
    if total == 0:
        return Bounds(None, None)
    return Bounds(accepted / total, (accepted + invalid) / total)


def difference_bounds(first: Bounds, second: Bounds) -> Bounds:
    """Bound `first` minus `second`, where each may take any value in its bounds.

    The invalid rows of the two sides are filled in independently, so the widest difference sets
    the one low and the other high.

    Parameters
    ----------
    first, second : Bounds
        As `proportion_bounds` gives them.
    """
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Bounds(None, None)
    return Bounds(first.low - second.high, first.high - second.low)


def _proportion(rows: Rows, confidence: float) -> Estimate:
    if rows.n == 0:
        return undefined(NO_ROWS, WILSON)
    if rows.n == rows.clusters:
        return wilson(int(rows.values.sum()), rows.n, confidence)
    if rows.clusters == 1:
        return Estimate(rows.mean, None, None, rows.n, 1, EFFECTIVE_WILSON, ONE_CLUSTER)
    if rows.mean in (0.0, 1.0):
        return _constant_proportion(rows, confidence)
    quantile = two_sided(confidence, rows.clusters - 1)
    low, high = _wilson_limits(rows.mean, _effective_n(rows), quantile)
    return Estimate(rows.mean, low, high, rows.n, rows.clusters, EFFECTIVE_WILSON)


def _constant_proportion(rows: Rows, confidence: float) -> Estimate:
    low, high = _wilson_limits(rows.mean, rows.clusters, two_sided(confidence))
    note = f"all {rows.mean:.0f}: the interval counts {rows.clusters} clusters, not {rows.n} rows"
    return Estimate(rows.mean, low, high, rows.n, rows.clusters, CLUSTER_WILSON, note)


def _wilson_limits(value: float, n: float, quantile: float) -> tuple[float, float]:
    square = quantile**2 / n
    centre = value + square / 2
    half = quantile * sqrt(value * (1 - value) / n + square / (4 * n))
    low, high = (centre - half) / (1 + square), (centre + half) / (1 + square)
    # At 0 and at 1 one limit is the value itself, which rounding would miss.
    return (0.0 if value == 0 else low), (1.0 if value == 1 else high)


def _effective_n(rows: Rows) -> float:
    variance = rows.mean * (1 - rows.mean)
    error = _cluster_error(rows, power=1)
    return rows.n if error**2 * rows.n <= variance else variance / error**2


def _cluster_error(rows: Rows, power: int) -> float:
    """Cluster-robust standard error of the mean: CR0, CR2 or CR3 for power 0, 1 or 2."""
    rest = 1 - rows.sizes / rows.n
    return sqrt(float((rows.residual_totals() ** 2 / rest**power).sum())) / rows.n


def _t_interval(rows: Rows, error: float, confidence: float) -> Estimate:
    if error == 0:
        note = "the cluster totals do not vary: no interval"
        return Estimate(rows.mean, None, None, rows.n, rows.clusters, CLUSTER_T, note)
    half = two_sided(confidence, rows.clusters - 1) * error
    low, high = rows.mean - half, rows.mean + half
    return Estimate(rows.mean, low, high, rows.n, rows.clusters, CLUSTER_T)


def _correlation(one: Rows, two: Rows) -> float:
    """Correlation of two proportions, shrunk towards 0 by half a cluster where it is positive."""
    spread = one.clusters * one.values.var() * two.clusters * two.values.var()
    totals, others = one.residual_totals(), two.residual_totals()
    norm = sqrt(float((totals**2).sum() * (others**2).sum()))
    if spread == 0 or norm == 0:
        return 0.0
    correlation = float((totals * others).sum()) / norm
    return min(correlation, max(correlation - 0.5 / sqrt(spread), 0.0))


def _square_and_add(
    one: Estimate, two: Estimate, correlation: float
) -> tuple[float, float] | tuple[None, None]:
    reach, other = _reach(one), _reach(two)
    if one.value is None or two.value is None or reach is None or other is None:
        return None, None
    difference = one.value - two.value
    low = difference - _combined_reach(reach[0], other[1], correlation)
    high = difference + _combined_reach(reach[1], other[0], correlation)
    return low, high


def _reach(estimate: Estimate) -> tuple[float, float] | None:
    """How far the interval reaches below and above the value."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return estimate.value - estimate.low, estimate.high - estimate.value


def _combined_reach(first: float, second: float, correlation: float) -> float:
    square = first**2 - 2 * correlation * first * second + second**2
    return sqrt(max(square, 0.0))


def _difference_note(one: Estimate, two: Estimate, pairs: int) -> str:
    notes = [
        f"{name}: {side.note}" for name, side in (("first", one), ("second", two)) if side.note
    ]
    if not one.n == two.n == pairs:
        notes.append(f"{one.n} valid in the first, {two.n} in the second, {pairs} in both")
    return "; ".join(notes)
