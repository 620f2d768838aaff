"""Estimates from ballots as entries of a table: value, interval, bounds, and one note on all.

Where more ballots are INVALID than the study allows, a number is left out and the note says so, as
in `sections.rates`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, nan

from judgeworthy.sections import rates
from judgeworthy.sections.rates import Row
from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.study import Study

# What is smaller is rounding: 0 is written as 0 on every machine.
_DECIMALS = 12


@dataclass(frozen=True)
class Number:
    """A number of a table and what must be known beside it.

    Attributes
    ----------
    estimate : Estimate
    asked, invalid : int
        Ballots that it is about, and those of them that no order can be read from.
    bounds : Bounds, optional
        Over all ways to read the invalid ones, where they are known.
    scale : tuple of float
        The smallest and the largest value that there can be: a t interval may reach beyond, and is
        cut there.
    """

    estimate: Estimate
    asked: int
    invalid: int
    bounds: Bounds | None = None
    scale: tuple[float, float] = (-inf, inf)


def row(study: Study, numbers: Mapping[str, Number], *notes: str) -> Row:
    """Return numbers as columns: value, interval and, where known, bounds; and one note on all.

    Parameters
    ----------
    study : Study
    numbers : mapping of str to Number
        By the name of the column. What is noted of the first one stands alone in the note, what is
        noted of others names them.
    *notes : str
        What is to be said besides; empty ones are left out.
    """
    shown: Row = {}
    about: dict[str, list[str]] = {}
    for name, number in numbers.items():
        left_out = reason(number.asked, number.invalid, study)
        shown |= rates.limits(name, None if left_out else _within(number))
        if number.bounds is not None:
            shown |= rates.bounds(name, number.bounds)
        if said := left_out or number.estimate.note:
            about.setdefault(said, []).append(name.replace("_", " "))
    first = next(iter(numbers), "").replace("_", " ")
    said_of = [
        note if first in names else f"{', '.join(names)}: {note}" for note, names in about.items()
    ]
    exact = {name: round(value, _DECIMALS) for name, value in shown.items()}
    return {**exact, "note": "; ".join(filter(None, (*said_of, *notes)))}


def _within(number: Number) -> Estimate:
    """Cut the interval at the ends of the scale."""
    found, (least, most) = number.estimate, number.scale
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, least), high=min(found.high, most))


def reason(asked: int, invalid: int, study: Study) -> str:
    """Say why a number is not estimated, if too many ballots are INVALID."""
    if asked and invalid > study.max_invalid * asked:
        return f"{rates.NOT_ESTIMABLE}: {invalid} of {asked} ballots are invalid"
    return ""


def number(value: float | None) -> float:
    """Return a number as an entry of a table, empty where there is none."""
    return nan if value is None else round(value, _DECIMALS)


def columns(*names: str, bounded: bool = False) -> list[str]:
    """Return the columns that `row` makes of these numbers, without the note."""
    ends = ("", "_low", "_high", *(("_min", "_max") if bounded else ()))
    return [f"{name}{end}" for name in names for end in ends]
