"""Labels: one file an annotator, what they agree on, and what they say about the responses."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import arabic
from judgeworthy.annotation import labels, sample
from judgeworthy.annotation.labels import Label
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.study import Study
from sections.sensitivity import planted

LETTERS = {"C": "CORRECT", "I": "INCORRECT", "U": "UNSURE", "-": None}


def table(**said: str) -> pd.DataFrame:
    """Return labels from words: a letter an item, a word an annotator."""
    ids = [f"r{n}" for n in range(len(next(iter(said.values()))))]
    columns = {name: [LETTERS[letter] for letter in word] for name, word in said.items()}
    return pd.DataFrame(columns, index=pd.Index(ids, name="id"), dtype="str")


def word(given_: pd.Series) -> str:
    names = {name: letter for letter, name in LETTERS.items() if name}
    return "".join(names.get(label, "-") for label in given_)


def test_labels_come_back_as_they_were_given(project: Path) -> None:
    study = planted.study()
    given_ = [
        Label("rb", "UNSURE", 'a "b"\n,c'),
        Label("ra", "CORRECT", "نعم"),
        Label("rc", "", "x"),
    ]
    assert labels.save(study, "anna", given_) == 0
    assert labels.read(study, "anna") == {label.id: label for label in given_}
    path = project / "data/labels/planted/anna.csv"
    assert path.read_text().startswith("id,label,comment\nra,CORRECT,نعم\nrb,UNSURE,")
    assert labels.read(study, "omar") == {}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_comment_comes_back(tmp_path_factory: pytest.TempPathFactory, comment: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("labels"))
        patch.setattr("judgeworthy.project.root", Path.cwd)
        labels.save(planted.study(), "anna", [Label("ra", "CORRECT", comment)])
        kept = labels.read(planted.study(), "anna")["ra"].comment
        assert kept == comment.replace("\r\n", "\n").replace("\r", "\n")


def test_a_new_label_takes_the_place_of_the_old_one_and_no_other(project: Path) -> None:
    study = planted.study()
    labels.save(study, "anna", [Label("ra", "CORRECT"), Label("rb", "CORRECT"), Label("rc", "")])
    again = [Label("rb", "INCORRECT"), Label("rc", "UNSURE"), Label("ra", "CORRECT", "why")]
    assert labels.save(study, "anna", again) == 1
    kept = labels.read(study, "anna")
    assert [kept[id_].label for id_ in ("ra", "rb", "rc")] == ["CORRECT", "INCORRECT", "UNSURE"]


def test_labels_that_are_saved_at_once_are_all_kept(project: Path) -> None:
    study = planted.study()
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(
            lambda n: labels.save(study, "anna", [Label(f"r{n}", "CORRECT")]), range(40)
        ):
            pass
    assert len(labels.read(study, "anna")) == 40


def test_a_save_that_breaks_off_leaves_the_labels_as_they_were(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = planted.study()
    labels.save(study, "anna", [Label("ra", "CORRECT")])

    def full(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="disk full"):
        labels.save(study, "anna", [Label("rb", "CORRECT")])
    assert list(labels.read(study, "anna")) == ["ra"]
    assert labels.annotators(study) == ["anna"]


@pytest.mark.parametrize("name", ["", "../x", "Anna", "a.b", "label", "-a", "ana maria", "a" * 41])
def test_a_name_that_cannot_name_a_file_and_a_column_is_refused(name: str, project: Path) -> None:
    with pytest.raises(ParameterError, match=f"'{re.escape(name)}' cannot name an annotator; use"):
        labels.save(planted.study(), name, [])
    assert not (project / "data/labels").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,label\nra,CORRECT\n", "row 1: no column comment"),
        ("id,label,comment\nra,correct,\n", "row 2: the label 'correct' is not one of CORRECT"),
        ("id,label,comment\nra,CORRECT,\nra,UNSURE,\n", "row 3: the id ra stands twice"),
        ('id,label,comment\nra,"CORR', "restore it"),
    ],
)
def test_a_broken_file_is_named_with_its_row(text: str, said: str, project: Path) -> None:
    path = project / "data/labels/planted/anna.csv"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(DataError, match=rf"anna\.csv.*{said}"):
        labels.load(planted.study())


def test_all_labels_are_items_by_annotators(project: Path) -> None:
    study = planted.study()
    assert labels.load(study).empty
    assert labels.final(study).empty
    labels.save(study, "omar", [Label("rb", "UNSURE"), Label("rc", "", "a comment alone")])
    labels.save(study, "anna", [Label("ra", "CORRECT"), Label("rb", "INCORRECT")])
    labels.save(study, "adjudicated", [Label("rz", "CORRECT")])
    loaded = labels.load(study)
    assert loaded.index.tolist() == ["ra", "rb"]
    assert loaded.columns.tolist() == ["anna", "omar"]
    assert word(loaded["anna"]) + word(loaded["omar"]) == "CI-U"


def test_two_annotators_agree_where_they_say_the_same() -> None:
    assert word(labels.agreed(table(a="CCCU-I", b="CIUU--"))) == "C--U--"


def test_of_three_annotators_two_are_a_majority_and_of_four_they_are_not() -> None:
    said = table(a="CCCC", b="CCUI", c="ICII", d="--IC")
    assert word(labels.agreed(said)) == "CC--"
    assert labels.disagreements(said).index.tolist() == ["r0", "r2", "r3"]


def test_one_annotator_alone_agrees_with_nobody() -> None:
    said = table(a="CIU-")
    assert word(labels.agreed(said)) == "----"
    assert labels.disagreements(said).empty


@given(st.text("CIU-", min_size=1, max_size=6))
def test_a_label_is_agreed_on_by_more_than_half_and_by_two_or_not_at_all(said: str) -> None:
    one = table(**{f"a{n}": letter for n, letter in enumerate(said)})
    given_ = said.replace("-", "")
    most = max("CIU", key=given_.count)
    enough = given_.count(most) >= 2 and given_.count(most) > len(given_) / 2
    assert word(labels.agreed(one)) == (most if enough else "-")
    assert len(labels.disagreements(one)) == (len(set(given_)) > 1)


def test_adjudication_has_the_last_word(project: Path) -> None:
    study = planted.study()
    for name, said in (("anna", "CCI"), ("omar", "CIU")):
        given_ = [Label(f"r{n}", str(LETTERS[letter])) for n, letter in enumerate(said)]
        labels.save(study, name, given_)
    assert word(labels.final(study)) == "C--"
    assert labels.undecided(study).index.tolist() == ["r1", "r2"]
    decided = [Label("r0", "INCORRECT"), Label("r1", "CORRECT"), Label("r2", "", "later")]
    labels.save(study, "adjudicated", decided)
    assert word(labels.final(study)) == "IC-"
    assert labels.undecided(study).index.tolist() == ["r2"]


def test_labels_are_joined_to_every_response_that_they_are_about(study: Study) -> None:
    items = sample.draw(study).items
    for name in ("anna", "omar"):
        labels.save(study, name, [Label(item.id, "CORRECT") for item in items])
    labels.save(study, "anna", [Label("rgone", "CORRECT")])
    joined = labels.of_responses(study)
    assert joined.columns.tolist() == [
        "question_id",
        "generator",
        "id",
        "flips",
        "label",
        "anna",
        "omar",
    ]
    assert len(joined) == 12
    assert not joined.duplicated(["question_id", "generator"]).any()
    shown = {item.id for item in items}
    assert (joined["label"].eq("CORRECT") == joined["id"].isin(shown)).all()
    assert joined["label"].isna().sum() + joined["id"].isin(shown).sum() == 12
    assert joined["flips"].sum() == len(arabic.FLIPS)
    assert joined.loc[joined["flips"], "label"].notna().all()
    same = joined[joined["question_id"] == joined["question_id"].iloc[0]]
    assert same["id"].nunique() == 1, "the same words have one label"


def test_responses_without_any_label_are_all_there(study: Study) -> None:
    joined = labels.of_responses(study)
    assert (len(joined), joined["label"].isna().all()) == (12, np.True_)
