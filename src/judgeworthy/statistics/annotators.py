"""The alternative annotator test: whether a judge may stand in for a human annotator.

References
----------
.. [1] N. Calderon, R. Reichart, R. Dror (2025). The alternative annotator test for
   LLM-as-a-judge: how to statistically justify replacing human annotators with LLMs. ACL 2025,
   16051-16081; arXiv 2501.10970.
.. [2] Y. Benjamini, D. Yekutieli (2001). The control of the false discovery rate in multiple
   testing under dependency. Annals of Statistics 29, 1165-1188.
.. [3] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from judgeworthy.statistics.clusters import Floats, refuse_infinite
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import cluster_mean, clustered_proportion

ALTERNATIVE = "alternative annotator test"
FEW_ANNOTATORS = "fewer than three annotators: not tested"
FEW_ITEMS = "fewer than 30 items: the t test is doubtful"
SAME_DIFFERENCE = "every difference is the same"
NOT_TESTED = "fewer than two items (or clusters) to compare on: not tested"
MIN_ANNOTATORS = 3
MIN_ITEMS = 30


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
    """Test whether a judge represents the annotators as well as one of them does [1]_.

    Each annotator in turn is compared with the judge: who agrees with more of the others on an
    item? With d = (annotator at least as good) - (judge at least as good), a one-sided t test
    asks whether the mean of d is below epsilon; over the annotators the false discovery rate is
    held at `level` [2]_. With clusters the error of the mean is bias-reduced [3]_ and t has
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


def _read_panel(humans: ArrayLike, judge: ArrayLike) -> tuple[Floats, Floats]:
    ratings, verdicts = np.asarray(humans, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    if ratings.ndim != 2 or ratings.shape[1:] != verdicts.shape:
        raise ValueError(f"humans and judge differ in shape: {ratings.shape}, {verdicts.shape}")
    refuse_infinite(ratings)
    refuse_infinite(verdicts)
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
