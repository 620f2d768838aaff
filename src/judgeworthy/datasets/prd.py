"""PRD: five models of 2023 that judged each other's answers in pairs (Li, Patel, Du 2023).

Each model read the answers to 80 prompts two at a time, in both orders, and named the better one or
a tie; people voted on the same pairs. The votes of people are kept apart: `Vote.judge` is `HUMAN`.

The text is not part of this project: it is read from the user's own copy. The authors keep a folder
a judge, ``ratings-<judge>``, and in it a file a pair and order, whose name says who is compared; an
entry has the number of the prompt and the score, 1 or 2 for the better answer and 3 for a tie. The
extract ``prd_pairwise.jsonl`` holds all of them in one file, ``prd_responses.jsonl`` the category
of each prompt.

Some comparisons have several rows. Where a *model* judged the same pair in the same order twice,
equal rows are one vote, and rows that contradict each other are all dropped, because nothing says
which is right. Where *people* did, every row is a vote of its own: three people voted on most
pairs, as the files are read here, for they name nobody. Both are counted.
"""

import re
import shutil
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgeworthy.datasets import files
from judgeworthy.errors import DataError

VARIABLE = "JUDGEWORTHY_PRD"
COMMIT = "35fb99e"
URL = f"https://github.com/bcdnlp/PRD/archive/{COMMIT}.tar.gz"
MODELS = ("bard", "claude", "gpt35", "gpt4", "vicuna-13b")
HUMAN, TIE = "human", "tie"
EXTRACT, CATEGORIES = "prd_pairwise.jsonl", "prd_responses.jsonl"

_REMEDY = "give PRD's data/vicuna80 as it is published (`judgeworthy data prd`)"
_FILE = re.compile(
    r"answer[_-](?P<first>.+)-vs-answer[_-](?P<second>.+)"
    r"-(?P<judge>bard|claude|gpt35|gpt4|vicuna-13b|human)-reviewer(?:[_-]threeclass)?\.jsonl"
)
_PACKED = re.compile(
    r"[^/]+/data/vicuna80/(?P<kept>ratings-[^/]+/[^/]+\.jsonl|prompt/vicuna_questions\.jsonl)"
)
_QUESTIONS = Path("prompt", "vicuna_questions.jsonl")


@dataclass(frozen=True)
class Vote:
    """Who preferred which of two answers to a prompt.

    Attributes
    ----------
    prompt : int
        The authors' number of the prompt; votes on one prompt are a cluster.
    judge : str
        One of `MODELS`, or `HUMAN`.
    number : int
        From 1; more than 1 where several people voted on the same comparison.
    first, second : str
        Whose answers were compared, in the order shown.
    winner : str
        One of the two, or `TIE`.
    """

    prompt: int
    judge: str
    number: int
    first: str
    second: str
    winner: str


@dataclass(frozen=True)
class Reading:
    """What was read, and what was left out.

    Attributes
    ----------
    votes : tuple of Vote
        Of models, then of people, in the order of the files.
    categories : dict of int to str
        The kind of each prompt, where the files tell.
    rows_read : int
        Rows about the five models.
    rows_of_others : int
        Rows about other models, which are left out.
    rows_repeated : int
        Rows with the prompt, judge and order of an earlier one, of models and of people.
    comparisons_contradicting : int
        Prompts, judges and orders of which the rows differ, of models and of people.
    models_merged : int
        Rows of models that equal an earlier one.
    models_dropped : int
        Rows of models that were dropped because they contradict each other.
    people_repeated, people_contradicting : int
        As `rows_repeated` and `comparisons_contradicting`, of people alone; all are kept.
    source : str
        Name of the file, or of the folders.
    """

    votes: tuple[Vote, ...]
    categories: dict[int, str]
    rows_read: int
    rows_of_others: int
    rows_repeated: int
    comparisons_contradicting: int
    models_merged: int
    models_dropped: int
    people_repeated: int
    people_contradicting: int
    source: str

    @property
    def by_models(self) -> tuple[Vote, ...]:
        """The votes of models."""
        return tuple(vote for vote in self.votes if vote.judge != HUMAN)

    @property
    def by_people(self) -> tuple[Vote, ...]:
        """The votes of people."""
        return tuple(vote for vote in self.votes if vote.judge == HUMAN)

    def summary(self) -> str:
        """State the counts, and the rule for rows that repeat one another."""
        ties = sum(vote.winner == TIE for vote in self.by_models)
        prompts = len({vote.prompt for vote in self.votes})
        return (
            f"{self.source}: {self.rows_read} rows read, {self.rows_of_others} of other models"
            f" left out; {prompts} prompts, {len(MODELS)} models. {self.rows_repeated} rows repeat"
            f" a comparison and {self.comparisons_contradicting} comparisons have rows that"
            f" contradict each other. Of a model's rows the equal ones are one vote"
            f" ({self.models_merged} merged) and those that contradict each other are dropped"
            f" ({self.models_dropped} rows); of people every row is a vote ({self.people_repeated}"
            f" repeat a comparison, on which people differ in {self.people_contradicting})."
            f" {len(self.by_models)} votes of models, {ties} of them ties;"
            f" {len(self.by_people)} votes of people, kept apart."
        )


def read(path: Path) -> Reading:
    """Read the votes of models and of people.

    Parameters
    ----------
    path : Path
        The authors' ``data/vicuna80``, with a folder a judge; or a folder with the extract, which
        is read where the authors' folders are not there.

    Returns
    -------
    Reading
        Votes and counts.

    Raises
    ------
    DataError
        Files that are not there, broken or in another format.
    """
    if not present(path):
        raise DataError(
            f"{path}: no folder ratings-<judge> for each judge and no {EXTRACT} there; run"
            f" `judgeworthy data prd`, or set {VARIABLE} to the folder that holds them."
        )
    original = _original(path)
    rows = list(_of_folders(path) if original else _of_extract(path / EXTRACT))
    votes = [row for row in rows if {row.first, row.second} <= set(MODELS)]
    people = [vote for vote in votes if vote.judge == HUMAN]
    models = files.distinct((vote for vote in votes if vote.judge != HUMAN), _comparison)
    return Reading(
        votes=(*models.rows, *_numbered(people)),
        categories=_categories(path, original),
        rows_read=len(votes),
        rows_of_others=len(rows) - len(votes),
        rows_repeated=_repeated(votes),
        comparisons_contradicting=_contradicting(votes),
        models_merged=models.merged,
        models_dropped=models.contradicting,
        people_repeated=_repeated(people),
        people_contradicting=_contradicting(people),
        source="ratings-*" if original else EXTRACT,
    )


def location() -> Path:
    """Where the data set is looked for: ``JUDGEWORTHY_PRD``, else the user's cache."""
    return files.location(VARIABLE)


def download(destination: Path, url: str = URL) -> Path:
    """Fetch the authors' repository and unpack the votes.

    Parameters
    ----------
    destination : Path
        The folder to put them in; made if it is not there.
    url : str
        The archive.

    Returns
    -------
    Path
        The folder, which is there whole or not at all.

    Raises
    ------
    DataError
        The address does not answer, breaks off, or gives no archive with votes; or the folder is
        there and holds something else.
    """
    archive = files.fetch(url, destination.parent / f"{destination.name}.tar.gz", VARIABLE)
    part = destination.parent / f"{destination.name}.part"
    try:
        _unpack(archive, part)
        part.replace(destination)
    except (tarfile.TarError, zlib.error, OSError, EOFError) as error:
        raise DataError(
            f"{url} could not be unpacked into {destination}: {error}; unpack it by hand and set"
            f" {VARIABLE} to its folder data/vicuna80."
        ) from error
    finally:
        archive.unlink(missing_ok=True)
        shutil.rmtree(part, ignore_errors=True)
    return destination


def present(path: Path) -> bool:
    """Whether the votes can be read there: the authors' folders, or the extract."""
    return _original(path) or (path / EXTRACT).is_file()


def _original(path: Path) -> bool:
    judges = (*MODELS, HUMAN)
    return all(any((path / f"ratings-{judge}").glob("*.jsonl")) for judge in judges)


def _unpack(archive: Path, folder: Path) -> None:
    found = False
    with tarfile.open(archive, "r:gz") as packed:
        for member in packed:
            kept = _PACKED.fullmatch(member.name)
            stream = packed.extractfile(member) if kept and member.isfile() else None
            if kept and stream:
                target = folder / kept["kept"]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(stream.read())
                found = True
    if not found:
        raise tarfile.TarError("it holds no data/vicuna80/ratings-<judge>")


def _of_folders(path: Path) -> Iterator[Vote]:
    for file in sorted(path.glob("ratings-*/*.jsonl")):
        named = _FILE.fullmatch(file.name)
        if named is None:
            raise DataError(f"{file}: its name does not say who is compared; {_REMEDY}.")
        first, second, judge = named["first"], named["second"], named["judge"]
        for place, record in _records(file):
            score = _number(record, "score", place)
            if score not in (1, 2, 3):
                raise DataError(f"{place}, score: 1, 2 or 3 expected, found {score}; {_REMEDY}.")
            winner = (first, second, TIE)[score - 1]
            yield Vote(_number(record, "question_id", place), judge, 1, first, second, winner)


def _of_extract(file: Path) -> Iterator[Vote]:
    for place, record in _records(file):
        judge, first, second, winner = (
            files.field(record, name, (str,), place, _REMEDY)
            for name in ("judge", "first", "second", "winner")
        )
        if judge not in (*MODELS, HUMAN):
            known = ", ".join((*MODELS, HUMAN))
            raise DataError(f"{place}, judge: one of {known} expected, found {judge}; {_REMEDY}.")
        if first == second or winner not in (first, second, TIE):
            raise DataError(
                f"{place}: two models and one of them or {TIE} as the winner expected, found"
                f" {first}, {second} and {winner}; {_REMEDY}."
            )
        yield Vote(_number(record, "question_id", place), judge, 1, first, second, winner)


def _categories(path: Path, original: bool) -> dict[int, str]:
    """Read the kind of each prompt; none where its file is not there."""
    file = path / (_QUESTIONS if original else CATEGORIES)
    if not file.is_file():
        return {}
    return {
        _number(record, "question_id", place): files.field(
            record, "category", (str,), place, _REMEDY
        )
        for place, record in _records(file)
    }


def _records(file: Path) -> Iterator[tuple[str, Any]]:
    found = files.records(file, _REMEDY)
    for number, record in enumerate(found if isinstance(found, list) else [found], start=1):
        yield f"{file}, row {number}", record


def _number(record: Any, name: str, place: str) -> int:
    value = files.field(record, name, (object,), place, _REMEDY)
    if isinstance(value, bool) or not isinstance(value, int):
        raise DataError(f"{place}, {name}: a number expected, found {value!r:.60}; {_REMEDY}.")
    return value


def _comparison(vote: Vote) -> tuple[int, str, str, str]:
    return vote.prompt, vote.judge, vote.first, vote.second


def _numbered(votes: Iterable[Vote]) -> Iterator[Vote]:
    """Number the votes of each comparison."""
    before: Counter[tuple[int, str, str, str]] = Counter()
    for vote in votes:
        before[_comparison(vote)] += 1
        yield replace(vote, number=before[_comparison(vote)])


def _repeated(votes: list[Vote]) -> int:
    return len(votes) - len(set(map(_comparison, votes)))


def _contradicting(votes: list[Vote]) -> int:
    winners: dict[tuple[int, str, str, str], set[str]] = {}
    for vote in votes:
        winners.setdefault(_comparison(vote), set()).add(vote.winner)
    return sum(len(named) > 1 for named in winners.values())
