"""The sample: which responses people label, and nothing that tells whose they are.

Every response whose verdict flips for some judge is in it, and a seeded draw of the others. Both
the draw and the order are by hash of seed and id, so that they are the same in every process and
that neither depends on the other: the place of an item does not tell whether its verdict flips.
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd

from judgeworthy import datasets
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.models.record import Record
from judgeworthy.sections.responses import Response
from judgeworthy.sections.sensitivity import asked, cells
from judgeworthy.study import Study

_DIGITS = 10
Place = tuple[str, str]


@dataclass(frozen=True)
class Item:
    """A response to a question, as people see it.

    Attributes
    ----------
    id : str
        Hash of the study's name and of the three texts: the label of an item holds for no other.
    question, reference, response : str
    """

    id: str
    question: str
    reference: str
    response: str


@dataclass(frozen=True)
class Sample:
    """The items that people label.

    Attributes
    ----------
    items : tuple of Item
        In the order in which they are shown.
    flips : int
        Items whose verdict flips for some judge: all there are.
    others : int
        Items whose verdict flips for none.
    left_out : int
        Further items of this kind that were not drawn.
    """

    items: tuple[Item, ...]
    flips: int
    others: int
    left_out: int


def item(response: Response, study: Study) -> Item:
    """Return what people see of a response; the same words to the same question are one item."""
    question = response.question
    texts = (study.name, question.text, question.references[0], response.text)
    # The letter keeps a spreadsheet from reading 12345e6789 as a number.
    return Item(f"r{_hash(*texts)[:_DIGITS]}", *texts[1:])


def everything(study: Study) -> dict[str, Item]:
    """Return all responses of a study as items, by id.

    Raises
    ------
    ParameterError
        If the parameter file has no block ``sensitivity``.
    DataError
        If the study's text is not here.
    MissingRepliesError
        If a response is not recorded.
    """
    return {each.id: each for each in (item(response, study) for response in responses(study))}


def responses(study: Study) -> list[Response]:
    """Return the study's responses, question by question, if their text is here.

    Raises
    ------
    ParameterError, DataError, MissingRepliesError
        As `everything`.
    """
    asked.settings(study)
    if not datasets.has_text(study):
        raise DataError(
            f"Study '{study.name}': its text is not here, and people cannot label what they cannot "
            f"read; bring it with: judgeworthy data {study.dataset}"
        )
    return asked.recorded(study, Record.of(study.name))


def draw(study: Study, others: int | None = None) -> Sample:
    """Draw the items that people label.

    Parameters
    ----------
    study : Study
    others : int, optional
        How many items whose verdict does not flip; as many as flip by default, all at most.

    Raises
    ------
    ParameterError
        If the parameter file has no block ``sensitivity``, or the sample is empty.
    DataError
        If the study's text is not here.
    MissingRepliesError
        If a reply is not recorded.
    """
    return choose(responses(study), flipping(asked.load(study)), study, others)


def flipping(judgments: pd.DataFrame) -> frozenset[Place]:
    """Return the responses, as (question, generator), whose verdict flips for some judge.

    A flip is CORRECT under NR and INCORRECT under RV or RC, or the reverse. Variants do not count.
    """
    judged = cells.plain(judgments)
    found: set[Place] = set()
    for judge in judged["judge"].unique():
        decided = cells.wide(judged, judge)
        for condition in ("RV", "RC"):
            both = decided[decided["NR"].notna() & decided[condition].notna()]
            flips = both[both["NR"] != both[condition]]
            found.update(zip(flips["question_id"], flips["generator"], strict=True))
    return frozenset(found)


def choose(
    given: Sequence[Response], flips: Collection[Place], study: Study, others: int | None = None
) -> Sample:
    """Choose items among responses: all that flip, and some others.

    Raises
    ------
    ParameterError
        If `others` is negative, or nothing flips and no others are wanted.
    """
    if others is not None and others < 0:
        raise ParameterError(f"others is {others}; it is a number of responses, 0 or more.")
    items = {each.id: each for each in (item(response, study) for response in given)}
    flipped = {
        item(each, study).id for each in given if (each.question.id, each.generator) in flips
    }
    stable = _ordered(items.keys() - flipped, "draw", study)
    drawn = stable[: len(flipped) if others is None else others]
    if not flipped and not drawn:
        raise ParameterError(
            f"Study '{study.name}': no verdict flips, so there is nothing to label; take other "
            "responses with: --others N"
        )
    order = _ordered({*flipped, *drawn}, "order", study)
    chosen = tuple(items[id_] for id_ in order)
    return Sample(chosen, len(flipped), len(drawn), len(stable) - len(drawn))


def _ordered(ids: Collection[str], purpose: str, study: Study) -> list[str]:
    return sorted(ids, key=lambda id_: _hash(f"annotation {purpose} {study.seed} {id_}"))


def _hash(*texts: str) -> str:
    # Lengths keep two texts apart that would be the same when joined.
    joined = "".join(f"{len(text)} {text}" for text in texts)
    return hashlib.sha256(joined.encode()).hexdigest()
