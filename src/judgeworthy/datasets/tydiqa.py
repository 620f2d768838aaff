"""TyDi QA: questions written by native speakers, answered in Wikipedia (Clark et al. 2020).

The GoldP task holds the answerable questions in SQuAD's format; the hub's ``answerable_tydiqa``
adds as many that its passage does not answer, and those are dropped. A question's references are
its distinct answers in the order of the file; the first is the one that is shown. The text is not
part of this project: it is read from the user's own copy, and an id or a cluster is a hash of it.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from judgeworthy.datasets import files
from judgeworthy.datasets.answer_types import answer_type
from judgeworthy.datasets.question import Question
from judgeworthy.errors import DataError

VARIABLE = "JUDGEWORTHY_TYDIQA"
URL = "https://storage.googleapis.com/tydiqa/v1.1/tydiqa-goldp-v1.1-dev.json"
LANGUAGES = {"en": "english", "ar": "arabic", "te": "telugu"}
# Answerable rows and all rows of the validation split, as the paper reports them.
REPORTED = {"en": (445, 990), "ar": (951, 1902), "te": (669, 1338)}

_CODES = {name: code for code, name in LANGUAGES.items()}
_SUFFIXES = (".json", ".jsonl", ".parquet")
_HUB_FIELDS = ("question_text", "document_title", "language", "annotations")
_REMEDY = "give the original GoldP file (`judgeworthy data tydiqa` fetches it) or the hub's rows"


@dataclass(frozen=True)
class Row:
    """One row of a file, whatever its format.

    Attributes
    ----------
    language : str
        ISO 639-1 code, or the file's name of it where it is none of ours.
    title : str
        Of the document.
    text : str
        The question.
    answers : tuple of str
        As they are written; none where the passage does not answer.
    """

    language: str
    title: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """What was read of one language, and what was left out.

    Attributes
    ----------
    language : str
        ISO 639-1 code.
    questions : tuple of Question
        The answerable questions, each once, in the order of the files.
    rows_read : int
        Rows of the language in the files.
    rows_dropped : int
        Those without an answer.
    rows_merged : int
        Those whose title and question stood in an earlier row; their answers were added to it.
    source : str
        Names of the files.
    """

    language: str
    questions: tuple[Question, ...]
    rows_read: int
    rows_dropped: int
    rows_merged: int
    source: str

    def summary(self) -> str:
        """State the counts beside the paper's."""
        answerable, rows = REPORTED[self.language]
        return (
            f"{self.source} ({self.language}): {self.rows_read} rows read, {self.rows_dropped}"
            f" without an answer dropped, {self.rows_merged} repeated questions merged,"
            f" {len(self.questions)} questions; the paper reports {answerable} of {rows}."
        )


def read(path: Path, language: str) -> Reading:
    """Read the answerable questions of one language.

    Parameters
    ----------
    path : Path
        A file in the hub's format (``.parquet``, ``.jsonl``, ``.json`` lines) or in SQuAD's
        (``.json``), or a folder with such files.
    language : str
        ``en``, ``ar`` or ``te``.

    Returns
    -------
    Reading
        The questions and the counts.

    Raises
    ------
    DataError
        A path that is not there, a file that is broken or in another format, or no answerable
        row of the language.
    """
    if language not in LANGUAGES:
        raise DataError(f"TyDi QA: no language {language!r} here; choose one of {[*LANGUAGES]}.")
    by_file = {file: _rows(file) for file in _files(path)}
    rows = [row for rows in by_file.values() for row in rows if row.language == language]
    answerable = [row for row in rows if row.answers]
    if not answerable:
        found = sorted({row.language for rows in by_file.values() for row in rows})
        raise DataError(
            f"{path}: no answerable {LANGUAGES[language]} row; found {found}; {_REMEDY}."
        )
    questions = _questions(answerable)
    return Reading(
        language=language,
        questions=questions,
        rows_read=len(rows),
        rows_dropped=len(rows) - len(answerable),
        rows_merged=len(answerable) - len(questions),
        source=_names(by_file, language),
    )


def location() -> Path:
    """Where the data set is looked for: ``JUDGEWORTHY_TYDIQA``, else the user's cache."""
    return files.location(VARIABLE)


def download(destination: Path, url: str = URL) -> Path:
    """Fetch the original GoldP development file.

    Parameters
    ----------
    destination : Path
        The folder to put it in; made if it is not there.
    url : str
        Where it is.

    Returns
    -------
    Path
        The file, which is there whole or not at all.

    Raises
    ------
    DataError
        The address does not answer, or breaks off.
    """
    return files.fetch(url, destination / url.rsplit("/", 1)[-1], VARIABLE)


def present(path: Path) -> bool:
    """Whether there is a file to read: the path itself, or one in its folder."""
    return path.is_file() or any(file.suffix in _SUFFIXES for file in path.glob("*"))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(file for file in path.glob("*") if file.suffix in _SUFFIXES)
    if not found:
        raise DataError(
            f"{path}: no TyDi QA file there; run `judgeworthy data tydiqa`, or set"
            f" {VARIABLE} to a file or a folder of {', '.join(_SUFFIXES)}."
        )
    return found


def _names(by_file: dict[Path, list[Row]], language: str) -> str:
    used = (file for file, rows in by_file.items() if any(row.language == language for row in rows))
    return ", ".join(file.name for file in used)


def _rows(file: Path) -> list[Row]:
    if file.suffix == ".parquet":
        return _hub_rows(f"{file}, row", _parquet(file))
    content = files.records(file, _REMEDY)
    if isinstance(content, dict) and isinstance(content.get("data"), list):
        return list(_squad_rows(file, content["data"]))
    return _hub_rows(f"{file}, row", content if isinstance(content, list) else [content])


def _parquet(file: Path) -> list[Any]:
    try:
        return pd.read_parquet(file).to_dict("records")
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: not a Parquet file ({error}); {_REMEDY}.") from error


def _hub_rows(place: str, records: list[Any]) -> list[Row]:
    return [_hub_row(f"{place} {number}", record) for number, record in enumerate(records, start=1)]


def _hub_row(place: str, record: Any) -> Row:
    fields = record if isinstance(record, dict) else {}
    if missing := [field for field in _HUB_FIELDS if field not in fields]:
        raise DataError(f"{place}: no {', '.join(missing)}; found {[*fields]}; {_REMEDY}.")
    try:
        text, title, language = (fields[name] for name in _HUB_FIELDS[:3])
        return _row(text, title, language, fields["annotations"]["answer_text"])
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise DataError(
            f"{place}: {', '.join(_HUB_FIELDS[:3])} must be text, and annotations must hold a list"
            f" of texts as answer_text ({error!r}); {_REMEDY}."
        ) from error


def _squad_rows(file: Path, entries: list[Any]) -> Iterator[Row]:
    for number, entry in enumerate(entries):
        try:
            for qa in (qa for paragraph in entry["paragraphs"] for qa in paragraph["qas"]):
                answers = [answer["text"] for answer in qa["answers"]]
                yield _row(qa["question"], entry["title"], qa["id"].split("-")[0], answers)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"{file}, data[{number}]: title, paragraphs[].qas[] with id, question and"
                f" answers[].text expected ({error!r}); {_REMEDY}."
            ) from error


def _row(text: str, title: str, language: str, answers: Iterable[str]) -> Row:
    if isinstance(answers, str):
        raise TypeError("answers are a list")
    stripped = (answer.strip() for answer in answers)
    return Row(
        language=_CODES.get(language.lower(), language),
        title=unicodedata.normalize("NFC", title.strip()),
        text=unicodedata.normalize("NFC", text.strip()),
        answers=tuple(dict.fromkeys(answer for answer in stripped if answer)),
    )


def _questions(rows: Iterable[Row]) -> tuple[Question, ...]:
    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        earlier = merged.get((row.title, row.text), replace(row, answers=()))
        answers = tuple(dict.fromkeys(earlier.answers + row.answers))
        merged[row.title, row.text] = replace(row, answers=answers)
    return tuple(_question(row) for row in merged.values())


def _question(row: Row) -> Question:
    key = _hash(f"{row.title}\n{row.text}", 10)
    return Question(
        id=f"{row.language}-{key}",
        language=row.language,
        text=row.text,
        references=row.answers,
        answer_type=answer_type(row.text, row.answers, row.language),
        cluster=f"doc-{_hash(row.title, 8)}",
    )


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
