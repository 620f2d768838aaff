"""Ballots: one strict order of all answers, or INVALID with the reason."""

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.ballots import REASONS, parse_ballot


def ballot(*labels: object) -> str:
    return json.dumps({"ranking": labels}, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        ballot("Answer 3", "Answer 1", "Answer 2"),
        ballot("3", "1", "2"),
        ballot(3, 1, 2),
        ballot("answer 3.", "**Answer 1**", "Answer  2"),
        ballot("Answer ٣", "Answer １", "‏Answer 2"),
        "<think>" + ballot(1, 2, 3) + "</think>" + ballot(3, 1, 2),
        "Here it is:\n```json\n" + ballot(3, 1, 2) + "\n```\nI hope that helps.",
        '{"ranking": ["Answer 1", "…"]}\n' + ballot(3, 1, 2),
    ],
)
def test_labels_as_shown_or_their_numbers_make_an_order(text: str) -> None:
    parsed = parse_ballot(text, 3)
    assert parsed.valid
    assert parsed.order == (3, 1, 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ballot("Answer 1", "Answer 2"), "missing_label"),
        (ballot("Answer 1", "Answer 2", "Answer 2"), "repeated_label"),
        (ballot("Answer 1", "Answer 2", "Answer 3", "Answer 3"), "repeated_label"),
        (ballot("Answer 1", "Answer 2", "Answer 4"), "unknown_label"),
        (ballot("A", "B", "C"), "unknown_label"),
        (ballot(0, 1, 2), "unknown_label"),
        (ballot(True, 2, 3), "unknown_label"),
        (ballot(1.0, 2, 3), "unknown_label"),
        (ballot(None, 2, 3), "unknown_label"),
        (ballot(["Answer 1", "Answer 2"], "Answer 3"), "tie"),
        (ballot("Answer 1 = Answer 2", "Answer 3"), "unknown_label"),
        (ballot(), "no_ranking"),
        ('{"ranking": "Answer 1 > Answer 2 > Answer 3"}', "no_ranking"),
        ('{"order": [1, 2, 3]}', "no_ranking"),
        ("1, 2, 3", "no_object"),
        ("", "empty"),
        (None, "empty"),
        ("I'm sorry, but I can't rank these.", "refusal"),
        ('{"ranking": ["Answer 1", "Answer', "truncated"),
    ],
)
def test_anything_else_is_invalid_with_its_reason(text: str | None, reason: str) -> None:
    parsed = parse_ballot(text, 3)
    assert (parsed.order, parsed.reason) == ((), reason)
    assert reason in REASONS


def test_what_the_endpoint_cut_off_is_no_ballot() -> None:
    assert parse_ballot('{"ranking": [1, 2', 3, "length").reason == "truncated"
    assert parse_ballot("", 3, "content_filter").reason == "content_filter"


def test_every_order_of_four_answers_is_read() -> None:
    for order in permutations(range(1, 5)):
        assert parse_ballot(ballot(*(f"Answer {n}" for n in order)), 4).order == order


@given(st.text(max_size=60), st.integers(min_value=0, max_value=5))
def test_no_text_raises(text: str, candidates: int) -> None:
    parsed = parse_ballot(text, candidates)
    assert bool(parsed.reason) != bool(parsed.order)


@given(st.lists(st.integers(min_value=-1, max_value=5), max_size=6))
def test_a_list_of_numbers_is_a_ballot_exactly_if_it_is_a_strict_order(order: list[int]) -> None:
    assert parse_ballot(ballot(*order), 4).valid == (sorted(order) == [1, 2, 3, 4])
