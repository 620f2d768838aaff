"""Wrong answers are wrong, each is used once, and the draw depends on nothing but the seed."""

import os
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.datasets import parallel, tydiqa
from judgeworthy.datasets.question import Question
from judgeworthy.datasets.wrong_answers import Assignment, Item, assign, sample
from judgeworthy.text import overlaps

ROOT = Path(__file__).parents[2]
KINDS = ("same_type", "random")
NAMES = "5,five,ఐదు,15,5 km,1947,15 August 1947,Paris,Paris France,Rome,Lima,لندن,مدينة لندن"
POOL = [*NAMES.split(","), "Oslo", "Bern", "టోక్యో", "Cairo", "Quito"]


def question(number: int, answers: list[str], language="en", type_="thing", cluster="") -> Question:
    id_ = f"q{number:03}"
    return Question(id_, language, "?", tuple(answers), type_, cluster or id_)


@st.composite
def data_sets(draw: st.DrawFn) -> list[Item]:
    answers = st.lists(st.sampled_from(POOL), min_size=1, max_size=2)
    rows = draw(
        st.lists(
            st.tuples(answers, answers, st.sampled_from(["number", "thing"]), st.integers(0, 9)),
            min_size=1,
            max_size=14,
        )
    )
    return [
        tuple(
            question(i, given_, language, type_, f"doc-{document}")
            for language, given_ in (("en", first), ("te", second))
        )
        for i, (first, second, type_, document) in enumerate(rows)
    ]


def is_wrong(item: Item, donor: Item) -> bool:
    pairs = zip(item, donor, strict=True)
    return item[0].cluster != donor[0].cluster and not any(
        overlaps(reference, answer)
        for asked, lent in pairs
        for reference, answer in product(asked.references, lent.references)
    )


def check(items: list[Item], assignment: Assignment, kind: str) -> None:
    by_id = {item[0].id: item for item in items}
    donors = assignment.donors
    assert sorted([*donors, *assignment.unassigned]) == sorted(by_id)
    assert len(set(donors.values())) == len(donors)
    assert all(is_wrong(by_id[asked], by_id[donor]) for asked, donor in donors.items())
    if kind == "same_type":
        types = {id_: item[0].answer_type for id_, item in by_id.items()}
        assert all(types[asked] == types[donor] for asked, donor in donors.items())


@given(data_sets(), st.sampled_from(KINDS), st.integers(0, 5))
def test_every_wrong_answer_is_wrong_in_every_language_and_used_once(items, kind, seed) -> None:
    check(items, assign(items, kind, seed), kind)


@given(data_sets(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(items, random) -> None:
    shuffled = random.sample(items, len(items))
    assert assign(shuffled, "same_type", 7) == assign(items, "same_type", 7)


def test_a_refused_donor_is_exchanged_and_counted() -> None:
    items = [(question(i, [answer]),) for i, answer in enumerate(["5", "five", "Oslo", "Bern"])]
    drawn = [assign(items, "same_type", seed) for seed in range(20)]
    assert {assignment.redrawn for assignment in drawn} == {0, 1}
    assert all(assignment.unassigned == () for assignment in drawn)


def test_a_question_without_a_possible_donor_is_listed() -> None:
    items = [(question(1, ["5"]),), (question(2, ["five"]),)]
    assert assign(items, "random", 0) == Assignment({}, 2, ("q001", "q002"))
    assert assign(items[:1], "random", 0) == Assignment({}, 1, ("q001",))


def test_questions_of_one_document_do_not_lend_to_each_other() -> None:
    items = [(question(i, [a], cluster="doc"),) for i, a in enumerate(["Oslo", "Bern", "Lima"])]
    assert assign(items, "random", 0).donors == {}


def test_another_seed_gives_other_donors() -> None:
    items = [(question(i, [answer]),) for i, answer in enumerate(POOL)]
    assert assign(items, "random", 1).donors != assign(items, "random", 2).donors


@pytest.mark.parametrize("kind", KINDS)
def test_the_parallel_set_has_one_donor_for_all_languages(kind: str) -> None:
    languages = parallel.read(ROOT / "data" / "questions" / "parallel.csv")
    items = list(zip(*languages.values(), strict=True))
    assignment = assign(items, kind, 20261130)
    assert assignment.unassigned == ()
    check(items, assignment, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "ar", "te"])
def test_every_question_of_tydiqa_has_a_wrong_answer(tydiqa_folder, language, kind) -> None:
    items = [(asked,) for asked in tydiqa.read(tydiqa_folder, language).questions]
    assignment = assign(items, kind, 20261130)
    assert assignment.unassigned == ()
    check(items, assignment, kind)


SCRIPT = """
from pathlib import Path
from judgeworthy.datasets import parallel
from judgeworthy.datasets.wrong_answers import assign, sample
languages = parallel.read(Path("data/questions/parallel.csv"))
print(assign(list(zip(*languages.values())), "random", 1))
print([question.id for question in sample(languages["te"], 20, 1)])
"""


def test_the_hash_seed_does_not_matter() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "src", "PYTHONUTF8": "1"},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert b"Assignment(donors=" in outputs.pop()


def typed(counts: dict[str, int]) -> list[Question]:
    types = [type_ for type_, count in counts.items() for _ in range(count)]
    return [question(i, ["Oslo"], type_=type_) for i, type_ in enumerate(types)]


def test_a_sample_is_stratified_by_largest_remainder() -> None:
    drawn = sample(typed({"number": 66, "date": 22, "thing": 12}), 10, seed=1)
    assert Counter(asked.answer_type for asked in drawn) == {"number": 7, "date": 2, "thing": 1}


@given(
    st.dictionaries(st.sampled_from(["number", "date", "thing"]), st.integers(1, 20), min_size=1),
    st.integers(0, 70),
    st.integers(0, 5),
)
def test_a_sample_has_its_size_and_each_type_its_share(counts, n, seed) -> None:
    everything = typed(counts)
    drawn = sample(everything, n, seed)
    size = min(n, len(everything))
    assert len(drawn) == len({asked.id for asked in drawn}) == size
    got = Counter(asked.answer_type for asked in drawn)
    assert all(abs(got[t] - size * c / len(everything)) < 1 for t, c in counts.items())
    assert sample(everything[::-1], n, seed) == drawn


@given(st.integers(1, 99), st.integers(0, 5))
def test_a_larger_sample_keeps_the_smaller_of_each_type(n, seed) -> None:
    everything = typed({"number": 50, "date": 30, "thing": 20})
    small, large = sample(everything, n, seed), sample(everything, n + 1, seed)
    for type_ in ("number", "date", "thing"):
        first = [asked for asked in small if asked.answer_type == type_]
        second = [asked for asked in large if asked.answer_type == type_]
        shorter = min(len(first), len(second))
        assert first[:shorter] == second[:shorter]


def test_the_sample_of_50_stands_in_the_sample_of_100(tydiqa_folder) -> None:
    everything = tydiqa.read(tydiqa_folder, "te").questions
    assert {*sample(everything, 50, 20261130)} < {*sample(everything, 100, 20261130)}
