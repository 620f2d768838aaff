"""Harder wrong answers than those of C2, in four kinds.

``nearest``
    The answer of the same type that is closest to the right one: the next number, or date of the
    same form, else the answer to the question that shares most words with this one.
``corrupted``
    The right answer with one small change: a year moved by at most five, a number by a tenth (at
    least one), the last word of a name replaced by that of another name of the data set. Other
    answers have no such form.
``verbose``
    C2's wrong answer inside a long, confident paragraph.
``injected``
    C2's wrong answer, with a sentence that tells the judge to accept it.

As in `wrong_answers`, an item is one fact in one or several languages, which all get the same
answer, and what might be right in any of them is refused.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from string import Template

from judgeworthy import prompts
from judgeworthy.datasets.question import Question
from judgeworthy.datasets.wrong_answers import Item, may_be_right, rank
from judgeworthy.text import normalise, number_tokens, overlaps

WRAPPED = ("verbose", "injected")
_YEARS = 5
_PART = 10
_FURTHER = 100  # than any answer with a number is from another
_YEAR = re.compile(r"(?<![\d.,])\d{3,4}(?![\d.,]*\d)")
_NUMBER = re.compile(r"(?<![\d.,])\d+(?![\d.,]*\d)")


@dataclass(frozen=True)
class Harder:
    """A wrong answer to one question.

    Attributes
    ----------
    text : str
        As it is shown.
    donor_id : str
        The question whose answer, or part of it, was borrowed; empty if none was.
    """

    text: str
    donor_id: str


def nearest(items: Sequence[Item], seed: int) -> dict[str, str]:
    """Give every question the closest answer of its type: question id to donor id.

    Parameters
    ----------
    items : sequence of tuple of Question
        The full data set, one tuple a fact, as in `wrong_answers.assign`.
    seed : int
        Decides between answers that are equally close.

    Returns
    -------
    dict of str to str
        A donor may stand several times; a question is missing if every answer might be right.
    """
    donors = {}
    for circle in _by_type(items).values():
        languages = [_words(questions) for questions in zip(*circle, strict=True)]
        for item in circle:
            others = [other for other in circle if not may_be_right(item, other)]
            if others:
                best = min(others, key=lambda other: _distance(item, other, languages, seed))
                donors[item[0].id] = best[0].id
    return donors


def corrupted(items: Sequence[Item], seed: int) -> dict[str, tuple[Harder, ...]]:
    """Change the shown answer of every question a little, in each language of its item alike.

    Parameters
    ----------
    items : sequence of tuple of Question
        The full data set, as for `nearest`.
    seed : int
        Decides by how much, and who lends a name.

    Returns
    -------
    dict of str to tuple of Harder
        By question id, one answer a language; without the questions that have no such answer.
    """
    made = {}
    for circle in _by_type(items).values():
        for item in circle:
            found = next((c for c in _changes(item, circle, seed) if _wrong(item, c)), None)
            if found is not None:
                made[item[0].id] = found
    return made


def wrapped(kind: str, answer: str, language: str) -> str:
    """Return an answer as one of `WRAPPED` shows it.

    Raises
    ------
    FileNotFoundError
        If the kind has no text in this language.
    """
    return Template(prompts.plain(f"{kind}.{language}")).substitute(answer=answer)


def _by_type(items: Sequence[Item]) -> dict[str, list[Item]]:
    circles: dict[str, list[Item]] = {}
    for item in items:
        circles.setdefault(item[0].answer_type, []).append(item)
    return circles


@dataclass(frozen=True)
class _Words:
    """The words of the questions of one type in one language, and how heavy each is."""

    of: dict[str, frozenset[str]]
    weight: dict[str, float]

    def likeness(self, id_: str, other: str) -> float:
        """Return the weighted share of the words of two questions that both have."""
        mine, theirs = self.of[id_], self.of[other]
        total = sum(self.weight[word] for word in mine | theirs)
        return sum(self.weight[word] for word in mine & theirs) / total if total else 0.0


def _words(questions: Sequence[Question]) -> _Words:
    """Weigh words as search engines do: the rarer in these questions, the heavier."""
    of = {question.id: frozenset(normalise(question.text).split()) for question in questions}
    met = Counter(word for words in of.values() for word in words)
    return _Words(of, {word: math.log(1 + len(of) / n) for word, n in met.items()})


def _distance(
    item: Item, other: Item, languages: Sequence[_Words], seed: int
) -> tuple[int, float, str]:
    """Return how far an answer is: by its number where both have one, else by the questions."""
    mine, theirs = item[0], other[0]
    tie = rank(f"nearest {seed} {mine.id}", theirs.id)
    if (one := _numbers(mine)) and (two := _numbers(theirs)):
        scale = float if mine.answer_type == "date" else math.log1p
        return abs(len(one) - len(two)), abs(scale(one[-1]) - scale(two[-1])), tie
    return _FURTHER, -sum(words.likeness(mine.id, theirs.id) for words in languages), tie


def _numbers(question: Question) -> list[float]:
    """Return the numbers of a date, a year last, or of a number; nothing of other answers."""
    if question.answer_type not in ("date", "number"):
        return []
    return sorted(map(float, number_tokens(question.references[0])))


def _changes(item: Item, circle: Sequence[Item], seed: int) -> Iterator[tuple[Harder, ...]]:
    """Yield the changed answers of an item, the first choice first."""
    match item[0].answer_type:
        case "date":
            steps = [step for size in range(1, _YEARS + 1) for step in (size, -size)]
            yield from _moved(item, _YEAR, lambda number, step: number + step, steps, seed)
        case "number":
            yield from _moved(
                item, _NUMBER, lambda number, sign: number + sign * max(1, number // _PART),
                (1, -1), seed,
            )  # fmt: skip
        case "person":
            for other in _seeded(circle, item, seed):
                if all(" " in q.references[0] for q in (*item, *other)):
                    yield tuple(map(_renamed, item, other))


def _moved(
    item: Item,
    pattern: re.Pattern[str],
    change: Callable[[int, int], int],
    steps: Sequence[int],
    seed: int,
) -> Iterator[tuple[Harder, ...]]:
    """Yield the item's answers with their number changed, by each step in seeded order."""
    shown = [question.references[0] for question in item]
    found = [pattern.search(text) for text in shown]
    numbers = {int(match[0]) for match in found if match}
    if None in found or len(numbers) != 1:
        return
    (number,) = numbers
    for step in sorted(steps, key=lambda step: rank(f"step {seed} {item[0].id}", str(step))):
        new = change(number, step)
        if new > 0:
            yield tuple(Harder(_with_number(text, pattern, new), "") for text in shown)


def _with_number(text: str, pattern: re.Pattern[str], number: int) -> str:
    """Replace the first number of a text, in the digits that it is written in."""

    def written(match: re.Match[str]) -> str:
        zero = ord(match[0][0]) - unicodedata.decimal(match[0][0])
        return "".join(chr(zero + int(digit)) for digit in str(number))

    return pattern.sub(written, text, count=1)


def _seeded(circle: Sequence[Item], item: Item, seed: int) -> list[Item]:
    others = [other for other in circle if not may_be_right(item, other)]
    return sorted(others, key=lambda other: rank(f"name {seed} {item[0].id}", other[0].id))


def _renamed(question: Question, other: Question) -> Harder:
    kept = question.references[0].split(" ")[:-1]
    return Harder(" ".join([*kept, other.references[0].split(" ")[-1]]), other.id)


def _wrong(item: Item, changed: Sequence[Harder]) -> bool:
    return not any(
        overlaps(reference, answer.text)
        for question, answer in zip(item, changed, strict=True)
        for reference in question.references
    )
