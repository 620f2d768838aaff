"""Figures of the sensitivity: what a reference does to the verdict on the same response."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from judgeworthy.plots import canvas

CONDITIONS = ("NR", "RV", "RC")
NAMES = {"NR": "NR\nno reference", "RV": "RV\nvisible", "RC": "RC\ncompare"}
POOLED = "all generators"
_UPWARDS = tuple(canvas.VERDICTS)[::-1]
Row = dict[Hashable, Any]


def acceptance(estimated: pd.DataFrame, judges: Sequence[str], title: str) -> Figure:
    """Draw the share accepted under NR, RV and RC: all responses, and those of each generator.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.sensitivity.estimates.acceptance`` returns it.
    judges : sequence of str
        One panel each.
    title : str
    """
    figure, panels = _panels(judges, 2.9, f"Responses accepted: {title}")
    generators = _generators(estimated)
    for axes, judge in zip(panels, judges, strict=True):
        mine = estimated[estimated["judge"] == judge]
        for place, generator in enumerate(generators):
            rows = mine[mine["generator"] == generator]
            axes.plot(
                [x + 0.06 * (place - 1.5) for x in range(3)],
                rows["acceptance"].astype(float),
                marker="os^v"[place % 4],
                markersize=3.5,
                linewidth=0.8,
                color=canvas.SERIES[place % len(canvas.SERIES)],
                label=generator,
            )
        pooled = mine[mine["generator"] == POOLED].reset_index(drop=True)
        _with_intervals(axes, pooled)
        axes.set_xticks(range(3), [NAMES[name] for name in CONDITIONS])
        axes.set(xlim=(-0.4, 2.4), ylim=(-0.03, 1.05))
        axes.set_title(f"{judge}\n{_counted(pooled)}", fontsize=8)
    panels[0].set_ylabel("share of responses accepted")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=7)
    return figure


def _with_intervals(axes: Axes, pooled: pd.DataFrame) -> None:
    values = pooled["acceptance"].astype(float)
    reach = [values - pooled["acceptance_low"], pooled["acceptance_high"] - values]
    axes.errorbar(
        range(3),
        values,
        yerr=np.nan_to_num(np.array(reach, dtype=float).clip(min=0)),
        color=canvas.INK,
        marker="D",
        markersize=5,
        linewidth=2,
        capsize=3,
        label=f"{POOLED}, with interval",
        zorder=3,
    )


def flips(estimated: pd.DataFrame, judges: Sequence[str], title: str) -> Figure:
    """Draw the flips of each transition as diverging bars, to INCORRECT left, to CORRECT right.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.sensitivity.estimates.transitions`` returns it.
    judges : sequence of str
        One panel each.
    title : str
    """
    figure, panels = _panels(judges, 4.6, f"Verdicts that flip, by direction: {title}")
    generators = [*_generators(estimated), POOLED]
    rows = [
        (transition, generator)
        for transition in estimated["transition"].unique()
        for generator in generators
    ]
    heights = [place + place // len(generators) * 0.8 for place in range(len(rows))]
    for axes, judge in zip(panels, judges, strict=True):
        mine = estimated[estimated["judge"] == judge].to_dict("records")
        cells = {(row["transition"], row["generator"]): row for row in mine}
        for height, place in zip(heights, rows, strict=True):
            _diverging(axes, cells[place], height, place[1] == POOLED)
        axes.axvline(0, color="0.3", linewidth=0.8)
        axes.set(ylim=(max(heights) + 0.7, -0.7), xlabel="share that flips")
        axes.set_title(judge, fontsize=8)
        axes.grid(visible=False, axis="y")
    _same_reach(panels)
    panels[0].set_yticks(heights, [generator for _, generator in rows], fontsize=6.5)
    for number, transition in enumerate(estimated["transition"].unique()):
        panels[-1].annotate(
            transition,
            (1.03, heights[number * len(generators) + len(generators) // 2]),
            xycoords=("axes fraction", "data"),
            rotation=270,
            va="center",
            fontsize=8,
        )
    _directions(figure)
    return figure


def _diverging(axes: Axes, row: Row, height: float, pooled: bool) -> None:
    for name, sign, colour in (
        ("to_incorrect_share", -1, canvas.REJECTED),
        ("to_correct_share", 1, canvas.ACCEPTED),
    ):
        if pd.isna(row[name]):
            axes.text(
                0,
                height,
                row["note"].split(";")[0],
                ha="center",
                va="center",
                fontsize=5,
                style="italic",
            )
            return
        axes.barh(height, sign * row[name], 0.8, color=colour, alpha=1.0 if pooled else 0.55)
        if pd.notna(row[f"{name}_low"]) and row[name] > 0:
            limits = [sign * row[f"{name}_low"], sign * row[f"{name}_high"]]
            axes.plot(limits, [height, height], color=canvas.INK, linewidth=0.8)


def _same_reach(panels: Sequence[Axes]) -> None:
    reach = max(abs(limit) for axes in panels for limit in axes.get_xlim())
    for axes in panels:
        axes.set_xlim(-reach, reach)
        axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")


def _directions(figure: Figure) -> None:
    handles = [
        Patch(color=canvas.REJECTED, label="CORRECT → INCORRECT"),
        Patch(color=canvas.ACCEPTED, label="INCORRECT → CORRECT"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=7)


def heat_map(estimated: pd.DataFrame, judges: Sequence[str], title: str) -> Figure:
    """Draw the NR→RC flip rate of every generator and judge, with its interval and counts.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.sensitivity.estimates.transitions`` returns it.
    judges : sequence of str
    title : str
    """
    canvas.style()
    generators = [*_generators(estimated), POOLED]
    chosen = estimated[estimated["transition"] == "NR→RC"]
    cells = {(row["generator"], row["judge"]): row for row in chosen.to_dict("records")}
    figure = Figure(figsize=(canvas.WIDTH, 0.9 + 0.5 * len(generators)), layout="constrained")
    axes = figure.subplots()
    rows = [[cells[generator, judge] for judge in judges] for generator in generators]
    sns.heatmap(
        pd.DataFrame([[row["flip_rate"] for row in line] for line in rows]).astype(float).fillna(0),
        annot=[[_cell(row) for row in line] for line in rows],
        fmt="",
        annot_kws={"fontsize": 7},
        cmap=sns.light_palette(canvas.REJECTED, as_cmap=True),
        vmin=0,
        vmax=1,
        cbar=False,
        xticklabels=[f"judged by\n{judge}" for judge in judges],
        yticklabels=generators,
        ax=axes,
    )
    axes.axhline(len(generators) - 1, color=canvas.INK, linewidth=1)
    axes.set_xlabel("↓ flips to INCORRECT, ↑ to CORRECT, of the responses with two valid verdicts")
    axes.tick_params(length=0, rotation=0)
    figure.suptitle(f"Flips from NR to RC: {title}", fontsize=9)
    return figure


def _cell(row: Row) -> str:
    own = {"own": ", its own", "family": ", its family"}.get(row["relation"], "")
    flipped = f"{row['to_incorrect']}↓ {row['to_correct']}↑ of {row['n'] - row['invalid']}{own}"
    if pd.isna(row["flip_rate_low"]):
        return f"{row['note'].split(';')[0]}\n{flipped}"
    limits = f"[{row['flip_rate_low']:.2f}, {row['flip_rate_high']:.2f}]"
    return f"{row['flip_rate']:.2f} {limits}\n{flipped}"


def alluvial(counted: pd.DataFrame, judges: Sequence[str], title: str) -> Figure:
    """Draw where the verdicts go from NR to RV to RC, as streams of responses.

    Parameters
    ----------
    counted : DataFrame
        As ``sections.sensitivity.estimates.paths`` returns it.
    judges : sequence of str
        One panel each.
    title : str
    """
    figure, panels = _panels(judges, 2.9, f"Where the verdicts go: {title}")
    for axes, judge in zip(panels, judges, strict=True):
        mine = counted[counted["judge"] == judge]
        for place, condition in enumerate(CONDITIONS):
            _stack(axes, place, mine.groupby(condition)["n"].sum())
        for place, (left, right) in enumerate(pairwise(CONDITIONS)):
            flows = mine.groupby([left, right])["n"].sum()
            for low, high, height, colour in _streams(flows):
                _stream(axes, place, low, high, height, colour)
        axes.set_xticks(range(3), [NAMES[name] for name in CONDITIONS])
        axes.set(xlim=(-0.3, 2.3), yticks=[])
        axes.set_title(f"{judge}\nn = {mine['n'].sum()} responses", fontsize=8)
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
    _verdicts(figure)
    return figure


def _stack(axes: Axes, place: int, sizes: pd.Series) -> None:
    bottom = 0
    room, free = 0.06 * sizes.sum(), 0.0  # what a number takes, and where the next one may stand
    for verdict in _UPWARDS:
        size = int(sizes.get(verdict, 0))
        axes.bar(place, size, 0.28, bottom, color=canvas.VERDICTS[verdict], zorder=3)
        if size:
            inside = size > room
            middle = bottom + size / 2 if inside else max(bottom + size / 2, free)
            free = middle + room
            axes.text(
                place if inside else place - 0.17,
                middle,
                str(size),
                ha="center" if inside else "right",
                va="center",
                color="white" if inside else canvas.VERDICTS[verdict],
                fontsize=7,
                zorder=4,
            )
        bottom += size


def _streams(flows: pd.Series) -> Iterator[tuple[float, float, float, str]]:
    """Yield each flow's lower edge at left and right, its height, and the colour it comes from."""
    starts: dict[str, int] = {}
    ends: dict[str, int] = {}
    for side, bottoms in ((0, starts), (1, ends)):
        bottom = 0
        for verdict in _UPWARDS:
            bottoms[verdict] = bottom
            bottom += int(flows[flows.index.get_level_values(side) == verdict].sum())
    for first in _UPWARDS:
        for second in _UPWARDS:
            size = int(flows.get((first, second), 0))
            if size:
                yield starts[first], ends[second], size, canvas.VERDICTS[first]
                starts[first] += size
                ends[second] += size


def _stream(axes: Axes, place: int, low: float, high: float, height: float, colour: str) -> None:
    left, right, middle = place + 0.14, place + 0.86, place + 0.5
    points = [
        (left, low),
        (middle, low),
        (middle, high),
        (right, high),
        (right, high + height),
        (middle, high + height),
        (middle, low + height),
        (left, low + height),
        (left, low),
    ]
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(points, codes), facecolor=colour, alpha=0.35, linewidth=0))


def _verdicts(figure: Figure) -> None:
    handles = [Patch(color=canvas.VERDICTS[verdict], label=verdict) for verdict in canvas.VERDICTS]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=7)


def compared(estimated: pd.DataFrame, judges: Sequence[str], title: str) -> Figure:
    """Draw the flips by a reference beside those by noise and by a placebo, with intervals.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.sensitivity.estimates.compared`` returns it.
    judges : sequence of str
        One panel each.
    title : str
    """
    heading = f"Flips beside noise and placebo: {title}"
    if estimated.empty:
        return canvas.nothing(heading, "noise floor and placebo were not measured in this study")
    figure, panels = _panels(judges, 2.4, heading)
    kinds = {
        "another seed": "0.45",
        "paraphrase": "0.45",
        "irrelevant text": canvas.SERIES[1],
        "another question's reference": canvas.SERIES[1],
    }
    for axes, judge in zip(panels, judges, strict=True):
        mine = estimated[(estimated["judge"] == judge) & (estimated["generator"] == POOLED)]
        rows = mine.to_dict("records")
        for place, row in enumerate(rows):
            colour = kinds.get(row["measure"], canvas.ACCEPTED)
            limits = [row["flip_rate_low"], row["flip_rate_high"]]
            axes.plot(limits, [place, place], color=colour, linewidth=1.6)
            axes.plot(row["flip_rate"], place, "o", color=colour, markersize=5)
        axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(-0.03, 1.03), xlabel="share that flips")
        axes.set_title(f"{judge}\n{_counted(mine)}", fontsize=8)
        panels[0].set_yticks(range(len(rows)), [row["measure"] for row in rows])
    return figure


def _panels(judges: Sequence[str], height: float, title: str) -> tuple[Figure, Sequence[Axes]]:
    canvas.style()
    figure = Figure(figsize=(canvas.WIDTH, height), layout="constrained")
    panels = figure.subplots(1, len(judges), sharey=True, squeeze=False)[0]
    figure.suptitle(title, fontsize=9)
    return figure, list(panels)


def _generators(estimated: pd.DataFrame) -> list[str]:
    pools = ("all ", "without ")
    return [name for name in estimated["generator"].unique() if not name.startswith(pools)]


def _counted(pooled: pd.DataFrame) -> str:
    return f"n = {pooled['n'].max()}, invalid {pooled['invalid'].sum()}"
