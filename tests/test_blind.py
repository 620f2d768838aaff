"""Blindness: names, openings and marks are taken out and counted; the order is shuffled."""

import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.blind import NAMES, PLACE, scrub, shuffled

SOURCE = Path(__file__).parents[1] / "src"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("As a language model trained by OpenAI, I think it is 4.", "I think it is 4."),
        ("As an AI language model, I cannot. It is 4.", "I cannot. It is 4."),
        ("I am Qwen, made by Alibaba Cloud. It is 4.", f"I am {PLACE}, made by {PLACE}. It is 4."),
        ("Hello! I'm a helpful AI assistant. It is 4.", "It is 4."),
        ("ChatGPT and GPT-4o-mini differ.", f"{PLACE} and {PLACE} differ."),
        ("Claude 3.5 says so.", f"{PLACE} says so."),
        ("**4**", "4"),
        ("# Result\n- one\n2. two\n```python\nx = 1\n```", "Result\none\ntwo\n\nx = 1"),
        ("It is 4.", "It is 4."),
    ],
)
def test_what_would_name_the_author_is_taken_out(text: str, clean: str) -> None:
    assert scrub(text).text == clean


@pytest.mark.parametrize(
    "text",
    [
        "As a rule, 2 * 3 = 6.",
        "The meta-analysis says so.",
        "x_1 and snake_case stay.",
        "As a model of clarity it will do.",
        "Claudette went home.",
        "- 5 is negative in 3 - 5 < 0"[2:],
    ],
)
def test_what_names_nobody_stays(text: str) -> None:
    assert scrub(text).text == text


def test_what_was_scrubbed_is_counted() -> None:
    found = scrub("As an AI made by Google, I say: **Gemini** and `Grok`.")
    assert (found.openings, found.names, found.marks) == (1, 2, 4)


def test_the_names_of_the_study_are_scrubbed_too() -> None:
    assert scrub("I am tiny-owl-7b here.", ["tiny-owl"]).text == f"I am {PLACE} here."


@given(st.text(max_size=80))
def test_scrubbing_twice_changes_nothing_more_in_names(text: str) -> None:
    once = scrub(text).text
    assert scrub(once).names == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_known_name_is_found_alone_and_with_a_version(name: str) -> None:
    assert scrub(f"It is {name}.").names == 1
    assert scrub(f"It is {name} 4.5 here.").text == f"It is {PLACE} here."


def test_the_order_is_decided_by_the_place_and_not_by_the_process() -> None:
    code = "from judgeworthy.blind import shuffled; print(shuffled('abcd', 'p1', 'judge', 2, 7))"
    orders = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert orders == {f"{shuffled('abcd', 'p1', 'judge', 2, 7)}\n"}


def test_every_answer_stands_in_every_place_about_as_often() -> None:
    places = Counter(
        (name, place)
        for prompt, judge in product(range(300), "xyz")
        for place, name in enumerate(shuffled("abcd", prompt, judge, 1, 7))
    )
    assert len(places) == 16
    assert all(180 <= count <= 270 for count in places.values())


def test_the_order_given_does_not_matter() -> None:
    assert shuffled("abcd", 1) == shuffled("dcba", 1)
    assert sorted(shuffled("abcd", 1)) == list("abcd")
