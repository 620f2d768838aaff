"""Agreement of raters: a judge with a human, and humans among themselves.

A rating is a number, or NaN where there is none; for two raters it is 1 or 0. What two humans
reach is the ceiling for a judge. A majority label is more reliable than one human, so compare the
judge with A1 and A2 with A1, on the same rows: `paired_difference` of the two `matches`.

**Intervals.** Raw agreement, sensitivity and specificity are proportions and have the interval of
`clustered_proportion`. Kappa, AC1 and alpha are all 1 - (observed / expected disagreement), and
share one interval: the delta method (the infinitesimal jackknife [4]_) over cluster totals with
the bias-reduced error CR2 [5]_, on Fisher's z, with the quantile of t with (clusters - 1) degrees
of freedom. Beforehand one cluster of average size is added, spread evenly over all pairs of
ratings, as [6]_ add observations to a proportion; the interval is then stretched to the estimate
where it would miss it. The added cluster gives an interval where a rater is constant, and saves
the coverage where a category is rare: simulated with 30 to 450 clusters of one to eight rows,
prevalence 0.5 to 0.95 and error rates of 0.02 to 0.3, the interval covers 0.94 to 0.97 on average
and 0.89 at worst. Without it, and with the percentile bootstrap, that of kappa falls to 0.77.

Where the raters agree on every row the delta method knows no error. The lower limit is then that
of raw agreement (Wilson's, on clusters) with the disagreement expected by chance held as found,
and the note says so.

References
----------
.. [1] J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and
   Psychological Measurement 20, 37-46.
.. [2] K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of
   high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.
.. [3] K. Krippendorff (2004). Content Analysis: An Introduction to Its Methodology, second
   edition. Sage, chapter 11.
.. [4] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge
   University Press, section 2.7.
.. [5] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
.. [6] A. Agresti, B. Caffo (2000). Simple and effective confidence intervals for proportions and
   differences of proportions result from adding two successes and two failures. The American
   Statistician 54, 280-288.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeworthy.statistics.clusters import (
    Floats,
    Rows,
    read_binary_rows,
    read_rows,
    refuse_infinite,
)
from judgeworthy.statistics.estimate import Bounds, Estimate, undefined
from judgeworthy.statistics.proportions import (
    ONE_CLUSTER,
    clustered_proportion,
    proportion_bounds,
)
from judgeworthy.statistics.quantiles import two_sided

FISHER_Z = "delta method on Fisher's z, one cluster added (CR2, t)"
WILSON_AND_CHANCE = "Wilson on clusters, with chance agreement as found"

NO_PAIRS = "no row has both ratings"
NO_PAIRABLE_UNIT = "no unit has two ratings"
ONE_CATEGORY = "all ratings are equal: agreement by chance is certain, so this is undefined"
ALL_AGREE = "the raters agree on every row: the interval is that of raw agreement, rescaled"
CONSTANT_RATER = "a rater is constant: kappa is 0 whatever the other says"


# What a row adds to the totals of a coefficient, by its pair of ratings: 00, 01, 10, 11.
# Kappa: rows, disagreements, 1s of the first, 1s of the second. AC1: rows, disagreements, 1s of
# both. Alpha: discordant ordered pairs of ratings, 0s of both, 1s of both.
KAPPA_ROWS = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], [1, 0, 1, 1]], dtype=np.float64)
AC1_ROWS = np.array([[1, 0, 0], [1, 1, 1], [1, 1, 1], [1, 0, 2]], dtype=np.float64)
ALPHA_ROWS = np.array([[0, 2, 0], [2, 1, 1], [2, 1, 1], [0, 0, 2]], dtype=np.float64)

# From totals of shape (..., k): the disagreement observed, that expected by chance, and that of
# raters who never agree, all three times the same factor, which makes them quadratic.
Disagreement = Callable[[Floats], tuple[Floats, Floats, Floats]]


@dataclass(frozen=True)
class Agreement:
    """How far two raters agree.

    Attributes
    ----------
    raw : Estimate
        Share of rows on which both say the same.
    kappa, ac1, alpha : Estimate
        Cohen's kappa [1]_, Gwet's AC1 [2]_ and Krippendorff's alpha [3]_.
    missing : int
        Rows left out because a rating is missing; see `agreement_bounds`.
    """

    raw: Estimate
    kappa: Estimate
    ac1: Estimate
    alpha: Estimate
    missing: int


def agreement(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Agreement:
    """Measure the agreement of two raters in two categories.

    With p and q the shares of 1 of the two raters and π = (p + q) / 2, the disagreement expected
    by chance is p(1 - q) + q(1 - p) for kappa [1]_, 1 - 2π(1 - π) for AC1 [2]_, and
    2π(1 - π) 2n / (2n - 1) for alpha [3]_. Kappa and alpha fall where one category is rare,
    however often the raters agree; AC1 does not.

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
    Agreement
        Undefined without a row that both rated. Kappa and alpha are undefined where all ratings
        are equal. Without interval where there is one cluster, except for raw agreement on one
        row.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    one, two = _read_two(first, second)
    rows = read_rows(2 * one + two, clusters)
    raw = clustered_proportion(matches(one, two), clusters, confidence)
    if rows.n == 0:
        nothing = undefined(NO_PAIRS, FISHER_Z)
        return Agreement(replace(raw, note=NO_PAIRS), nothing, nothing, nothing, len(one))
    cells = rows.values.astype(np.intp)
    kappa, ac1, alpha = (
        _coefficient(rows, table[cells], table, disagreement, confidence)
        for table, disagreement in _COEFFICIENTS
    )
    if kappa.defined and _has_constant_rater(cells):
        kappa = replace(kappa, note=CONSTANT_RATER)
    return Agreement(raw, kappa, ac1, alpha, len(one) - rows.n)


def matches(first: ArrayLike, second: ArrayLike) -> Floats:
    """Whether two raters agree, row by row: 1, 0, or NaN where a rating is missing.

    Parameters
    ----------
    first, second : array_like of shape (n_rows,)
        0, 1 or NaN (missing).

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    one, two = _read_two(first, second)
    return 1 - np.abs(one - two)


def krippendorff_alpha(
    ratings: ArrayLike, clusters: ArrayLike | None = None, confidence: float = 0.95
) -> Estimate:
    """Measure the agreement of any number of raters in any number of nominal categories [3]_.

    A unit with m ratings, m_c of them in category c, has (m² - Σ m_c²) / (m - 1) discordant pairs;
    with n_c the ratings in category c and n all of them, alpha is one minus their total times
    (n - 1) / (n² - Σ n_c²). A unit with a single rating does not count. The cluster that is added
    for the interval has two ratings a unit.

    Parameters
    ----------
    ratings : array_like of shape (n_raters, n_units)
        A number for each category; NaN is missing.
    clusters : array_like of shape (n_units,), optional
        A label per unit; without it every unit is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        `n` counts units with two ratings or more. Undefined without one, or where all ratings are
        equal; without interval where there is one cluster.

    Raises
    ------
    ValueError
        If `ratings` is not two-dimensional or not finite, if the shapes differ, or if
        `confidence` is not between 0 and 1.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must have shape (n_raters, n_units), got {table.shape}")
    refuse_infinite(table)
    enough = np.count_nonzero(~np.isnan(table), axis=0) >= 2
    rows = read_rows(np.where(enough, 0.0, np.nan), clusters)
    if rows.n == 0:
        return undefined(NO_PAIRABLE_UNIT, FISHER_Z)
    pairable = table[:, enough]
    categories = np.unique(pairable[~np.isnan(pairable)])
    units = _alpha_rows((pairable[:, :, None] == categories).sum(axis=0))
    evenly = np.eye(len(categories))
    pairs = (evenly[:, None] + evenly[None]).reshape(-1, len(categories))
    return _coefficient(rows, units, _alpha_rows(pairs), _alpha, confidence)


@dataclass(frozen=True)
class AgreementBounds:
    """The smallest and largest agreement over all ways to fill in the judge's invalid verdicts.

    Attributes
    ----------
    raw, kappa, ac1, alpha : Bounds
        As in `Agreement`. A filling that leaves the coefficient undefined does not count.
    """

    raw: Bounds
    kappa: Bounds
    ac1: Bounds
    alpha: Bounds


def agreement_bounds(judge: ArrayLike, human: ArrayLike) -> AgreementBounds:
    """Bound the agreement of a judge with a human over all ways to fill in invalid verdicts.

    How many of the invalid rows are filled in with 1 settles the margins, and with them the
    disagreement expected by chance; then every coefficient rises with raw agreement. So the
    extremes are found among the fillings that agree most and least for each such number.

    Parameters
    ----------
    judge : array_like of shape (n_rows,)
        0, 1 or NaN (invalid).
    human : array_like of shape (n_rows,)
        0, 1 or NaN; a row without a label is left out.

    Returns
    -------
    AgreementBounds
        None and None without a labelled row, or where no filling has a defined coefficient.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    verdicts, labels = _read_two(judge, human)
    if np.isnan(labels).all():
        nothing = Bounds(None, None)
        return AgreementBounds(nothing, nothing, nothing, nothing)
    tables = _extreme_fillings(verdicts, labels)
    raw = (tables[:, 0] + tables[:, 3]) / tables.sum(axis=1)
    kappa, ac1, alpha = (
        _extremes(_coefficients(tables @ rows, disagreement))
        for rows, disagreement in _COEFFICIENTS
    )
    return AgreementBounds(_extremes(raw), kappa, ac1, alpha)


@dataclass(frozen=True)
class Diagnostic:
    """How a judge treats what a human accepts, and what a human rejects.

    Attributes
    ----------
    sensitivity, specificity : Estimate
        Share accepted of the rows that the human accepts; share rejected of those that the human
        rejects.
    sensitivity_bounds, specificity_bounds : Bounds
        Over all ways to fill in the judge's invalid verdicts.
    """

    sensitivity: Estimate
    specificity: Estimate
    sensitivity_bounds: Bounds
    specificity_bounds: Bounds


def diagnostic_accuracy(
    judge: ArrayLike,
    human: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Diagnostic:
    """Estimate a judge's sensitivity and specificity against a human's labels.

    Parameters
    ----------
    judge, human : array_like of shape (n_rows,)
        0, 1 or NaN (missing).
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Diagnostic
        Each side as in `clustered_proportion`; undefined where the human has no such label.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    correct = matches(judge, human)
    labels = np.asarray(human, dtype=np.float64)
    sensitivity, accepted = _share_correct(correct, labels, 1, clusters, confidence)
    specificity, rejected = _share_correct(correct, labels, 0, clusters, confidence)
    return Diagnostic(sensitivity, specificity, accepted, rejected)


def _read_two(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape:
        raise ValueError(f"the two raters differ in shape: {one.shape}, {two.shape}")
    read_binary_rows(one)
    read_binary_rows(two)
    return one, two


def _has_constant_rater(cells: NDArray[np.intp]) -> bool:
    return bool(np.ptp(cells // 2) == 0 or np.ptp(cells % 2) == 0)


def _kappa(totals: Floats) -> tuple[Floats, Floats, Floats]:
    rows, differing, first, second = np.moveaxis(totals, -1, 0)
    expected = first * (rows - second) + second * (rows - first)
    return rows * differing, expected, rows**2


def _ac1(totals: Floats) -> tuple[Floats, Floats, Floats]:
    rows, differing, ones = np.moveaxis(totals, -1, 0)
    return 2 * rows * differing, 2 * rows**2 - 2 * rows * ones + ones**2, 2 * rows**2


def _alpha(totals: Floats) -> tuple[Floats, Floats, Floats]:
    discordant, counts = totals[..., 0], totals[..., 1:]
    ratings = counts.sum(axis=-1)
    expected = ratings**2 - (counts**2).sum(axis=-1)
    return discordant * (ratings - 1), expected, ratings * (ratings - 1)


_COEFFICIENTS: tuple[tuple[Floats, Disagreement], ...] = (
    (KAPPA_ROWS, _kappa),
    (AC1_ROWS, _ac1),
    (ALPHA_ROWS, _alpha),
)


def _alpha_rows(counts: NDArray[np.float64 | np.intp]) -> Floats:
    """Discordant pairs of ratings and ratings in each category, from the latter."""
    ratings = counts.sum(axis=1)
    discordant = (ratings**2 - (counts**2).sum(axis=1)) / (ratings - 1)
    return np.column_stack([discordant, counts])


def _coefficient(
    rows: Rows, features: Floats, added: Floats, disagreement: Disagreement, confidence: float
) -> Estimate:
    """One minus observed over expected disagreement; `added` are the rows of the added cluster."""
    totals = features.sum(axis=0)
    observed, expected, most = disagreement(totals)
    if expected == 0:
        return undefined(ONE_CATEGORY, FISHER_Z, rows.n, rows.clusters)
    value = float(1 - observed / expected)
    if rows.clusters == 1:
        return Estimate(value, None, None, rows.n, 1, FISHER_Z, ONE_CLUSTER)
    if observed == 0:
        return _all_agree(rows, float(most / expected), confidence)
    size = rows.n / rows.clusters
    centre, gradient = _linearise(disagreement, totals + size * added.mean(axis=0))
    variance = _variance(rows, features @ gradient) + size**2 * ((added @ gradient) ** 2).mean()
    reach = two_sided(confidence, rows.clusters - 1) * sqrt(variance) / (1 - centre**2)
    low, high = (tanh(atanh(centre) + sign * reach) for sign in (-1, 1))
    return Estimate(value, min(low, value), max(high, value), rows.n, rows.clusters, FISHER_Z)


def _all_agree(rows: Rows, scale: float, confidence: float) -> Estimate:
    raw = clustered_proportion(np.ones(rows.n), rows.labels, confidence)
    low = None if raw.low is None else max(1 - scale * (1 - raw.low), -1.0)
    return Estimate(1.0, low, 1.0, rows.n, rows.clusters, WILSON_AND_CHANCE, ALL_AGREE)


def _linearise(disagreement: Disagreement, totals: Floats) -> tuple[float, Floats]:
    """The coefficient at these totals and its gradient."""
    # Both disagreements are quadratic, so that central differences are exact.
    step = np.eye(len(totals))
    above, below = disagreement(totals + step), disagreement(totals - step)
    observed, expected, _ = disagreement(totals)
    slopes = [(above[part] - below[part]) / 2 for part in (0, 1)]
    ratio = observed / expected
    return float(1 - ratio), (ratio * slopes[1] - slopes[0]) / expected


def _variance(rows: Rows, influence: Floats) -> float:
    """CR2 variance of the sum of each row's influence."""
    totals = np.bincount(rows.labels, influence, minlength=len(rows.sizes))
    return float((totals**2 / (1 - rows.sizes / rows.n)).sum())


def _share_correct(
    correct: Floats, labels: Floats, label: int, clusters: ArrayLike | None, confidence: float
) -> tuple[Estimate, Bounds]:
    chosen = labels == label
    found = clustered_proportion(np.where(chosen, correct, np.nan), clusters, confidence)
    if not chosen.any():
        found = replace(found, note=f"no row labelled {label}")
    right, wrong = (int((correct[chosen] == outcome).sum()) for outcome in (1, 0))
    return found, proportion_bounds(right, wrong, int(chosen.sum()) - right - wrong)


def _extreme_fillings(verdicts: Floats, labels: Floats) -> Floats:
    """Counts of 00, 01, 10, 11, for each number of invalid rows that are filled in with 1."""
    cells = 2 * verdicts + labels
    counts = np.bincount(cells[~np.isnan(cells)].astype(np.intp), minlength=4)
    rejected, accepted = (int((np.isnan(verdicts) & (labels == label)).sum()) for label in (0, 1))
    ones = np.arange(rejected + accepted + 1)
    # Of the rows filled in with 1, those that the human accepts: as many and as few as can be.
    right = np.concatenate([np.minimum(ones, accepted), np.maximum(ones - rejected, 0)])
    wrong = np.tile(ones, 2) - right
    filled = np.column_stack([rejected - wrong, accepted - right, wrong, right])
    return np.asarray(counts + filled, dtype=np.float64)


def _coefficients(totals: Floats, disagreement: Disagreement) -> Floats:
    observed, expected, _ = disagreement(totals)
    defined = expected != 0
    return np.asarray(1 - observed[defined] / expected[defined], dtype=np.float64)


def _extremes(values: Floats) -> Bounds:
    return Bounds(float(values.min()), float(values.max())) if len(values) else Bounds(None, None)
