"""A study of a user's own file: questions, responses and labels, the same from every format."""

import os
from pathlib import Path

import pytest

from datasets.tabular.sheets import FAULTY, HEADING, ROWS, SOUND, write
from judgeworthy import datasets, study
from judgeworthy.datasets import Brought
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.study import Study

CASE = Path(__file__).parents[4] / "shared" / "cases" / "own_task.csv"
COLUMNS = f"""\
columns:
  question: {HEADING[2]}
  references:
    - {HEADING[3]}
  separator: "|"
  id: {HEADING[0]}
  language: {HEADING[1]}
  responses:
    model: {HEADING[4]}
"""
PARAMETERS = """\
title: My own task
dataset: tabular
files:
  - data/own/{file}
language: {language}
{columns}judges:
  - judge
seed: 1
max_tokens: 100
calibration:
  wrong_answers: random
"""


def load(
    project: Path, file: Path, language: str = "en", columns: str = COLUMNS, more: str = ""
) -> Study:
    """Load a study of a file, which is put into the project."""
    own = project / "data" / "own"
    own.mkdir(parents=True, exist_ok=True)
    if file.parent != own:
        (own / file.name).write_bytes(file.read_bytes())
    text = PARAMETERS.format(file=file.name, language=language, columns=columns) + more
    (project / "params" / "own.yaml").write_text(text, encoding="utf-8")
    return study.load("own")


def of_text(project: Path, text: str, columns: str, **more: str) -> Study:
    file = project / "data" / "own" / "own.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return load(project, file, columns=columns, **more)


def fault(chosen: Study) -> str:
    with pytest.raises((DataError, ParameterError)) as caught:
        datasets.questions(chosen)
    return str(caught.value)


LEFT_OUT = "faulty_rows: leave_out\n"


@pytest.mark.parametrize("suffix", [".tsv", ".xlsx", ".jsonl", ".parquet"])
@pytest.mark.parametrize("language", ["en", "ar", "te"])
def test_every_format_gives_the_same_questions_and_responses(
    project: Path, tmp_path: Path, suffix: str, language: str
) -> None:
    plain = load(project, write(tmp_path / "own.csv", ROWS), language, more=LEFT_OUT)
    questions, responses = datasets.questions(plain), datasets.brought(plain)
    assert len(questions) == len(responses) == {"en": 4, "ar": 3, "te": 3}[language]
    other = load(project, write(tmp_path / f"own{suffix}", ROWS), language, more=LEFT_OUT)
    assert datasets.questions(other) == questions
    assert datasets.brought(other) == responses


def test_a_question_has_its_id_language_and_references(project: Path, tmp_path: Path) -> None:
    chosen = load(project, write(tmp_path / "own.csv", SOUND), "te")
    second = datasets.questions(chosen)[1]
    assert (second.id, second.language, second.cluster) == ("k9", "te", "k9")
    assert (second.references, second.answer_type) == (("ఐదు", "5"), "number")
    assert datasets.brought(chosen)[1] == Brought("k9", "model", "ఐదు వేళ్ళు", None)
    assert datasets.shown_answers(chosen)["k9"] == "ఐదు"


def test_faulty_rows_are_refused_all_at_once_or_left_out_and_counted(
    project: Path, tmp_path: Path
) -> None:
    file = write(tmp_path / "own.csv", ROWS)
    said = fault(load(project, file))
    assert len(said.splitlines()) == len(FAULTY) + 1
    assert "go on without these rows: set 'faulty_rows: leave_out' in params/own.yaml" in said
    chosen = load(project, file, more=LEFT_OUT)
    assert "own.csv: 4 questions read, 4 responses of model; 8 faulty rows left out." in (
        datasets.origin(chosen)
    )


def test_the_shared_case_has_36_sound_rows(project: Path) -> None:
    if not CASE.is_file():
        pytest.skip("the case is not at ../shared/cases/own_task.csv")
    counts = {
        code: len(datasets.questions(load(project, CASE, code, more=LEFT_OUT)))
        for code in ("en", "ar", "te")
    }
    assert counts == {"en": 14, "ar": 12, "te": 10}


def test_the_file_is_read_again_when_it_changes(project: Path) -> None:
    columns = "columns:\n  question: q\n  references: [a]\n"
    chosen = of_text(project, "q;a\nWhy?;x\nHow?;y\n", columns)
    before = datasets.questions(chosen)
    file = project / "data" / "own" / "own.csv"
    file.write_text("q;a\nWhy?;z\nHow?;y\n", encoding="utf-8")
    os.utime(file, ns=(1, 1))
    after = datasets.questions(chosen)
    assert [question.id for question in after] == [question.id for question in before]
    assert after[0].references == ("z",)


ROWS_SHAPE = """\
columns:
  question: q
  references: [a, b]
  id: id
  cluster: doc
  answer_type: type
  response: r
  model: m
  label: l
"""


def test_responses_in_rows_with_labels_and_several_columns_of_references(project: Path) -> None:
    text = "\n".join(
        [
            "id;q;a;b;doc;type;m;r;l",
            "1;Who?;Ann;Anne;d1;person;m1;It is Ann;ja",
            "1;Who?;Ann;Anne;d1;person;m2;Bob;falsch",
            "2;Where?;Rome;;d1;place;m2;Rome;",
        ]
    )
    chosen = of_text(project, text, ROWS_SHAPE)
    first, second = datasets.questions(chosen)
    assert (first.references, first.answer_type, first.cluster) == (("Ann", "Anne"), "person", "d1")
    assert second.references == ("Rome",)
    given = datasets.brought(chosen)
    assert [(each.question_id, each.model, each.human) for each in given] == [
        ("1", "m1", True),
        ("1", "m2", False),
        ("2", "m2", None),
    ]


def test_a_language_without_a_rule_knows_numbers_and_dates_by_shape(project: Path) -> None:
    columns = "columns:\n  question: q\n  references: [a]\n"
    chosen = of_text(project, "q;a\nMitkä kaupunki?;Oulu\nMontako?;7\n", columns)
    finnish = chosen.model_copy(update={"language": "fi"})
    assert [question.answer_type for question in datasets.questions(finnish)] == [
        "thing",
        "number",
    ]


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("Frage;a\nWhy?;x\n", "", "the file has no column 'q'. It has: Frage, a"),
        ("questions;a\nWhy?;x\n", "", "no column 'q'"),
        ("q;a\nWhy?;x\n", "", "calibration takes wrong answers from other questions"),
        ("q;a\nWhy?;x\nHow?;y\n", "sample: 3\n", "sample is 3, and there are 2 questions"),
    ],
)
def test_what_is_asked_and_cannot_be_had_is_told(
    project: Path, text: str, more: str, said: str
) -> None:
    columns = "columns:\n  question: q\n  references: [a]\n"
    assert said in fault(of_text(project, text, columns, more=more))


def test_too_few_labels_and_responses_for_the_analyses_are_told(project: Path) -> None:
    more = (
        "sensitivity:\n  compared: 5\n  sample: 4\nhuman_agreement:\n  labels: 9\n  sizes: [20]\n"
    )
    text = "id;q;a;b;doc;type;m;r;l\n1;Who?;Ann;;;;m;Ann;1\n2;Where?;Rome;;;;m;Bonn;0\n"
    said = fault(of_text(project, text, ROWS_SHAPE, more=more)).splitlines()
    assert [line.split(": ", 1)[1] for line in said] == [
        "sensitivity.sample is 4, and there are 2 questions; ask for 2 at most.",
        "sensitivity.compared is 5, and there are 2 questions; ask for 2 at most.",
        "human_agreement.labels is 9, and 2 responses are labelled.",
    ]


def test_a_language_that_the_file_has_not_is_told_with_those_that_it_has(
    project: Path, tmp_path: Path
) -> None:
    said = fault(load(project, write(tmp_path / "own.csv", SOUND), "fr"))
    assert "no sound row in the language 'fr'; there are: en 4, ar 3, te 3" in said


def test_a_file_that_is_not_there_is_told(project: Path) -> None:
    text = PARAMETERS.format(file="gone.csv", language="en", columns=COLUMNS)
    (project / "params" / "own.yaml").write_text(text, encoding="utf-8")
    assert "gone.csv: no such file; put it there" in fault(study.load("own"))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("  question: q\n  references: [a]\n  response: r\n", "give response and model"),
        (
            "  question: q\n  references: [a]\n  response: r\n  model: m\n  responses: {x: y}\n",
            "in columns (responses) or in rows (response)",
        ),
        ("  question: q\n  references: [a]\n  labels: {x: y}\n", "labels names 'x'"),
        ("  question: q\n  references: [a]\n  label: l\n", "label is that of responses in rows"),
        ("  question: q\n", "the key 'columns.references' is missing"),
    ],
)
def test_a_column_map_that_cannot_be_is_refused(project: Path, columns: str, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        of_text(project, "q;a\nWhy?;x\n", f"columns:\n{columns}")
    assert said in str(caught.value)
