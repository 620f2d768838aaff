"""The judge cards: each decision with the measure that decided it, drawn beside its threshold."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from judgeworthy.card import reading
from judgeworthy.report.answer import interval, number

Row = Mapping[Hashable, Any]
# What is drawn: shares lie from 0 to 1, gaps may be below 0.
_FROM, _TO, _WIDTH = -0.3, 1.0, 130.0


@dataclass(frozen=True)
class Drawing:
    """An interval beside a threshold, in units of the picture's width.

    Attributes
    ----------
    low, value, high : float
        The estimate and its interval.
    threshold, zero : float
    """

    low: float
    value: float
    high: float
    threshold: float
    zero: float


@dataclass(frozen=True)
class Shown:
    """A card as the front page shows it, every number written out.

    Attributes
    ----------
    study, title : str
        Its name, and how it is called.
    judge, decision : str
    measure, value : str
        What decided, and the estimate with its interval.
    order : str
        The estimate, to sort by; empty if there is none.
    threshold, distance : str
    far : str
        The distance, to sort by; empty if there is none.
    more : str
        How many questions more would decide; empty if none would.
    drawing : Drawing or None
    """

    study: str
    title: str
    judge: str
    decision: str
    measure: str
    value: str
    order: str
    threshold: str
    distance: str
    far: str
    more: str
    drawing: Drawing | None


def shown(decided: pd.DataFrame, titles: Mapping[str, str]) -> list[Shown]:
    """Return the cards of the table ``judge_card``, in its order."""
    labels = reading.labels()
    return [_shown(row, titles, labels) for row in decided.to_dict("records")]


def _shown(row: Row, titles: Mapping[str, str], labels: Mapping[str, str]) -> Shown:
    far, more, known = row["distance"], row["more_questions"], pd.notna(row["value"])
    return Shown(
        study=row["study"],
        title=titles.get(row["study"], row["study"]),
        judge=row["judge"],
        decision=row["decision"],
        measure=labels.get(row["decided_by"], row["decided_by"]),
        value=interval(row, "value") if known else "not measured",
        order=f"{row['value']}" if known else "",
        threshold=number(row["threshold"]),
        distance=number(far, 3),
        far="" if pd.isna(far) else f"{far}",
        more="" if pd.isna(more) else f"{more:.0f}",
        drawing=_drawing(row) if pd.notna(row["value_low"]) else None,
    )


def _drawing(row: Row) -> Drawing:
    low, value, high = (_place(row[f"value{end}"]) for end in ("_low", "", "_high"))
    return Drawing(low, value, high, _place(row["threshold"]), _place(0.0))


def _place(value: float) -> float:
    inside = min(max(value, _FROM), _TO)
    return round(_WIDTH * (inside - _FROM) / (_TO - _FROM), 1)
