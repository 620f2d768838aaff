"""Figures: a DataFrame becomes a matplotlib figure. No arithmetic beyond layout."""

from collections.abc import Hashable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
import seaborn as sns
from IPython.display import Image
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

RIGHT, WRONG, GAP = "#0072B2", "#D55E00", "#333333"
WIDTH = 7.0
TELUGU = "fontpkg_noto_sans_telugu"


def style() -> None:
    """Set the style of all figures; Arabic and Telugu have a font, and files are reproducible."""
    sns.set_theme(context="paper", style="whitegrid")
    with as_file(files(TELUGU) / "files") as folder:
        for path in sorted(folder.glob("*.ttf")):
            font_manager.fontManager.addfont(path)
    mpl.rcParams.update(
        {
            "font.family": ["DejaVu Sans", "Noto Sans Telugu"],
            "svg.hashsalt": "judgeworthy",
            "svg.fonttype": "path",
            "figure.dpi": 100,
            "savefig.dpi": 200,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )


def save(figure: Figure, folder: str | Path, name: str, alt: str) -> Image:
    """Write ``<name>.png`` and ``<name>.svg``, byte-identical between runs.

    Parameters
    ----------
    figure : Figure
    folder, name : str
    alt : str
        What the picture shows, for those who cannot see it.

    Returns
    -------
    Image
        The picture, to be shown in a notebook.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Title": alt})
    return Image(folder / f"{name}.png", width=100 * figure.get_figwidth(), alt=alt)


def calibration(estimated: pd.DataFrame, title: str, confidence: float) -> Figure:
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
    style()
    figure = Figure(figsize=(WIDTH, 1.35 + 0.75 * len(estimated)), layout="constrained")
    rates, gaps = figure.subplots(1, 2, sharey=True, width_ratios=[1.45, 1])
    for place, row in enumerate(estimated.to_dict("records")):
        if pd.isna(row["cgp"]):
            rates.text(0.5, place, row["note"], ha="center", va="center", style="italic")
            continue
        rates.plot([row["c2"], row["c1"]], [place, place], color="0.8", linewidth=6, zorder=1)
        _estimate(rates, row, "c1", place - 0.14, RIGHT, "o", RIGHT)
        _estimate(rates, row, "c2", place + 0.14, WRONG, "D", "white")
        _estimate(gaps, row, "cgp", place, GAP, "s", GAP)
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
    axes.plot([], [], "o-", color=RIGHT, label="C1: the right answer")
    axes.plot([], [], "D-", color=WRONG, markerfacecolor="white", label="C2: a wrong answer")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)
