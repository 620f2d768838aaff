"""The sheet: the items as a workbook or as CSV, and the rows of one that came back.

Texts stay texts: nothing in a cell becomes a formula, a number or a date. A workbook can say so of
each cell; in CSV an apostrophe before the text does, which is taken off again on reading.
"""

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell
from openpyxl.styles import Alignment, Font, Protection
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from judgeworthy.annotation.labels import LABELS
from judgeworthy.annotation.sample import Item
from judgeworthy.errors import DataError

SHOWN = ("id", "question", "reference", "response")
COLUMNS = (*SHOWN, "label", "comment")
ITEMS, GUIDELINE = "items", "guideline"
LONGEST = 32_000  # characters; Excel's cells hold 32,767

_WIDTHS = dict(zip(COLUMNS, (14, 40, 24, 60, 14, 30), strict=True))
_FORMULA = re.compile(r"[=+\-@\t\r]")
# What a spreadsheet might take for a date or a number and write otherwise: short, with a digit.
_CONVERTIBLE = re.compile(r"(?=.*\d)[\w\s.,/:%-]{1,30}")
_PLAIN_NUMBER = re.compile(r"0|[1-9]\d{0,9}")
_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_REMEDY = "save it as an XLSX workbook, or as 'CSV UTF-8'"

Row = dict[str, str]


def guideline(language: str) -> str:
    """Return the guideline in a language; in English where there is none in it."""
    folder = files(__package__)
    own = folder.joinpath(f"guideline.{language}.txt")
    file = own if own.is_file() else folder.joinpath("guideline.en.txt")
    return file.read_text(encoding="utf-8").strip()


def shown(text: str) -> str:
    """Return a text as a cell shows it: without control characters, not longer than a cell."""
    return str(ILLEGAL_CHARACTERS_RE.sub("", text))[:LONGEST]


def write_workbook(items: Sequence[Item], language: str, path: Path) -> None:
    """Write the items, to be labelled, and the guideline as a workbook.

    Columns run from right to left where the questions do. Label and comment can be filled in; the
    other cells are protected, without a password.
    """
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = ITEMS
    sheet.append(COLUMNS)
    for number, item in enumerate(items, start=2):
        for column, text in enumerate(_texts(item), start=1):
            _fill(sheet.cell(number, column), text)
    _lay_out(sheet, any(right_to_left(item.question) for item in items))
    _explain(workbook.create_sheet(GUIDELINE), guideline(language))
    path.parent.mkdir(parents=True, exist_ok=True)
    workbook.save(path)


def write_csv(items: Sequence[Item], path: Path) -> None:
    """Write the items as CSV, in UTF-8 with the mark by which Excel knows it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        writer.writerows([item.id, *map(_guarded, _texts(item)[1:])] for item in items)


def read(path: Path) -> list[tuple[int, Row]]:
    """Read the rows of a workbook or of CSV as they were filled in.

    Returns
    -------
    list of (int, dict)
        The number that a spreadsheet shows, and the text of each column of `COLUMNS` that the
        file has. Rows without any text are left out.

    Raises
    ------
    DataError
        If the file cannot be read, or has not the columns of a sheet.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file; name the sheet that was filled in.")
    rows = _csv_rows(path) if path.suffix.lower() in (".csv", ".txt") else _workbook_rows(path)
    heading, *body = rows or [[]]
    names = [plain(name).lower() for name in heading]
    absent = [name for name in COLUMNS[:-1] if name not in names]
    if absent:
        raise DataError(
            f"{path}, row 1: no column {', '.join(absent)}; found {', '.join(names) or 'none'}. "
            "Put the headings back as 'judgeworthy annotate make' wrote them."
        )
    places = {name: names.index(name) for name in COLUMNS if name in names}
    found = [
        (number, {name: row[place] if place < len(row) else "" for name, place in places.items()})
        for number, row in enumerate(body, start=2)
    ]
    return [(number, row) for number, row in found if any(map(plain, row.values()))]


def plain(text: str) -> str:
    """Return a text without what a spreadsheet may add or drop: spacing and invisible marks."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(" " if each.isspace() else each for each in text if not _invisible(each))
    return " ".join(text.split()).removeprefix("'").strip()


def right_to_left(text: str) -> bool:
    """Return whether the first letter of a text belongs to a script that runs right to left."""
    kinds = (unicodedata.bidirectional(each) for each in text)
    return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)


def _texts(item: Item) -> tuple[str, ...]:
    return (item.id, *map(shown, (item.question, item.reference, item.response)), "", "")


def _fill(cell: Cell, text: str) -> None:
    cell.value = text or None
    if text:
        cell.data_type = "s"
        cell.quotePrefix = True
    cell.number_format = "@"
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    cell.protection = Protection(locked=cell.column <= len(SHOWN))


def _lay_out(sheet: Worksheet, rightwards: bool) -> None:
    for cell in sheet[1]:
        cell.font = Font(bold=True)
        sheet.column_dimensions[cell.column_letter].width = _WIDTHS[cell.value]
    sheet.freeze_panes = "A2"
    sheet.sheet_view.rightToLeft = rightwards
    choice = DataValidation("list", formula1=f'"{",".join(LABELS)}"', allow_blank=True)
    choice.error = f"Choose one of {', '.join(LABELS)}."
    choice.showErrorMessage = True
    choice.add(f"E2:E{max(2, sheet.max_row)}")
    sheet.add_data_validation(choice)
    sheet.protection.sheet = True
    sheet.protection.formatColumns = sheet.protection.formatRows = False


def _explain(sheet: Worksheet, text: str) -> None:
    sheet.column_dimensions["A"].width = 110
    sheet.sheet_view.rightToLeft = right_to_left(text)
    for number, line in enumerate(text.splitlines(), start=1):
        cell = sheet.cell(number, 1)
        _fill(cell, line)
        cell.font = Font(bold=number == 1)


def _guarded(text: str) -> str:
    convertible = _CONVERTIBLE.fullmatch(text) and not _PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if _FORMULA.match(text) or convertible else text


def _workbook_rows(path: Path) -> list[list[str]]:
    try:
        workbook = load_workbook(path, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, OSError, KeyError, ValueError) as error:
        raise DataError(f"{path}: not a workbook ({error}); {_REMEDY}.") from None
    sheet = workbook[ITEMS] if ITEMS in workbook.sheetnames else workbook.worksheets[0]
    return [[_said(value) for value in row] for row in sheet.iter_rows(values_only=True)]


def _csv_rows(path: Path) -> list[list[str]]:
    content = path.read_bytes()
    try:
        text = content.decode(_ENCODINGS.get(content[:2], "utf-8-sig"))
    except UnicodeDecodeError:
        raise DataError(f"{path}: not in UTF-8; {_REMEDY}.") from None
    text = re.sub(r"\Asep=.\r?\n", "", text)
    heading = text.partition("\n")[0]
    delimiter = max(",;\t", key=heading.count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise DataError(f"{path}: broken CSV ({error}); {_REMEDY}.") from None


def _said(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf"
