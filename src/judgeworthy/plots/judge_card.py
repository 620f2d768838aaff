"""Figures of the judge card: all studies in one picture, languages, sizes, references saved."""

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from judgeworthy.plots import canvas

Row = dict[Hashable, Any]
COLOURS = {
    "trust without reference": canvas.SERIES[0],
    "only with reference": canvas.SERIES[2],
    "do not use": canvas.REJECTED,
    "not enough data": canvas.INVALID,
}


def everywhere(estimated: pd.DataFrame) -> Figure:
    """Draw C1, C2 and CGP of every judge in every study, with intervals.

    After figure 4 of "LLM Judges Can Be Too Generous When There Is No Reference Answer".

    Parameters
    ----------
    estimated : DataFrame
        As ``card.published.everywhere`` returns it.
    """
    canvas.style()
    figure = Figure(figsize=(canvas.WIDTH, 1.3 + 0.27 * len(estimated)), layout="constrained")
    rates, gaps = figure.subplots(1, 2, sharey=True, width_ratios=[1.45, 1])
    for place, row in enumerate(estimated.to_dict("records")):
        if pd.isna(row["cgp"]):
            rates.text(0.5, place, row["note"], ha="center", va="center", fontsize=6)
            continue
        rates.plot([row["c2"], row["c1"]], [place, place], color="0.85", linewidth=4, zorder=1)
        _estimate(rates, row, "c1", place - 0.12, canvas.ACCEPTED, "o")
        _estimate(rates, row, "c2", place + 0.12, canvas.REJECTED, "D")
        _estimate(gaps, row, "cgp", place, canvas.INK, "s")
    _grouped(rates, estimated)
    for axes in (rates, gaps):
        axes.grid(visible=False, axis="y")
        for place in _starts(estimated)[1:]:
            axes.axhline(place - 0.5, color="0.8", linewidth=0.6)
    rates.set(xlim=(-0.03, 1.03), xlabel="share of answers accepted")
    gaps.set(xlabel="CGP = C1 − C2")
    gaps.axvline(0, color="0.4", linewidth=1)
    rates.plot([], [], "o-", color=canvas.ACCEPTED, label="C1: the right answer")
    rates.plot([], [], "D-", color=canvas.REJECTED, label="C2: a wrong answer")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    figure.suptitle("Right (C1) and wrong (C2) answers accepted, all studies", fontsize=10)
    return figure


def languages(found: pd.DataFrame) -> Figure:
    """Draw what each judge's CGP loses between languages, with intervals."""
    rows = found[found["measure"] == "CGP"].to_dict("records")
    heading = "What a judge's CGP loses between languages, paired by fact"
    if not rows:
        return canvas.nothing(heading, "no judge was asked the same facts in two languages")
    canvas.style()
    figure = Figure(figsize=(canvas.WIDTH, 1.1 + 0.25 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(rows):
        _estimate(axes, row, "drop", place, canvas.INK, "s")
    labels = [f"{row['judge']}   {row['first']} − {row['second']}" for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.axvline(0, color="0.4", linewidth=1)
    axes.set(xlabel="CGP in the first language minus CGP in the second")
    figure.suptitle(heading, fontsize=10)
    return figure


def references(found: pd.DataFrame) -> Figure:
    """Draw the half-width of an accuracy by the share of references spent, a panel a judge."""
    heading = "Cheaper than references for all: width by share of references"
    if found.empty:
        return canvas.nothing(heading, "no study has verdicts without and with the reference")
    canvas.style()
    studies, judges = (list(found[name].unique()) for name in ("study", "judge"))
    size = canvas.WIDTH, 1.2 + 1.15 * len(judges)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(judges), len(studies), sharex=True, sharey=True, squeeze=False)
    for across, judge in zip(panels, judges, strict=True):
        for axes, study in zip(across, studies, strict=True):
            _saved(axes, found[found["study"].eq(study) & found["judge"].eq(judge)])
        across[0].set_ylabel(f"{judge}\nhalf-width", fontsize=6)
    for axes, study in zip(panels[0], studies, strict=True):
        axes.set_title(study, fontsize=7)
    panels[0][0].set_ylim(0, 1.05 * found["half_width"].max())
    for axes in panels[-1]:
        axes.set_xlabel("share judged\nwith reference", fontsize=6)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    figure.suptitle(heading, fontsize=10)
    return figure


def decisions(simulated: pd.DataFrame, title: str) -> Figure:
    """Draw the share of each decision by the number of questions.

    Parameters
    ----------
    simulated : DataFrame
        One row a number of questions ``n``, with a column a decision.
    title : str
    """
    canvas.style()
    figure = Figure(figsize=(canvas.WIDTH * 0.7, 2.6), layout="constrained")
    axes = figure.subplots()
    rows = simulated.sort_values("n")
    for name, colour in COLOURS.items():
        axes.plot(rows["n"], rows[name], "o-", color=colour, markersize=3, label=name)
    axes.set(xscale="log", xlabel="questions", ylabel="share of studies", ylim=(-0.03, 1.03))
    axes.set_xticks(list(rows["n"]), list(rows["n"]), fontsize=7)
    axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=7)
    figure.suptitle(title, fontsize=9)
    return figure


def validated(simulated: pd.DataFrame, false: float) -> Figure:
    """Draw how often planted judges are trusted, by number of questions: good, and not good.

    Parameters
    ----------
    simulated : DataFrame
        As ``validation.judging.simulate`` returns the decisions.
    false : float
        The most often that a judge that is not good may be trusted.
    """
    canvas.style()
    figure = Figure(figsize=(canvas.WIDTH, 2.8), layout="constrained")
    power, alarms = figure.subplots(1, 2)
    for name, rows in simulated.groupby("judge", sort=False):
        good = name == "good"
        axes = power if good else alarms
        rows = rows.sort_values("n")
        axes.plot(rows["n"], rows["trust without reference"], "o-", markersize=3, label=name)
    alarms.axhline(false, color=canvas.INK, linewidth=0.8, linestyle=":")
    for axes, title in ((power, "a good judge"), (alarms, "judges not to be trusted")):
        axes.set(xscale="log", xlabel="questions", title=title, ylabel="share trusted")
        axes.set_xticks([30, 100, 450], ["30", "100", "450"])
        axes.minorticks_off()
    power.set_ylim(-0.03, 1.03)
    alarms.set_ylim(0, 2 * false)
    alarms.legend(frameon=False, fontsize=5.5, ncols=2)
    return figure


def _saved(axes: Axes, mine: pd.DataFrame) -> None:
    for number, (way, rows) in enumerate(mine.groupby("way", sort=False)):
        colour = canvas.SERIES[number + 2]
        axes.plot(rows["share"], rows["half_width"], "o-", color=colour, markersize=2, label=way)
    if len(mine):
        whole = mine["all_half_width"].iloc[0]
        axes.axhline(whole, color=canvas.INK, linewidth=0.8, linestyle=":", label="all references")
    axes.tick_params(labelsize=6)


def _estimate(axes: Axes, row: Row, name: str, place: float, colour: str, marker: str) -> None:
    limits = [row[f"{name}_low"], row[f"{name}_high"]]
    axes.plot(limits, [place, place], color=colour, linewidth=1.2)
    axes.plot(row[name], place, marker, color=colour, markersize=3.5, zorder=3)


def _grouped(axes: Axes, estimated: pd.DataFrame) -> None:
    """Label the rows by judge, the first of a study with its title."""
    starts = set(_starts(estimated))
    labels = [
        f"{row['title']}, n = {row['n']}\n{row['judge']}" if place in starts else row["judge"]
        for place, row in enumerate(estimated.to_dict("records"))
    ]
    axes.set_yticks(range(len(labels)), labels, fontsize=6.5)
    axes.set_ylim(len(labels) - 0.5, -0.5)


def _starts(estimated: pd.DataFrame) -> Sequence[int]:
    studies = list(estimated["study"])
    return [place for place, name in enumerate(studies) if place == 0 or studies[place - 1] != name]
