"""Answers to 301 Natural Questions, judged by annotators and by GPT-4 (Kamalloo et al. 2023).

GPT-4 saw the references. Two annotators labelled the answers; a third was asked mostly where the
first two differ, and settled it. So `Answer.human`, the final label, is no third opinion, the
ceiling is annotator 1 against annotator 2, and tests that need three independent annotators do not
apply.

The text is not part of this project: it is read from the user's own copy. A row of the authors'
tables is one distinct answer to a question, whichever systems gave it: two to ten a question. The
systems and the references stand in ``model_outputs``; without that folder both are empty. The
tables are read without quoting, as they were written: a quotation mark is part of an answer. Around
some answers GPT-4's table has lost it, so answers are matched without their quotation marks.
"""

import csv
import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeworthy.datasets import files
from judgeworthy.errors import DataError
from judgeworthy.text import fold

VARIABLE = "JUDGEWORTHY_OPENQA_EVAL"
COMMIT = "8b9317d0f0c92b52e1c71c0168dff74b5f76a5f4"
URL = f"https://raw.githubusercontent.com/ehsk/OpenQA-eval/{COMMIT}/data"
HUMAN = "NQ301_human.tsv"
GPT4 = "NQ301_gpt-4.tsv"
OUTPUTS = (
    "model_outputs/NQ301_text-davinci-003_fewshot-n64.jsonl",
    "model_outputs/NQ301_text-davinci-003_zeroshot.jsonl",
    "model_outputs/NQ_ANCE-plus_FiD.jsonl",
    "model_outputs/NQ_Contriever_FiD.jsonl",
    "model_outputs/NQ_DPR.jsonl",
    "model_outputs/NQ_EMDR2.jsonl",
    "model_outputs/NQ_EviGen.jsonl",
    "model_outputs/NQ_FiD-KD.jsonl",
    "model_outputs/NQ_FiD.jsonl",
    "model_outputs/NQ_GAR-plus_FiD.jsonl",
    "model_outputs/NQ_R2D2.jsonl",
    "model_outputs/NQ_Rocketv2_FiD.jsonl",
)

_REMEDY = "give OpenQA-eval's data folder as it is published (`judgeworthy data openqa-eval`)"
_KEYS = ("id", "Question", "Model answer")
_FINAL = "Acceptable?"
_ANNOTATORS = ("annotator1", "annotator2", "annotator3")
_LABELS = {"Yes": True, "No": False, "": None}
_FIRST_WORD = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """One distinct answer to one question, with its labels.

    Attributes
    ----------
    id : str
        The question's id and a hash of the answer without its quotation marks.
    question_id : str
        The authors' number of the question after ``nq301-``; the cluster of its answers.
    question, text : str
        The question and the answer.
    references : tuple of str
        Every acceptable answer; empty where ``model_outputs`` does not tell.
    models : tuple of str
        The systems that gave this answer, case aside; empty likewise.
    human : bool or None
        The final human label: whether the answer is acceptable.
    annotators : tuple of bool or None
        The labels of annotators 1, 2 and 3; None where one gave none.
    gpt4 : bool or None
        GPT-4's verdict with the references, as the authors read it from its reply; None where it
        gave none.
    """

    id: str
    question_id: str
    question: str
    text: str
    references: tuple[str, ...]
    models: tuple[str, ...]
    human: bool | None
    annotators: tuple[bool | None, bool | None, bool | None]
    gpt4: bool | None


@dataclass(frozen=True)
class Reading:
    """What was read, and what was left out.

    Attributes
    ----------
    answers : tuple of Answer
        Each once, in the order of the annotators' table.
    rows_read : int
        Rows of the annotators' table.
    rows_merged : int
        Rows that equal an earlier one.
    rows_contradicting : int
        Rows dropped because another row gives the same answer other labels.
    verdicts_blank : int
        Answers for which GPT-4's row has no verdict.
    verdicts_missing : int
        Answers without a row of GPT-4's, or with rows that contradict one another.
    verdicts_unmatched : int
        Rows of GPT-4's for an answer that the annotators' table does not hold.
    verdicts_denied : int
        Verdicts that are the opposite of the first word of GPT-4's reply; they are kept.
    source : str
        Names of the two tables.
    """

    answers: tuple[Answer, ...]
    rows_read: int
    rows_merged: int
    rows_contradicting: int
    verdicts_blank: int
    verdicts_missing: int
    verdicts_unmatched: int
    verdicts_denied: int
    source: str

    @property
    def labelled_by_both(self) -> tuple[Answer, ...]:
        """The answers that annotators 1 and 2 both labelled."""
        return tuple(answer for answer in self.answers if None not in answer.annotators[:2])

    @property
    def labelled_by_three(self) -> tuple[Answer, ...]:
        """The answers that all three annotators labelled."""
        return tuple(answer for answer in self.answers if None not in answer.annotators)

    def summary(self) -> str:
        """State the counts."""
        questions = len({answer.question_id for answer in self.answers})
        two, three = self.labelled_by_both, self.labelled_by_three
        named = sum(bool(answer.models) for answer in self.answers)
        references = len({answer.question_id for answer in self.answers if answer.references})
        return (
            f"{self.source}: {self.rows_read} rows read, {self.rows_merged} repeated merged,"
            f" {self.rows_contradicting} contradicting dropped; {len(self.answers)} answers to"
            f" {questions} questions, {named} with their systems; {references} questions with"
            f" references; GPT-4's verdict blank for {self.verdicts_blank}, missing for"
            f" {self.verdicts_missing} ({self.verdicts_unmatched} of its rows match no answer),"
            f" denied by its own first word for {self.verdicts_denied}; annotators 1 and 2 both"
            f" labelled {len(two)} and differ on {_differing(two)}; a third label on {len(three)}"
            f" of these, {_differing(three)} of them where the first two differ."
        )


@dataclass(frozen=True)
class _Human:
    key: tuple[str, str]
    question: str
    text: str
    final: bool | None
    annotators: tuple[bool | None, bool | None, bool | None]


@dataclass(frozen=True)
class _Verdict:
    key: tuple[str, str]
    verdict: bool | None
    denied: bool


@dataclass(frozen=True)
class _Outputs:
    references: dict[str, tuple[str, ...]]
    models: dict[tuple[str, str], tuple[str, ...]]


def read(path: Path) -> Reading:
    """Read the answers, the annotators' labels and GPT-4's verdicts.

    Parameters
    ----------
    path : Path
        The authors' data folder: the two tables and, where it is there, ``model_outputs``.

    Returns
    -------
    Reading
        Answers and counts.

    Raises
    ------
    DataError
        A table that is not there, or a file that is broken or in another format.
    """
    if not present(path):
        raise DataError(
            f"{path}: no {HUMAN} and {GPT4} there; run `judgeworthy data openqa-eval`, or set"
            f" {VARIABLE} to the folder that holds them."
        )
    rows = [_human(place, row) for place, row in _table(path / HUMAN, _ANNOTATORS)]
    gpt4 = [_verdict(place, row) for place, row in _table(path / GPT4, ("gpt-4",))]
    humans = files.distinct(rows, lambda row: row.key)
    verdicts = {row.key: row for row in files.distinct(gpt4, lambda row: row.key).rows}
    outputs, known = _outputs(path), {row.key for row in rows}
    matched = [verdicts[row.key] for row in humans.rows if row.key in verdicts]
    return Reading(
        answers=tuple(_answer(row, verdicts.get(row.key), outputs) for row in humans.rows),
        rows_read=len(rows),
        rows_merged=humans.merged,
        rows_contradicting=humans.contradicting,
        verdicts_blank=sum(row.verdict is None for row in matched),
        verdicts_missing=len(humans.rows) - len(matched),
        verdicts_unmatched=sum(row.key not in known for row in gpt4),
        verdicts_denied=sum(row.denied for row in matched),
        source=f"{HUMAN}, {GPT4}",
    )


def location() -> Path:
    """Where the data set is looked for: ``JUDGEWORTHY_OPENQA_EVAL``, else the user's cache."""
    return files.location(VARIABLE)


def download(destination: Path, url: str = URL) -> Path:
    """Fetch the authors' tables and the outputs of the systems.

    Parameters
    ----------
    destination : Path
        The folder to put them in; made if it is not there.
    url : str
        The folder where they are.

    Returns
    -------
    Path
        The folder. The tables come last, so that where they are there, all is.

    Raises
    ------
    DataError
        An address does not answer, or breaks off.
    """
    for name in (*OUTPUTS, GPT4, HUMAN):
        files.fetch(f"{url}/{name}", destination / name, VARIABLE)
    return destination


def present(path: Path) -> bool:
    """Whether both tables are there."""
    return all((path / name).is_file() for name in (HUMAN, GPT4))


def _table(file: Path, columns: tuple[str, ...]) -> list[tuple[str, dict[str, str]]]:
    lines = io.StringIO(files.text(file, _REMEDY), newline="")
    reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    found = reader.fieldnames or ()
    if missing := [name for name in (*_KEYS, _FINAL, *columns) if name not in found]:
        raise DataError(
            f"{file}, line 1: no column {', '.join(missing)}; found {', '.join(found)}; {_REMEDY}."
        )
    rows = [(f"{file}, line {reader.line_num}", row) for row in reader]
    if not rows:
        raise DataError(f"{file}: no rows under the header; {_REMEDY}.")
    for place, row in rows:
        _check(place, row)
    return rows


def _check(place: str, row: dict[str, str]) -> None:
    if None in row or None in row.values():
        raise DataError(f"{place}: not as many cells as columns; {_REMEDY}.")
    if empty := next((name for name in _KEYS if not row[name].strip()), None):
        raise DataError(f"{place}, {empty}: empty; {_REMEDY}.")


def _human(place: str, row: dict[str, str]) -> _Human:
    first, second, third = (_label(place, row, name) for name in _ANNOTATORS)
    final = _label(place, row, _FINAL)
    question, text = row["Question"].strip(), row["Model answer"].strip()
    return _Human(_key(row), question, text, final, (first, second, third))


def _verdict(place: str, row: dict[str, str]) -> _Verdict:
    verdict = _label(place, row, _FINAL)
    said = _FIRST_WORD.match(row["gpt-4"])
    denied = said is not None and verdict is not None and (said[1].lower() == "yes") != verdict
    return _Verdict(_key(row), verdict, denied)


def _label(place: str, row: dict[str, str], name: str) -> bool | None:
    if row[name].strip() not in _LABELS:
        found = f"{row[name]!r:.60}"
        raise DataError(f"{place}, {name}: Yes, No or nothing expected, found {found}; {_REMEDY}.")
    return _LABELS[row[name].strip()]


def _key(row: dict[str, str]) -> tuple[str, str]:
    return row["id"].strip(), row["Model answer"].replace('"', "").strip()


def _answer(row: _Human, verdict: _Verdict | None, outputs: _Outputs) -> Answer:
    number, unquoted = row.key
    question = fold(row.question)
    return Answer(
        id=f"nq301-{number}-{hashlib.sha256(unquoted.encode()).hexdigest()[:8]}",
        question_id=f"nq301-{number}",
        question=row.question,
        text=row.text,
        references=outputs.references.get(question, ()),
        models=outputs.models.get((question, row.text.casefold()), ()),
        human=row.final,
        annotators=row.annotators,
        gpt4=verdict.verdict if verdict else None,
    )


def _outputs(path: Path) -> _Outputs:
    """Read what each system answered; of a list of predictions the first is its answer."""
    references: dict[str, tuple[str, ...]] = {}
    models: dict[tuple[str, str], tuple[str, ...]] = defaultdict(tuple)
    for file in sorted((path / "model_outputs").glob("*.jsonl")):
        name = re.sub(r"^NQ(?:301)?_", "", file.stem)
        for question, answers, prediction in _predictions(file):
            references.setdefault(question, answers)
            models[question, prediction] += (name,)
    return _Outputs(references, dict(models))


def _predictions(file: Path) -> Iterable[tuple[str, tuple[str, ...], str]]:
    records = files.records(file, _REMEDY)
    for number, record in enumerate(records if isinstance(records, list) else [records], start=1):
        place = f"{file}, row {number}"
        question = files.field(record, "question", (str,), place, _REMEDY)
        answers = _texts(place, record, "answer")
        predictions = _texts(place, record, "prediction")
        yield fold(question), answers, (predictions or ("",))[0].casefold()


def _texts(place: str, record: Any, name: str) -> tuple[str, ...]:
    """Read one text or a list of them, each once, without blanks around it."""
    value = files.field(record, name, (str, list), place, _REMEDY)
    texts = [value] if isinstance(value, str) else value
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"{place}, {name}: a list of texts expected; {_REMEDY}.")
    return tuple(dict.fromkeys(text.strip() for text in texts))


def _differing(answers: Iterable[Answer]) -> int:
    return sum(answer.annotators[0] != answer.annotators[1] for answer in answers)
