"""Harder wrong answers: what is asked, and what is made of the answers."""

from pathlib import Path

import pandas as pd
import pytest

from conftest import STUDY
from judgeworthy import datasets, judgments, study
from judgeworthy.errors import ParameterError
from judgeworthy.layouts import calibration as layouts
from judgeworthy.plots import calibration as plots
from judgeworthy.sections import harder, kept, verdicts
from judgeworthy.study import Study
from judgeworthy.study.blocks import Calibration, Harder

KINDS = ("nearest", "corrupted", "verbose", "injected")
VERDICTS = {"C": "CORRECT", "I": "INCORRECT", "x": "INVALID"}


def planted(**letters: str) -> pd.DataFrame:
    """A table from letters, one question a letter, by condition (C1, C2) or kind."""
    blank = {name: "" for name, type_ in judgments.DTYPES.items() if type_ == "str"}
    rows = [
        blank
        | {
            "question_id": f"q{number:03}",
            "cluster": f"q{number:03}",
            "condition": name if name in ("C1", "C2") else "C2",
            "variant": name if name in KINDS else "",
            "judge": "small",
            "verdict": VERDICTS[letter],
        }
        for name, verdicts_ in letters.items()
        for number, letter in enumerate(verdicts_)
    ]
    return judgments.table(rows, judgments.HARDER)


@pytest.fixture
def small() -> Study:
    return Study(
        name="small",
        title="A small study",
        dataset="parallel",
        language="te",
        judges=("small",),
        seed=1,
        max_tokens=100,
        calibration=Calibration(),
        harder=Harder(),
    )


def estimate(chosen: Study, c1: str, c2: str, **letters: str) -> pd.DataFrame:
    return harder.estimates(planted(**letters), planted(C1=c1, C2=c2), chosen)


def test_each_kind_is_shown_once_a_question_and_without_a_reference(small: Study) -> None:
    shown = harder.items(small)
    asked = [(item.variant, item.question.id) for item in shown]
    assert len(set(asked)) == len(asked)
    assert tuple(dict.fromkeys(kind for kind, _ in asked)) == KINDS
    for item in shown:
        messages = verdicts.request(item, "small", small).messages
        assert messages[-1]["content"] == (
            f"Question: {item.question.text}\nGenerated answer: {item.response}"
        )


def test_verbose_and_injected_hold_the_wrong_answer_of_c2(small: Study) -> None:
    donors, texts = datasets.wrong_answers(small).donors, datasets.shown_answers(small)
    for item in harder.items(small):
        if item.variant in ("verbose", "injected"):
            assert item.donor_id == donors[item.question.id]
            assert texts[item.donor_id] in item.response


def test_no_two_kinds_are_one_request(small: Study) -> None:
    shown = [item for item in harder.items(small) if item.variant in ("verbose", "injected")]
    ids = {verdicts.request(item, "small", small).id for item in shown}
    assert len(ids) == len(shown) == 100


def test_only_the_kinds_that_are_named_are_asked(small: Study) -> None:
    chosen = small.model_copy(update={"harder": Harder(kinds=("corrupted",))})
    assert {item.variant for item in harder.items(chosen)} == {"corrupted"}


def test_the_share_accepted_beside_that_of_c2_on_the_same_questions(small: Study) -> None:
    table = estimate(small, "CCCCCCCCCC", "CIIIIIIIII", nearest="CCCCIIIIII", corrupted="CCC")
    near, changed = table.to_dict("records")
    assert (near["variant"], near["n"], near["accepted"], near["c2"]) == ("nearest", 10, 0.4, 0.1)
    assert near["more"] == pytest.approx(0.3)
    assert near["gap"] == pytest.approx(0.6)
    assert (changed["n"], changed["accepted"]) == (3, 1.0)
    assert changed["c2"] == pytest.approx(1 / 3)


def test_invalid_replies_bound_what_they_may_change(small: Study) -> None:
    (row,) = estimate(small, "C" * 10, "I" * 10, nearest="CCCCIIIIIx").to_dict("records")
    assert row["invalid"] == 1
    assert row["accepted"] == pytest.approx(4 / 9)
    assert (row["accepted_min"], row["accepted_max"]) == (0.4, 0.5)


def test_above_the_stated_share_of_invalid_replies_nothing_is_estimated(small: Study) -> None:
    table = estimate(small, "C" * 10, "I" * 10, nearest="CCCCIIIxxx")
    assert pd.isna(table["accepted"]).all()
    said = harder.sentences(table)
    assert "not estimable: 3 of 10 are invalid" in said
    assert "Not shown to be told from right answers: nearest." in said


def test_what_is_said_follows_from_the_table(small: Study) -> None:
    table = estimate(
        small, "C" * 30, "I" * 30, nearest="C" * 30, injected="C" * 15 + "I" * 15, verbose="I" * 30
    )
    said = harder.sentences(table)
    assert "100% [89%, 100%] of the nearest ones, 0% of C2's to the same 30 questions" in said
    assert "Accepted more often than C2's beyond chance: nearest, injected." in said
    assert "Not shown to be told from right answers: nearest." in said


def test_a_study_without_the_block_says_so(small: Study) -> None:
    chosen = small.model_copy(update={"harder": None})
    table = harder.estimates(harder.load(chosen), planted(C1="C", C2="I"), chosen)
    assert table.empty
    assert harder.sentences(table) == harder.NOT_ASKED
    assert harder.NOT_ASKED in harder.alt(table, chosen)
    assert layouts.harder(table).empty
    assert plots.harder(table, "x", 0.95).texts


def test_the_figure_has_a_panel_a_judge_and_a_row_a_kind(small: Study) -> None:
    table = estimate(small, "C" * 9, "I" * 9, nearest="CCCIIIIII", verbose="CCCCCCCCC")
    figure = plots.harder(table, "Telugu", 0.95)
    (axes,) = figure.axes
    assert axes.get_title() == "small"
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert shown == ["nearest\nn = 9", "verbose\nn = 9"]


def test_the_block_needs_the_calibration(small: Study) -> None:
    with pytest.raises(ValueError, match="harder: the wrong answers of the block 'calibration'"):
        Study.model_validate(small.model_dump() | {"calibration": None})


def test_a_kind_stands_once() -> None:
    with pytest.raises(ValueError, match="name each kind once"):
        Harder(kinds=("nearest", "nearest"))


def test_a_language_that_a_kind_is_not_written_in_is_named(project: Path) -> None:
    text = STUDY.replace("dataset: parallel", "dataset: tydiqa")
    text = text.replace("language: en", "language: fr") + "harder:\n  kinds: [nearest, verbose]\n"
    (project / "params" / "x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=r"'verbose' exists in the languages ar, en, te"):
        study.load("x")


def test_kept_judgments_depend_on_what_is_written_around_the_answers(
    small: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = planted(nearest="C")
    before = kept.asked(small, "harder", table)
    monkeypatch.setattr(kept.prompts, "plain", lambda name: f"other {name}")
    assert kept.asked(small, "harder", table) != before
    assert kept.asked(small, "calibration", table) == kept.asked(
        small.model_copy(update={"harder": None}), "calibration", table
    )
