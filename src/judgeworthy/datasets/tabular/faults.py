"""What is wrong with a user's file: every fault at once, with its row, its column and a remedy.

A row is named only for what is wrong with itself: of two rows with one id the later, never the
earlier. That several questions share a reference is no fault, since many answers are *7* or
*Paris*; with a long one it is, which was rather copied down by mistake.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import ftfy
from ftfy.badness import is_bad

from judgeworthy.datasets.tabular import rows
from judgeworthy.datasets.tabular.rows import Entry
from judgeworthy.datasets.tabular.table import Row, Table
from judgeworthy.study.columns import Columns
from judgeworthy.text import fold

_NOTHING = frozenset(
    (
        *("N/A", "n/a", "N/a", "#N/A", "NA", "NaN", "nan", "NULL", "null", "<NA>", "TBD", "TODO"),
        *("k. A.", "k.A.", "K.A.", "#REF!", "#VALUE!", "#NAME?", "#NULL!", "#DIV/0!"),
    )
)
_DASHES = frozenset("-–—_.…?*/ ")
_LONG = 8  # words, from which on two questions hardly share a reference by right
_LOST = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes
    ----------
    place : str
        File and row.
    column : str
        The column; "" if the row as a whole is meant.
    said : str
        What is wrong, and what to do.
    """

    place: str
    column: str
    said: str

    def __str__(self) -> str:
        """File, row, column, fault and remedy in a line."""
        column = f", column '{self.column}'" if self.column else ""
        return f"{self.place}{column}: {self.said}."


def sound(
    table: Table, columns: Columns, default: str
) -> tuple[tuple[Entry, ...], tuple[Fault, ...]]:
    """Tell sound rows from faults.

    Parameters
    ----------
    table : Table
    columns : Columns
    default : str
        The language of rows where no column tells.

    Returns
    -------
    tuple of Entry
        The rows without a fault.
    tuple of Fault
        In the order of the rows.
    """
    spoilt: list[Fault] = []
    entries = []
    for row in table.rows:
        found = list(_of_row(row, columns))
        if not found:
            entries.append(rows.read(row, columns, default))
        spoilt += found
    alone = [fault for entry in entries for fault in _of_entry(entry, columns)]
    together = _of_entries(entries, columns)
    faults = [*spoilt, *alone, *together]
    named = {fault.place for fault in faults}
    order = {row.place: number for number, row in enumerate(table.rows)}
    kept = tuple(entry for entry in entries if entry.row.place not in named)
    return kept, tuple(sorted(faults, key=lambda fault: order[fault.place]))


def _of_row(row: Row, columns: Columns) -> Iterator[Fault]:
    """Yield what makes a row unreadable, so that nothing else is said of it."""
    if row.spilled:
        yield Fault(row.place, "", "more cells than columns; quote cells that hold the delimiter")
    elif rows.repeats_heading(row, columns):
        yield Fault(row.place, "", "the heading once more; delete the row")


def _of_entry(entry: Entry, columns: Columns) -> Iterator[Fault]:
    for column, said in (
        *_of_question(entry, columns),
        *_of_references(entry, columns),
        *(fault for response in entry.responses for fault in _of_response(response, entry)),
        *_of_others(entry, columns),
        *_encoded_wrongly(entry, columns),
    ):
        yield Fault(entry.row.place, column, said)


Said = tuple[str, str]


def _of_question(entry: Entry, columns: Columns) -> Iterator[Said]:
    if not entry.question:
        yield columns.question, "no question; write it, or delete the row"
    if columns.id and not entry.id:
        yield columns.id, "no id; give the row one of its own"
    if columns.language and not entry.language:
        told = entry.row.text(columns.language)
        what = f"'{told}' is no language" if told else "no language"
        yield columns.language, f"{what}; write a code of ISO 639, such as en, ar or te"


def _of_references(entry: Entry, columns: Columns) -> Iterator[Said]:
    column = columns.references[0]
    if not entry.references:
        yield column, "no reference; write the right answer, or delete the row"
    for reference in entry.references:
        if reference in _NOTHING or set(reference) <= _DASHES:
            yield column, f"'{reference}' is no reference; write the right answer, or delete it"
        elif entry.question and fold(reference) == fold(entry.question):
            yield column, "the reference repeats the question; write the right answer"


def _of_response(response: rows.Response, entry: Entry) -> Iterator[Said]:
    if not response.text:
        yield response.column, "an empty response; fill it in, or delete the row"
    elif entry.question and fold(response.text) == fold(entry.question):
        yield response.column, "the response repeats the question; fill in what the model said"
    if response.is_labelled_oddly:
        told = f"'{response.label}' is no label"
        yield response.label_column, f"{told}; write CORRECT, INCORRECT, UNSURE or nothing"


def _of_others(entry: Entry, columns: Columns) -> Iterator[Said]:
    if columns.model and not entry.row.text(columns.model):
        yield columns.model, "no model; say whose the response is"
    if entry.answer_type and not rows.is_answer_type(entry.answer_type):
        told = f"'{entry.answer_type}' is no type of answer"
        yield columns.answer_type or "", f"{told}; write person, place, number, date or thing"


def _encoded_wrongly(entry: Entry, columns: Columns) -> Iterator[Said]:
    used = (columns.question, *columns.references, *columns.all_responses)
    for column in used:
        text = entry.row.text(column)
        if _LOST in text:
            yield column, f"letters are lost ({_LOST}); copy the cell anew from where it came"
        elif is_bad(text) and (mended := ftfy.fix_encoding(text)) != text:
            yield column, f"decoded wrongly, '{_shown(text)}'; it was rather '{_shown(mended)}'"


def _of_entries(entries: Sequence[Entry], columns: Columns) -> Iterator[Fault]:
    """Yield the faults that only show beside other rows."""
    if columns.response:
        yield from _repeated(entries, _answered, columns.id or columns.question, _ANSWERED_TWICE)
        yield from _differing(entries, columns)
        return
    if columns.id:
        yield from _repeated(entries, lambda each: each.id, columns.id, _ID_TWICE)
    yield from _repeated(entries, lambda each: fold(each.question), columns.question, _ASKED_TWICE)
    yield from _copied(entries, columns)


_ID_TWICE = "the id '{0.id}' is that of an earlier row; give the row one of its own"
_ASKED_TWICE = "the question of an earlier row; delete one, or make them differ"
_ANSWERED_TWICE = "the model has answered this question in an earlier row; keep one of the two"


def _answered(entry: Entry) -> tuple[str, str]:
    return entry.id or fold(entry.question), entry.responses[0].model


def _repeated(
    entries: Iterable[Entry], key: Callable[[Entry], object], column: str, said: str
) -> Iterator[Fault]:
    seen = set()
    for entry in entries:
        mark = (entry.language, key(entry))
        if mark in seen and key(entry):
            yield Fault(entry.row.place, column, said.format(entry))
        seen.add(mark)


def _differing(entries: Iterable[Entry], columns: Columns) -> Iterator[Fault]:
    """Yield the rows of a question that tell it, or its references, in another way."""
    first: dict[tuple[str | None, str], Entry] = {}
    for entry in entries:
        known = first.setdefault((entry.language, entry.id or fold(entry.question)), entry)
        if fold(known.question) != fold(entry.question):
            said = f"the id '{entry.id}' belongs to another question in an earlier row"
            yield Fault(entry.row.place, columns.question, f"{said}; give the row another id")
        elif set(known.references) != set(entry.references):
            said = "other references than in an earlier row of this question; make them the same"
            yield Fault(entry.row.place, columns.references[0], said)


def _copied(entries: Iterable[Entry], columns: Columns) -> Iterator[Fault]:
    seen = set()
    for entry in entries:
        mark = (entry.language, *map(fold, entry.references))
        long = sum(len(fold(reference).split()) for reference in entry.references[:1]) >= _LONG
        if long and mark in seen:
            said = "the reference of another question, word by word; write this question's own"
            yield Fault(entry.row.place, columns.references[0], said)
        seen.add(mark)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
