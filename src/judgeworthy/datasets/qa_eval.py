"""EVOUNA: answers of five systems to Natural Questions, judged by people (Wang et al. 2023).

The text is not part of this project: it is read from the user's own copy, and an id is a hash of
its question. Five things about the authors' file decide how it is read:

1. References are joined by ``/``, and some hold one themselves. A slash is **kept** as part of a
   reference between blanks ("12 / 40"), in a date of three numbers ("4/7/1998"), between a year
   and the next ("1998/99"; "432/1" before our era), in a rate after a number ("90 km/h"), and in
   the names of `_NAMES`; every other one separates. Two bare numbers ("14/30") are two references:
   that is what they are where another copy of the questions keeps its references apart.
2. A label may be null, and a question may be marked improper: it has no one answer, or an answer
   that changes. Such answers are kept and marked; `Reading.comparable` leaves them out.
3. An answer may be null or blank: there is nothing to judge, and it is dropped even if it has a
   label.
4. A reference may be null, and a question may stand twice with different references: nothing says
   which answers belong to it, so that all its rows are dropped.
5. Every "nan" of the texts became "null" ("finullcial"), in people's names too. Nothing is mended;
   answers that it touches, in their own text, the question or a reference, are marked `damaged`.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeworthy.datasets import files
from judgeworthy.datasets.answer_types import answer_type
from judgeworthy.datasets.question import Question
from judgeworthy.errors import DataError

VARIABLE = "JUDGEWORTHY_QA_EVAL"
COMMIT = "90007d3"
URL = f"https://raw.githubusercontent.com/wangcunxiang/QA-Eval/{COMMIT}/EVOUNA/NQ.json"
FILE = "NQ.json"
MODELS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")

_REMEDY = "give EVOUNA's NQ.json as it is published (`judgeworthy data qa-eval` fetches it)"
_NO_REFERENCE = ("", "N/A")
_NAMES = ("AC/DC", "CBC/Radio-Canada", "GNU/Linux", "N/A", "and/or")
_KEPT = re.compile(
    r"(?<=\s)/(?=\s)"
    r"|\b\d{1,2}/\d{1,2}/\d{4}\b|\b\d{4}/\d{1,2}/\d{1,2}\b"
    r"|(?<=\d)\s?[A-Za-z]{1,5}/(?:s|min|h|kg|l)\b"
    rf"|\b(?:{'|'.join(_NAMES)})\b"
)
_DAY = "to|January|February|March|April|May|June|July|August|September|October|November|December"
_YEARS = re.compile(
    r"(?<![\d,.])(?:(?P<year>\d{4})/(?P<next>\d\d)|(?P<ancient>\d{3})/(?P<last>\d))"
    rf"(?![\d,.]?\d|\s(?:{_DAY})\b)"
)
_MARK = "\0"
_DAMAGED = re.compile(r"\b(?!annul|nullif|nullit)(?:\w*\wnull|null\w)", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """One system's answer to one question, with its human label.

    Attributes
    ----------
    question_id : str
        The question's id.
    model : str
        One of `MODELS`.
    text : str
        The answer, without blanks around it; never empty.
    correct : bool or None
        The human label; None where there is none.
    improper : bool
        Whether the annotators marked the question as one that cannot be judged.
    damaged : bool
        Whether letters were lost in the answer, its question or a reference.
    """

    question_id: str
    model: str
    text: str
    correct: bool | None
    improper: bool
    damaged: bool


@dataclass(frozen=True)
class Reading:
    """What was read, and what was left out.

    Attributes
    ----------
    questions : tuple of Question
        Each once, in the order of the file.
    answers : tuple of Answer
        Every answer to these questions that has a text, question by question.
    rows_read : int
        Rows of the file: one a question, with the answers of all systems.
    rows_without_reference : int
        Rows dropped because nothing stands as the reference.
    rows_contradicting : int
        Rows dropped because their question stands in a row that differs.
    rows_merged : int
        Rows that equal an earlier one.
    answers_empty, answers_empty_labelled : int
        Answers dropped because they are null or blank, and how many of these had a label.
    references_joined : int
        Questions whose references were more than one.
    slashes_kept : int
        Slashes that were left inside a reference.
    source : str
        Name of the file.
    """

    questions: tuple[Question, ...]
    answers: tuple[Answer, ...]
    rows_read: int
    rows_without_reference: int
    rows_contradicting: int
    rows_merged: int
    answers_empty: int
    answers_empty_labelled: int
    references_joined: int
    slashes_kept: int
    source: str

    @property
    def comparable(self) -> tuple[Answer, ...]:
        """The answers that a judge can be compared on: labelled, and the question proper."""
        return tuple(a for a in self.answers if a.correct is not None and not a.improper)

    @property
    def whole(self) -> tuple[Question, ...]:
        """The questions of which every model's answer is comparable and undamaged."""
        sound = Counter(answer.question_id for answer in self.comparable if not answer.damaged)
        return tuple(q for q in self.questions if sound[q.id] == len(MODELS))

    def summary(self) -> str:
        """State the counts."""
        unlabelled = sum(answer.correct is None for answer in self.answers)
        improper = sum(answer.improper for answer in self.answers)
        damaged = sum(answer.damaged for answer in self.answers)
        return (
            f"{self.source}: {self.rows_read} questions with {len(MODELS)} answers each read;"
            f" {self.rows_without_reference} without a reference and {self.rows_contradicting}"
            f" that stand twice and differ dropped, {self.rows_merged} repeated merged;"
            f" {self.answers_empty} empty answers dropped ({self.answers_empty_labelled} of them"
            f" labelled); {len(self.answers)} answers to {len(self.questions)} questions,"
            f" {unlabelled} without a human label, {improper} to improper questions,"
            f" {len(self.comparable)} labelled and proper; {damaged} with letters lost;"
            f" {len(self.whole)} questions of which all {len(MODELS)} answers are sound;"
            f" {self.references_joined} questions with several references,"
            f" {self.slashes_kept} slashes kept inside one."
        )


@dataclass(frozen=True)
class _Row:
    question: str
    references: tuple[str, ...]
    slashes_kept: int
    answers: tuple[tuple[str, str, bool | None], ...]
    improper: bool


def read(path: Path) -> Reading:
    """Read the questions, the answers and their human labels.

    Parameters
    ----------
    path : Path
        EVOUNA's ``NQ.json``, or the folder that holds it.

    Returns
    -------
    Reading
        Questions, answers and counts.

    Raises
    ------
    DataError
        A file that is not there, broken or in another format.
    """
    file = _file(path)
    records = files.records(file, _REMEDY)
    if not isinstance(records, list) or not records:
        raise DataError(f"{file}: a list of questions expected; {_REMEDY}.")
    rows = [_row(f"{file}, row {number}", row) for number, row in enumerate(records, start=1)]
    kept = files.distinct((row for row in rows if row.references), lambda row: row.question)
    texts = [(text, label) for row in kept.rows for _, text, label in row.answers]
    return Reading(
        questions=tuple(map(_question, kept.rows)),
        answers=tuple(answer for row in kept.rows for answer in _answers(row)),
        rows_read=len(rows),
        rows_without_reference=sum(not row.references for row in rows),
        rows_contradicting=kept.contradicting,
        rows_merged=kept.merged,
        answers_empty=sum(not text for text, _ in texts),
        answers_empty_labelled=sum(not text and label is not None for text, label in texts),
        references_joined=sum(len(row.references) > 1 for row in kept.rows),
        slashes_kept=sum(row.slashes_kept for row in kept.rows),
        source=file.name,
    )


def split_references(joined: str) -> tuple[tuple[str, ...], int]:
    """Split references that are joined by slashes.

    Parameters
    ----------
    joined : str
        One or more references.

    Returns
    -------
    tuple of str
        Each once, without blanks around it; empty where there is none.
    int
        How many slashes were kept inside a reference.
    """
    marked = _KEPT.sub(_protect, _YEARS.sub(_protect_years, joined))
    parts = (part.replace(_MARK, "/").strip() for part in marked.split("/"))
    references = [part for part in parts if part not in _NO_REFERENCE]
    return tuple(dict.fromkeys(references)), sum(part.count("/") for part in references)


def location() -> Path:
    """Where the data set is looked for: ``JUDGEWORTHY_QA_EVAL``, else the user's cache."""
    return files.location(VARIABLE)


def download(destination: Path, url: str = URL) -> Path:
    """Fetch the authors' file.

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
    return files.fetch(url, destination / FILE, VARIABLE)


def present(path: Path) -> bool:
    """Whether there is a file to read: the path itself, or the one in its folder."""
    return path.is_file() or (path / FILE).is_file()


def _file(path: Path) -> Path:
    if not present(path):
        raise DataError(
            f"{path}: no {FILE} there; run `judgeworthy data qa-eval`, or set {VARIABLE} to the"
            " file or its folder."
        )
    return path if path.is_file() else path / FILE


def _row(place: str, record: Any) -> _Row:
    text, none = str, type(None)
    question = _field(place, record, "question", text).strip()
    if not question:
        raise DataError(f"{place}, question: empty; {_REMEDY}.")
    references, slashes = split_references(_field(place, record, "golden_answer", text, none) or "")
    answers = tuple(
        (
            model,
            (_field(place, record, f"answer_{model}", text, none) or "").strip(),
            _field(place, record, f"judge_{model}", bool, none),
        )
        for model in MODELS
    )
    improper = _field(place, record, "improper", bool)
    return _Row(unicodedata.normalize("NFC", question), references, slashes, answers, improper)


def _field(place: str, record: Any, name: str, *kinds: type) -> Any:
    return files.field(record, name, kinds, place, _REMEDY)


def _question(row: _Row) -> Question:
    return Question(
        id=_id(row),
        language="en",
        text=row.question,
        references=row.references,
        answer_type=answer_type(row.question, row.references, "en"),
        cluster=_id(row),
    )


def _answers(row: _Row) -> list[Answer]:
    shared = any(map(_DAMAGED.search, (row.question, *row.references)))
    return [
        Answer(_id(row), model, text, label, row.improper, shared or bool(_DAMAGED.search(text)))
        for model, text, label in row.answers
        if text
    ]


def _id(row: _Row) -> str:
    return f"nq-{hashlib.sha256(row.question.encode()).hexdigest()[:10]}"


def _protect(match: re.Match[str]) -> str:
    return match[0].replace("/", _MARK)


def _protect_years(match: re.Match[str]) -> str:
    if match["year"]:
        season = (int(match["year"]) + 1) % 100 == int(match["next"])
    else:
        season = (int(match["ancient"]) - 1) % 10 == int(match["last"])
    return _protect(match) if season else match[0]
