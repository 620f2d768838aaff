"""Figures of the calibration: right and wrong answers accepted, and the gap."""

from collections.abc import Hashable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patheffects import withStroke

from judgeworthy.plots import canvas


def rates_and_gap(estimated: pd.DataFrame, title: str, confidence: float) -> Figure:
    """Draw C1, C2 and CGP of every judge with their intervals.

    After figure 4 of "LLM Judges Can Be Too Generous When There Is No Reference Answer".

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.calibration.estimates`` returns it.
    title : str
    confidence : float
        Level of the intervals, for the caption.
    """
    canvas.style()
    apart = ConstrainedLayoutEngine(wspace=0.06)
    figure = Figure(figsize=(canvas.WIDTH, 1.35 + 0.75 * len(estimated)), layout=apart)
    rates, gaps = figure.subplots(1, 2, sharey=True, width_ratios=[1.45, 1])
    for place, row in enumerate(estimated.to_dict("records")):
        if pd.isna(row["cgp"]):
            rates.text(0.5, place, row["note"], ha="center", va="center", style="italic")
            continue
        rates.plot([row["c2"], row["c1"]], [place, place], color="0.8", linewidth=6, zorder=1)
        _estimate(rates, row, "c1", place - 0.14, canvas.ACCEPTED, "o", canvas.ACCEPTED)
        _estimate(rates, row, "c2", place + 0.14, canvas.REJECTED, "D", "white")
        _estimate(gaps, row, "cgp", place, canvas.INK, "s", canvas.INK)
    _judges(rates, estimated)
    for axes in (rates, gaps):
        axes.grid(visible=False, axis="y")
    rates.set(xlim=(-0.04, 1.04), xlabel="share of answers accepted")
    gaps.set(xlabel="CGP = C1 − C2")
    gaps.axvline(0, color="0.4", linewidth=1)
    low = estimated["cgp_low"].min()
    gaps.set_xlim(min(-0.25, low - 0.08 if pd.notna(low) else 0), 1.08)
    _legend(rates)
    level = f"{confidence:.0%} intervals"
    figure.suptitle(f"{title}: right (C1) and wrong (C2) answers accepted; {level}", fontsize=10)
    return figure


def _estimate(
    axes: Axes,
    row: dict[Hashable, Any],
    name: str,
    place: float,
    color: str,
    marker: str,
    fill: str,
) -> None:
    axes.plot([row[f"{name}_low"], row[f"{name}_high"]], [place, place], color=color, linewidth=1.6)
    axes.plot(row[name], place, marker, color=color, markerfacecolor=fill, markersize=6, zorder=3)
    axes.annotate(
        f"{row[name]:.2f}".replace("-", "−"),
        (row[name], place),
        xytext=(0, 5 if name != "c2" else -12),
        textcoords="offset points",
        ha="center",
        fontsize=7,
        color=color,
        path_effects=[withStroke(linewidth=2, foreground="white")],
    )


def _judges(axes: Axes, estimated: pd.DataFrame) -> None:
    labels = [
        f"{row['judge']}\nn = {row['n']}, invalid {row['c1_invalid'] + row['c2_invalid']}"
        for row in estimated.to_dict("records")
    ]
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)


def _legend(axes: Axes) -> None:
    axes.plot([], [], "o-", color=canvas.ACCEPTED, label="C1: the right answer")
    axes.plot(
        [], [], "D-", color=canvas.REJECTED, markerfacecolor="white", label="C2: a wrong answer"
    )
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)
