"""Accuracy corrected for a judge's sensitivity and specificity.

Rogan and Gladen [1]_ turn the judge's acceptance around, given its sensitivity and specificity;
Lang and Reiczigel [2]_ give the interval where these two are estimated, from human labels on a
random part of the rows. Sensitivity and specificity from gold and wrong answers are neither truth
nor bound for a model's responses: what they correct is a what-if.

A share lies between 0 and 1. An estimate or limit outside is moved to the nearest end, with a
note where it is the estimate; an interval that lies outside as a whole is left out.

References
----------
.. [1] W. J. Rogan, B. Gladen (1978). Estimating prevalence from the results of a screening test.
   American Journal of Epidemiology 107, 71-76.
.. [2] Z. Lang, J. Reiczigel (2014). Confidence limits for prevalence of disease adjusted for
   estimated sensitivity and specificity. Preventive Veterinary Medicine 113, 13-22.
.. [3] E. L. Korn, B. I. Graubard (1998). Confidence intervals for proportions with small expected
   number of positive counts estimated from survey data. Survey Methodology 24, 193-201.
.. [4] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear regression
   with multi-stage samples. Survey Methodology 28, 169-181.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Floats, read_binary_rows
from judgeworthy.statistics.estimate import Estimate, undefined, with_notes
from judgeworthy.statistics.labels import invalid, read_both, within_unit
from judgeworthy.statistics.proportions import ONE_CLUSTER, cluster_mean
from judgeworthy.statistics.quantiles import two_sided

ROGAN_GLADEN = "Rogan-Gladen"
LANG_REICZIGEL = "Lang-Reiczigel"
CLUSTERED_LANG_REICZIGEL = "Lang-Reiczigel at the effective sample sizes (CR2, t)"

NOT_IDENTIFIED = "sensitivity + specificity is not above 1: not identified"
NEARLY_UNIDENTIFIED = "sensitivity + specificity is hardly above 1: no interval"
NO_POSITIVES = "no row labelled 1: sensitivity unknown"
NO_NEGATIVES = "no row labelled 0: specificity unknown"
NO_UNLABELLED = "no row without label: acceptance unknown"


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
    return within_unit(replace(acceptance, value=value, low=low, high=high, method=method))


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
    each sample counts with its effective size p(1 - p) / SE² [3]_ from the bias-reduced error
    [4]_ (at most its rows; its clusters where it is all 0 or all 1), and the quantile is that of
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
    truth, said = read_both(labels, verdicts)
    read_binary_rows(truth)
    read_binary_rows(said)
    acceptance = _sample(np.where(np.isnan(truth), said, np.nan), clusters)
    sensitivity = _sample(np.where(truth == 1, said, np.nan), clusters)
    specificity = _sample(np.where(truth == 0, 1 - said, np.nan), clusters)
    found = _correct(acceptance, sensitivity, specificity, confidence)
    return replace(found, estimate=with_notes(found.estimate, invalid(said)))


@dataclass(frozen=True)
class _Sample:
    """A share, and how many independent rows it is worth."""

    share: float
    size: float
    n: int
    clusters: int


_Samples = tuple[_Sample, _Sample, _Sample]


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
    quantile = two_sided(confidence, fewest - 1 if clustered else None)
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
    return LangReiczigel(within_unit(estimate), None, None, None, labels)


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
    estimate = within_unit(_stretch(estimate, *limits))
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
