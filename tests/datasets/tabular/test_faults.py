"""Every fault of a user's file is named at the first run, with its row, and no sound row is."""

import re
from pathlib import Path

import pytest

from datasets.tabular.sheets import FAULTY, HEADING, ROWS, SOUND, write
from judgeworthy.datasets.tabular import faults, guess, table
from judgeworthy.datasets.tabular.faults import Fault
from judgeworthy.study.columns import Columns

CASE = Path(__file__).parents[4] / "shared" / "cases" / "own_task.csv"
COLUMNS = Columns(question="q", references=("a",), id="id", responses={"m": "r"})


def found(file: Path) -> tuple[Fault, ...]:
    read = table.read([file])
    return faults.sound(read, guess.columns(read), "en")[1]


def of_cells(tmp_path: Path, *rows: tuple[str, str, str, str]) -> list[str]:
    """Return the faults of rows of id, question, reference and response, in words."""
    text = "\n".join(";".join(row) for row in (("id", "q", "a", "r"), *rows))
    file = tmp_path / "cells.csv"
    file.write_text(text, encoding="utf-8")
    return [str(fault) for fault in faults.sound(table.read([file]), COLUMNS, "en")[1]]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".parquet", ".jsonl"])
def test_each_fault_is_named_once_in_its_row_and_no_sound_row_is(
    tmp_path: Path, suffix: str
) -> None:
    told = found(write(tmp_path / f"own{suffix}", ROWS))
    first = len(SOUND) + (2 if suffix in (".csv", ".tsv", ".xlsx") else 1)
    numbers = [int(re.findall(r"\d+$", fault.place)[0]) for fault in told]
    assert numbers == list(range(first, first + len(FAULTY)))
    for fault, (_, column, said) in zip(told, FAULTY, strict=True):
        assert fault.column == column
        assert said in fault.said


def test_the_eight_faults_of_the_shared_case_are_named_and_no_other_row() -> None:
    if not CASE.is_file():
        pytest.skip("the case is not at ../shared/cases/own_task.csv")
    told = found(CASE)
    assert [fault.place for fault in told] == [f"own_task.csv, row {n}" for n in range(38, 46)]
    said = (
        *("that of an earlier row", "no reference", "an empty response", "'N/A' is no reference"),
        *("decoded wrongly", "'xx' is no language", "repeats the question", "heading once more"),
    )
    assert all(words in fault.said for fault, words in zip(told, said, strict=True))


@pytest.mark.parametrize("reference", ["Na", "None", "7", "K", "0", "-5", "No", "?!", "nil"])
def test_a_short_or_odd_answer_is_a_reference(tmp_path: Path, reference: str) -> None:
    assert of_cells(tmp_path, ("1", "What?", reference, "Well")) == []


@pytest.mark.parametrize("reference", ["N/A", "n/a", "#N/A", "NaN", "null", "-", "…", "k. A."])
def test_what_stands_for_nothing_is_none(tmp_path: Path, reference: str) -> None:
    (told,) = of_cells(tmp_path, ("1", "What?", reference, "Well"))
    assert told.startswith(f"cells.csv, row 2, column 'a': '{reference}' is no reference; write")


@pytest.mark.parametrize("text", ["Straße, Käse, Über", "¿Qué? «oui» 20 °C", "São Paulo, Århus"])
def test_letters_with_marks_are_no_fault(tmp_path: Path, text: str) -> None:
    assert of_cells(tmp_path, ("1", text, "a", "b")) == []


def test_wrongly_decoded_text_is_found_in_any_script_with_what_it_was(tmp_path: Path) -> None:
    for right in ("القاهرة", "Zürich"):
        wrong = right.encode().decode("cp1252", "ignore")
        (told,) = of_cells(tmp_path, ("1", "Where?", wrong, "Well"))
        assert "row 2, column 'a': decoded wrongly" in told
    assert "'Zürich'" in told
    assert "letters are lost" in of_cells(tmp_path, ("1", "Wh\ufffd?", "a", "b"))[0]


def test_a_row_has_all_its_faults_named(tmp_path: Path) -> None:
    told = of_cells(tmp_path, ("", "What?", "", "what"))
    assert [re.findall("column '(.*?)'", one)[0] for one in told] == ["id", "a", "r"]


def test_many_questions_may_share_a_short_reference_but_hardly_a_long_one(tmp_path: Path) -> None:
    long = "because the moon pulls the water of the sea towards itself"
    rows = [(str(n), f"What {n}?", "7", f"r{n}") for n in range(4)]
    assert of_cells(tmp_path, *rows) == []
    rows += [("8", "Why ebb?", long, "x"), ("9", "Why snow?", long, "y")]
    (told,) = of_cells(tmp_path, *rows)
    assert "row 7, column 'a': the reference of another question" in told


def test_a_question_that_stands_twice_is_named_at_its_second_place(tmp_path: Path) -> None:
    (told,) = of_cells(tmp_path, ("1", "Why?", "a", "x"), ("2", "why", "b", "y"))
    assert "row 3, column 'q': the question of an earlier row" in told


def test_too_many_cells_are_told(tmp_path: Path) -> None:
    (told,) = of_cells(tmp_path, ("1", "What; why?", "a", "b"))
    assert told == (
        "cells.csv, row 2: more cells than columns; quote cells that hold the delimiter."
    )


def test_the_same_id_in_two_languages_is_one_fact(tmp_path: Path) -> None:
    rows = [
        ("p1", "en", "What is the capital of Peru?", "Lima", "Lima"),
        ("p1", "ar", "ما عاصمة بيرو؟", "ليما", "ليما"),
    ]
    assert found(write(tmp_path / "own.csv", rows)) == ()


ROW_COLUMNS = Columns(question="q", references=("a",), id="id", response="r", model="m", label="l")


def in_rows(tmp_path: Path, *rows: str) -> list[str]:
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(("id;q;a;m;r;l", *rows)), encoding="utf-8")
    return [str(fault) for fault in faults.sound(table.read([file]), ROW_COLUMNS, "en")[1]]


def test_responses_in_rows_repeat_their_question_but_not_their_model(tmp_path: Path) -> None:
    sound = ("1;What?;x;m1;an x;1", "1;What?;x;m2;a y;0", "2;Why?;z;m1;a z;")
    assert in_rows(tmp_path, *sound) == []
    told = in_rows(
        tmp_path,
        *sound,
        "1;What?;x;m2;a w;",
        "2;Where?;z;m2;z;",
        "2;Why?;other;m3;z;",
        "2;Why?;z;;z;maybe",
    )
    assert [re.findall(r"row (\d+), column '(.*?)'", one)[0] for one in told] == [
        ("5", "id"),
        ("6", "q"),
        ("7", "a"),
        ("8", "l"),
        ("8", "m"),
    ]
    assert HEADING[0] not in "".join(told)
