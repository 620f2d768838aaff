"""The judgment: one row of a tidy table, whose columns are the schema of every section."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
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
    "condition": "C1, C2, NR, RV or RC; recorded, where others asked in their own words",
    "variant": "what differs from the condition itself: another seed, prompt, reference or answer",
    "donor_id": "the question whose reference was borrowed",
    "generator": "the model whose response was judged",
    "response_state": "complete, cut_off or empty",
    "response_right": "whether the response says a reference",
    "judge": "the model that judged",
    "verdict": "CORRECT or INCORRECT, ANSWERABLE or UNANSWERABLE; or INVALID",
    "reason": "why the reply is INVALID",
    "flags": "how the reply was read: repaired, several objects, …",
    "extracted": "number of the extracted answer: equal where a judge's answers to a response are",
    "extracted_in_response": "whether the extracted answer stands in the response",
    "extracted_matches_reference": "whether the extracted answer says a reference",
    "human": "whether people accept the response",
    "human_1": "whether the first annotator does",
    "human_2": "whether the second does",
    "human_3": "whether the third does, where the first two differ or a check was made",
    "finish_reason": "as the endpoint said",
    "prompt_tokens": "as the endpoint counted",
    "completion_tokens": "as the endpoint counted",
    "request_id": "identity of the request",
}
HUMAN = ("human", "human_1", "human_2", "human_3")
# Of judged responses; calibration judges answers that no model gave.
RESPONSE_COLUMNS = ("variant", "generator", "response_state", "response_right", "extracted")
SENSITIVITY = tuple(name for name in COLUMNS if name not in HUMAN)
CALIBRATION = tuple(name for name in SENSITIVITY if name not in RESPONSE_COLUMNS)
HARDER = tuple(name for name in SENSITIVITY if name in ("variant", *CALIBRATION))
HUMAN_AGREEMENT = (
    *("question_id", "cluster", "condition", "generator", "judge", "verdict", "reason", "flags"),
    *HUMAN,
    *("finish_reason", "prompt_tokens", "completion_tokens", "request_id"),
)

# Whose extracted answers are compared.
_answered = itemgetter("question_id", "generator", "judge")
KEY = ["question_id", "condition", "variant", "generator", "judge"]
VARIANTS = (
    "",
    "sampled-1",
    "sampled-2",
    "paraphrase",
    "irrelevant",
    "other",
    "right",
    "wrong",
    "nearest",
    "corrupted",
    "verbose",
    "injected",
)
VOCABULARY = {
    "condition": ("C1", "C2", "NR", "RV", "RC", "recorded"),
    "variant": VARIANTS,
    "verdict": ("CORRECT", "INCORRECT", "ANSWERABLE", "UNANSWERABLE", "INVALID"),
}

_INTEGERS = dict.fromkeys(("extracted", "prompt_tokens", "completion_tokens"), "Int64")
_FLAGS = dict.fromkeys(
    ("response_right", "extracted_in_response", "extracted_matches_reference", *HUMAN), "boolean"
)
DTYPES = dict.fromkeys(COLUMNS, "str") | _INTEGERS | _FLAGS


@dataclass(frozen=True)
class Item:
    """What a judge is shown: a question and a response, under a condition.

    Attributes
    ----------
    question : Question
    condition : str
    response : str
        The answer under judgment.
    variant : str
        One of `VARIANTS`; empty for the condition itself.
    reference : str
        The text shown as the reference answer under RV and RC; the question's own if empty.
    donor_id : str
        The question that lent the response, or the reference.
    generator : str
        The model that gave the response, if a model did.
    state : str
        ``complete``, ``cut_off`` or ``empty``: how the generator's reply ended.
    human : bool or None
        Whether people accept the response, where they said.
    """

    question: Question
    condition: str
    response: str
    variant: str = ""
    reference: str = ""
    donor_id: str = ""
    generator: str = ""
    state: str = ""
    human: bool | None = None

    @property
    def place(self) -> str:
        """Condition, question and whose response, in words."""
        whose = f" of {self.generator}" if self.generator else ""
        variant = f" {self.variant}" if self.variant else ""
        return f"{self.condition}{variant}  {self.question.id}{whose}"

    @cached_property
    def right(self) -> bool:
        """Whether the response says a reference."""
        return text.matches_any(self.response, self.question.references)


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
        "variant": item.variant,
        "donor_id": item.donor_id,
        "generator": item.generator,
        "response_state": item.state,
        "response_right": item.right,
        "judge": judge,
        "verdict": parsed.verdict,
        "reason": parsed.reason,
        "flags": " ".join(parsed.flags),
        "extracted": text.normalise(extracted) if read else None,
        "extracted_in_response": text.matches_any(item.response, [extracted]) if read else None,
        "extracted_matches_reference": text.matches_any(extracted, references) if read else None,
        "human": item.human,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "request_id": request.id,
    }


def number(rows: Sequence[dict[str, object]]) -> None:
    """Put numbers in place of extracted answers: equal where a judge's answers to a response are.

    The words may be a data set's own, which a number does not repeat.
    """
    known: dict[tuple[object, ...], dict[object, int]] = {}
    for row_ in rows:
        if (said := row_["extracted"]) is not None:
            answers = known.setdefault(_answered(row_), {})
            row_["extracted"] = answers.setdefault(said, len(answers) + 1)


def table(
    rows: Sequence[dict[str, object]], columns: Sequence[str] = tuple(COLUMNS)
) -> pd.DataFrame:
    """Return rows as a table with some of the documented columns, in their types."""
    types = {name: DTYPES[name] for name in columns}
    values = {name: [row_.get(name) for row_ in rows] for name in columns}
    return pd.DataFrame(values).astype(types)


def read(path: Path, columns: Sequence[str] = tuple(COLUMNS)) -> pd.DataFrame:
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
    absent = [name for name in columns if name not in frame.columns]
    if absent:
        raise DataError(f"{path}: column '{absent[0]}' is missing; found {list(frame.columns)}.")
    for name in VOCABULARY.keys() & set(columns):
        odd = frame.index[~frame[name].isin(VOCABULARY[name])]
        if len(odd):
            found, known = frame[name][odd[0]], ", ".join(VOCABULARY[name])
            raise DataError(f"{path}:{odd[0] + 2}: {name} '{found}'; it must be one of {known}.")
    key = [name for name in KEY if name in columns]
    again = frame.index[frame.duplicated(key)]
    if len(again):
        raise DataError(f"{path}:{again[0] + 2}: a judgment stands twice ({', '.join(key)}).")
    return frame[list(columns)]


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table of judgments as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, lineterminator="\n")


def _missing() -> dict[str, list[str]]:
    return {name: [""] for name in _INTEGERS | _FLAGS}
