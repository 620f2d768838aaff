"""Pairs that others judged: votes of models and, kept apart, of people; facts without a sentence.

``data/judgments/<study>/pairs.csv`` holds the votes, ``pairs.json`` what the data set held when
they were read. They are read again by ``make record``, from the user's own copy.
"""

import json
from pathlib import Path

import pandas as pd

from judgeworthy import project
from judgeworthy.datasets import prd
from judgeworthy.errors import DataError
from judgeworthy.study import Study

COLUMNS = {
    "question_id": "the prompt, to which the votes on it are clustered",
    "domain": "of the prompt",
    "judge": "the model that voted, or people",
    "vote": "from 1; above 1 where several people voted on the same comparison",
    "first": "whose answer was shown first",
    "second": "whose answer was shown second",
    "outcome": "first, second or tie",
}
PEOPLE = "people"
OUTCOMES = ("first", "second", "tie")
_KEY = ["question_id", "judge", "vote", "first", "second"]
_TYPES = dict.fromkeys(COLUMNS, "str") | {"vote": "int64"}
_REMEDY = "restore it from version control"


def paired(study: Study) -> bool:
    """Return whether the study's answers were compared in pairs, by others."""
    return study.dataset == "prd"


def table(reading: prd.Reading) -> pd.DataFrame:
    """Return votes as a table: one row a vote."""
    rows = [
        {
            "question_id": f"prd-{vote.prompt:02}",
            "domain": reading.categories.get(vote.prompt, ""),
            "judge": PEOPLE if vote.judge == prd.HUMAN else vote.judge,
            "vote": vote.number,
            "first": vote.first,
            "second": vote.second,
            "outcome": {vote.first: "first", vote.second: "second"}.get(vote.winner, "tie"),
        }
        for vote in reading.votes
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(_TYPES)


def keep(study: Study) -> None:
    """Write the votes, and what the data set held.

    Raises
    ------
    DataError
        If the data set is missing or broken.
    """
    reading = prd.read(prd.location())
    path = location(study)
    path.parent.mkdir(parents=True, exist_ok=True)
    table(reading).to_csv(path, index=False, lineterminator="\n")
    text = json.dumps({"origin": reading.summary()}, indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def holds(study: Study) -> bool:
    """Return whether the votes are kept."""
    return location(study).is_file()


def location(study: Study) -> Path:
    """Return the file of the votes."""
    return project.root() / "data" / "judgments" / study.name / "pairs.csv"


def load(study: Study) -> pd.DataFrame:
    """Read the votes as they are kept.

    Raises
    ------
    DataError
        If the file is missing, has other columns, an outcome or a pair that cannot be, or a vote
        twice.
    """
    path = location(study)
    try:
        found = pd.read_csv(path, dtype=_TYPES, keep_default_na=False)
    except FileNotFoundError:
        raise DataError(f"{path}: no such table; 'make record' writes it.") from None
    except ValueError as error:
        raise DataError(f"{path}: {error}; {_REMEDY}.") from None
    if list(found.columns) != list(COLUMNS):
        raise DataError(f"{path}: columns {', '.join(COLUMNS)} expected; {_REMEDY}.")
    for fault, wrong in _faults(found).items():
        if wrong.any():
            raise DataError(f"{path}:{found.index[wrong][0] + 2}: {fault}; {_REMEDY}.")
    return found


def origin(study: Study) -> str:
    """Return what the data set held when the votes were read, as sentences.

    Raises
    ------
    DataError
        If the file is missing or broken.
    """
    path = location(study).with_suffix(".json")
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["origin"])
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; 'make record' writes it.") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: broken; {_REMEDY}.") from None


def _faults(found: pd.DataFrame) -> dict[str, pd.Series]:
    needed = found[["question_id", "judge", "first", "second"]]
    return {
        "a field is empty": (needed == "").any(axis="columns"),
        f"the outcome must be one of {', '.join(OUTCOMES)}": ~found["outcome"].isin(OUTCOMES),
        "an answer is compared with itself": found["first"].eq(found["second"]),
        "a vote stands twice": found.duplicated(_KEY),
    }
