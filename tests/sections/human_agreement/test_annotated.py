"""Labels of our own: taken up where they are, asked for where they are not."""

import pandas as pd
import pytest

from judgeworthy.annotation import labels
from judgeworthy.sections.human_agreement import labelled, published, reading
from judgeworthy.sections.sensitivity import asked
from judgeworthy.study import Study
from judgeworthy.study.blocks import HumanAgreement
from sections.sensitivity import planted

JUDGE, GENERATOR = "smollm2-135m", "gemma3-270m"
PEOPLE = ("anna", "bela", "carl")


def annotated(
    monkeypatch: pytest.MonkeyPatch, words: list[str], **given: list[str | None]
) -> tuple[pd.DataFrame, Study]:
    """Return what is loaded where these verdicts were given and people said this."""
    study = planted.study((JUDGE,), (GENERATOR,)).model_copy(
        update={"human_agreement": HumanAgreement()}
    )
    table = planted.rows(JUDGE, GENERATOR, words)
    people = [name for name in given if name != "label"]
    responses = pd.DataFrame(
        {
            "question_id": [f"q{place:03}" for place in range(len(words))],
            "generator": GENERATOR,
            **given,
        }
    )
    monkeypatch.setattr(asked, "load", lambda _: table)
    monkeypatch.setattr(labels, "annotators", lambda _: people)
    monkeypatch.setattr(labels, "of_responses", lambda _: responses)
    return labelled.load(study), study


def test_labels_stand_beside_the_judgments_of_every_condition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, study = annotated(
        monkeypatch,
        ["CCI", "CII", "IIC"],
        label=["INCORRECT", "INCORRECT", None],
        anna=["INCORRECT", "INCORRECT", "UNSURE"],
        bela=["INCORRECT", "INCORRECT", "CORRECT"],
    )
    assert len(table) == 9
    assert table.groupby("question_id")["human"].first().tolist()[:2] == [False, False]
    assert table.loc[table["question_id"] == "q002", "human"].isna().all()
    assert table.loc[table["question_id"] == "q002", "human_2"].eq(True).all()
    found = published.tables(table, study)
    both = found["flips_vs_human"].query("transition == 'NR→RC' and direction == 'both'")
    assert both[["flips", "toward"]].to_numpy().tolist() == [[2, 2]]
    assert found["corrected"].empty, "the labelled responses are chosen by their flips"
    assert "whose side flips take is known" in reading.task(study)


def test_three_people_who_labelled_alone_allow_the_alternative_annotator_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right: list[str | None] = ["CORRECT", "INCORRECT"] * 20
    given = dict.fromkeys(PEOPLE, right)
    table, study = annotated(monkeypatch, ["CCC", "III"] * 20, label=right, **given)
    found = published.tables(table, study)["alternative_annotator"]
    assert found["winning_rate"].tolist() == [1.0] * 3
    assert found["advantage"].tolist() == [1.0] * 3


def test_without_labels_the_page_says_how_to_make_them(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: list[str | None] = [None, None]
    table, study = annotated(monkeypatch, ["CCI", "CCC"], label=nothing)
    found = published.tables(table, study)
    assert found["agreement"].empty and found["flips_vs_human"].empty
    assert "judgeworthy annotate make planted" in reading.sentences(found, study)
