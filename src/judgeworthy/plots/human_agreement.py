"""Figures of human agreement: judge against people, and what a judge's score is worth."""

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from judgeworthy.plots import canvas

CEILING = "annotator 2"
METHODS = ("naive acceptance", "labels alone", "Rogan–Gladen", "PPI++")
_NOT_RANDOM = "the labelled responses are no random part of all, or there are too few"
Row = dict[Hashable, Any]


def agreement(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw raw agreement and kappa with people, beside those of people among themselves.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.human_agreement.estimates.agreement`` returns it.
    title : str
    """
    heading = f"Judge and people: {title}"
    if estimated.empty:
        return canvas.nothing(heading, "there are no human labels")
    canvas.style()
    people = estimated[estimated["judge"] == CEILING]
    against = "annotator 1" if len(people) else "human label"
    shown = estimated[estimated["against"] == against]
    rows = shown[shown["judge"] != CEILING].to_dict("records")
    figure, panels = _panels(len(rows), 2)
    for axes, name in zip(panels, ("agreement", "kappa"), strict=True):
        for place, row in enumerate(rows):
            _estimate(axes, row, name, place, canvas.INK)
        for row in people.to_dict("records"):
            axes.axvspan(row[f"{name}_low"], row[f"{name}_high"], color="0.85", zorder=0)
            axes.axvline(row[name], color="0.5", linewidth=1, zorder=1)
        axes.set(xlabel=f"{name} with {against}", xlim=(min(0, axes.get_xlim()[0]), 1.02))
        axes.set_ylim(len(rows) - 0.4, -0.6)
    panels[0].set_yticks(range(len(rows)), [_label(row) for row in rows])
    panels[1].set_yticks(range(len(rows)), [""] * len(rows))
    if len(people):
        handles = [Patch(color="0.85", label="annotator 2 with annotator 1, with interval")]
        figure.legend(handles=handles, loc="outside lower center", frameon=False, fontsize=7)
    figure.suptitle(heading, fontsize=9)
    return figure


def against_people(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw the flips of each transition: toward people to the right, away from them to the left.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.human_agreement.estimates.against_people`` returns it.
    title : str
    """
    heading = f"Whose side flips take: {title}"
    if estimated.empty:
        return canvas.nothing(
            heading, "the judges were asked under one condition, so nothing flips"
        )
    canvas.style()
    rows = estimated[estimated["direction"] != "both"].to_dict("records")
    figure, panels = _panels(len(rows), 1)
    axes = panels[0]
    for place, row in enumerate(rows):
        axes.barh(place, row["toward"], 0.7, color=canvas.ACCEPTED)
        axes.barh(place, -row["away"], 0.7, color=canvas.REJECTED)
        axes.text(row["toward"], place, f" {_share(row)}", va="center", fontsize=6)
    axes.axvline(0, color=canvas.INK, linewidth=0.8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(
        range(len(rows)),
        [f"{row['judge']}  {row['transition']} {row['direction']}" for row in rows],
        fontsize=6.5,
    )
    reach = max(1, *(max(row["toward"], row["away"]) for row in rows))
    axes.set(xlim=(-1.1 * reach, 1.75 * reach), xlabel="flips, and the share toward people")
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    axes.grid(visible=False, axis="y")
    handles = [
        Patch(color=canvas.REJECTED, label="away from the human label"),
        Patch(color=canvas.ACCEPTED, label="toward the human label"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    figure.suptitle(heading, fontsize=9)
    return figure


def corrected(estimated: pd.DataFrame, title: str, people_accept: str) -> Figure:
    """Draw the naive, the corrected and the true share that people accept, side by side.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.human_agreement.correction.corrected`` returns it.
    title : str
    people_accept : str
        What people do with the share: ``people accept``, or the like of another task.
    """
    heading = f"What a score is worth: {title}"
    if estimated.empty:
        return canvas.nothing(heading, _NOT_RANDOM)
    canvas.style()
    places = estimated[["judge", "condition"]].drop_duplicates().to_dict("records")
    figure, panels = _panels(1.6 * len(places), 1)
    axes = panels[0]
    for place, cell in enumerate(places):
        mine = estimated[
            (estimated["judge"] == cell["judge"]) & (estimated["condition"] == cell["condition"])
        ]
        first = mine.iloc[0]
        axes.fill_betweenx(
            [place - 0.45, place + 0.45], first["truth_low"], first["truth_high"], color="0.88"
        )
        axes.plot([first["truth"]] * 2, [place - 0.45, place + 0.45], color="0.4", linewidth=1)
        for row in mine.to_dict("records"):
            number = METHODS.index(row["method"])
            colour, shift = canvas.SERIES[number], 0.2 * (number - 1.5)
            if number == 0 or not row["note"].startswith("not estimable"):  # said once a judge
                _estimate(axes, row, "estimate", place + shift, colour)
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.set_yticks(range(len(places)), [_label(cell) for cell in places])
    labels = int(estimated["labels"].max())
    axes.set(xlim=(-0.02, 1.02), xlabel=f"share that {people_accept}, from {labels} labels")
    handles = [
        Patch(color=canvas.SERIES[number], label=name) for number, name in enumerate(METHODS)
    ]
    handles.append(Patch(color="0.7", label="truth: all human labels, with interval"))
    figure.legend(handles=handles, loc="outside lower center", ncols=5, frameon=False, fontsize=6.5)
    figure.suptitle(heading, fontsize=9)
    return figure


def coverage(measured: pd.DataFrame, title: str, level: float) -> Figure:
    """Draw how often intervals hold the truth, and how wide they are, by number of labels.

    Parameters
    ----------
    measured : DataFrame
        As ``sections.human_agreement.correction.coverage`` returns it.
    title : str
    level : float
        The nominal coverage.
    """
    if measured.empty:
        return canvas.nothing(f"Intervals by number of labels: {title}", _NOT_RANDOM)
    canvas.style()
    figure, panels = _panels(10, 2)
    for axes, name in zip(panels, ("coverage", "half_width"), strict=True):
        for number, method in enumerate(METHODS[1:], start=1):
            rows = measured[measured["method"] == method]
            wide = rows.pivot(index="labels", columns=["judge", "condition"], values=name)
            colour = canvas.SERIES[number]
            axes.plot(wide.index, wide, color=colour, linewidth=0.5, alpha=0.4)
            axes.plot(wide.index, wide.median(axis=1), color=colour, linewidth=2, label=method)
        axes.set(xlabel="labels", ylabel=name.replace("_", "-"), xscale="log")
        axes.set_xticks(sorted(measured["labels"].unique()), sorted(measured["labels"].unique()))
        axes.minorticks_off()
    panels[0].axhline(level, color=canvas.INK, linewidth=0.8, linestyle=":")
    panels[0].set_ylim(min(0.8, measured["coverage"].min() - 0.02), 1.01)
    panels[1].set_ylim(0, None)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=7)
    lines = "a line a judge and condition, bold the median"
    figure.suptitle(f"Intervals by number of labels: {title}\n{lines}", fontsize=9)
    return figure


def _panels(rows: float, count: int) -> tuple[Figure, Sequence[Axes]]:
    figure = Figure(figsize=(canvas.WIDTH, 1.4 + 0.2 * rows), layout="constrained")
    panels = figure.subplots(1, count, sharey=False, squeeze=False)[0]
    return figure, list(panels)


def _estimate(axes: Axes, row: Row, name: str, place: float, colour: str) -> None:
    limits = [row[f"{name}_low"], row[f"{name}_high"]]
    axes.plot(limits, [place, place], color=colour, linewidth=1.4)
    axes.plot(row[name], place, "o", color=colour, markersize=3.5)
    if pd.isna(row[name]):
        axes.text(0.01, place, row["note"].split(";")[0], fontsize=5, va="center", style="italic")


def _label(row: Row) -> str:
    condition = "" if row["condition"] == "recorded" else f"  {row['condition']}"
    return f"{row['judge']}{condition}"


def _share(row: Row) -> str:
    if pd.isna(row["toward_human"]):
        return row["note"].split(";")[0] if row["flips"] else "no flip"
    limits = f"[{row['toward_human_low']:.0%}, {row['toward_human_high']:.0%}]"
    return f"{row['toward_human']:.0%} {limits} of {row['flips']}"
