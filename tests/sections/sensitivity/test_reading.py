"""Sensitivity: what is said of the numbers holds the numbers, and says what is missing."""

import pandas as pd
import pytest

from judgeworthy.sections.sensitivity import cells, comparisons, estimates, reading
from judgeworthy.study import Study
from sections.sensitivity import planted

JUDGE, OTHER, GENERATOR = "smollm2-135m", "qwen2.5-coder-0.5b", "gemma3-270m"
NAMES = ["NR", "RV", "RC", "NR sampled-1", "NR sampled-2", "NR paraphrase", "RV irrelevant"]


def said(table: pd.DataFrame, study: Study) -> str:
    return reading.sentences(
        estimates.acceptance(table, study),
        estimates.transitions(table, study),
        comparisons.compared(table, study),
        comparisons.controls(table, planted.rows(JUDGE, "", []), study),
        comparisons.leaks(table, study),
        study,
    )


def judged(words: list[str], names: list[str] | None = None) -> tuple[pd.DataFrame, Study]:
    names = names or [*NAMES, "RV other"]
    return planted.rows(JUDGE, GENERATOR, words, names), planted.study((JUDGE,), (GENERATOR,))


def test_a_paragraph_holds_the_numbers_of_the_tables() -> None:
    text = said(*judged(["CCICCCCC"] * 30 + ["CCCCCCCC"] * 10))
    assert f"**{JUDGE}** accepts 100%" in text
    assert "25% [14%, 40%] under RC, n = 40 responses" in text
    assert "75% [60%, 86%] of the verdicts flip: 30 to INCORRECT, 0 to CORRECT" in text
    assert "net over-reward +0.75" in text
    assert "another seed flips 0%" in text
    assert "holds for it here, beyond the noise between two seeds" in text
    assert "controls were not measured" in text
    assert "nan" not in text.lower()


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        (["CCICCCCC", "ICCCCCCC"] * 20, "that is not shown for it here"),
        (["ICCCCCCC"] * 30 + ["CCCCCCCC"] * 10, "the opposite shows for it here"),
        (["CCICICCC"] * 40, "but not clearly beyond the noise"),
        (["xCCCCCCC"] * 20 + ["CCCCCCCC"] * 20, "cannot be checked for it here"),
    ],
)
def test_the_papers_claim_is_held_against_the_estimate(words: list[str], claim: str) -> None:
    text = said(*judged(words))
    assert claim in text
    assert "nan" not in text.lower()


def test_what_was_not_measured_is_said_so() -> None:
    text = said(*judged(["CCI"] * 30 + ["CCC"] * 10, ["NR", "RV", "RC"]))
    assert "Noise floor and placebo were not measured in this study." in text
    assert text.rstrip().endswith("holds for it here.")


def test_the_comparison_says_what_the_paper_reports_and_whether_it_can_be_compared() -> None:
    table, study = judged(["CCICCCCC"] * 30 + ["CCCCCCCC"] * 10)
    frame = reading.comparison(
        estimates.transitions(table, study),
        comparisons.correctness(table, study),
        estimates.acceptance(table, study),
        study,
    )
    assert list(frame.columns) == ["the paper reports", "here", "comparable"]
    assert "up to 85 %" in frame["the paper reports"][1]
    assert "75% [60%, 86%]" in frame["here"][1]
    assert "selected maximum" in frame["here"][1]
    assert "30 of 40 wrong responses" in frame["here"][0]
    assert not frame.apply(lambda column: column.str.contains("nan", case=False)).any(axis=None)


def test_the_alternative_text_names_each_value() -> None:
    table, study = judged(["CCICCCCC"] * 3)
    text = reading.alt(estimates.acceptance(table, study), "acceptance")
    assert text == f"acceptance: {JUDGE} NR 1; {JUDGE} RV 1; {JUDGE} RC 0"
    assert cells.ALL not in text
