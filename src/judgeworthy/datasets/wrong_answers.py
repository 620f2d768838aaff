"""Wrong answers for C2, taken from other questions of the same data set, and seeded samples.

A donor is the question whose answer is shown in place of the reference. An *item* is one fact: one
question, or the same question in several languages, which then have the same donor. Seeded orders
are by hash of seed and id, so that they depend neither on a generator's version nor on the order
of the rows.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

from judgeworthy.datasets.question import Question
from judgeworthy.text import overlaps

Kind = Literal["same_type", "random"]
Item = tuple[Question, ...]


@dataclass(frozen=True)
class Assignment:
    """Which question lends its answer to which.

    Attributes
    ----------
    donors : dict of str to str
        Question id to donor id; each donor stands once.
    redrawn : int
        Questions whose first donor was refused.
    unassigned : tuple of str
        Ids of the questions for which no donor was found.
    """

    donors: dict[str, str]
    redrawn: int
    unassigned: tuple[str, ...]


def assign(items: Sequence[Item], kind: Kind, seed: int) -> Assignment:
    """Give every question a wrong answer: the shown answer of another question.

    The items of one answer type, or all of them for ``random``, stand in a circle in seeded order;
    each takes the next one's answer. A donor is refused if it comes from the same document or if
    any of its references overlaps any reference of the question, in any language of the item; it is
    exchanged with the donor of the first item further round for which the exchange serves both.

    Parameters
    ----------
    items : sequence of tuple of Question
        The full data set, one tuple a fact: the questions of a tuple have one id and one type, and
        all tuples have the same languages in the same order.
    kind : str
        ``same_type`` or ``random``.
    seed : int
        Decides the order.

    Returns
    -------
    Assignment
        The same for the same set and seed, whatever the order of the items.
    """
    circles: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda item: rank(f"donor {seed}", item[0].id)):
        circles.setdefault(item[0].answer_type if kind == "same_type" else kind, []).append(item)
    parts = [_assign(circle) for circle in circles.values()]
    return Assignment(
        donors={question: donor for part in parts for question, donor in part.donors.items()},
        redrawn=sum(part.redrawn for part in parts),
        unassigned=tuple(sorted(id_ for part in parts for id_ in part.unassigned)),
    )


def sample(questions: Sequence[Question], n: int, seed: int) -> tuple[Question, ...]:
    """Draw a sample stratified by answer type, in proportion (largest remainder).

    Parameters
    ----------
    questions : sequence of Question
        The full data set.
    n : int
        Size of the sample; all questions if there are not as many.
    seed : int
        Decides the order in which each type's questions are taken, so that a larger sample keeps
        the smaller one wherever no type's share shrinks by rounding.

    Returns
    -------
    tuple of Question
        In seeded order.
    """
    left = _shares(Counter(question.answer_type for question in questions), n)
    drawn = []
    for question in sorted(questions, key=lambda question: rank(f"sample {seed}", question.id)):
        if left[question.answer_type] > 0:
            left[question.answer_type] -= 1
            drawn.append(question)
    return tuple(drawn)


def may_be_right(item: Item, donor: Item) -> bool:
    """Whether an item's answer could be right for another: same document, or answers overlap."""
    if item[0].id == donor[0].id or item[0].cluster == donor[0].cluster:
        return True
    return any(
        overlaps(reference, answer)
        for question, other in zip(item, donor, strict=True)
        for reference, answer in product(question.references, other.references)
    )


def rank(purpose: str, id_: str) -> str:
    """Return the place of an id in the seeded order for a purpose, as a string to sort by."""
    return hashlib.sha256(f"{purpose} {id_}".encode()).hexdigest()


def _assign(circle: list[Item]) -> Assignment:
    size = len(circle)
    donor = [(index + 1) % size for index in range(size)]
    redrawn = 0
    for index in range(size):
        if may_be_right(circle[index], circle[donor[index]]):
            redrawn += 1
            _exchange(circle, donor, index)
    served = [not may_be_right(circle[index], circle[donor[index]]) for index in range(size)]
    ids = [item[0].id for item in circle]
    return Assignment(
        donors={ids[index]: ids[donor[index]] for index in range(size) if served[index]},
        redrawn=redrawn,
        unassigned=tuple(ids[index] for index in range(size) if not served[index]),
    )


def _exchange(circle: list[Item], donor: list[int], index: int) -> None:
    for step in range(1, len(circle)):
        other = (index + step) % len(circle)
        mine, theirs = circle[donor[other]], circle[donor[index]]
        if not may_be_right(circle[index], mine) and not may_be_right(circle[other], theirs):
            donor[index], donor[other] = donor[other], donor[index]
            return


def _shares(sizes: Counter[str], n: int) -> dict[str, int]:
    exact = {
        type_: Fraction(min(n, sizes.total()) * size, sizes.total())
        for type_, size in sizes.items()
    }
    shares = {type_: int(share) for type_, share in exact.items()}
    spare = min(n, sizes.total()) - sum(shares.values())
    for type_ in sorted(exact, key=lambda type_: (shares[type_] - exact[type_], type_))[:spare]:
        shares[type_] += 1
    return shares
