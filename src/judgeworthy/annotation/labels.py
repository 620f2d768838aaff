"""Labels: what people said, one file an annotator, and what it says about the responses.

``data/labels/<study>/<annotator>.csv`` has the columns id, label and comment. The labels of the
annotator ``adjudicated`` are the last word where the others disagree.
"""

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from filelock import FileLock

from judgeworthy import project
from judgeworthy.annotation import sample
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.sections.sensitivity import asked
from judgeworthy.study import Study

LABELS = ("CORRECT", "INCORRECT", "UNSURE")
COLUMNS = ("id", "label", "comment")
ADJUDICATED = "adjudicated"
# Columns of `of_responses`, where each annotator has a column too.
_TAKEN = ("question_id", "generator", "id", "flips", "label", "comment")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Label:
    """What one person said about one item.

    Attributes
    ----------
    id : str
    label : str
        One of `LABELS`; empty where there is a comment alone.
    comment : str
    """

    id: str
    label: str
    comment: str = ""


def file(study: Study, annotator: str) -> Path:
    """Return where an annotator's labels are.

    Raises
    ------
    ParameterError
        If the name cannot be that of a file and of a column.
    """
    if not _NAME.fullmatch(annotator) or annotator in _TAKEN:
        raise ParameterError(
            f"'{annotator}' cannot name an annotator; use up to 40 small letters a to z, digits, - "
            f"and _, and none of {', '.join(_TAKEN)}."
        )
    return _folder(study) / f"{annotator}.csv"


def annotators(study: Study) -> list[str]:
    """Return who has labelled, without the adjudication."""
    found = sorted(path.stem for path in _folder(study).glob("*.csv"))
    return [name for name in found if name != ADJUDICATED]


def read(study: Study, annotator: str) -> dict[str, Label]:
    """Return an annotator's labels by id; none where there is no file.

    Raises
    ------
    ParameterError
        If the name cannot name an annotator.
    DataError
        If the file is broken.
    """
    path = file(study, annotator)
    if not path.is_file():
        return {}
    labels: dict[str, Label] = {}
    for number, row in _rows(path):
        where = f"{path}, row {number}"
        if row["label"] not in ("", *LABELS):
            known = ", ".join(LABELS)
            raise DataError(f"{where}: the label '{row['label']}' is not one of {known}.")
        if row["id"] in labels:
            raise DataError(f"{where}: the id {row['id']} stands twice; keep one.")
        labels[row["id"]] = Label(*(row[name] for name in COLUMNS))
    return labels


def save(study: Study, annotator: str, given: Iterable[Label]) -> int:
    """Put labels beside those that an annotator has, in the place of those with the same id.

    They are on disk when this returns, whole or not at all, also when two processes save at once.

    Returns
    -------
    int
        How many labels that were there are now others.

    Raises
    ------
    ParameterError, DataError
        As `read`.
    """
    path = file(study, annotator)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.parent / f".{annotator}.lock"):
        before = read(study, annotator)
        after = before | {label.id: label for label in given}
        _replace(path, after)
    return sum(bool(old.label) and old.label != after[id_].label for id_, old in before.items())


def load(study: Study) -> pd.DataFrame:
    """Return all labels: one row an item, one column an annotator, missing where there is none.

    Raises
    ------
    DataError
        If a file is broken.
    """
    given = {name: _plain(read(study, name)) for name in annotators(study)}
    ids = sorted({id_ for labels in given.values() for id_ in labels})
    columns = {name: [labels.get(id_) for id_ in ids] for name, labels in given.items()}
    return pd.DataFrame(columns, index=pd.Index(ids, name="id", dtype="str"), dtype="str")


def disagreements(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the items that annotators label differently, of a table as `load` returns it."""
    return labels[labels.nunique(axis="columns") > 1]


def agreed(labels: pd.DataFrame) -> pd.Series:
    """Return the label of each item on which more than half of its annotators, and two, agree.

    Missing where that is not so; `load` says what form the table has.
    """
    counts = pd.DataFrame({name: (labels == name).sum(axis="columns") for name in LABELS})
    found = counts.idxmax(axis="columns") if len(counts) else pd.Series(index=labels.index)
    most = counts.max(axis="columns")
    return found.where((most > 1) & (2 * most > counts.sum(axis="columns"))).astype("str")


def final(study: Study) -> pd.Series:
    """Return the label that holds for each item: the adjudicated one, else the one agreed on.

    Where one annotator alone labelled the study, that one's label holds. Missing where annotators
    said something, and nothing holds.
    """
    given = load(study)
    together = given.iloc[:, 0] if given.shape[1] == 1 else agreed(given)
    decided = pd.Series(_plain(read(study, ADJUDICATED)), dtype="str")
    both = decided.combine_first(together)
    return both.rename_axis("id").rename("label")


def undecided(study: Study) -> pd.DataFrame:
    """Return the items that annotators label differently and that nobody has adjudicated."""
    differing = disagreements(load(study))
    return differing[~differing.index.isin(_plain(read(study, ADJUDICATED)))]


def of_responses(study: Study) -> pd.DataFrame:
    """Return what people said about each response of a study.

    Returns
    -------
    DataFrame
        One row a response: ``question_id``, ``generator``, ``id`` of its item, ``flips`` (whether
        its verdict flips for some judge, the stratum of the sample), ``label`` as `final` has it,
        and a column an annotator. Missing where a response was not labelled.

    Raises
    ------
    ParameterError, DataError, MissingRepliesError
        As `sample.draw`, or if a file of labels is broken.
    """
    flips = sample.flipping(asked.load(study))
    rows = [
        (each.question.id, each.generator, sample.item(each, study).id)
        for each in sample.responses(study)
    ]
    table = pd.DataFrame(rows, columns=["question_id", "generator", "id"])
    table["flips"] = [(question, generator) in flips for question, generator, _ in rows]
    return table.join(final(study), on="id").join(load(study), on="id")


def _folder(study: Study) -> Path:
    return project.root() / "data" / "labels" / study.name


def _plain(labels: Mapping[str, Label]) -> dict[str, str]:
    return {id_: label.label for id_, label in labels.items() if label.label}


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True, restval="")
            absent = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
            rows = list(enumerate(reader, start=2))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}; restore it from version control.") from None
    if absent:
        raise DataError(f"{path}, row 1: no column {', '.join(absent)}; add it.")
    return rows


def _row(label: Label) -> tuple[str, str, str]:
    # A carriage return would end the row.
    comment = label.comment.replace("\r\n", "\n").replace("\r", "\n")
    return label.id, label.label, comment


def _replace(path: Path, labels: Mapping[str, Label]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_row(label) for _, label in sorted(labels.items()))
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", newline="") as stream:
        stream.write(text.getvalue())
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)
