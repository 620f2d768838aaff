"""The figures of the sensitivity show what the tables say, the same to the byte each time."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from judgeworthy.plots import canvas, items, sensitivity
from judgeworthy.sections.sensitivity import cells, comparisons, estimates
from sections.sensitivity import planted

JUDGES = ("smollm2-135m", "qwen2.5-coder-0.5b")
GENERATORS = ("smollm2-135m", "gemma3-270m")
TITLE = "العربية · తెలుగు"
NAMES = ["NR", "RV", "RC", "NR sampled-1", "NR sampled-2", "NR paraphrase", "RV irrelevant"]
WORDS = {
    JUDGES[0]: ["CCCCCCCC", "CIICCCCC", "CCICCCCI", "ICCIICIC"] * 3,
    JUDGES[1]: ["xxxxxxxx", "CCCCCCCC", "IIIIIIII", "xCCCCCCC"] * 3,
}
STUDY = planted.study(JUDGES, GENERATORS)
TABLE = pd.concat(
    [
        planted.rows(judge, generator, WORDS[judge], [*NAMES, "RV other"])
        for judge in JUDGES
        for generator in GENERATORS
    ],
    ignore_index=True,
)
ITEM = pd.DataFrame(
    {
        "case": "a judge on a generator: CORRECT under NR, INCORRECT under RV and RC",
        "question": "ప్రశ్న ఏది? " * 20,
        "reference": "المرجع",
        "shown": ["NR", "RV", "RC"],
        "response": ["నగరం ఏది " * 30, "", "المدينة"],
        "extracted": ["నగరం", "المدينة", "x"],
        "verdict": ["CORRECT", "INCORRECT", "INVALID"],
    }
)

FIGURES: dict[str, Callable[[], Figure]] = {
    "acceptance": lambda: sensitivity.acceptance(estimates.acceptance(TABLE, STUDY), JUDGES, TITLE),
    "flips": lambda: sensitivity.flips(estimates.transitions(TABLE, STUDY), JUDGES, TITLE),
    "heat_map": lambda: sensitivity.heat_map(estimates.transitions(TABLE, STUDY), JUDGES, TITLE),
    "alluvial": lambda: sensitivity.alluvial(estimates.paths(TABLE, STUDY), JUDGES, TITLE),
    "compared": lambda: sensitivity.compared(comparisons.compared(TABLE, STUDY), JUDGES, TITLE),
    "items": lambda: items.items([ITEM], TITLE, "why not"),
    "nothing": lambda: items.items([], TITLE, "why not"),
    "not compared": lambda: sensitivity.compared(
        comparisons.compared(TABLE[TABLE["variant"] == ""], STUDY), JUDGES, TITLE
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_is_identical_to_the_byte_and_has_all_glyphs(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for folder in ("one", "two"):
            canvas.save(FIGURES[name](), tmp_path / folder, "figure", "what it shows")
    for suffix in ("png", "svg"):
        one, two = (tmp_path / folder / f"figure.{suffix}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_the_streams_start_and_end_in_their_verdicts() -> None:
    figure = FIGURES["alluvial"]()
    counted = estimates.paths(TABLE, STUDY)
    for axes, judge in zip(figure.axes, JUDGES, strict=True):
        mine = counted[counted["judge"] == judge]
        flows = sum(len(mine.groupby(list(pair))) for pair in (("NR", "RV"), ("RV", "RC")))
        assert len([p for p in axes.patches if "PathPatch" in type(p).__name__]) == flows
        heights = [bar.get_height() for bar in axes.patches if hasattr(bar, "get_height")]
        assert sum(heights) == 3 * mine["n"].sum()


def test_the_bars_are_the_shares_that_flip_each_way() -> None:
    flipped = estimates.transitions(TABLE, STUDY)
    first = FIGURES["flips"]().axes[0]
    mine = flipped[
        (flipped["judge"] == JUDGES[0]) & ~flipped["generator"].str.startswith("without")
    ]
    shares = [*mine["to_incorrect_share"], *mine["to_correct_share"]]
    drawn = sorted(round(abs(bar.get_width()), 6) for bar in first.patches)
    assert drawn == sorted(round(float(share), 6) for share in shares)


def test_a_cell_of_the_heat_map_says_rate_interval_counts_and_whose_it_is() -> None:
    texts = [text.get_text() for text in FIGURES["heat_map"]().axes[0].texts]
    flipped = estimates.transitions(TABLE, STUDY)
    row = flipped[
        (flipped["judge"] == JUDGES[0])
        & (flipped["generator"] == GENERATORS[0])
        & (flipped["transition"] == "NR→RC")
    ].to_dict("records")[0]
    assert texts[0].startswith(f"{row['flip_rate']:.2f} [")
    assert texts[0].endswith(f"{row['to_incorrect']}↓ {row['to_correct']}↑ of 12, its own")
    assert any("not estimable" in text for text in texts)


def test_the_marks_of_acceptance_stand_at_the_estimates() -> None:
    accepted = estimates.acceptance(TABLE, STUDY)
    pooled = accepted[(accepted["judge"] == JUDGES[0]) & (accepted["generator"] == cells.ALL)]
    first = FIGURES["acceptance"]().axes[0]
    drawn = [list(line.get_ydata()) for line in first.lines]
    assert list(pooled["acceptance"].astype(float)) in drawn
    assert "n = 24, invalid 0" in first.get_title()
