"""NoMIRACL: whether passages answer a question (Thakur et al. 2024).

Eleven models were asked to reply "Yes, answer is present" or "I don't know"; annotators had read
the passages. The label is **answerability**: whether one of the passages was found relevant. It
does not say whether an answer is correct, and "I don't know" is the negative verdict of this task,
not a refusal.

The text is not part of this project: it is read from the user's own copy. The authors keep a file a
language and a label, ``relevant`` and ``non_relevant``; their replies are raw, some of them cut off
by a token limit. The extract ``nomiracl_verdicts.<language>.jsonl`` holds both labels in one file
and cuts every reply after `EXTRACT_LENGTH` characters.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeworthy.datasets import files
from judgeworthy.errors import DataError

VARIABLE = "JUDGEWORTHY_NOMIRACL"
COMMIT = "9c787da"
URL = f"https://raw.githubusercontent.com/project-miracl/nomiracl/{COMMIT}/results/baselines"
LANGUAGES = ("en", "ar", "te")
ANSWERABLE = {"relevant": True, "non_relevant": False}
EXTRACT_LENGTH = 160

_REMEDY = "give NoMIRACL's results/baselines as published (`judgeworthy data nomiracl`)"


@dataclass(frozen=True)
class Reply:
    """One model's raw reply about one question and its passages.

    Attributes
    ----------
    query_id : str
        The authors' id of the question, which is the cluster of its replies; unique within a
        language.
    language : str
        ISO 639-1 code of question and passages; the models were addressed in English.
    model : str
        As the authors name it.
    text : str
        The reply as it came; it may be blank.
    answerable : bool
        The human label: whether a passage answers the question.
    """

    query_id: str
    language: str
    model: str
    text: str
    answerable: bool


@dataclass(frozen=True)
class Reading:
    """What was read of one language, and what was left out.

    Attributes
    ----------
    language : str
        ISO 639-1 code.
    replies : tuple of Reply
        Question by question, in the order of the files.
    models : tuple of str
        Those that replied, in the order of their names.
    rows_read : int
        Rows of the language: one a question, with the replies of all models.
    rows_merged : int
        Rows that equal an earlier one.
    rows_contradicting : int
        Rows dropped because their question stands in a row with another label or other replies.
    replies_missing : int
        Replies that a question lacks or that are null.
    source : str
        Names of the files.
    extract : bool
        Whether it was the extract, whose replies are cut after `EXTRACT_LENGTH` characters.
    """

    language: str
    replies: tuple[Reply, ...]
    models: tuple[str, ...]
    rows_read: int
    rows_merged: int
    rows_contradicting: int
    replies_missing: int
    source: str
    extract: bool

    def summary(self) -> str:
        """State the counts."""
        labels = {reply.query_id: reply.answerable for reply in self.replies}
        blank = sum(not reply.text.strip() for reply in self.replies)
        broken = sum("\ufffd" in reply.text for reply in self.replies)
        cut = sum(len(reply.text) >= EXTRACT_LENGTH for reply in self.replies)
        note = f", {cut} cut after {EXTRACT_LENGTH} characters by the extract"
        return (
            f"{self.source} ({self.language}): {self.rows_read} rows read, {self.rows_merged}"
            f" repeated merged, {self.rows_contradicting} contradicting dropped; {len(labels)}"
            f" questions, {sum(labels.values())} answerable; {len(self.replies)} replies of"
            f" {len(self.models)} models, {self.replies_missing} missing, {blank} blank, {broken}"
            f" with broken characters{note if self.extract else ''}."
        )


@dataclass(frozen=True)
class _Row:
    query_id: str
    answerable: bool
    replies: tuple[tuple[str, str], ...]


def read(path: Path, language: str) -> Reading:
    """Read the replies of one language with their labels.

    Parameters
    ----------
    path : Path
        The authors' ``results/baselines``, with the folders ``relevant`` and ``non_relevant``; or
        a folder with the extract, which is read where the authors' files are not there.
    language : str
        ``en``, ``ar`` or ``te``.

    Returns
    -------
    Reading
        Replies and counts.

    Raises
    ------
    DataError
        A file that is not there, broken or in another format, or a language that is not one of
        the three.
    """
    if language not in LANGUAGES:
        raise DataError(f"NoMIRACL: no language {language!r} here; choose one of {[*LANGUAGES]}.")
    labels, extract = _labels(path, language), _extract(path, language)
    original = all(file.is_file() for file in labels)
    if original:
        rows = [row for file in labels for row in _rows(file, language, labels[file])]
    elif extract.is_file():
        rows = _rows(extract, language, None)
    else:
        raise DataError(_missing(path, language))
    kept = files.distinct(rows, lambda row: row.query_id)
    replies = tuple(reply for row in kept.rows for reply in _replies(row, language))
    models = tuple(sorted({reply.model for reply in replies}))
    return Reading(
        language=language,
        replies=replies,
        models=models,
        rows_read=len(rows),
        rows_merged=kept.merged,
        rows_contradicting=kept.contradicting,
        replies_missing=len(kept.rows) * len(models) - len(replies),
        source=", ".join(_name(path, file) for file in (labels if original else (extract,))),
        extract=not original,
    )


def location() -> Path:
    """Where the data set is looked for: ``JUDGEWORTHY_NOMIRACL``, else the user's cache."""
    return files.location(VARIABLE)


def download(destination: Path, url: str = URL) -> Path:
    """Fetch the authors' files of the three languages.

    Parameters
    ----------
    destination : Path
        The folder to put them in; made if it is not there.
    url : str
        The folder where they are.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    DataError
        An address does not answer, or breaks off.
    """
    for language in LANGUAGES:
        for file in _labels(destination, language):
            files.fetch(f"{url}/{_name(destination, file)}", file, VARIABLE)
    return destination


def present(path: Path, language: str) -> bool:
    """Whether the language can be read there: both of the authors' files, or the extract."""
    original = all(file.is_file() for file in _labels(path, language))
    return original or _extract(path, language).is_file()


def _labels(path: Path, language: str) -> dict[Path, bool]:
    """Return the authors' files, each with the label that its folder stands for."""
    name = f"{language}.test.vanilla_prompt.jsonl"
    return {path / folder / name: label for folder, label in ANSWERABLE.items()}


def _extract(path: Path, language: str) -> Path:
    return path / f"nomiracl_verdicts.{language}.jsonl"


def _name(path: Path, file: Path) -> str:
    return file.relative_to(path).as_posix()


def _missing(path: Path, language: str) -> str:
    absent = [_name(path, file) for file in _labels(path, language) if not file.is_file()]
    return (
        f"{path}: no {' and no '.join(absent)} there; run `judgeworthy data nomiracl`, or set"
        f" {VARIABLE} to NoMIRACL's results/baselines."
    )


def _rows(file: Path, language: str, label: bool | None) -> list[_Row]:
    """Read a file whose rows all have one label, or the extract, which has a label a row."""
    records = files.records(file, _REMEDY)
    if records == []:
        raise DataError(f"{file}: no rows; {_REMEDY}.")
    numbered = enumerate(records if isinstance(records, list) else [records], start=1)
    places = [(f"{file}, row {number}", record) for number, record in numbered]
    if label is None:
        return [_extract_row(place, record, language) for place, record in places]
    return [_row(place, record, "results", label) for place, record in places]


def _extract_row(place: str, record: Any, language: str) -> _Row:
    for name, allowed in (("language", (language,)), ("human_label", (*ANSWERABLE,))):
        value = files.field(record, name, (str,), place, _REMEDY)
        if value not in allowed:
            expected = " or ".join(allowed)
            raise DataError(
                f"{place}, {name}: {expected} expected, found {value!r:.60}; {_REMEDY}."
            )
    return _row(place, record, "verdicts", ANSWERABLE[record["human_label"]])


def _row(place: str, record: Any, name: str, answerable: bool) -> _Row:
    query_id = files.field(record, "query_id", (str,), place, _REMEDY)
    if not query_id.strip():
        raise DataError(f"{place}, query_id: empty; {_REMEDY}.")
    replies = files.field(record, name, (dict,), place, _REMEDY)
    for model in replies:
        files.field(replies, model, (str, type(None)), f"{place}, {name}", _REMEDY)
    given = sorted((model, text) for model, text in replies.items() if text is not None)
    return _Row(query_id, answerable, tuple(given))


def _replies(row: _Row, language: str) -> list[Reply]:
    return [
        Reply(row.query_id, language, model, text, row.answerable) for model, text in row.replies
    ]
