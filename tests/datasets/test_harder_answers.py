"""Harder wrong answers are wrong in every language, and differ from the right one as they say."""

import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeworthy.datasets import parallel
from judgeworthy.datasets.harder_answers import Harder, corrupted, nearest, wrapped
from judgeworthy.datasets.question import Question
from judgeworthy.datasets.wrong_answers import Item
from judgeworthy.text import overlaps

ROOT = Path(__file__).parents[2]
FACTS: list[Item] = list(
    zip(*parallel.read(ROOT / "data/questions/parallel.csv").values(), strict=True)
)
BY_ID = {item[0].id: item for item in FACTS}
SEEDS = st.integers(0, 10_000)
few = settings(max_examples=20)


def item(id_: str, answer_type: str, *answers: str, text: str = "?") -> Item:
    """One fact, in as many languages as answers."""
    return tuple(
        Question(id_, language, text, (answer,), answer_type, id_)  # type: ignore[arg-type]
        for language, answer in zip(("en", "ar", "te"), answers, strict=False)
    )


def texts(made: dict[str, tuple[Harder, ...]], id_: str) -> list[str]:
    return [answer.text for answer in made[id_]]


@few
@given(SEEDS)
def test_the_nearest_answer_is_wrong_in_every_language_and_of_the_same_type(seed: int) -> None:
    donors = nearest(FACTS, seed)
    assert set(donors) == set(BY_ID)
    for asked, lent in ((BY_ID[id_], BY_ID[donor]) for id_, donor in donors.items()):
        assert asked[0].answer_type == lent[0].answer_type
        for mine, theirs in zip(asked, lent, strict=True):
            assert not any(overlaps(form, theirs.references[0]) for form in mine.references)


def test_the_nearest_number_and_the_nearest_date_of_the_same_form() -> None:
    facts = [
        item("a", "date", "1945"),
        item("b", "date", "15 August 1946"),
        item("c", "date", "1969"),
        item("d", "date", "2 May 1868"),
        item("e", "number", "11"),
        item("f", "number", "206"),
        item("g", "number", "60"),
    ]
    assert nearest(facts, 1) == {
        "a": "c", "b": "d", "c": "a", "d": "b", "e": "g", "f": "g", "g": "f",
    }  # fmt: skip


def test_the_nearest_name_answers_the_question_that_shares_most() -> None:
    facts = [
        item("a", "place", "Paris", text="What is the capital of France?"),
        item("b", "place", "Lima", text="What is the capital of Peru?"),
        item("c", "place", "Etna", text="Which volcano stands in Sicily?"),
    ]
    donors = nearest(facts, 1)
    assert (donors["a"], donors["b"]) == ("b", "a")


def test_an_answer_that_might_be_right_lends_nothing() -> None:
    facts = [item("a", "place", "Paris"), item("b", "place", "Paris, France")]
    assert nearest(facts, 1) == {}


@few
@given(SEEDS)
def test_a_corrupted_answer_is_wrong_in_every_language(seed: int) -> None:
    made = corrupted(FACTS, seed)
    for id_, answers in made.items():
        for question, answer in zip(BY_ID[id_], answers, strict=True):
            assert not any(overlaps(r, answer.text) for r in question.references), answer


@few
@given(SEEDS)
def test_a_year_moves_by_five_at_most_and_a_number_by_a_tenth(seed: int) -> None:
    for id_, answers in corrupted(FACTS, seed).items():
        kind = BY_ID[id_][0].answer_type
        for question, answer in zip(BY_ID[id_], answers, strict=True):
            if kind in ("date", "number"):
                old, new = (numbers(text) for text in (question.references[0], answer.text))
                (step,) = {after - before for before, after in zip(old, new, strict=True)} - {0}
                assert abs(step) <= (5 if kind == "date" else max(1, max(old) // 10))


def numbers(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", text)]


@few
@given(SEEDS)
def test_all_languages_are_changed_alike(seed: int) -> None:
    for id_, answers in corrupted(FACTS, seed).items():
        assert len({answer.donor_id for answer in answers}) == 1
        if BY_ID[id_][0].answer_type != "person":
            assert len({tuple(sorted(numbers(answer.text))) for answer in answers}) == 1


def test_a_name_keeps_all_but_its_last_word() -> None:
    facts = [
        item("a", "person", "Neil Armstrong"),
        item("b", "person", "Leonardo da Vinci"),
        item("c", "person", "Plato"),
    ]
    made = corrupted(facts, 1)
    assert texts(made, "a") == ["Neil Vinci"]
    assert texts(made, "b") == ["Leonardo da Armstrong"]
    assert "c" not in made


@pytest.mark.parametrize(
    "answer_type, answer",
    [("place", "Paris"), ("thing", "iron"), ("number", "eleven"), ("number", "1.5"),
     ("number", "1,729"), ("date", "May"), ("person", "Plato")],
)  # fmt: skip
def test_what_has_no_plain_number_or_name_to_change_has_none(answer_type: str, answer: str) -> None:
    assert corrupted([item("a", answer_type, answer)], 1) == {}


def test_digits_stay_in_their_script() -> None:
    ((english, arabic),) = corrupted([item("a", "date", "1945", "عام ١٩٤٥")], 1).values()
    assert re.fullmatch("عام [٠-٩]{4}", arabic.text)
    assert numbers(english.text) == numbers(arabic.text)


def test_numbers_that_differ_between_languages_are_not_changed() -> None:
    assert corrupted([item("a", "number", "11", "12")], 1) == {}


@few
@given(SEEDS)
def test_the_order_of_the_facts_changes_nothing(seed: int) -> None:
    assert nearest(FACTS[::-1], seed) == nearest(FACTS, seed)
    assert corrupted(FACTS[::-1], seed) == corrupted(FACTS, seed)


@pytest.mark.parametrize("kind, language", [*product(("verbose", "injected"), parallel.LANGUAGES)])
def test_what_is_written_around_an_answer_holds_it_and_nothing_to_fill_in(
    kind: str, language: str
) -> None:
    shown = wrapped(kind, "$42 {x}", language)
    assert "$42 {x}" in shown
    assert "$answer" not in shown
    assert ("CORRECT" in shown) == (kind == "injected")
