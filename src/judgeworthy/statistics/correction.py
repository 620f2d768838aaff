"""Accuracy corrected for a judge's errors, from human labels on a part of the rows.

Two ways to the share that humans would accept. Rogan and Gladen [1]_ turn the judge's acceptance
around, given its sensitivity and specificity; Lang and Reiczigel [2]_ give the interval where
these two are estimated. PPI++ [3]_ takes the mean of the human labels and lets the judge's
verdicts make it more precise, as far as the two go together. Both take the labelled rows for a
random part of all. Sensitivity and specificity from gold and wrong answers are neither truth nor
bound for a model's responses: what they correct is a what-if.

A share lies between 0 and 1. An estimate or limit outside is moved to the nearest end, with a
note where it is the estimate; an interval that lies outside as a whole is left out.

References
----------
.. [1] W. J. Rogan, B. Gladen (1978). Estimating prevalence from the results of a screening test.
   American Journal of Epidemiology 107, 71-76.
.. [2] Z. Lang, J. Reiczigel (2014). Confidence limits for prevalence of disease adjusted for
   estimated sensitivity and specificity. Preventive Veterinary Medicine 113, 13-22.
.. [3] A. N. Angelopoulos, J. C. Duchi, T. Zrnic (2023). PPI++: efficient prediction-powered
   inference. arXiv 2311.01453.
.. [4] E. L. Korn, B. I. Graubard (1998). Confidence intervals for proportions with small expected
   number of positive counts estimated from survey data. Survey Methodology 24, 193-201.
.. [5] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from judgeworthy.statistics.clusters import Floats, Rows, read_binary_rows, read_rows
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import ONE_CLUSTER, cluster_mean, clustered_proportion

ROGAN_GLADEN = "Rogan-Gladen"
LANG_REICZIGEL = "Lang-Reiczigel"
CLUSTERED_LANG_REICZIGEL = "Lang-Reiczigel at the effective sample sizes (CR2, t)"
PPI = "PPI++ (ddof {ddof}, normal)"
CLUSTERED_PPI = "PPI++ (CR2, t)"

NOT_IDENTIFIED = "sensitivity + specificity is not above 1: not identified"
NEARLY_UNIDENTIFIED = "sensitivity + specificity is hardly above 1: no interval"
NO_POSITIVES = "no row labelled 1: sensitivity unknown"
NO_NEGATIVES = "no row labelled 0: specificity unknown"
NO_UNLABELLED = "no row without label: acceptance unknown"
NO_LABELS = "no labelled row has a verdict"
MISFIT = "the interval lies outside 0 to 1: the correction does not fit these rows"
CONSTANT_LABELS = "all labels are equal: the interval is theirs alone"
NO_VARIATION = "the corrected totals do not vary: no interval"
FEW_OF_A_KIND = "fewer than 5 labels of one kind: coverage is poor"

ENOUGH_LABELS = 50
ENOUGH_OF_A_KIND = 5


def rogan_gladen(acceptance: Estimate, sensitivity: float, specificity: float) -> Estimate:
    """Correct an acceptance for a sensitivity and a specificity that are known.

    The corrected value is (acceptance + specificity - 1) / (sensitivity + specificity - 1) [1]_.
    So are the limits: they hold the error of the acceptance alone.

    Parameters
    ----------
    acceptance : Estimate
        Share of rows that the judge accepts.
    sensitivity, specificity : float
        Share accepted of what is right, share rejected of what is wrong.

    Returns
    -------
    Estimate
        Undefined where `acceptance` is, or where sensitivity + specificity ≤ 1.

    Raises
    ------
    ValueError
        If `sensitivity` or `specificity` is not between 0 and 1.
    """
    if not (0 <= sensitivity <= 1 and 0 <= specificity <= 1):
        raise ValueError(f"shares must lie between 0 and 1: {sensitivity}, {specificity}")
    method = f"{ROGAN_GLADEN} of {acceptance.method}"
    if acceptance.value is None or sensitivity + specificity <= 1:
        note = acceptance.note if acceptance.value is None else NOT_IDENTIFIED
        return undefined(note, method, acceptance.n, acceptance.clusters)
    value, low, high = (
        None if share is None else (share + specificity - 1) / (sensitivity + specificity - 1)
        for share in (acceptance.value, acceptance.low, acceptance.high)
    )
    return _within_unit(replace(acceptance, value=value, low=low, high=high, method=method))


@dataclass(frozen=True)
class LangReiczigel:
    """A corrected share with the parts of its interval.

    Attributes
    ----------
    estimate : Estimate
        The Rogan-Gladen estimate and the interval adjusted + shift ± quantile × error; `n` counts
        the rows of the acceptance.
    adjusted, shift, error : float or None
        P′, d and SE(P′) of the paper; None without interval.
    labels : int
        Labelled rows.
    """

    estimate: Estimate
    adjusted: float | None
    shift: float | None
    error: float | None
    labels: int


def lang_reiczigel(
    accepted: int,
    n: int,
    true_positives: int,
    positives: int,
    true_negatives: int,
    negatives: int,
    confidence: float = 0.95,
) -> LangReiczigel:
    """Correct an acceptance for estimated sensitivity and specificity, from three samples [2]_.

    With z the normal quantile, p′ = (accepted + z²/2) / (n + z²), Se′ and Sp′ with one success
    and one failure added, P′ their Rogan-Gladen value, and J = Se′ + Sp′ - 1: the squared error is
    [p′(1 - p′) / (n + z²) + P′² Se′(1 - Se′) / (positives + 2) + (1 - P′)² Sp′(1 - Sp′) /
    (negatives + 2)] / J², and the shift 2z² [P′ Se′(1 - Se′) / (positives + 2) - (1 - P′)
    Sp′(1 - Sp′) / (negatives + 2)]. It covers more than its level where labels are few. In the
    rare sample whose interval misses the estimate, it is stretched to it.

    Parameters
    ----------
    accepted, n : int
        Rows that the judge accepts, and all rows.
    true_positives, positives : int
        Of other rows that humans accept, those that the judge accepts, and all.
    true_negatives, negatives : int
        Of other rows that humans reject, those that the judge rejects, and all.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    LangReiczigel
        Undefined where a sample is empty or where sensitivity + specificity ≤ 1.

    Raises
    ------
    ValueError
        If a count is impossible or `confidence` not between 0 and 1.
    """
    acceptance = _counted(accepted, n)
    sensitivity = _counted(true_positives, positives)
    specificity = _counted(true_negatives, negatives)
    return _correct(acceptance, sensitivity, specificity, confidence)


def corrected_proportion(
    labels: ArrayLike,
    verdicts: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> LangReiczigel:
    """Correct a judge's acceptance by the rows that humans labelled.

    Sensitivity and specificity come from the labelled rows and the acceptance from the others, so
    that the three samples are independent, as `lang_reiczigel` takes them to be. With clusters,
    each sample counts with its effective size p(1 - p) / SE² [4]_ from the bias-reduced error
    [5]_ (at most its rows; its clusters where it is all 0 or all 1), and the quantile is that of
    t with (clusters of the sample with the fewest - 1) degrees of freedom. Clusters that the
    samples share are taken for different ones, unlike in `ppi_mean`; simulated with 150 clusters
    of four rows, an intra-cluster correlation of 0.3 and 60 to 240 labels, over whole clusters or
    not, the interval covers 0.95 to 0.99.

    Parameters
    ----------
    labels : array_like of shape (n_rows,)
        1 or 0 as humans say; NaN where they were not asked.
    verdicts : array_like of shape (n_rows,)
        1, 0 or NaN (invalid) as the judge says; an invalid row is left out.
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    LangReiczigel
        Undefined where no row is unlabelled, labelled 1, or labelled 0, or where sensitivity +
        specificity ≤ 1; without interval where one of these samples is several rows of one
        cluster.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    truth, said = _read_both(labels, verdicts)
    read_binary_rows(truth)
    read_binary_rows(said)
    acceptance = _sample(np.where(np.isnan(truth), said, np.nan), clusters)
    sensitivity = _sample(np.where(truth == 1, said, np.nan), clusters)
    specificity = _sample(np.where(truth == 0, 1 - said, np.nan), clusters)
    found = _correct(acceptance, sensitivity, specificity, confidence)
    return replace(found, estimate=_with_notes(found.estimate, _invalid(said)))


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
    [3]_. The covariance divides by n, and the variance, over all rows, by n + N - 1, as in the
    authors' package ppi_py. λ is 0 where the verdicts do not vary or no row is unlabelled.

    The squared error is var(Y - λf) / n + λ² var(f) / N with the normal quantile; ddof 0 is the
    convention of ppi_py, ddof 1 that of truescore. Where rows share clusters, `ddof` is not used:
    the error is that of cluster totals, which may hold labelled and unlabelled rows, each sum
    bias-reduced [5]_ (which is ddof 1 for clusters of one row), and the quantile is that of t
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
    truth, said = _read_both(labels, verdicts)
    if ddof not in (0, 1):
        raise ValueError(f"ddof must be 0 or 1, got {ddof}")
    every, labelled = read_rows(said, clusters), ~np.isnan(truth + said)
    counts = int(labelled.sum()), every.n - int(labelled.sum())
    if counts[0] == 0:
        nothing = undefined(NO_LABELS, CLUSTERED_PPI, every.n, every.clusters)
        return PredictionPowered(_with_notes(nothing, _invalid(said)), None, *counts)
    lam = _power(truth[labelled], said[labelled], every.values)
    rectified = read_rows(truth - lam * said, clusters)
    imputed = read_rows(np.where(labelled, np.nan, lam * said), clusters)
    parts = [rectified] if lam == 0 else [rectified, imputed]
    estimate = _ppi_interval(parts, every, ddof, confidence)
    if np.isin(np.concatenate([truth[labelled], every.values]), (0, 1)).all():
        labels_alone = clustered_proportion(np.where(labelled, truth, np.nan), clusters, confidence)
        estimate = _as_share(estimate, labels_alone)
    estimate = _with_notes(estimate, _few_labels(rectified), _invalid(said))
    return PredictionPowered(estimate, lam, *counts)


@dataclass(frozen=True)
class _Sample:
    """A share, and how many independent rows it is worth."""

    share: float
    size: float
    n: int
    clusters: int


_Samples = tuple[_Sample, _Sample, _Sample]


def _read_both(labels: ArrayLike, verdicts: ArrayLike) -> tuple[Floats, Floats]:
    truth, said = np.asarray(labels, dtype=np.float64), np.asarray(verdicts, dtype=np.float64)
    if truth.shape != said.shape:
        raise ValueError(f"labels and verdicts differ in shape: {truth.shape}, {said.shape}")
    read_rows(truth)
    return truth, said


def _counted(successes: int, n: int) -> _Sample:
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and their total, got {successes} of {n}")
    return _Sample(successes / n if n else 0.0, n, n, n)


def _sample(values: Floats, clusters: ArrayLike | None) -> _Sample:
    mean = cluster_mean(values, clusters)
    n, groups, share = mean.estimate.n, mean.estimate.clusters, mean.estimate.value or 0.0
    size: float = n
    if n > groups and share in (0.0, 1.0):
        size = groups
    elif n > groups and mean.cr2:
        size = min(n, share * (1 - share) / mean.cr2**2)
    return _Sample(share, size, n, groups)


def _correct(
    acceptance: _Sample, sensitivity: _Sample, specificity: _Sample, confidence: float
) -> LangReiczigel:
    samples = acceptance, sensitivity, specificity
    clustered = any(sample.clusters < sample.n for sample in samples)
    method = CLUSTERED_LANG_REICZIGEL if clustered else LANG_REICZIGEL
    estimate = undefined("", method, acceptance.n, acceptance.clusters)
    youden = sensitivity.share + specificity.share - 1
    reason = _missing_sample(*samples) or (NOT_IDENTIFIED if youden <= 0 else "")
    if reason:
        return _without_interval(replace(estimate, note=reason), samples)
    estimate = replace(estimate, value=(acceptance.share + specificity.share - 1) / youden)
    fewest = min(sample.clusters for sample in samples)
    if clustered and fewest == 1:
        return _without_interval(replace(estimate, note=ONE_CLUSTER), samples)
    quantile = _quantile(confidence, fewest - 1 if clustered else None)
    return _lang_reiczigel(estimate, samples, quantile)


def _missing_sample(acceptance: _Sample, sensitivity: _Sample, specificity: _Sample) -> str:
    reasons = [
        NO_UNLABELLED if acceptance.n == 0 else "",
        NO_POSITIVES if sensitivity.n == 0 else "",
        NO_NEGATIVES if specificity.n == 0 else "",
    ]
    return "; ".join(filter(None, reasons))


def _without_interval(estimate: Estimate, samples: _Samples) -> LangReiczigel:
    labels = samples[1].n + samples[2].n
    return LangReiczigel(_within_unit(estimate), None, None, None, labels)


def _lang_reiczigel(estimate: Estimate, samples: _Samples, quantile: float) -> LangReiczigel:
    acceptance, accepted_error = _shrink(samples[0], quantile**2)
    sensitivity, sensitivity_error = _shrink(samples[1], 2)
    specificity, specificity_error = _shrink(samples[2], 2)
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return _without_interval(replace(estimate, note=NEARLY_UNIDENTIFIED), samples)
    adjusted = (acceptance + specificity - 1) / youden
    right, wrong = adjusted * sensitivity_error, (1 - adjusted) * specificity_error
    error = sqrt(accepted_error + adjusted * right + (1 - adjusted) * wrong) / youden
    shift = 2 * quantile**2 * (right - wrong)
    limits = (adjusted + shift + sign * quantile * error for sign in (-1, 1))
    estimate = _within_unit(_stretch(estimate, *limits))
    return LangReiczigel(estimate, adjusted, shift, error, samples[1].n + samples[2].n)


def _stretch(estimate: Estimate, low: float, high: float) -> Estimate:
    value = estimate.value
    if value is None:
        return estimate
    return replace(estimate, low=min(low, value), high=max(high, value))


def _shrink(sample: _Sample, added: float) -> tuple[float, float]:
    """The share with `added` rows, half of them successes, and its squared error."""
    size = sample.size + added
    share = (sample.share * sample.size + added / 2) / size
    return share, share * (1 - share) / size


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
    reach = _quantile(confidence, None if independent else parts[0].clusters - 1) * error
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
        estimate = _with_notes(estimate, FEW_OF_A_KIND)
    if not estimate.has_interval and labels.has_interval and ones in (0, labels.n):
        alone = replace(labels, n=estimate.n, clusters=estimate.clusters, note=CONSTANT_LABELS)
        estimate = _with_notes(alone, labels.note)
    return _within_unit(estimate)


def _within_unit(estimate: Estimate) -> Estimate:
    """Move value and limits into 0 to 1, or leave out an interval that does not reach it."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None:
        return estimate
    if not 0 <= value <= 1:
        note = f"{value:.3f} before it was moved into 0 to 1"
        estimate = _with_notes(replace(estimate, value=min(max(value, 0.0), 1.0)), note)
    if low is None or high is None:
        return estimate
    if high < 0 or low > 1:
        return _with_notes(replace(estimate, low=None, high=None), MISFIT)
    return replace(estimate, low=max(low, 0.0), high=min(high, 1.0))


def _few_labels(labelled: Rows) -> str:
    if labelled.clusters >= ENOUGH_LABELS:
        return ""
    where = "labels" if labelled.n == labelled.clusters else "clusters with a label"
    return f"fewer than {ENOUGH_LABELS} {where}: coverage is poor"


def _invalid(said: Floats) -> str:
    count = int(np.isnan(said).sum())
    return f"{count} of {len(said)} rows without a valid verdict left out" if count else ""


def _with_notes(estimate: Estimate, *notes: str) -> Estimate:
    return replace(estimate, note="; ".join(note for note in (estimate.note, *notes) if note))


def _quantile(confidence: float, degrees: int | None) -> float:
    """Two-sided quantile of t, or of the normal distribution without degrees of freedom."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    tail = (1 + confidence) / 2
    return float(ndtri(tail) if degrees is None else stdtrit(degrees, tail))
