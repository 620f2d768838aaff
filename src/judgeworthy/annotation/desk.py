"""What the commands of annotation do, and what they say."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from judgeworthy import blind, project
from judgeworthy.annotation import filled, labels, sample, sheet
from judgeworthy.annotation.labels import ADJUDICATED
from judgeworthy.annotation.sample import Item, Sample
from judgeworthy.errors import DataError
from judgeworthy.study import Study


def folder(study: Study) -> Path:
    """Return where a study's sheets are written."""
    return project.root() / "build" / study.name / "annotation"


def make(study: Study, others: int | None = None) -> Iterator[str]:
    """Write the sheets of a study's sample, and say what is in them.

    Raises
    ------
    ParameterError, DataError, MissingRepliesError
        As `sample.draw`; or if there is a sheet with labels, which is not written over.
    """
    drawn = sample.draw(study, others)
    paths = _write(drawn.items, study, study.name)
    yield (
        f"{len(drawn.items)} responses to label: {drawn.flips} whose verdict flips and "
        f"{drawn.others} of {drawn.others + drawn.left_out} whose verdict does not"
    )
    yield from _named(drawn, study)
    yield from paths
    yield (
        "Give a copy of one of them to each annotator; read it when it is filled in: "
        f"judgeworthy annotate read {study.name} FILE --annotator NAME"
    )


def read(study: Study, path: Path, annotator: str) -> Iterator[str]:
    """Read a filled sheet into ``data/labels``, and say what it held and what comes next.

    Raises
    ------
    ParameterError, DataError, MissingRepliesError
        As `sample.everything`, `filled.read` and `labels.save`; nothing is written then.
    """
    target = labels.file(study, annotator)
    everything = sample.everything(study)
    given = filled.read(path, everything)
    changed = labels.save(study, annotator, given)
    counts = pd.Series([label.label for label in given]).value_counts()
    told = ", ".join(f"{counts.get(name, 0)} {name}" for name in labels.LABELS)
    yield f"{len(given)} labels of {annotator} in {target.relative_to(project.root())}: {told}"
    if changed:
        yield f"{changed} of them replaced another label"
    yield from _next(study, everything)


def _next(study: Study, everything: dict[str, Item]) -> Iterator[str]:
    names = labels.annotators(study)
    if len(names) < 2:
        yield "A label counts when two annotators agree on it: have another person label too"
        return
    together = labels.load(study)
    both = together[together.notna().sum(axis="columns") > 1]
    yield f"{len(both)} responses have the labels of two or more of {', '.join(names)}"
    items = [everything[id_] for id_ in labels.undecided(study).index if id_ in everything]
    if not items:
        yield "No disagreement is left to adjudicate"
        return
    yield f"{len(items)} of them are labelled differently:"
    for item in items:
        given = ", ".join(f"{name} {label}" for name, label in both.loc[item.id].dropna().items())
        yield f"  {item.id}  {given}"
    try:
        path = _write(items, study, f"{study.name}-disputed")[0]
    except DataError as error:  # the labels are kept all the same
        yield str(error)
        return
    yield (
        f"Decide them together in {path} and read it: "
        f"judgeworthy annotate read {study.name} {path} --annotator {ADJUDICATED}"
    )


def _write(items: Sequence[Item], study: Study, name: str) -> list[str]:
    """Write a workbook, CSV and the guideline; never over a sheet that somebody filled in."""
    workbook, table = (folder(study) / f"{name}{suffix}" for suffix in (".xlsx", ".csv"))
    guideline = folder(study) / "guideline.txt"
    for path in (workbook, table):
        _refuse_if_filled(path)
    sheet.write_workbook(items, study.language, workbook)
    sheet.write_csv(items, table)
    guideline.write_text(sheet.guideline(study.language) + "\n", encoding="utf-8")
    return [os.path.relpath(path) for path in (workbook, table, guideline)]


def _refuse_if_filled(path: Path) -> None:
    if not path.exists():
        return
    try:
        filled_in = any(_written(row) for _, row in sheet.read(path))
    except DataError:
        filled_in = True  # as far as can be told
    if filled_in:
        raise DataError(
            f"{path}: somebody has worked on this sheet; read it (judgeworthy annotate read), move "
            "it away, and write a fresh one."
        )


def _written(row: sheet.Row) -> bool:
    return bool(row["label"].strip() or row.get("comment", "").strip())


def _named(drawn: Sample, study: Study) -> Iterator[str]:
    """Name the responses by whose words their author might be guessed."""
    scrubbed = {item.id: blind.scrub(item.response, study.models) for item in drawn.items}
    telling = [id_ for id_, found in scrubbed.items() if found.names or found.openings]
    if telling:
        yield (
            f"{len(telling)} of them use a name that models or their makers have too, which may "
            f"tell whose they are: {', '.join(telling)}"
        )
