"""Prediction-powered inference: human labels on a part, and a judge's verdicts on all rows.

PPI++ [1]_ takes the mean of the human labels and lets the judge's verdicts make it more precise,
as far as the two go together. It takes the labelled rows for a random part of all.

References
----------
.. [1] A. N. Angelopoulos, J. C. Duchi, T. Zrnic (2023). PPI++: efficient prediction-powered
   inference. arXiv 2311.01453.
.. [2] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Floats, Rows, read_rows
from judgeworthy.statistics.estimate import Estimate, undefined, with_notes
from judgeworthy.statistics.labels import invalid, read_both, within_unit
from judgeworthy.statistics.proportions import ONE_CLUSTER, clustered_proportion
from judgeworthy.statistics.quantiles import two_sided

PPI = "PPI++ (ddof {ddof}, normal)"
CLUSTERED_PPI = "PPI++ (CR2, t)"
NO_LABELS = "no labelled row has a verdict"
CONSTANT_LABELS = "all labels are equal: the interval is theirs alone"
NO_VARIATION = "the corrected totals do not vary: no interval"
FEW_OF_A_KIND = "fewer than 5 labels of one kind: coverage is poor"
ENOUGH_LABELS = 50
ENOUGH_OF_A_KIND = 5


@dataclass(frozen=True)
class PredictionPowered:
    """A mean of human labels, made more precise by a judge.

    Attributes
    ----------
    estimate : Estimate
        `n` counts the rows with a verdict, labelled or not.
    lam : float or None
        λ, the weight of the judge: 0 leaves the mean of the labels.
    labelled, unlabelled : int
        Rows with a label and a verdict, and with a verdict alone.
    """

    estimate: Estimate
    lam: float | None
    labelled: int
    unlabelled: int


def ppi_mean(
    labels: ArrayLike,
    verdicts: ArrayLike,
    clusters: ArrayLike | None = None,
    ddof: int = 0,
    confidence: float = 0.95,
) -> PredictionPowered:
    """Estimate the mean human label from a labelled part and a judge's verdicts on all rows.

    With n labelled rows (Y, f) and N unlabelled ones f, the estimate is mean(Y - λf) over the
    former plus λ mean(f) over the latter, with λ = cov(Y, f) / ((1 + n/N) var(f)) between 0 and 1
    [1]_. The covariance divides by n, and the variance, over all rows, by n + N - 1, as in the
    authors' package ppi_py. λ is 0 where the verdicts do not vary or no row is unlabelled.

    The squared error is var(Y - λf) / n + λ² var(f) / N with the normal quantile; ddof 0 is the
    convention of ppi_py, ddof 1 that of truescore. Where rows share clusters, `ddof` is not used:
    the error is that of cluster totals, which may hold labelled and unlabelled rows, each sum
    bias-reduced [2]_ (which is ddof 1 for clusters of one row), and the quantile is that of t
    with (clusters with a label - 1) degrees of freedom. λ remains as it is: it is no longer the
    best one, but any λ gives a valid estimate.

    Where all labels are equal, the interval is that of `clustered_proportion` for the labels. With
    fewer than 50 labels, or clusters with a label, or with fewer than five labels of 1 or of 0,
    the interval covers less than its level, and the note says so.

    Parameters
    ----------
    labels : array_like of shape (n_rows,)
        Any number as humans say; NaN where they were not asked.
    verdicts : array_like of shape (n_rows,)
        Any number as the judge says; NaN is invalid, and its row is left out.
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    ddof : {0, 1}
        What is taken off the number of rows in the variances of the error.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    PredictionPowered
        Undefined without a labelled row that has a verdict; without interval where the labelled
        or, unless λ is 0, the unlabelled rows are of one cluster.

    Raises
    ------
    ValueError
        If a value is infinite, if the shapes differ, if `ddof` is not 0 or 1, or if `confidence`
        is not between 0 and 1.
    """
    truth, said = read_both(labels, verdicts)
    if ddof not in (0, 1):
        raise ValueError(f"ddof must be 0 or 1, got {ddof}")
    every, labelled = read_rows(said, clusters), ~np.isnan(truth + said)
    counts = int(labelled.sum()), every.n - int(labelled.sum())
    if counts[0] == 0:
        nothing = undefined(NO_LABELS, CLUSTERED_PPI, every.n, every.clusters)
        return PredictionPowered(with_notes(nothing, invalid(said)), None, *counts)
    lam = _power(truth[labelled], said[labelled], every.values)
    rectified = read_rows(truth - lam * said, clusters)
    imputed = read_rows(np.where(labelled, np.nan, lam * said), clusters)
    parts = [rectified] if lam == 0 else [rectified, imputed]
    estimate = _ppi_interval(parts, every, ddof, confidence)
    if np.isin(np.concatenate([truth[labelled], every.values]), (0, 1)).all():
        labels_alone = clustered_proportion(np.where(labelled, truth, np.nan), clusters, confidence)
        estimate = _as_share(estimate, labels_alone)
    estimate = with_notes(estimate, _few_labels(rectified), invalid(said))
    return PredictionPowered(estimate, lam, *counts)


def _power(truth: Floats, said: Floats, every: Floats) -> float:
    unlabelled = len(every) - len(truth)
    if unlabelled == 0 or np.ptp(every) == 0:
        return 0.0
    covariance = float(np.mean((truth - truth.mean()) * (said - said.mean())))
    best = covariance / ((1 + len(truth) / unlabelled) * float(every.var(ddof=1)))
    return min(max(best, 0.0), 1.0)


def _ppi_interval(parts: list[Rows], every: Rows, ddof: int, confidence: float) -> Estimate:
    independent = every.n == every.clusters
    method = PPI.format(ddof=ddof) if independent else CLUSTERED_PPI
    value = sum(part.mean for part in parts)
    estimate = Estimate(value, None, None, every.n, every.clusters, method)
    if min(part.clusters for part in parts) == 1:
        return replace(estimate, note=ONE_CLUSTER)
    error = _independent_error(parts, ddof) if independent else _clustered_error(parts)
    if error == 0:
        return replace(estimate, note=NO_VARIATION)
    reach = two_sided(confidence, None if independent else parts[0].clusters - 1) * error
    return replace(estimate, low=value - reach, high=value + reach)


def _independent_error(parts: list[Rows], ddof: int) -> float:
    return sqrt(sum(float(part.values.var(ddof=ddof)) / part.n for part in parts))


def _clustered_error(parts: list[Rows]) -> float:
    totals = [
        part.residual_totals() / (part.n * np.sqrt(1 - part.sizes / part.n)) for part in parts
    ]
    return sqrt(float((np.sum(totals, axis=0) ** 2).sum()))


def _as_share(estimate: Estimate, labels: Estimate) -> Estimate:
    """Keep to 0 to 1, with the interval of the labels where they are all equal."""
    ones = round(labels.n * (labels.value or 0.0))
    if 0 < min(ones, labels.n - ones) < ENOUGH_OF_A_KIND:
        estimate = with_notes(estimate, FEW_OF_A_KIND)
    if not estimate.has_interval and labels.has_interval and ones in (0, labels.n):
        alone = replace(labels, n=estimate.n, clusters=estimate.clusters, note=CONSTANT_LABELS)
        estimate = with_notes(alone, labels.note)
    return within_unit(estimate)


def _few_labels(labelled: Rows) -> str:
    if labelled.clusters >= ENOUGH_LABELS:
        return ""
    where = "labels" if labelled.n == labelled.clusters else "clusters with a label"
    return f"fewer than {ENOUGH_LABELS} {where}: coverage is poor"
