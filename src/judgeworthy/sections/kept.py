"""Kept judgments: of studies whose text, and so whose replies, may not be committed.

``data/judgments/<study>/<section>.csv`` holds the judgments, ``<section>.json`` what the data set
held when they were made and a hash of everything that was asked: with other parameters or prompts
they are other judgments, and are not read.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from judgeworthy import datasets, judgments, project, prompts
from judgeworthy.errors import DataError, MissingRepliesError
from judgeworthy.sections import verdicts
from judgeworthy.study import BLOCKS, Study

# What may change without asking anything anew, and what only other studies have.
_NOT_ASKED = {"name", "title", "confidence", "max_invalid", "files", "columns", "faulty_rows"}
_NOT_ASKED_IN_BLOCK = ("primary", "resamples")


def keep(study: Study, section: str, table: pd.DataFrame) -> None:
    """Write a section's judgments and what they were made from."""
    path = _path(study, section)
    judgments.write(table, path)
    described = {"origin": datasets.origin(study), "asked": asked(study, section, table)}
    text = json.dumps(described, indent=1) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def load(study: Study, section: str, columns: Sequence[str]) -> pd.DataFrame:
    """Read a section's judgments.

    Raises
    ------
    DataError
        If a file is missing or broken.
    MissingRepliesError
        If the judgments were made with other parameters or prompts.
    """
    path = _path(study, section)
    table = judgments.read(path, columns)
    if _described(path)["asked"] != asked(study, section, table):
        raise MissingRepliesError(
            f"Study '{study.name}': the judgments in {path.relative_to(project.root())} were made "
            "with other parameters or prompts. Take the change back, or record them with: "
            f"make record STUDY={study.name}"
        )
    return table


def holds(study: Study, section: str, columns: Sequence[str]) -> bool:
    """Return whether a section's judgments are kept and were made as the study says."""
    if not _path(study, section).is_file():
        return False
    try:
        load(study, section, columns)
    except MissingRepliesError:
        return False
    return True


def origin(study: Study, section: str) -> str:
    """Return what the data set held when the judgments were made, as sentences."""
    return _described(_path(study, section))["origin"]


def source(study: Study) -> str:
    """Say whether a study's judgments are rebuilt from replies, or replayed as they are kept."""
    if study.own_text:
        return "They are rebuilt from the recorded replies."
    return (
        "They are replayed from judgments, not rebuilt from replies: the text of this data set is "
        "not part of the project."
    )


def asked(study: Study, section: str, table: pd.DataFrame) -> str:
    """Return the SHA-256 of what decides the requests: parameters, prompts and schema."""
    settings = study.model_dump(exclude=_NOT_ASKED | set(BLOCKS))
    blocks = study.model_dump(include={"calibration", section} - {"human_agreement"})
    for name in _NOT_ASKED_IN_BLOCK:
        (blocks.get(section) or {}).pop(name, None)
    texts = {
        condition: prompts.parts(prompts.JUDGE[condition])
        for condition in sorted(table["condition"].unique())
        if condition in prompts.JUDGE
    }
    if section == "sensitivity":
        texts |= {name: prompts.parts(name) for name in _others(study)}
    if section == "harder":
        texts |= _wrappings(study)
    deciding = [settings, blocks, texts, verdicts.SCHEMA, *_placebo(study)]
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def _others(study: Study) -> tuple[str, ...]:
    return (f"generate.{study.language}", "generate_base", prompts.PARAPHRASE)


def _wrappings(study: Study) -> dict[str, tuple[tuple[str, str], ...]]:
    kinds = study.harder.kinds if study.harder else ()
    written = [kind for kind in kinds if study.language in prompts.languages(kind)]
    return {kind: (("answer", prompts.plain(f"{kind}.{study.language}")),) for kind in written}


def _placebo(study: Study) -> list[str]:
    if study.sensitivity is None or study.sensitivity.compared == 0:
        return []
    return [prompts.plain(f"placebo.{study.language}")]


def _path(study: Study, section: str) -> Path:
    return project.root() / "data" / "judgments" / study.name / f"{section}.csv"


def _described(path: Path) -> dict[str, str]:
    path = path.with_suffix(".json")
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(described[name]) for name in ("origin", "asked")}
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; 'make record' writes it.") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: broken; restore it from version control.") from None
