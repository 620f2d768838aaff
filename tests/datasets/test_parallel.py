"""The project's own questions: read strictly, the same ids in every language."""

import csv
from pathlib import Path

import pytest

from judgeworthy.datasets import parallel
from judgeworthy.errors import DataError

ROOT = Path(__file__).parents[2]
CELLS = {
    "id": "p01",
    "domain": "geography",
    "answer_type": "place",
    "difficulty": "easy",
    "written_in": "en",
    "question_en": "What is the capital of Peru?",
    "references_en": "Lima | City of Lima",
    "question_ar": "ما عاصمة بيرو؟",
    "references_ar": "ليما",
    "question_te": "పెరూ రాజధాని ఏది?",
    "references_te": "లిమా",
}


def write(file: Path, *rows: dict[str, str], columns: list[str] = parallel.COLUMNS) -> Path:
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return file


def fault(file: Path) -> str:
    with pytest.raises(DataError) as caught:
        parallel.read(file)
    assert str(file) in str(caught.value)
    return str(caught.value)


def test_a_row_is_a_question_in_each_language(tmp_path: Path) -> None:
    read = parallel.read(write(tmp_path / "p.csv", CELLS))
    assert [*read] == ["en", "ar", "te"]
    (english,) = read["en"]
    assert english.references == ("Lima", "City of Lima")
    assert (english.id, english.answer_type, english.cluster) == ("p01", "place", "p01")
    assert read["te"][0].text == "పెరూ రాజధాని ఏది?"


@pytest.mark.parametrize("column", parallel.COLUMNS)
def test_every_column_is_needed_and_every_cell_filled(tmp_path: Path, column: str) -> None:
    fewer = [name for name in parallel.COLUMNS if name != column]
    assert f"line 1: no column {column}" in fault(write(tmp_path / "p.csv", CELLS, columns=fewer))
    empty = write(tmp_path / "p.csv", CELLS, {**CELLS, "id": "p02", column: " "})
    assert f"line 3, {column}: empty" in fault(empty)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("id", "p01", "line 3, id: 'p01' stands in line 2 too"),
        ("answer_type", "animal", "line 3, answer_type: 'animal' is not one of person, place"),
        ("written_in", "fr", "line 3, written_in: 'fr' is not one of en, ar, te"),
        ("references_te", "లిమా|", "line 3, references_te: empty"),
        ("references_ar", "ليما||بيرو", "line 3, references_ar: empty"),
    ],
)
def test_a_fault_names_file_line_and_field(tmp_path, field, value, said) -> None:
    assert said in fault(write(tmp_path / "p.csv", CELLS, {**CELLS, "id": "p02", field: value}))


def test_a_row_with_too_many_or_too_few_cells(tmp_path: Path) -> None:
    file = write(tmp_path / "p.csv", CELLS)
    whole = file.read_text("utf-8")
    for row in ("p02,one,place", whole.splitlines()[1] + ",more"):
        file.write_text(f"{whole}{row}\n", encoding="utf-8")
        assert "line 3: not as many cells as columns" in fault(file)


def test_a_file_that_is_missing_empty_or_in_another_encoding(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    assert "No such file" in fault(file)
    assert "no questions under the header" in fault(write(file))
    file.write_text("", encoding="utf-8")
    assert "line 1: no column id" in fault(file)
    write(file, CELLS)
    file.write_bytes(file.read_text("utf-8").encode("utf-16"))
    assert "not UTF-8 at byte 0" in fault(file)


def test_the_committed_questions_are_the_same_facts_in_three_languages() -> None:
    read = parallel.read(ROOT / "data" / "questions" / "parallel.csv")
    ids = [[question.id for question in questions] for questions in read.values()]
    assert ids[0] == ids[1] == ids[2]
    assert len(ids[0]) >= 40
