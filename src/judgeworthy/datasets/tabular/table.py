"""A user's file as rows of text, whatever its format, its encoding and its delimiter.

A row is called what its user sees: *row 38* of a spreadsheet or of a CSV file, whose heading is
row 1, *line 38* of JSON lines, *record 38* of a file that shows no rows.
"""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

import charset_normalizer
import pyarrow
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException
from pyarrow import parquet

from judgeworthy.datasets import files
from judgeworthy.datasets.tabular import logs
from judgeworthy.errors import DataError

Cell = str | tuple[str, ...]

_DELIMITERS = ",;\t|"
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_REMEDY = "save it anew from the program that wrote it"


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes
    ----------
    place : str
        File and row, as a user finds it.
    cells : mapping of str to str or tuple of str
        By column, without blanks around them; a list stays one, what is missing is "".
    spilled : bool
        Whether it has more cells than there are columns.
    """

    place: str
    cells: Mapping[str, Cell]
    spilled: bool = False

    def text(self, column: str | None) -> str:
        """Return a cell as one text; "" where there is no such column."""
        cell = self.cells.get(column or "", "")
        return cell if isinstance(cell, str) else " | ".join(cell)

    def texts(self, column: str, separator: str | None) -> tuple[str, ...]:
        """Return the texts of a list, or of a cell that a separator joins, each once."""
        cell = self.cells.get(column, "")
        if isinstance(cell, str):
            cell = tuple(cell.split(separator)) if separator else (cell,)
        return tuple(dict.fromkeys(text.strip() for text in cell if text.strip()))


@dataclass(frozen=True)
class Table:
    """A file, or several with the same columns.

    Attributes
    ----------
    columns : tuple of str
    rows : tuple of Row
        Without those that are blank.
    notes : tuple of str
        What was found out, as sentences: encoding, delimiter, sheet.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def read(paths: Sequence[Path]) -> Table:
    """Read files one after the other into one table.

    Raises
    ------
    DataError
        If a file is not there, is broken, has no rows, or is of an unknown format.
    """
    tables = [_read(path, path.stat().st_mtime_ns) for path in map(_there, paths)]
    return Table(
        tuple(dict.fromkeys(column for table in tables for column in table.columns)),
        tuple(row for table in tables for row in table.rows),
        tuple(note for table in tables for note in table.notes),
    )


def formats() -> str:
    """Return the endings of the files that can be read."""
    return ", ".join(_READERS)


def _there(path: Path) -> Path:
    if not path.is_file():
        raise DataError(f"{path}: no such file; put it there, or name where it is.")
    return path


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Table:
    """Read a file once for each time that it changed."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"{path}: files of this kind are not read; save it as one of {formats()}.")
    try:
        table = reader(path)
    except OSError as error:
        raise DataError(f"{path}: {error}; make it readable.") from None
    rows = tuple(row for row in table.rows if row.spilled or any(row.cells.values()))
    if not rows:
        raise DataError(f"{path}: no rows under the heading; add a row a question.")
    return Table(table.columns, rows, table.notes)


def _delimited(path: Path) -> Table:
    text, encoding = _decoded(path)
    declared = text.split("\n", 1)[0].strip() if text.startswith("sep=") else ""
    delimiter = declared[4:] or _delimiter(text, path)
    lines = _records(text, delimiter, path)
    skipped = 1 if declared else 0
    called = {"\t": "tabs"}.get(delimiter, f"'{delimiter}'")
    note = f"{path.name}: read as {encoding}, with {called} between the cells."
    return _sheet(path, lines[skipped:], 1 + skipped, note)


def _decoded(path: Path) -> tuple[str, str]:
    content = path.read_bytes()
    marked = next((code for mark, code in _MARKS.items() if content.startswith(mark)), None)
    for code in (marked or "utf-8", _without_mark(content)):
        try:
            return content.decode(code), code.upper().replace("-SIG", "")
        except UnicodeDecodeError:
            continue
    best = charset_normalizer.from_bytes(content).best()
    if best is None:
        raise DataError(f"{path}: its encoding is not known; save it as CSV in UTF-8, or as XLSX.")
    return str(best), f"{best.encoding} (a guess: look at the letters with marks)"


def _without_mark(content: bytes) -> str:
    """Return the form of UTF-16 that has its NULs where they are; UTF-8 where there are none."""
    first, second = content[::2].count(0), content[1::2].count(0)
    return "utf-8" if first == second else "utf-16-le" if second > first else "utf-16-be"


def _delimiter(text: str, path: Path) -> str:
    """Return the delimiter by which most rows have as many cells as the heading."""
    if path.suffix.lower() == ".tsv":
        return "\t"

    def agreement(delimiter: str) -> tuple[float, int]:
        widths = [
            len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        ]
        width = widths[0] if widths else 0
        alike = sum(each == width for each in widths) / max(1, len(widths))
        return (alike if width > 1 else 0.0, width)

    try:
        return max(_DELIMITERS, key=agreement)
    except csv.Error as error:
        raise DataError(f"{path}: not CSV ({error}); {_REMEDY}.") from None


def _records(text: str, delimiter: str, path: Path) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise DataError(
            f"{path}, line {reader.line_num}: {error}; a quotation mark is opened and not closed, "
            'or stands alone inside a cell: double it ("").'
        ) from None


def _workbook(path: Path) -> Table:
    try:
        workbook = load_workbook(path, read_only=True, data_only=True)
        sheet = workbook.worksheets[0]
        sheet.reset_dimensions()
        lines = [[said(value) for value in row] for row in sheet.iter_rows(values_only=True)]
        workbook.close()
    except (InvalidFileException, zipfile.BadZipFile, OSError, KeyError, ValueError) as error:
        raise DataError(f"{path}: not a workbook ({error}); {_REMEDY}.") from None
    others = len(workbook.worksheets) - 1
    left = f"; {others} other sheets are not read" if others else ""
    return _sheet(path, lines, 1, f"{path.name}: the sheet '{sheet.title}'{left}.")


def _sheet(path: Path, lines: list[list[str]], first: int, note: str) -> Table:
    """Return a spreadsheet as a table; its heading is row `first`."""
    columns = _columns(path, lines)
    rows = []
    for number, line in enumerate(lines[1:], start=first + 1):
        cells = dict(zip(columns, [*line, *[""] * len(columns)], strict=False))
        kept = {column: cell.strip() for column, cell in cells.items() if column}
        spilled = any(cell.strip() for cell in line[len(columns) :])
        rows.append(Row(f"{path.name}, row {number}", kept, spilled))
    return Table(tuple(column for column in columns if column), tuple(rows), (note,))


def _columns(path: Path, lines: list[list[str]]) -> list[str]:
    columns = [" ".join(name.split()) for name in lines[0]] if lines else []
    named = [name for name in columns if name]
    if not named:
        raise DataError(f"{path}, row 1: no heading; name the columns in the first row.")
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise DataError(f"{path}, row 1: two columns are called '{twice[0]}'; rename one.")
    return columns


def _json_lines(path: Path) -> Table:
    found = files.records(path, _REMEDY)
    records = found if isinstance(found, list) else [found]
    if log := logs.of_lines(path, records):
        return _of(path, log.records, "sample", log.kind)
    lines = enumerate(files.text(path, _REMEDY).split("\n"), start=1)
    filled = [number for number, line in lines if line.strip()]
    alone = len(filled) == len(records)
    return _of(path, records, "line" if alone else "record", "JSON lines", filled if alone else ())


def _json(path: Path) -> Table:
    content = files.records(path, _REMEDY)
    if found := logs.of_object(path, content):
        return _of(path, found.records, "sample", found.kind)
    if isinstance(content, dict):
        lists = [value for value in content.values() if _objects(value)]
        content = lists[0] if len(lists) == 1 else [content]
    if not isinstance(content, list):
        content = [content]
    return _of(path, content, "record", "JSON")


def _objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _eval(path: Path) -> Table:
    found = logs.of_archive(path)
    return _of(path, found.records, "sample", found.kind)


def _parquet(path: Path) -> Table:
    try:
        records = parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"{path}: not a Parquet file ({error}); {_REMEDY}.") from None
    return _of(path, records, "record", "Parquet")


def _of(
    path: Path, records: Sequence[Any], called: str, kind: str, numbers: Sequence[int] = ()
) -> Table:
    rows = []
    for number, record in zip(numbers or range(1, len(records) + 1), records, strict=True):
        place = f"{path.name}, {called} {number}"
        if not isinstance(record, dict):
            raise DataError(f"{place}: an object expected, found {record!r:.60}; {_REMEDY}.")
        rows.append(Row(place, dict(_flat(record))))
    columns = tuple(dict.fromkeys(column for row in rows for column in row.cells))
    return Table(columns, tuple(rows), (f"{path.name}: read as {kind}.",))


def _flat(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """Yield the cells of an object; those of an object inside it are called ``outer.inner``."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, (list, tuple)) and not _objects(value):
            yield f"{prefix}{name}", tuple(said(each).strip() for each in value)
        else:
            yield f"{prefix}{name}", said(value).strip()


def said(value: object) -> str:
    """Return a value as a person would write it into a cell."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, (date, datetime)):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else str(value)


_READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".txt": _delimited,
    ".xlsx": _workbook,
    ".jsonl": _json_lines,
    ".json": _json,
    ".parquet": _parquet,
    ".eval": _eval,
}
