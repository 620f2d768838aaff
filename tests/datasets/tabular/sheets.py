"""A user's file as it comes: three languages, sound rows, and a row of each kind of fault."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow
from openpyxl import Workbook
from pyarrow import parquet

HEADING = ("Nr.", "Sprache", "Frage", "Musterlösung", "Antwort des Modells")
Cells = tuple[str, str, str, str, str]

SOUND: tuple[Cells, ...] = (
    ("k1", "en", "What is the capital of Norway?", "Oslo", "The capital of Norway is Oslo."),
    ("k2", "en", "How many strings has a violin?", "4 | four", "A violin has six strings."),
    ("k3", "en", "What is the symbol of sodium?", "Na", "Its symbol is Na."),
    ("k4", "en", "How many seasons has a year?", "4 | four", "Four."),
    ("k5", "Arabisch", "ما هي عاصمة تونس؟", "تونس", "عاصمة تونس هي صفاقس."),
    ("k6", "ar", "كم عدد أصابع اليد؟", "خمسة | 5 | ٥", "خمسة أصابع"),
    ("k7", "ar", "ما هي عاصمة السودان؟", "الخرطوم", "الخرطوم"),
    ("k8", "te", "శ్రీలంక రాజధాని ఏది?", "కొలంబో", "శ్రీలంక రాజధాని కాండీ."),
    ("k9", "te-IN", "చేతికి ఎన్ని వేళ్ళు?", "ఐదు | 5", "ఐదు వేళ్ళు"),
    ("k10", "te", "నేపాల్ రాజధాని ఏది?", "ఖాట్మండు", "ఖాట్మండు"),
)
FAULTY: tuple[tuple[Cells, str, str], ...] = (
    (("k2", "en", "What do bees make?", "honey", "Honey"), "Nr.", "that of an earlier row"),
    (("f1", "en", "Who wrote Emma?", "", "Jane Austen"), "Musterlösung", "no reference"),
    (("f2", "ar", "ما هي عاصمة قطر؟", "الدوحة", " "), "Antwort des Modells", "an empty response"),
    (("f3", "te", "భూటాన్ రాజధాని ఏది?", "N/A", "థింఫూ"), "Musterlösung", "'N/A' is no reference"),
    (("f4", "en", "OÃ¹ est Lyon?", "France", "In France"), "Frage", "rather 'Où est Lyon?'"),
    (("f5", "xx", "What is 2 + 2?", "4", "4"), "Sprache", "'xx' is no language"),
    (
        ("f6", "en", "How many eyes has a fly?", "5", "how many eyes has a fly"),
        "Antwort des Modells",
        "the response repeats the question",
    ),
    (HEADING, "", "the heading once more"),
)
ROWS = (*SOUND, *(cells for cells, _, _ in FAULTY))


def delimited(rows: Sequence[Sequence[str]], delimiter: str, encoding: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([HEADING, *rows])
    return text.getvalue().encode(encoding)


def write(file: Path, rows: Sequence[Sequence[str]]) -> Path:
    """Write rows in the format that the file's ending names."""
    records = [dict(zip(HEADING, row, strict=True)) for row in rows]
    match file.suffix:
        case ".csv":
            file.write_bytes(delimited(rows, ";", "utf-8-sig"))
        case ".tsv":
            file.write_bytes(delimited(rows, "\t", "utf-16"))
        case ".xlsx":
            workbook(file, rows)
        case ".jsonl":
            lines = [json.dumps(record | {HEADING[3]: _list(record)}) for record in records]
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        case ".parquet":
            parquet.write_table(pyarrow.Table.from_pylist(records), file)
    return file


def workbook(file: Path, rows: Sequence[Sequence[str]]) -> None:
    """Write a workbook in which numbers are numbers."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (HEADING, *rows):
        sheet.append([int(cell) if cell.isdigit() and cell.isascii() else cell for cell in row])
    book.save(file)


def _list(record: dict[str, str]) -> list[str]:
    return [part.strip() for part in record[HEADING[3]].split("|")]
