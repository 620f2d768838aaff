"""The prompts of the peer ranking: written for this project, in one file."""

import csv
from dataclasses import dataclass
from pathlib import Path

from judgeworthy import project
from judgeworthy.errors import DataError

COLUMNS = ("id", "domain", "prompt", "needs")


@dataclass(frozen=True)
class Prompt:
    """One prompt.

    Attributes
    ----------
    id : str
    domain : str
        Programming, general knowledge, safety, logical reasoning or mathematics.
    text : str
        As the models are asked.
    needs : str
        What a good answer holds; no model sees it.
    """

    id: str
    domain: str
    text: str
    needs: str


def location() -> Path:
    """Return the file of the prompts."""
    return project.root() / "data" / "questions" / "peer_prompts.csv"


def read(path: Path) -> tuple[Prompt, ...]:
    """Read the prompts.

    Raises
    ------
    DataError
        If the file is missing, has other columns, an empty field, or an id twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream, strict=True))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; restore it from version control.") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}; write it as UTF-8 CSV.") from None
    seen: set[str] = set()
    for line, row in enumerate(rows, start=2):
        if set(row) != set(COLUMNS):
            raise DataError(f"{path}: columns {', '.join(COLUMNS)} expected.")
        empty = [name for name in COLUMNS if not (row[name] or "").strip()]
        if empty:
            raise DataError(f"{path}:{line}: '{empty[0]}' is empty; fill it in.")
        if row["id"] in seen:
            raise DataError(f"{path}:{line}: id '{row['id']}' stands twice; give it another.")
        seen.add(row["id"])
    return tuple(Prompt(row["id"], row["domain"], row["prompt"], row["needs"]) for row in rows)
