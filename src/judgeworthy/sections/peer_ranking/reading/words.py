"""Rows and numbers of a table in words."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

Row = dict[Hashable, Any]
Tables = Mapping[str, pd.DataFrame]


def listed(rows: Sequence[Row], value: str, *by: str) -> list[str]:
    """Return a value of each row behind what names it."""
    return [f"{' '.join(str(row[name]) for name in by)} {plain(row[value])}" for row in rows]


def row_of(frame: pd.DataFrame, **place: str) -> Row:
    """Return the first row at a place."""
    for name, value in place.items():
        frame = frame[frame[name] == value]
    return frame.to_dict("records")[0]


def number(row: Row, name: str, digits: int = 2) -> str:
    """Return a number with its interval."""
    return _with_interval(row, name, lambda value: decimal(value, digits))


def decimal(value: float, digits: int = 2) -> str:
    """Return a number at so many digits."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def share(row: Row, name: str) -> str:
    """Return a share in percent with its interval."""
    return _with_interval(row, name, lambda value: f"{round(value, 2) + 0.0:.0%}".replace("-", "−"))


def _with_interval(row: Row, name: str, form: Callable[[float], str]) -> str:
    if pd.isna(row[name]):
        return "undefined"
    if pd.isna(row[f"{name}_low"]):
        return f"{form(row[name])} [no interval]"
    return f"{form(row[name])} [{form(row[f'{name}_low'])}, {form(row[f'{name}_high'])}]"


def p(value: float) -> str:
    """Return a p-value."""
    return f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"


def plain(value: float) -> str:
    """Return a number at three significant digits, or that there is none."""
    return f"{value:.3g}".replace("-", "−") if pd.notna(value) else "not estimable"


def counted(number: int, one: str) -> str:
    """Return a number of things."""
    return f"{number} {one}{'' if number == 1 else 's'}"
