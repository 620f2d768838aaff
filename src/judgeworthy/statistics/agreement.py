"""Agreement of raters: a judge with a human, and humans among themselves.

A rating is a number, or NaN where there is none; for two raters it is 1 or 0. What two humans
reach is the ceiling for a judge. A majority label is more reliable than one human, so compare the
judge with A1 and A2 with A1, on the same rows: `paired_difference` of the two `matches`.

**Intervals.** Raw agreement, sensitivity and specificity are proportions and have the interval of
`clustered_proportion`. Kappa, AC1 and alpha are all 1 - (observed / expected disagreement), and
share one interval: the delta method (the infinitesimal jackknife [5]_) over cluster totals with
the bias-reduced error CR2 [6]_, on Fisher's z, with the quantile of t with (clusters - 1) degrees
of freedom. Beforehand one cluster of average size is added, spread evenly over all pairs of
ratings, as [7]_ add observations to a proportion; the interval is then stretched to the estimate
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
.. [4] N. Calderon, R. Reichart, R. Dror (2025). The alternative annotator test for
   LLM-as-a-judge: how to statistically justify replacing human annotators with LLMs. ACL 2025,
   16051-16081; arXiv 2501.10970.
.. [5] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge
   University Press, section 2.7.
.. [6] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
.. [7] A. Agresti, B. Caffo (2000). Simple and effective confidence intervals for proportions and
   differences of proportions result from adding two successes and two failures. The American
   Statistician 54, 280-288.
.. [8] Y. Benjamini, D. Yekutieli (2001). The control of the false discovery rate in multiple
   testing under dependency. Annals of Statistics 29, 1165-1188.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from judgeworthy.statistics.clusters import Floats, Rows, read_binary_rows, read_rows
from judgeworthy.statistics.estimate import Bounds, Estimate, undefined
from judgeworthy.statistics.proportions import (
    ONE_CLUSTER,
    cluster_mean,
    clustered_proportion,
    proportion_bounds,
)

FISHER_Z = "delta method on Fisher's z, one cluster added (CR2, t)"
WILSON_AND_CHANCE = "Wilson on clusters, with chance agreement as found"
ALTERNATIVE = "alternative annotator test"

NO_PAIRS = "no row has both ratings"
NO_PAIRABLE_UNIT = "no unit has two ratings"
ONE_CATEGORY = "all ratings are equal: agreement by chance is certain, so this is undefined"
ALL_AGREE = "the raters agree on every row: the interval is that of raw agreement, rescaled"
CONSTANT_RATER = "a rater is constant: kappa is 0 whatever the other says"
FEW_ANNOTATORS = "fewer than three annotators: not tested"
FEW_ITEMS = "fewer than 30 items: the t test is doubtful"
SAME_DIFFERENCE = "every difference is the same"
NOT_TESTED = "fewer than two items (or clusters) to compare on: not tested"

MIN_ANNOTATORS = 3
MIN_ITEMS = 30

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
    _refuse_infinite(table)
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


@dataclass(frozen=True)
class AnnotatorTest:
    """Whether the judge may stand in for one annotator.

    Attributes
    ----------
    p : float or None
        One-sided p of the hypothesis that the annotator is better by epsilon or more. Where every
        difference is the same, t is infinite: 0 below epsilon, else 1.
    advantage : Estimate
        Share of items on which the judge agrees with the other annotators at least as well.
    won : bool or None
        Whether the hypothesis falls under the Benjamini-Yekutieli procedure.
    note : str
        What a reader must know, or why there is no test.
    """

    p: float | None
    advantage: Estimate
    won: bool | None
    note: str = ""


@dataclass(frozen=True)
class AlternativeAnnotatorTest:
    """Whether a judge may stand in for human annotators.

    Attributes
    ----------
    annotators : tuple of AnnotatorTest
        One for each annotator, in their order; empty where nothing was tested.
    thresholds : tuple of float
        What the smallest, the second smallest, … p must not exceed.
    winning_rate : float or None
        ω: share of the tested annotators that the judge won against.
    advantage : Estimate
        ρ: mean advantage over the annotators tested.
    epsilon : float
        How much worse the judge may be.
    note : str
        Why nothing was tested.
    """

    annotators: tuple[AnnotatorTest, ...]
    thresholds: tuple[float, ...]
    winning_rate: float | None
    advantage: Estimate
    epsilon: float
    note: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the judge won against half of the annotators or more."""
        return None if self.winning_rate is None else self.winning_rate >= 0.5


def alternative_annotator_test(
    humans: ArrayLike,
    judge: ArrayLike,
    clusters: ArrayLike | None = None,
    epsilon: float = 0.2,
    level: float = 0.05,
) -> AlternativeAnnotatorTest:
    """Test whether a judge represents the annotators as well as one of them does [4]_.

    Each annotator in turn is compared with the judge: who agrees with more of the others on an
    item? With d = (annotator at least as good) - (judge at least as good), a one-sided t test
    asks whether the mean of d is below epsilon; over the annotators the false discovery rate is
    held at `level` [8]_. With clusters the error of the mean is bias-reduced [6]_ and t has
    (clusters - 1) degrees of freedom, which is the plain t test where every item is its own
    cluster.

    The authors take epsilon 0.2 for experts, 0.15 for skilled annotators and 0.1 for crowd
    workers, ask for three annotators or more, and for a rank test under 30 items.

    Parameters
    ----------
    humans : array_like of shape (n_annotators, n_items)
        A number for each category; NaN is missing. The labels must be independent.
    judge : array_like of shape (n_items,)
        Likewise. An item without a verdict is left out; a number that no human uses makes it
        count against the judge.
    clusters : array_like of shape (n_items,), optional
        A label per item; without it every item is its own cluster.
    epsilon : float
        Between 0 and 1.
    level : float
        False discovery rate, between 0 and 1.

    Returns
    -------
    AlternativeAnnotatorTest
        Not tested with fewer than three annotators. An annotator with fewer than two items (or
        clusters) shared with the judge and another annotator is not part of it.

    Raises
    ------
    ValueError
        If the shapes differ, if a rating is infinite, or if `epsilon` or `level` is out of range.
    """
    ratings, verdicts = _read_panel(humans, judge)
    if not 0 <= epsilon < 1 or not 0 < level < 1:
        raise ValueError(f"epsilon and level must lie between 0 and 1, got {epsilon}, {level}")
    if np.count_nonzero(~np.isnan(ratings).all(axis=1)) < MIN_ANNOTATORS:
        nothing = undefined(FEW_ANNOTATORS, ALTERNATIVE)
        return AlternativeAnnotatorTest((), (), None, nothing, epsilon, FEW_ANNOTATORS)
    wins, differences = _compare(ratings, verdicts)
    tests = [_test_mean(difference, clusters, epsilon) for difference in differences]
    thresholds, won = _benjamini_yekutieli([p for p, _ in tests], level)
    annotators = tuple(
        AnnotatorTest(p, clustered_proportion(own, clusters), outcome, note)
        for (p, note), own, outcome in zip(tests, wins, won, strict=True)
    )
    tested = np.array([p is not None for p, _ in tests])
    advantage = _mean_advantage(wins[tested], clusters)
    if not tested.any():
        return AlternativeAnnotatorTest(annotators, (), None, advantage, epsilon, NOT_TESTED)
    rate = won.count(True) / int(tested.sum())
    return AlternativeAnnotatorTest(annotators, thresholds, rate, advantage, epsilon)


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
    reach = _t_quantile(confidence, rows.clusters - 1) * sqrt(variance) / (1 - centre**2)
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


def _refuse_infinite(ratings: Floats) -> None:
    if np.isinf(ratings).any():
        raise ValueError("ratings must be finite, or NaN where there is none")


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


def _read_panel(humans: ArrayLike, judge: ArrayLike) -> tuple[Floats, Floats]:
    ratings, verdicts = np.asarray(humans, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    if ratings.ndim != 2 or ratings.shape[1:] != verdicts.shape:
        raise ValueError(f"humans and judge differ in shape: {ratings.shape}, {verdicts.shape}")
    _refuse_infinite(ratings)
    _refuse_infinite(verdicts)
    return ratings, verdicts


def _compare(ratings: Floats, verdicts: Floats) -> tuple[Floats, Floats]:
    """Per annotator and item: whether the judge is at least as good, and the difference d."""
    wins, differences = np.full(ratings.shape, np.nan), np.full(ratings.shape, np.nan)
    for place, own in enumerate(ratings):
        others = np.delete(ratings, place, axis=0)
        usable = ~np.isnan(own + verdicts) & ~np.isnan(others).all(axis=0)
        judge_hits, own_hits = (others == verdicts).sum(axis=0), (others == own).sum(axis=0)
        wins[place, usable] = (judge_hits >= own_hits)[usable]
        differences[place, usable] = np.sign(own_hits - judge_hits)[usable]
    return wins, differences


def _test_mean(
    differences: Floats, clusters: ArrayLike | None, epsilon: float
) -> tuple[float | None, str]:
    found = cluster_mean(differences, clusters)
    mean, error = found.estimate.value, found.cr2
    if mean is None or error is None:
        return None, NOT_TESTED
    notes = [FEW_ITEMS] if found.estimate.clusters < MIN_ITEMS else []
    if error == 0:
        return (0.0 if mean < epsilon else 1.0), "; ".join([SAME_DIFFERENCE, *notes])
    p = float(stdtr(found.estimate.clusters - 1, (mean - epsilon) / error))
    return p, "; ".join(notes)


def _benjamini_yekutieli(
    p_values: list[float | None], level: float
) -> tuple[tuple[float, ...], list[bool | None]]:
    """Thresholds by rank, and which hypotheses fall; without p there is none."""
    ordered = np.sort([p for p in p_values if p is not None])
    ranks = np.arange(1, len(ordered) + 1)
    thresholds = level * ranks / (len(ordered) * (1 / ranks).sum())
    largest = ordered[ordered <= thresholds].max(initial=-1.0)
    return tuple(thresholds.tolist()), [None if p is None else bool(p <= largest) for p in p_values]


def _mean_advantage(wins: Floats, clusters: ArrayLike | None) -> Estimate:
    """Mean over annotators of their shares of wins, with an interval over items."""
    rated = ~np.isnan(wins).all(axis=0)
    counts = np.count_nonzero(~np.isnan(wins), axis=1)[:, None]
    if not rated.any():
        return undefined(NOT_TESTED, ALTERNATIVE)
    shares = np.nansum(wins, axis=1, keepdims=True) / counts
    if shares.min() == 1 or shares.max() == 0:
        return clustered_proportion(np.where(rated, shares.max(), np.nan), clusters)
    influence = np.nansum((wins - shares) / counts, axis=0) / len(wins)
    items = np.where(rated, shares.mean() + rated.sum() * influence, np.nan)
    found = cluster_mean(items, clusters).estimate
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _t_quantile(confidence: float, degrees: int) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    return float(stdtrit(degrees, (1 + confidence) / 2))
