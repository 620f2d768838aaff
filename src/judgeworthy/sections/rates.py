"""Rates of verdicts as entries of a table: one rule for all sections.

Rates are over the valid replies. Their intervals are Wilson's, at the effective sample size where
rows share questions or documents; those of paired differences are Newcombe's method 10 in the same
way. ``*_min`` and ``*_max`` bound each number over all ways to read the invalid replies. Where more
of them are invalid than the study allows, the number is left out and the note says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from judgeworthy.statistics import flips
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.statistics.proportions import (
    clustered_proportion,
    paired_difference,
    proportion_bounds,
)
from judgeworthy.study import Study

NOT_ESTIMABLE = "not estimable"
IMPRECISE = "imprecise"
# An interval that is wider than this leaves too much open.
WIDE = 0.3
Row = dict[str, Any]
_DECISIONS = {"CORRECT": 1.0, "INCORRECT": 0.0, "ANSWERABLE": 1.0, "UNANSWERABLE": 0.0}


@dataclass(frozen=True)
class Number:
    """A number of a table and what must be known beside it.

    Attributes
    ----------
    estimate : Estimate
    asked, invalid : int
        Rows (or pairs) that it is about, and those of them that no verdict can be read from.
    bounds : Bounds
        Over all ways to read the invalid ones.
    """

    estimate: Estimate
    asked: int
    invalid: int
    bounds: Bounds


def accepted(verdicts: pd.Series) -> pd.Series:
    """Return 1 for CORRECT, 0 for INCORRECT, missing for INVALID; ANSWERABLE counts alike."""
    return verdicts.map(_DECISIONS).astype("float64")


def rate(decisions: pd.Series | Floats, clusters: pd.Series, study: Study) -> Number:
    """Return the share of 1 among decisions that are 1, 0 or missing (invalid)."""
    values = np.asarray(decisions, dtype=np.float64)
    ones, zeros = int((values == 1).sum()), int((values == 0).sum())
    invalid = len(values) - ones - zeros
    return Number(
        clustered_proportion(values, clusters, study.confidence),
        len(values),
        invalid,
        proportion_bounds(ones, zeros, invalid),
    )


def difference(
    first: pd.Series | Floats, second: pd.Series | Floats, clusters: pd.Series, study: Study
) -> Number:
    """Return the share of 1 in `first` minus that in `second`, over the complete pairs."""
    one, two = (np.asarray(side, dtype=np.float64) for side in (first, second))
    whole = ~np.isnan(one - two)
    estimate = paired_difference(
        np.where(whole, one, nan), np.where(whole, two, nan), clusters, study.confidence
    )
    return Number(estimate, len(one), int((~whole).sum()), flips.net_bounds(one, two))


def row(study: Study, **numbers: Number) -> Row:
    """Return numbers as columns: value, interval and bounds of each, and one note on all."""
    notes = {name: list(_notes(number, study)) for name, number in numbers.items()}
    shown: Row = {}
    for name, number in numbers.items():
        shown |= limits(name, None if reason(number, study) else number.estimate)
        shown |= bounds(name, number.bounds)
    return {**shown, "note": _joined(notes)}


def reason(number: Number, study: Study) -> str:
    """Say why a number is not estimated, if it is not."""
    if number.asked and number.invalid > study.max_invalid * number.asked:
        return f"{NOT_ESTIMABLE}: {number.invalid} of {number.asked} are invalid"
    return ""


def limits(name: str, estimate: Estimate | None) -> Row:
    """Return an estimate as three columns, empty where there is none."""
    values = (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(_float, values), strict=True))


def bounds(name: str, limits_: Bounds) -> Row:
    """Return bounds as two columns."""
    return {f"{name}_min": _float(limits_.low), f"{name}_max": _float(limits_.high)}


def columns(*names: str) -> list[str]:
    """Return the columns that `row` makes of these numbers, without the note."""
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high", "_min", "_max")]


def _float(value: float | None) -> float:
    return nan if value is None else value


def _notes(number: Number, study: Study) -> Iterator[str]:
    left_out = reason(number, study)
    if left_out or number.estimate.note:
        yield left_out or number.estimate.note
    low, high = number.estimate.low, number.estimate.high
    if not left_out and low is not None and high is not None and high - low > WIDE:
        yield IMPRECISE


def _joined(notes: dict[str, list[str]]) -> str:
    """Join the notes of several numbers, each once.

    What is said of the first number stands alone; what is not said of it names whom it is about.
    """
    about: dict[str, list[str]] = {}
    for name, said in notes.items():
        for note in said:
            about.setdefault(note, []).append(name.replace("_", " "))
    first = next(iter(notes)).replace("_", " ")
    return "; ".join(
        note if first in names else f"{', '.join(names)}: {note}" for note, names in about.items()
    )
