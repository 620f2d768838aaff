"""Kept judgments: of studies whose text, and so whose replies, may not be committed.

``data/judgments/<study>.csv`` holds the judgments, ``<study>.json`` what the data set held when
they were made and a hash of everything that was asked: with other parameters or prompts they are
other judgments, and are not read.
"""

import hashlib
import json
from pathlib import Path

import pandas as pd

from judgeworthy import datasets, judgments, project, prompts
from judgeworthy.errors import DataError, MissingRepliesError
from judgeworthy.sections import verdicts
from judgeworthy.study import Study

# What may change without asking anything anew.
_NOT_ASKED = {"name", "title", "confidence", "max_invalid"}


def keep(study: Study, table: pd.DataFrame) -> None:
    """Write a study's judgments and what they were made from."""
    path = _path(study)
    judgments.write(table, path)
    described = {"origin": datasets.origin(study), "asked": asked(study, table)}
    text = json.dumps(described, indent=1) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def load(study: Study) -> pd.DataFrame:
    """Read a study's judgments.

    Raises
    ------
    DataError
        If a file is missing or broken.
    MissingRepliesError
        If the judgments were made with other parameters or prompts.
    """
    table = judgments.read(_path(study))
    if _described(study)["asked"] != asked(study, table):
        raise MissingRepliesError(
            f"Study '{study.name}': the judgments in data/judgments/{study.name}.csv were made "
            "with other parameters or prompts. Take the change back, or record them with: "
            f"make record STUDY={study.name}"
        )
    return table


def origin(study: Study) -> str:
    """Return what the data set held when the judgments were made, as sentences."""
    return _described(study)["origin"]


def asked(study: Study, table: pd.DataFrame) -> str:
    """Return the SHA-256 of what decides the requests: parameters, prompts and schema."""
    texts = {
        condition: prompts.parts(prompts.JUDGE[condition])
        for condition in sorted(table["condition"].unique())
    }
    deciding = [study.model_dump(exclude=_NOT_ASKED), texts, verdicts.SCHEMA]
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def _path(study: Study) -> Path:
    return project.root() / "data" / "judgments" / f"{study.name}.csv"


def _described(study: Study) -> dict[str, str]:
    path = _path(study).with_suffix(".json")
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(described[name]) for name in ("origin", "asked")}
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; 'make record' writes it.") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: broken; restore it from version control.") from None
