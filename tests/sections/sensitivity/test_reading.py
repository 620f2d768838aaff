"""Sensitivity: what is said of the numbers holds the numbers, and says what is missing."""

import pandas as pd
import pytest

from judgeworthy import tables
from judgeworthy.layouts import sensitivity as layouts
from judgeworthy.sections.sensitivity import cells, estimates, published, reading
from judgeworthy.study import Study
from sections.sensitivity import planted

JUDGE, OTHER, GENERATOR = "smollm2-135m", "qwen2.5-coder-0.5b", "gemma3-270m"
NAMES = ["NR", "RV", "RC", "NR sampled-1", "NR sampled-2", "NR paraphrase", "RV irrelevant"]


def said(table: pd.DataFrame, study: Study) -> str:
    return reading.sentences(published.tables(table, None, study), study)


def judged(words: list[str], names: list[str] | None = None) -> tuple[pd.DataFrame, Study]:
    names = names or [*NAMES, "RV other"]
    return planted.rows(JUDGE, GENERATOR, words, names), planted.study((JUDGE,), (GENERATOR,))


def test_a_paragraph_holds_the_numbers_of_the_tables() -> None:
    text = said(*judged(["CCICCCCC"] * 30 + ["CCCCCCCC"] * 10))
    assert f"**{JUDGE}** accepts 100%" in text
    assert "25% [14%, 40%] under RC, of 40 responses." in text
    assert "75% [60%, 86%] of the verdicts flip: 30 to INCORRECT, 0 to CORRECT" in text
    assert "net over-reward +0.75" in text
    assert "p < 0.0001 after Holm" in text
    assert "another seed 0%" in text
    assert "controls were not measured" in text
    assert "nan" not in text.lower()


CONTROLS = ["RC right", "RC wrong"]
KNOWS, KNOWS_NOT = ["CI"] * 40, ["CC"] * 40


def claim(words: list[str], controls: list[str], right: bool = False) -> str:
    """Return the last sentence, on judgments with these controls."""
    table, study = judged(words)
    table["response_right"] = right
    shown = planted.rows(JUDGE, "", controls, CONTROLS)
    text = said(pd.concat([table, shown], ignore_index=True), study)
    assert "nan" not in text.lower()
    return text[text.index("The paper's claim") :]


FLIPS = ["CCICCCCC"] * 30 + ["CCCCCCCC"] * 10


def test_the_papers_claim_holds_where_nothing_speaks_against_it() -> None:
    assert claim(FLIPS, KNOWS).endswith("without a reference, holds for it here.")


@pytest.mark.parametrize(
    ("words", "controls", "right", "but"),
    [
        (FLIPS, KNOWS_NOT, False, "not with a judge that tells right from wrong against the"),
        (["CCICICCC"] * 40, KNOWS, False, "not beyond the noise between two seeds"),
        (["CCICCICC"] * 40, KNOWS, False, "not beyond another wording of the prompt"),
        (["CCICCCIC"] * 40, KNOWS, False, "not beyond an irrelevant text"),
        (FLIPS, KNOWS, True, "not known: on the wrong responses alone"),
        (["CCICCCCC", "ICCCCCCC"] * 20, KNOWS, False, "is not shown for it here"),
        (["ICCCCCCC"] * 30 + ["CCCCCCCC"] * 10, KNOWS, False, "is reversed for it here: with the"),
        (
            ["ICCCICII"] * 40,
            KNOWS,
            False,
            "accepts more, but not beyond the noise between two seeds",
        ),
        (["xCCCCCCC"] * 20 + ["CCCCCCCC"] * 20, KNOWS, False, "cannot be checked for it here"),
    ],
)
def test_what_speaks_against_the_papers_claim_is_named(
    words: list[str], controls: list[str], right: bool, but: str
) -> None:
    said_of_it = claim(words, controls, right)
    assert but in said_of_it
    assert not said_of_it.endswith("without a reference, holds for it here.")


def test_what_was_not_measured_is_said_so() -> None:
    text = said(*judged(["CCI"] * 30 + ["CCC"] * 10, ["NR", "RV", "RC"]))
    assert "Noise floor and placebo were not measured in this study." in text
    assert "holds for it here; not known: beyond the noise between two seeds" in text


@pytest.mark.parametrize("letter", ["x", "C", "I"])
def test_a_judge_that_says_one_thing_only_has_all_tables_sentences_and_no_nan(letter: str) -> None:
    table, study = judged([letter * 8] * 5)
    controls = planted.rows(JUDGE, "", [letter * 2] * 5, CONTROLS)
    found = published.tables(pd.concat([table, controls]), None, study)
    text = reading.sentences(found, study)
    compared = reading.comparison(found, study).to_csv()
    for shown in (text, compared):
        assert "nan" not in shown.lower() and "none" not in shown.lower()
    laid = [
        layouts.acceptance(found["acceptance"]),
        layouts.transitions(found["sensitivity"], "NR→RC"),
        layouts.responses(found["responses"]),
        layouts.compared(found["compared"]),
        layouts.controls(found["controls"]),
        layouts.leaks(found["leaks"]),
        layouts.accepted_by_response(found["acceptance_by_correctness"]),
        layouts.correctness(found["flips_by_correctness"]),
        layouts.regression(found["regression"]),
    ]
    html = tables.readable(*laid).data
    assert "nan" not in html.lower()
    if letter == "x":
        assert "not estimable" in html and "an unknown share (between 0% and 100%)" in text
    for name in ("acceptance", "sensitivity", "controls"):
        assert (found[name]["invalid"] == (0 if letter != "x" else found[name]["n"])).all()


def test_the_comparison_says_what_the_paper_reports_and_whether_it_can_be_compared() -> None:
    table, study = judged(["CCICCCCC"] * 30 + ["CCCCCCCC"] * 10)
    frame = reading.comparison(published.tables(table, None, study), study)
    assert list(frame.columns) == ["the paper reports", "here", "comparable"]
    assert "up to 85 %" in frame["the paper reports"][1]
    assert "75% [60%, 86%]" in frame["here"][1]
    assert "selected maximum" in frame["here"][1]
    assert "30 of 40 wrong responses" in frame["here"][0]
    assert not frame.apply(lambda column: column.str.contains("nan", case=False)).any(axis=None)


def test_the_alternative_text_names_each_value() -> None:
    table, study = judged(["CCICCCCC"] * 3)
    found = layouts.over_all({"acceptance": estimates.acceptance(table, study)})
    text = reading.alt(found["acceptance"], "share accepted", "acceptance")
    assert text == f"share accepted: {JUDGE} NR 1; {JUDGE} RV 1; {JUDGE} RC 0"
    pairs = reading.alt_of_pairs(estimates.transitions(table, study), "NR→RC")
    assert pairs == f"flips NR→RC: {JUDGE} {GENERATOR} 1"
    assert cells.ALL not in pairs
