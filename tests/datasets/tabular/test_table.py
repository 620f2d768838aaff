"""A file is read whatever its format, its encoding and its delimiter."""

from pathlib import Path

import pytest

from datasets.tabular.sheets import ROWS, SOUND, delimited, write
from judgeworthy.datasets.tabular import table
from judgeworthy.errors import DataError


def read(file: Path) -> list[list[str]]:
    return [[row.text(name) for name in row.cells] for row in table.read([file]).rows]


def fault(file: Path) -> str:
    with pytest.raises(DataError) as caught:
        table.read([file])
    assert file.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("suffix", [".tsv", ".xlsx", ".jsonl", ".parquet"])
def test_the_same_table_is_the_same_in_every_format(tmp_path: Path, suffix: str) -> None:
    plain = read(write(tmp_path / "own.csv", ROWS))
    assert len(plain) == len(ROWS)
    assert read(write(tmp_path / f"own{suffix}", ROWS)) == plain


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_encoding_and_delimiter_are_found_out_and_said(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    file = tmp_path / "own.csv"
    file.write_bytes(delimited(SOUND, delimiter, encoding))
    assert read(file) == [[cell.strip() for cell in row] for row in SOUND]
    (note,) = table.read([file]).notes
    assert ("UTF-16" in note) == ("16" in encoding)


def test_an_old_western_encoding_is_guessed_and_said_to_be(tmp_path: Path) -> None:
    rows = [
        ("1", "Wie heißt die größte Stadt Österreichs?", "Wien", "Die größte Stadt ist Wien."),
        ("2", "Welcher Käse hat große Löcher?", "Emmentaler", "Der würzige Emmentaler."),
        ("3", "Wie heißen die Bewohner von Köln?", "Kölner", "Man nennt sie Kölner."),
    ]
    file = tmp_path / "alt.csv"
    lines = [("Nr", "Frage", "Lösung", "Antwort"), *rows]
    file.write_bytes("\r\n".join(";".join(row) for row in lines).encode("cp1252"))
    assert read(file) == [list(row) for row in rows]
    assert "a guess: look at the letters with marks" in table.read([file]).notes[0]


def test_rows_are_counted_as_a_spreadsheet_shows_them(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text('sep=;\nq;a\n"two\nlines";x\n\n;\nlast;y\n', encoding="utf-8")
    assert [row.place for row in table.read([file]).rows] == ["own.csv, row 3", "own.csv, row 6"]


def test_cells_are_what_a_person_would_write(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(
        '{"q": "Why?", "a": ["x", 7, 2.0], "doc": {"id": null, "ok": true}}\n{"q": "How?"}\n',
        encoding="utf-8",
    )
    first, second = table.read([file]).rows
    assert first.cells == {"q": "Why?", "a": ("x", "7", "2"), "doc.id": "", "doc.ok": "true"}
    assert first.texts("a", None) == ("x", "7", "2")
    assert (second.place, second.text("a")) == ("own.jsonl, line 2", "")


def test_several_files_are_one_table(tmp_path: Path) -> None:
    files = [write(tmp_path / name, SOUND[:2]) for name in ("one.csv", "two.xlsx")]
    places = [row.place for row in table.read(files).rows]
    assert places == ["one.csv, row 2", "one.csv, row 3", "two.xlsx, row 2", "two.xlsx, row 3"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("own.doc", b"x", "save it as one of .csv"),
        ("own.csv", b"", "no heading"),
        ("own.csv", b"a;b\n", "no rows under the heading"),
        ("own.csv", b"a;a\n1;2\n", "two columns are called 'a'"),
        ("own.csv", b'q;a\n"open;1\n', "a quotation mark is opened and not closed"),
        ("own.xlsx", b"no workbook", "not a workbook"),
        ("own.parquet", b"no parquet", "not a Parquet file"),
        ("own.jsonl", b'{"a": 1}\nbroken\n', "line 2"),
        ("own.json", b"7", "an object expected, found 7"),
        ("own.json", b"[]", "no rows"),
        ("own.eval", b"no archive", "not a log of Inspect"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_a_remedy(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert said in fault(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "no such file" in fault(tmp_path / "own.csv")
