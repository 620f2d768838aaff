"""Labels beside verdicts: what every way of correcting a judge reads and gives back."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from judgeworthy.statistics.clusters import Floats, read_rows
from judgeworthy.statistics.estimate import Estimate, with_notes

MISFIT = "the interval lies outside 0 to 1: the correction does not fit these rows"


def read_both(labels: ArrayLike, verdicts: ArrayLike) -> tuple[Floats, Floats]:
    """Return labels and verdicts as arrays.

    Parameters
    ----------
    labels, verdicts : array_like of shape (n_rows,)
        Numbers; NaN is missing.

    Raises
    ------
    ValueError
        If a value is infinite, or if the shapes differ.
    """
    truth, said = np.asarray(labels, dtype=np.float64), np.asarray(verdicts, dtype=np.float64)
    if truth.shape != said.shape:
        raise ValueError(f"labels and verdicts differ in shape: {truth.shape}, {said.shape}")
    read_rows(truth)
    return truth, said


def within_unit(estimate: Estimate) -> Estimate:
    """Move value and limits into 0 to 1, or leave out an interval that does not reach it.

    Parameters
    ----------
    estimate : Estimate
        Of a share.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None:
        return estimate
    if not 0 <= value <= 1:
        note = f"{value:.3f} before it was moved into 0 to 1"
        estimate = with_notes(replace(estimate, value=min(max(value, 0.0), 1.0)), note)
    if low is None or high is None:
        return estimate
    if high < 0 or low > 1:
        return with_notes(replace(estimate, low=None, high=None), MISFIT)
    return replace(estimate, low=max(low, 0.0), high=min(high, 1.0))


def invalid(said: Floats) -> str:
    """Say how many rows have no valid verdict.

    Parameters
    ----------
    said : array of shape (n_rows,)
        Verdicts; NaN is invalid.
    """
    count = int(np.isnan(said).sum())
    return f"{count} of {len(said)} rows without a valid verdict left out" if count else ""
