"""The figure of real items: what was asked, what was shown, what the judge made of it."""

from collections.abc import Hashable, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from judgeworthy.plots import canvas

Row = dict[Hashable, Any]
_COLUMNS = {"shown": 0.0, "response": 0.12, "extracted": 0.58, "verdict": 0.885}
_LETTERS = {"response": 54, "extracted": 34}
_HEADS = {
    "shown": "shown",
    "response": "response",
    "extracted": "extracted answer",
    "verdict": "verdict",
}
_LINE = 0.145  # inches
_BOLD: dict[str, Any] = {"family": "DejaVu Sans", "weight": "bold"}


def items(shown: Sequence[pd.DataFrame], title: str, reason: str) -> Figure:
    """Draw real items as small tables: question, what was shown, what the judge made of it.

    Parameters
    ----------
    shown : sequence of DataFrame
        As ``sections.sensitivity.examples.examples`` returns them: the columns ``case``,
        ``question``, ``reference``, ``response``, ``extracted`` and ``verdict``.
    title : str
    reason : str
        Why there is nothing to show, if there is nothing.
    """
    canvas.style()
    heading = f"Items whose verdict changes: {title}"
    if not shown:
        return canvas.nothing(heading, reason)
    heights = [_height(frame) for frame in shown]
    figure = Figure(figsize=(canvas.WIDTH, 0.5 + sum(heights)), layout="constrained")
    panels = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, frame in zip(panels, shown, strict=True):
        axes.set_axis_off()
        _item(axes, frame)
    figure.suptitle(heading, fontsize=9)
    return figure


def _height(frame: pd.DataFrame) -> float:
    return _LINE * _rows_of(frame)


def _rows_of(frame: pd.DataFrame) -> float:
    return 5.4 + sum(_lines(row) + 0.4 for row in frame.to_dict("records"))


def _lines(row: Row) -> int:
    return max(_wrapped(row, name).count("\n") + 1 for name in _LETTERS)


def _wrapped(row: Row, name: str) -> str:
    return fill(str(row[name]), _LETTERS[name], max_lines=4, placeholder=" …") or "(empty)"


def _item(axes: Axes, frame: pd.DataFrame) -> None:
    rows = frame.to_dict("records")
    axes.set(xlim=(0, 1), ylim=(_rows_of(frame), 0))
    first = rows[0]
    axes.text(0, 0.2, first["case"], fontsize=7.5, va="top", **_BOLD)
    question = fill(f"Question: {first['question']}", 115, max_lines=1, placeholder=" …")
    axes.text(0, 1.4, question, fontsize=7, va="top")
    axes.text(0, 2.5, f"Reference: {first['reference']}", fontsize=7, va="top")
    for name, place in _COLUMNS.items():
        axes.text(place, 3.7, _HEADS[name], fontsize=6, va="top", color="0.4")
    top = 4.8
    for row in rows:
        axes.axhline(top - 0.15, color="0.85", linewidth=0.6)
        axes.text(0, top, row["shown"], fontsize=7, va="top")
        for name in _LETTERS:
            axes.text(_COLUMNS[name], top, _wrapped(row, name), fontsize=6.5, va="top")
        colour = canvas.VERDICTS[row["verdict"]]
        place = _COLUMNS["verdict"]
        axes.text(place, top, row["verdict"], fontsize=6.5, va="top", color=colour, **_BOLD)
        top += _lines(row) + 0.4
