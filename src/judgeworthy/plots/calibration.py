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


def harder(estimated: pd.DataFrame, title: str, confidence: float) -> Figure:
    """Draw the share of each harder kind of wrong answer that is accepted, beside C2's.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.harder.estimates`` returns it.
    title : str
    confidence : float
        Level of the intervals, for the caption.
    """
    heading = f"{title}: harder wrong answers accepted; {confidence:.0%} intervals"
    if estimated.empty:
        return canvas.nothing(heading, "this study asks about no harder wrong answers")
    canvas.style()
    judges = list(estimated["judge"].unique())
    kinds = list(estimated["variant"].unique())
    figure = Figure(figsize=(canvas.WIDTH, 1.5 + 0.42 * len(kinds)), layout="constrained")
    panels = figure.subplots(1, len(judges), sharey=True, squeeze=False)[0]
    for axes, judge in zip(panels, judges, strict=True):
        for row in estimated[estimated["judge"] == judge].to_dict("records"):
            _harder(axes, row, kinds.index(row["variant"]))
        axes.grid(visible=False, axis="y")
        axes.set(xlim=(-0.04, 1.04), ylim=(len(kinds) - 0.5, -0.5))
        axes.set_title(judge, fontsize=8)
    first = estimated.drop_duplicates("variant")
    panels[0].set_yticks(
        range(len(kinds)), [f"{row.variant}\nn = {row.n}" for row in first.itertuples()]
    )
    figure.supxlabel("share of wrong answers accepted without a reference", fontsize=8)
    handles, labels = panels[0].get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    figure.legend(
        once.values(), once.keys(), loc="outside lower center", ncols=2, frameon=False, fontsize=7
    )
    figure.suptitle(heading, fontsize=9)
    return figure


def _harder(axes: Axes, row: dict[Hashable, Any], place: int) -> None:
    for name, offset, fill, label in (
        ("accepted", -0.13, canvas.REJECTED, "harder wrong answers"),
        ("c2", 0.13, "white", "C2's, to the same questions"),
    ):
        limits = [row[f"{name}_low"], row[f"{name}_high"]]
        axes.plot(limits, [place + offset] * 2, color=canvas.REJECTED, linewidth=1.4)
        axes.plot(
            row[name], place + offset, "D", color=canvas.REJECTED, markerfacecolor=fill,
            markersize=5, label=label, linestyle="none", zorder=3,
        )  # fmt: skip


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
