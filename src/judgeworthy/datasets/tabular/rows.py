"""Rows by the meaning of their columns: what a question, a reference or a response is called."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from judgeworthy.datasets.question import AnswerType
from judgeworthy.datasets.tabular import language
from judgeworthy.datasets.tabular.table import Row
from judgeworthy.study.columns import Columns

_ACCEPTED = (
    *("correct", "right", "true", "yes", "y", "1", "accepted", "acceptable"),
    *("richtig", "korrekt", "wahr", "ja", "صحيح", "సరైనది"),
)
_REJECTED = (
    *("incorrect", "wrong", "false", "no", "n", "0", "rejected", "unacceptable"),
    *("falsch", "inkorrekt", "nein", "خطأ", "తప్పు"),
)
_UNSURE = ("", "unsure", "unsicher", "?")


@dataclass(frozen=True)
class Response:
    """A response that a row brings.

    Attributes
    ----------
    model : str
        Whose it is.
    text : str
    column, label_column : str
        Where it and its label stand.
    label : str
        As written; "" where there is none.
    """

    model: str
    text: str
    column: str
    label: str = ""
    label_column: str = ""

    @property
    def human(self) -> bool | None:
        """Whether people accept it; None where they do not say."""
        said = self.label.casefold()
        return True if said in _ACCEPTED else False if said in _REJECTED else None

    @property
    def is_labelled_oddly(self) -> bool:
        """Whether its label is no label."""
        return self.label.casefold() not in (*_ACCEPTED, *_REJECTED, *_UNSURE)


@dataclass(frozen=True)
class Entry:
    """A row, read by a column map.

    Attributes
    ----------
    row : Row
    id, question, cluster, answer_type : str
        "" where the file has none.
    language : str or None
        Its code; None where what is written is no language.
    references : tuple of str
        Each once.
    responses : tuple of Response
    """

    row: Row
    id: str
    question: str
    language: str | None
    references: tuple[str, ...]
    responses: tuple[Response, ...]
    cluster: str
    answer_type: str


def read(row: Row, columns: Columns, default: str) -> Entry:
    """Read a row.

    Parameters
    ----------
    row : Row
    columns : Columns
        Which column holds what.
    default : str
        The language of rows where no column tells.
    """
    told = row.text(columns.language)
    return Entry(
        row=row,
        id=row.text(columns.id),
        question=row.text(columns.question),
        language=language.code(told) if columns.language else default,
        references=tuple(
            dict.fromkeys(
                text
                for column in columns.references
                for text in row.texts(column, columns.separator)
            )
        ),
        responses=tuple(_responses(row, columns)),
        cluster=row.text(columns.cluster),
        answer_type=row.text(columns.answer_type).casefold(),
    )


def repeats_heading(row: Row, columns: Columns) -> bool:
    """Return whether a row holds the names of its columns."""
    needed = (columns.question, *columns.references)
    return all(row.text(name).casefold() == name.casefold() for name in needed)


def is_answer_type(said: str) -> bool:
    """Return whether what is written names a type of answer."""
    return said in get_args(AnswerType)


def _responses(row: Row, columns: Columns) -> Iterator[Response]:
    if columns.response:
        model = row.text(columns.model)
        label = row.text(columns.label)
        yield Response(
            model, row.text(columns.response), columns.response, label, columns.label or ""
        )
    for model, column in columns.responses.items():
        label_column = columns.labels.get(model, "")
        yield Response(model, row.text(column), column, row.text(label_column), label_column)
