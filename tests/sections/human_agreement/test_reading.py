"""Human agreement: what is said and drawn of the numbers, in all tasks and without any number."""

import warnings
from pathlib import Path

import pytest

from judgeworthy import tables
from judgeworthy.layouts import human_agreement as layouts
from judgeworthy.plots import canvas
from judgeworthy.plots import human_agreement as plots
from judgeworthy.sections.human_agreement import published, reading
from sections.human_agreement import labelled_by_people as planted

STUDY = planted.study()
HUMAN = "CCI" * 20
CASES = {
    "flips": {
        ("j", "NR"): "C" * 60,
        ("j", "RV"): "CCI" * 10 + "C" * 30,
        ("j", "RC"): "CCI" * 20,
    },
    "one condition": {("j", "recorded"): "CIC" * 20, ("k", "recorded"): HUMAN},
    "all invalid": {("j", "NR"): "x" * 60, ("j", "RV"): "x" * 60, ("j", "RC"): "x" * 60},
    "constant": {("j", "recorded"): "C" * 60},
}


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_sentences_tables_and_figures_without_nan(case: str, tmp_path: Path) -> None:
    found = published.tables(planted.table(CASES[case], HUMAN), STUDY)
    shown = tables.readable(
        layouts.agreement(found["agreement"]),
        layouts.against_people(found["flips_vs_human"]),
        layouts.corrected(found["corrected"]),
        layouts.planner(found["planner"]),
        layouts.detectable(found["detectable"]),
    )
    for text in (reading.sentences(found, STUDY), str(shown.data)):
        assert "nan" not in text.lower() and "none" not in text.lower()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (
            plots.agreement(found["agreement"], "t"),
            plots.against_people(found["flips_vs_human"], "t"),
            plots.corrected(found["corrected"], "t", "people accept"),
            plots.coverage(found["coverage"], "t", 0.95),
        ):
            canvas.save(figure, tmp_path, "figure", "what it shows")


def test_a_paragraph_says_whose_side_the_flips_take() -> None:
    text = reading.sentences(published.tables(planted.table(CASES["flips"], HUMAN), STUDY), STUDY)
    assert "Under NR it agrees with the human label in 67% [" in text
    assert "NR→RC: 20 of 20 flips go toward the human label, 100% [" in text
    assert "people's side" in text
    assert "People accept 67%; it accepts 100% [94%, 100%] under NR." in text
    assert "RV→RV" not in text


def test_where_nothing_is_estimated_the_bounds_are_said() -> None:
    found = published.tables(planted.table(CASES["all invalid"], HUMAN), STUDY)
    text = reading.sentences(found, STUDY)
    assert "in an unknown share (between 0% and 100%)" in text
    assert "(60 of 60 INVALID)" in text


@pytest.mark.parametrize("figure", ["agreement", "flips_vs_human", "corrected", "coverage"])
def test_the_alternative_text_names_each_value(figure: str) -> None:
    values = {
        "agreement": "kappa",
        "flips_vs_human": "toward_human",
        "corrected": "estimate",
        "coverage": "coverage",
    }
    found = published.tables(planted.table(CASES["flips"], HUMAN), STUDY)
    text = reading.alt(found[figure], "what", values[figure])
    assert text.startswith("what: j ") and "nan" not in text
    assert text.count(";") == len(found[figure]) - 1
