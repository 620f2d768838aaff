"""Files of data sets whose text is not part of this project: found, fetched and read strictly.

Where a data set lies is told by an environment variable, ``JUDGEWORTHY_`` and its name; without
it, it is the folder of that name in the user's cache.
"""

import json
import os
import urllib.request
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Generic, TypeVar

import platformdirs

from judgeworthy.errors import DataError

Row = TypeVar("Row")

_KINDS = {str: "text", bool: "true or false", dict: "an object", list: "a list", type(None): "null"}


@dataclass(frozen=True)
class Distinct(Generic[Row]):
    """Rows of which no two have the same key.

    Attributes
    ----------
    rows : tuple
        In the order in which they first came.
    merged : int
        Rows that equal an earlier one.
    contradicting : int
        Rows that share their key with a different one: none of them is kept.
    """

    rows: tuple[Row, ...]
    merged: int
    contradicting: int


def location(variable: str) -> Path:
    """Where a data set is looked for: the path in `variable`, else the user's cache."""
    given = os.environ.get(variable)
    name = variable.removeprefix("JUDGEWORTHY_").lower()
    return Path(given) if given else platformdirs.user_cache_path("judgeworthy") / name


def fetch(url: str, target: Path, variable: str) -> Path:
    """Download one file.

    Parameters
    ----------
    url : str
        Where it is.
    target : Path
        What to call it; its folder is made if it is not there.
    variable : str
        The environment variable that may name a copy fetched by hand.

    Returns
    -------
    Path
        The target, which is there whole or not at all.

    Raises
    ------
    DataError
        The address does not answer, or breaks off.
    """
    part = target.with_suffix(".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(url, timeout=60) as response:
            part.write_bytes(response.read())
        part.replace(target)
    except (OSError, ValueError, HTTPException) as error:
        raise DataError(
            f"{url} could not be fetched into {target.parent}: {error}; check the network and the"
            f" folder, or fetch the file by hand and set {variable} to it."
        ) from error
    return target


def records(file: Path, remedy: str) -> Any:
    """Read one JSON value, or a list of those that stand a line each.

    Raises
    ------
    DataError
        The file cannot be read, is not in UTF-8, or is broken JSON; the message ends in `remedy`.
    """
    content = text(file, remedy)
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise DataError(f"{file}, line {error.lineno}: {error.msg}; {remedy}.") from error
    lines = enumerate(content.split("\n"), start=1)
    return [_line(file, number, line, remedy) for number, line in lines if line.strip()]


def text(file: Path, remedy: str) -> str:
    """Read a text file in UTF-8, with or without a byte-order mark.

    Raises
    ------
    DataError
        The file cannot be read or is not in UTF-8; the message ends in `remedy`.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file}: {error}; {remedy}.") from error


def field(record: Any, name: str, kinds: tuple[type, ...], place: str, remedy: str) -> Any:
    """Take a field out of a record, if it is one and the field is of a kind that is expected.

    Raises
    ------
    DataError
        Otherwise; the message begins with `place` and ends in `remedy`.
    """
    if not isinstance(record, dict):
        raise DataError(f"{place}: an object expected, found {record!r:.60}; {remedy}.")
    if name not in record:
        raise DataError(f"{place}: no {name}; found {', '.join(record)}; {remedy}.")
    if not isinstance(record[name], kinds):
        expected = " or ".join(_KINDS[kind] for kind in kinds)
        found = f"{record[name]!r:.60}"
        raise DataError(f"{place}, {name}: {expected} expected, found {found}; {remedy}.")
    return record[name]


def distinct(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> Distinct[Row]:
    """Keep each key once; where its rows differ, nothing says which is right, and all go."""
    by_key: dict[Hashable, list[Row]] = {}
    for row in rows:
        by_key.setdefault(key(row), []).append(row)
    agreed = [group for group in by_key.values() if all(row == group[0] for row in group)]
    return Distinct(
        rows=tuple(group[0] for group in agreed),
        merged=sum(len(group) - 1 for group in agreed),
        contradicting=sum(map(len, by_key.values())) - sum(map(len, agreed)),
    )


def _line(file: Path, number: int, line: str, remedy: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{file}, line {number}: {error.msg}; {remedy}.") from error
