"""The question: what every data set is turned into."""

from dataclasses import dataclass
from typing import Literal

AnswerType = Literal["person", "place", "number", "date", "thing"]


@dataclass(frozen=True)
class Question:
    """One question with its reference answers.

    Attributes
    ----------
    id : str
        Unique within the data set, and the same wherever its text comes from.
    language : str
        ISO 639-1 code.
    text : str
        The question as it is asked.
    references : tuple of str
        Every acceptable answer; the first is the one that is shown.
    answer_type : str
        ``person``, ``place``, ``number``, ``date`` or ``thing``.
    cluster : str
        The larger unit that the question was drawn with: its document, or itself.
    """

    id: str
    language: str
    text: str
    references: tuple[str, ...]
    answer_type: AnswerType
    cluster: str
