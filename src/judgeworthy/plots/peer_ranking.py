"""Figures of the peer ranking: whom the judges prefer, where, and how far to trust them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from judgeworthy.plots import canvas

INDICES = {
    "rii": ("all votes", canvas.INK, "o"),
    "rii_without_own": ("without own votes", canvas.SERIES[4], "s"),
    "rii_self_excluded": ("own answer not shown", canvas.SERIES[5], "D"),
}
VALID = {"rii_of_valid_judges": ("judges with few INVALID ballots", canvas.SERIES[0], "^")}
SIDES = {
    "strength": ("models", canvas.INK, "o"),
    "strength_without_own": ("models, without own votes", canvas.SERIES[4], "s"),
    "people_strength": ("people", canvas.SERIES[5], "D"),
}
MEASURES = {
    "between runs": (canvas.SERIES[4], "o"),
    "between readings of one run": (canvas.SERIES[5], "D"),
}
ORDERS = "orders by RII"
# From below to above average; for ranks from the best to the worst.
_INDEX = (canvas.REJECTED, "#FFFFFF", canvas.ACCEPTED)
_RANKS = (canvas.ACCEPTED, "#FFFFFF")
# On a cell darker than this a label is white.
_DARK = 0.45
Row = dict[Hashable, Any]
Marks = Mapping[str, tuple[str, str, str]]


def ranking(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw the index of every candidate: with all votes, without own ones, own answer not shown.

    Where it is not estimated, a dashed line shows what it may be, over all ways to read the INVALID
    ballots, beside the index by those judges alone of whom few are.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.peer_ranking.estimates.ranking`` returns it.
    title : str
    """
    rows = _sorted(estimated, "rii")
    marks = INDICES if _any(rows, "rii") else INDICES | VALID
    figure, axes = _forest(rows, marks, f"Relative Intelligence Index: {title}")
    axes.axvline(50, color="0.5", linewidth=1, linestyle=":")
    axes.set(xlim=(-2, 102), xlabel="RII: 50 is average, 100 always first; its formula is ours")
    labels = [
        f"{row['candidate']}\nn = {row['n']} ballots, invalid {row['invalid']}" for row in rows
    ]
    axes.set_yticks(range(len(rows)), labels)
    return figure


def strengths(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw the strength of every candidate, to the models and to people.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.peer_ranking.pairs.strengths`` returns it.
    title : str
    """
    heading = f"Models and people: {title}"
    if estimated.empty:
        return canvas.nothing(heading, "no people voted in this study")
    rows = _sorted(estimated, "strength")
    figure, axes = _forest(rows, SIDES, heading)
    axes.axvline(0, color="0.5", linewidth=1, linestyle=":")
    axes.set_xlabel("strength (Bradley–Terry with ties), on the logarithmic scale")
    labels = [
        f"{row['candidate']}\nn = {row['n']} votes, people's {row['people_n']}" for row in rows
    ]
    axes.set_yticks(range(len(rows)), labels)
    return figure


def by_domain(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw the index of every candidate in every domain, with its interval and the ballots.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.peer_ranking.estimates.ranking_by_domain`` returns it.
    title : str
    """
    cells = {(row["candidate"], row["domain"]): row for row in estimated.to_dict("records")}
    domains = [str(domain) for domain in estimated["domain"].unique()]
    whole = estimated[estimated["domain"] == domains[-1]]
    candidates = [str(row["candidate"]) for row in _sorted(whole, "rii")]
    values = [[cells[name, domain]["rii"] for domain in domains] for name in candidates]
    texts = [[_index(cells[name, domain]) for domain in domains] for name in candidates]
    width = max(canvas.WIDTH, 1.4 + 0.95 * len(domains))
    figure, axes = _heat_map(values, texts, (0, 100), _INDEX, f"RII by domain: {title}", width)
    counts = [cells[candidates[0], domain] for domain in domains]
    axes.set_xticks(
        range(len(domains)),
        [
            f"{domain.replace(' ', chr(10))}\nn = {row['n']}\ninvalid {row['invalid']}"
            for domain, row in zip(domains, counts, strict=True)
        ],
        fontsize=7,
    )
    axes.set_yticks(range(len(candidates)), candidates, fontsize=8)
    axes.axvline(len(domains) - 1.5, color=canvas.INK, linewidth=1)
    return figure


def mean_ranks(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw the mean rank that each judge gives each candidate; own answers are framed.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.peer_ranking.estimates.mean_ranks`` returns it.
    title : str
    """
    cells = {(row["judge"], row["candidate"]): row for row in estimated.to_dict("records")}
    judges, candidates = (list(estimated[name].unique()) for name in ("judge", "candidate"))
    values = [[cells[judge, name]["mean_rank"] for name in candidates] for judge in judges]
    texts = [[_rank(cells[judge, name]) for name in candidates] for judge in judges]
    heading = f"Mean rank, 1 is best: {title}"
    figure, axes = _heat_map(values, texts, (1, len(candidates)), _RANKS, heading)
    for y, judge in enumerate(judges):
        for x, name in enumerate(candidates):
            if cells[judge, name]["own"]:
                axes.add_patch(_frame(x, y))
    axes.set_xticks(range(len(candidates)), candidates, fontsize=8)
    axes.set_yticks(
        range(len(judges)),
        [f"{judge}\n{_counted(cells[judge, candidates[0]])}" for judge in judges],
        fontsize=8,
    )
    axes.set(xlabel="whose answer (framed: the judge's own)", ylabel="judge")
    return figure


def agreement(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw each judge's agreement with the others against the index of its own model.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.peer_ranking.judges.judges`` returns it.
    title : str
    """
    heading = f"Agreement and standing: {title}"
    rows = estimated[estimated["agreement"].notna() & estimated["own_rii"].notna()]
    if rows.empty:
        return canvas.nothing(heading, "of no judge are both agreement and RII estimated")
    canvas.style()
    figure = Figure(figsize=(canvas.WIDTH, 4), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(rows.to_dict("records")):
        colour = canvas.SERIES[place % len(canvas.SERIES)]
        _cross(axes, row, colour, "os^Dv<"[place % 6])
    axes.axvline(50, color="0.5", linewidth=1, linestyle=":")
    axes.axhline(0, color="0.5", linewidth=1, linestyle=":")
    axes.set(
        xlabel="RII of the judge's own model, without own votes",
        ylabel="agreement with the others (Kendall's tau)",
    )
    left_out = sorted(set(estimated["judge"]) - set(rows["judge"]))
    axes.set_title(f"not estimable: {', '.join(left_out)}" if left_out else "", fontsize=7)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    figure.suptitle(heading, fontsize=9)
    return figure


def stability(estimated: pd.DataFrame, title: str) -> Figure:
    """Draw how far ballots stay the same between runs, and between readings of the same answers.

    Parameters
    ----------
    estimated : DataFrame
        As ``sections.peer_ranking.judges.stability`` returns it.
    title : str
    """
    heading = f"Stability: {title}"
    if estimated["tau"].isna().all():
        return canvas.nothing(heading, str(estimated["note"].iloc[0]))
    canvas.style()
    judges = list(estimated["judge"].unique())
    figure = Figure(figsize=(canvas.WIDTH, 1.5 + 0.42 * len(judges)), layout="constrained")
    axes = figure.subplots()
    for number, (measure, (colour, marker)) in enumerate(MEASURES.items()):
        rows = estimated[estimated["measure"] == measure].to_dict("records")
        for place, row in enumerate(rows):
            _estimate(axes, row, "tau", place + 0.24 * (number - 0.5), colour, marker)
            if pd.isna(row["tau"]):
                text = f"{measure}: {row['note'].split(':')[0]}"
                y = place + 0.3 * (number - 0.5)
                axes.text(0.02, y, text, fontsize=6, va="center", style="italic")
    axes.axvline(0, color="0.5", linewidth=1, linestyle=":")
    axes.axhline(judges.index(ORDERS) - 1.5, color=canvas.INK, linewidth=0.6)
    axes.set(ylim=(len(judges) - 0.5, -0.5), xlim=(min(-0.3, axes.get_xlim()[0]), 1.05))
    axes.set_yticks(range(len(judges)), [_pairs_of(estimated, judge) for judge in judges])
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("Kendall's tau: 1 the same order, 0 none, −1 the opposite")
    _legend(figure, {name: (name, *look) for name, look in MEASURES.items()})
    figure.suptitle(heading, fontsize=9)
    return figure


def _pairs_of(estimated: pd.DataFrame, judge: str) -> str:
    counts = estimated.loc[estimated["judge"] == judge, "n"].tolist()
    return f"{judge}\nn = {' and '.join(map(str, counts))} ballots"


def _forest(rows: Sequence[Row], marks: Marks, heading: str) -> tuple[Figure, Axes]:
    canvas.style()
    figure = Figure(
        figsize=(canvas.WIDTH, 1.5 + (0.1 + 0.2 * len(marks)) * len(rows)), layout="constrained"
    )
    axes = figure.subplots()
    for place, row in enumerate(rows):
        for number, (name, (_, colour, marker)) in enumerate(marks.items()):
            shift = 0.22 * (number - (len(marks) - 1) / 2)
            _estimate(axes, row, name, place + shift, colour, marker)
        if pd.isna(row[next(iter(marks))]):
            _because(axes, row["note"].split(";")[0], place - 0.22 * len(marks) / 2 - 0.03)
    axes.set_ylim(len(rows) - 0.5, -0.6)
    axes.grid(visible=False, axis="y")
    seen = {name: marks[name] for name in marks if _any(rows, name) or _any(rows, f"{name}_min")}
    _legend(figure, seen, dashed=any(not _any(rows, name) for name in seen))
    figure.suptitle(heading, fontsize=9)
    return figure, axes


def _because(axes: Axes, text: str, place: float) -> None:
    """Say across the axes why there is no estimate."""
    axes.text(
        0.5,
        place,
        text,
        ha="center",
        va="center",
        fontsize=6.5,
        style="italic",
        transform=axes.get_yaxis_transform(),
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def _any(rows: Sequence[Row], name: str) -> bool:
    return any(pd.notna(row.get(name)) for row in rows)


def _legend(figure: Figure, marks: Marks, dashed: bool = False) -> None:
    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=4, label=name)
        for name, colour, marker in marks.values()
    ]
    if dashed:
        label = "not estimable: bounds over all ways to read INVALID ballots"
        handles.append(Line2D([], [], color="0.4", linestyle="--", linewidth=0.8, label=label))
    if handles:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=7
        )


def _estimate(axes: Axes, row: Row, name: str, place: float, colour: str, marker: str) -> None:
    if pd.isna(row[name]):
        limits = [row.get(f"{name}_min", np.nan), row.get(f"{name}_max", np.nan)]
        axes.plot(limits, [place, place], color=colour, linewidth=0.7, linestyle="--", marker="|")
        return
    limits = [row[f"{name}_low"], row[f"{name}_high"]]
    axes.plot(limits, [place, place], color=colour, linewidth=1.5)
    axes.plot(row[name], place, marker, color=colour, markersize=4.5)


def _cross(axes: Axes, row: Row, colour: str, marker: str) -> None:
    x, y = row["own_rii"], row["agreement"]
    axes.plot([row["own_rii_low"], row["own_rii_high"]], [y, y], color=colour, linewidth=1.2)
    axes.plot([x, x], [row["agreement_low"], row["agreement_high"]], color=colour, linewidth=1.2)
    label = f"{row['judge']}, n = {row['n']}, invalid {row['invalid']}"
    axes.plot(x, y, marker, color=colour, markersize=7, label=label, markeredgecolor="white")
    axes.annotate(
        row["judge"],
        (x, y),
        xytext=(6, 5),
        textcoords="offset points",
        fontsize=7,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def _heat_map(
    values: Sequence[Sequence[float]],
    texts: Sequence[Sequence[str]],
    ends: tuple[float, float],
    colours: Sequence[str],
    heading: str,
    width: float = canvas.WIDTH,
) -> tuple[Figure, Axes]:
    """Draw cells in shades from one end of the scale to the other; grey where there is no value."""
    canvas.style()
    figure = Figure(figsize=(width, 1.5 + 0.55 * len(values)), layout="constrained")
    axes = figure.subplots()
    shades = LinearSegmentedColormap.from_list("shades", colours, bad="0.9")
    image = axes.imshow(np.array(values, dtype=float), cmap=shades, aspect="auto")
    image.set_clim(ends)
    for y, line in enumerate(texts):
        for x, text in enumerate(line):
            shade = image.to_rgba(np.ma.masked_invalid([float(values[y][x])]))[0]
            dark = np.dot(shade[:3], (0.299, 0.587, 0.114)) < _DARK
            colour = "white" if dark else "black"
            axes.text(x, y, text, ha="center", va="center", fontsize=7, color=colour)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    figure.suptitle(heading, fontsize=9)
    return figure, axes


def _frame(x: int, y: int) -> Rectangle:
    return Rectangle(
        (x - 0.48, y - 0.46), 0.96, 0.92, fill=False, edgecolor=canvas.REJECTED, linewidth=2.5
    )


def _index(row: Row) -> str:
    if pd.isna(row["rii"]):
        return row["note"].split(":")[0] if row["n"] else "no ballots"
    limits = f"\n[{row['rii_low']:.0f}, {row['rii_high']:.0f}]" if pd.notna(row["rii_low"]) else ""
    return f"{row['rii']:.0f}{limits}"


def _rank(row: Row) -> str:
    if pd.isna(row["mean_rank"]):
        return str(row["note"].split(":")[0])
    if pd.isna(row["mean_rank_low"]):
        return f"{row['mean_rank']:.2f}"
    return f"{row['mean_rank']:.2f}\n[{row['mean_rank_low']:.2f}, {row['mean_rank_high']:.2f}]"


def _counted(row: Row) -> str:
    return f"n = {row['n']}, invalid {row['invalid']}"


def _sorted(estimated: pd.DataFrame, by: str) -> list[Row]:
    return estimated.sort_values(by, ascending=False, kind="stable").to_dict("records")
