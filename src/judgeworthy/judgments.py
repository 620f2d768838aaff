"""The judgment: one row of a tidy table, whose columns are the schema of every section."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from judgeworthy import text
from judgeworthy.datasets.question import Question
from judgeworthy.errors import DataError
from judgeworthy.models.request import Reply, Request
from judgeworthy.parsing import parse_verdict

COLUMNS = {
    "question_id": "the question",
    "cluster": "the document that the question was drawn with, or the question itself",
    "answer_type": "person, place, number, date or thing",
    "condition": "C1, C2, NR, RV or RC",
    "donor_id": "the question whose reference is the wrong answer of C2",
    "judge": "the model that judged",
    "verdict": "CORRECT, INCORRECT or INVALID",
    "reason": "why the reply is INVALID",
    "flags": "how the reply was read: repaired, several objects, …",
    "extracted_in_response": "whether the extracted answer stands in the response",
    "extracted_matches_reference": "whether the extracted answer says a reference",
    "finish_reason": "as the endpoint said",
    "prompt_tokens": "as the endpoint counted",
    "completion_tokens": "as the endpoint counted",
    "request_id": "identity of the request",
}

KEY = ["question_id", "condition", "judge"]
VOCABULARY = {
    "condition": ("C1", "C2", "NR", "RV", "RC"),
    "verdict": ("CORRECT", "INCORRECT", "INVALID"),
}

_COUNTS = {"prompt_tokens": "Int64", "completion_tokens": "Int64"}
_FLAGS = {"extracted_in_response": "boolean", "extracted_matches_reference": "boolean"}
DTYPES = dict.fromkeys(COLUMNS, "str") | _COUNTS | _FLAGS


@dataclass(frozen=True)
class Item:
    """What a judge is shown: a question and a response, under a condition.

    Attributes
    ----------
    question : Question
    condition : str
    response : str
        The answer under judgment.
    donor_id : str
        The question that lent the response, under C2.
    """

    question: Question
    condition: str
    response: str
    donor_id: str = ""


def row(item: Item, judge: str, request: Request, reply: Reply) -> dict[str, object]:
    """Read a judge's reply into a row of the judgments' table."""
    parsed = parse_verdict(reply.text, reply.finish_reason)
    read = parsed.verdict != "INVALID"
    extracted = parsed.extracted_answer
    references = item.question.references
    return {
        "question_id": item.question.id,
        "cluster": item.question.cluster,
        "answer_type": item.question.answer_type,
        "condition": item.condition,
        "donor_id": item.donor_id,
        "judge": judge,
        "verdict": parsed.verdict,
        "reason": parsed.reason,
        "flags": " ".join(parsed.flags),
        "extracted_in_response": text.matches_any(item.response, [extracted]) if read else None,
        "extracted_matches_reference": text.matches_any(extracted, references) if read else None,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "request_id": request.id,
    }


def table(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    """Return rows as a table with the documented columns and types."""
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(DTYPES)


def read(path: Path) -> pd.DataFrame:
    """Read a committed table of judgments.

    Raises
    ------
    DataError
        If the file is missing, lacks a column, holds an unknown verdict or condition, or has a
        judgment twice.
    """
    try:
        frame = pd.read_csv(path, dtype=DTYPES, keep_default_na=False, na_values=_missing())
    except FileNotFoundError:
        raise DataError(f"{path}: no such table; 'make record' writes it.") from None
    except ValueError as error:
        raise DataError(f"{path}: {error}; restore it from version control.") from None
    absent = [name for name in COLUMNS if name not in frame.columns]
    if absent:
        raise DataError(f"{path}: column '{absent[0]}' is missing; found {list(frame.columns)}.")
    for name, known in VOCABULARY.items():
        odd = frame.index[~frame[name].isin(known)]
        if len(odd):
            found = frame[name][odd[0]]
            raise DataError(
                f"{path}:{odd[0] + 2}: {name} '{found}'; it must be one of {', '.join(known)}."
            )
    again = frame.index[frame.duplicated(KEY)]
    if len(again):
        raise DataError(f"{path}:{again[0] + 2}: question, condition and judge stand twice.")
    return frame[list(COLUMNS)]


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table of judgments as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, lineterminator="\n")


def _missing() -> dict[str, list[str]]:
    return {name: [""] for name in _COUNTS | _FLAGS}
