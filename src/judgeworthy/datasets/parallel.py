"""The project's own questions: the same facts in English, Arabic and Telugu."""

import csv
from pathlib import Path
from typing import get_args

from judgeworthy.datasets.question import AnswerType, Question
from judgeworthy.errors import DataError

LANGUAGES = ("en", "ar", "te")
_TEXT_COLUMNS = [f"{kind}_{code}" for code in LANGUAGES for kind in ("question", "references")]
COLUMNS = ["id", "domain", "answer_type", "difficulty", "written_in", *_TEXT_COLUMNS]


def read(path: Path) -> dict[str, tuple[Question, ...]]:
    """Read the parallel questions.

    Parameters
    ----------
    path : Path
        A CSV file in UTF-8 with `COLUMNS`; the references of a cell are joined by ``|``.

    Returns
    -------
    dict of str to tuple of Question
        Language to its questions, in the order of the file: the same ids in every language.

    Raises
    ------
    DataError
        A file that is not there, not in UTF-8, or lacks a column; a row with more or fewer cells
        than columns; an empty cell or reference; an id that stands twice; an unknown answer type or
        language.
    """
    rows = _rows(path)
    seen: dict[str, int] = {}
    for line, row in rows:
        _check(f"{path}, line {line}", row)
        if row["id"] in seen:
            raise DataError(
                f"{path}, line {line}, id: {row['id']!r} stands in line {seen[row['id']]} too;"
                " give each question an id of its own."
            )
        seen[row["id"]] = line
    return {code: tuple(_question(row, code) for _, row in rows) for code in LANGUAGES}


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [column for column in COLUMNS if column not in (reader.fieldnames or [])]
            if missing:
                raise DataError(
                    f"{path}, line 1: no column {', '.join(missing)}; found {reader.fieldnames}."
                )
            rows = [(reader.line_num, row) for row in reader]
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8.") from error
    except (OSError, csv.Error) as error:
        raise DataError(f"{path}: {error}; the questions are a CSV file of {COLUMNS}.") from error
    if not rows:
        raise DataError(f"{path}: no questions under the header; add a row a question.")
    return rows


def _check(place: str, row: dict[str, str]) -> None:
    if None in row or None in row.values():
        raise DataError(f"{place}: not as many cells as columns; quote cells that hold a comma.")
    if field := next((c for c in COLUMNS if not all(p.strip() for p in row[c].split("|"))), None):
        raise DataError(f"{place}, {field}: empty; fill it in, with no | at either end.")
    for field, allowed in (("answer_type", get_args(AnswerType)), ("written_in", LANGUAGES)):
        if row[field] not in allowed:
            raise DataError(f"{place}, {field}: {row[field]!r} is not one of {', '.join(allowed)}.")


def _question(row: dict[str, str], language: str) -> Question:
    answer_type = next(type_ for type_ in get_args(AnswerType) if type_ == row["answer_type"])
    return Question(
        id=row["id"],
        language=language,
        text=row[f"question_{language}"].strip(),
        references=tuple(part.strip() for part in row[f"references_{language}"].split("|")),
        answer_type=answer_type,
        cluster=row["id"],
    )
