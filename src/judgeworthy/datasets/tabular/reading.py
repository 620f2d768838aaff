"""The file of a study, read: its questions, and the responses and labels that it brings."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import get_args

from judgeworthy import project
from judgeworthy.datasets.answer_types import answer_type
from judgeworthy.datasets.question import AnswerType, Question
from judgeworthy.datasets.tabular import faults, table
from judgeworthy.datasets.tabular.faults import Fault
from judgeworthy.datasets.tabular.rows import Entry
from judgeworthy.datasets.tabular.table import Table
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.study import Study
from judgeworthy.study.columns import Columns
from judgeworthy.text import fold


@dataclass(frozen=True)
class Brought:
    """A response that the file brings.

    Attributes
    ----------
    question_id, model : str
        To what, and whose.
    text : str
    human : bool or None
        Whether people accept it; None where the file does not say.
    """

    question_id: str
    model: str
    text: str
    human: bool | None


@dataclass(frozen=True)
class Reading:
    """What was read of one language, and what was left out.

    Attributes
    ----------
    questions : tuple of Question
        In the order of the file.
    responses : tuple of Brought
        Question by question, models in the order of the file.
    languages : dict of str to int
        Sound rows by language, of the whole file.
    faults : tuple of Fault
        Of the whole file; their rows are left out.
    notes : tuple of str
        How the file was read.
    source : str
        Names of the files.
    """

    questions: tuple[Question, ...]
    responses: tuple[Brought, ...]
    languages: dict[str, int]
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    source: str

    def summary(self) -> str:
        """State the counts."""
        left_out = len({fault.place for fault in self.faults})
        models = dict.fromkeys(response.model for response in self.responses)
        brought = f", {len(self.responses)} responses of {', '.join(models)}" if models else ""
        labelled = sum(response.human is not None for response in self.responses)
        return (
            f"{self.source}: {len(self.questions)} questions read{brought}"
            f"{f', {labelled} of them labelled by people' if labelled else ''};"
            f" {left_out} faulty rows left out."
        )


def location(study: Study) -> tuple[Path, ...]:
    """Return the study's files; a path that is not whole starts at the project."""
    return tuple(project.root() / name for name in study.files)


def read(study: Study) -> Reading:
    """Read the file of a study, all of it, and take the rows of its language.

    Without a column that tells, every row is in the study's language. A question's id is that of
    the file or a hash of its text; its cluster that of the file or its id; its answer type that of
    the file or by the rule, which for a language without one sees numbers and dates by their shape
    and calls all else a **thing**.

    Raises
    ------
    DataError
        If a file is missing or broken, or rows are faulty and are not to be left out, or there are
        too few for what is asked. All faults are told.
    ParameterError
        If a column is not there.
    """
    paths = location(study)
    changed = tuple(path.stat().st_mtime_ns if path.is_file() else 0 for path in paths)
    return _read(study.model_dump_json(), paths, changed)


@lru_cache(maxsize=8)
def _read(described: str, paths: tuple[Path, ...], changed: tuple[int, ...]) -> Reading:
    """Read a study's files once for each time that they changed."""
    study = Study.model_validate_json(described)
    columns = study.columns
    if columns is None:
        raise ParameterError(f"params/{study.name}.yaml: the key 'columns' is missing; add it.")
    found = table.read(paths)
    _check_columns(found, columns, f"params/{study.name}.yaml")
    sound, faulty = faults.sound(found, columns, study.language)
    if faulty and study.faulty_rows == "refuse":
        raise DataError(told(faulty, f"set 'faulty_rows: leave_out' in params/{study.name}.yaml"))
    mine = [entry for entry in sound if entry.language == study.language]
    reading = Reading(
        questions=tuple(questions(mine)),
        responses=tuple(_responses(mine)),
        languages=dict(Counter(entry.language or "" for entry in sound)),
        faults=faulty,
        notes=found.notes,
        source=", ".join(dict.fromkeys(path.name for path in paths)),
    )
    if lacking := list(_too_few(reading, study)):
        raise DataError("\n".join(f"params/{study.name}.yaml: {said}." for said in lacking))
    return reading


def told(faulty: Sequence[Fault], way_on: str) -> str:
    """Return all faults in words, and the two ways to go on."""
    places = len({fault.place for fault in faulty})
    return "\n".join(
        [
            *map(str, faulty),
            f"{places} rows are faulty. Mend the file, or go on without these rows: {way_on}.",
        ]
    )


def _check_columns(found: Table, columns: Columns, where: str) -> None:
    for name in columns.named:
        if name not in found.columns:
            close = get_close_matches(name, found.columns, n=1, cutoff=0.5)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            raise ParameterError(
                f"{where}: the file has no column '{name}'.{hint} It has:"
                f" {', '.join(found.columns)}."
            )


def questions(entries: Iterable[Entry]) -> Iterator[Question]:
    """Yield the questions of sound rows, each once."""
    seen = set()
    for entry in entries:
        if (id_ := _id(entry)) not in seen:
            seen.add(id_)
            yield Question(
                id=id_,
                language=entry.language or "",
                text=entry.question,
                references=entry.references,
                answer_type=_type(entry),
                cluster=entry.cluster or id_,
            )


def _responses(entries: Sequence[Entry]) -> Iterator[Brought]:
    models = list(dict.fromkeys(one.model for entry in entries for one in entry.responses))
    order = {id_: number for number, id_ in enumerate(dict.fromkeys(map(_id, entries)))}
    found = [
        Brought(_id(entry), one.model, one.text, one.human)
        for entry in entries
        for one in entry.responses
    ]
    yield from sorted(found, key=lambda one: (order[one.question_id], models.index(one.model)))


def _id(entry: Entry) -> str:
    return entry.id or f"q-{hashlib.sha256(fold(entry.question).encode()).hexdigest()[:10]}"


def _type(entry: Entry) -> AnswerType:
    known = (type_ for type_ in get_args(AnswerType) if type_ == entry.answer_type)
    by_rule = answer_type(entry.question, entry.references, entry.language or "")
    return next(known, by_rule)


def _too_few(reading: Reading, study: Study) -> Iterator[str]:
    """Yield what is asked of the study and cannot be had from so few rows."""
    n = len(reading.questions)
    if not n:
        there = ", ".join(f"{code} {count}" for code, count in reading.languages.items())
        yield f"no sound row in the language '{study.language}'; there are: {there or 'none'}"
        return
    asked = {"sample": study.sample}
    if study.sensitivity:
        asked["sensitivity.sample"] = study.sensitivity.sample
        asked["sensitivity.compared"] = study.sensitivity.compared
    for name, wanted in asked.items():
        if wanted is not None and wanted > n:
            yield f"{name} is {wanted}, and there are {n} questions; ask for {n} at most"
    if study.calibration and n < 2:
        yield "calibration takes wrong answers from other questions, and there is 1; add rows"
    if study.human_agreement and study.brings_labels:
        labelled = sum(response.human is not None for response in reading.responses)
        if study.human_agreement.labels > labelled:
            wanted = study.human_agreement.labels
            yield f"human_agreement.labels is {wanted}, and {labelled} responses are labelled"
