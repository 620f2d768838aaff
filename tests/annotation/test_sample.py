"""The sample: all flips, some others, and nothing that tells which is which or whose it is."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation import arabic
from judgeworthy import datasets, judgments
from judgeworthy import study as studies
from judgeworthy.annotation import sample
from judgeworthy.datasets.question import Question
from judgeworthy.errors import DataError, MissingRepliesError, ParameterError
from judgeworthy.models.record import Record
from judgeworthy.sections.responses import Response
from judgeworthy.study import Study
from sections.sensitivity import planted

STUDY = planted.study()
GENERATORS = planted.GENERATORS
paths = st.lists(st.text("CIx", min_size=3, max_size=3), min_size=1, max_size=12)


def responses(n: int, generators: Sequence[str] = GENERATORS) -> list[Response]:
    """Return different responses to n questions, a generator each."""
    questions = [
        Question(f"q{i:03}", "en", f"What is {i}?", (f"It is {i}",), "thing", f"q{i:03}")
        for i in range(n)
    ]
    return [
        Response(question, generator, f"answer {place} to {question.id}", "complete")
        for question in questions
        for place, generator in enumerate(generators)
    ]


def is_flip(path: str) -> bool:
    nr, rv, rc = path
    return {nr, rv} == {"C", "I"} or {nr, rc} == {"C", "I"}


@settings(max_examples=20)
@given(paths)
def test_a_flip_is_a_change_from_nr_to_rv_or_rc_between_two_verdicts(paths: list[str]) -> None:
    table = planted.rows("smollm2-135m", "gemma3-270m", paths)
    expected = {(f"q{n:03}", "gemma3-270m") for n, path in enumerate(paths) if is_flip(path)}
    assert sample.flipping(table) == expected


def test_one_judge_that_flips_is_enough() -> None:
    table = planted.table({("a", "g"): ["CCC", "CCC"], ("b", "g"): ["CCC", "ICC"]})
    assert sample.flipping(table) == {("q001", "g")}


def test_the_noise_floor_and_the_placebo_do_not_count_as_flips() -> None:
    table = planted.rows(
        "a", "g", ["CCCIII"], ("NR", "RV", "RC", "NR sampled-1", "RV other", "NR paraphrase")
    )
    assert set(table["variant"]) <= set(judgments.VARIANTS)
    assert sample.flipping(table) == frozenset()


@given(st.integers(1, 12), st.data(), st.integers(0, 2**31))
def test_all_flips_are_in_and_as_many_others_at_most_all(
    n: int, data: st.DataObject, seed: int
) -> None:
    given_ = responses(n)
    places = [(each.question.id, each.generator) for each in given_]
    flips = data.draw(st.sets(st.sampled_from(places), min_size=1))
    chosen = sample.choose(given_, flips, STUDY.model_copy(update={"seed": seed}))
    texts = [item.response for item in chosen.items]
    expected = {r.text for r in given_ if (r.question.id, r.generator) in flips}
    assert expected <= set(texts)
    assert len(texts) == len(set(texts)) == chosen.flips + chosen.others
    assert chosen.flips == len(flips)
    assert chosen.others == min(len(flips), len(places) - len(flips))
    assert chosen.others + chosen.left_out == len(places) - len(flips)


@given(st.permutations(responses(5)), st.sets(st.integers(0, 9), min_size=1))
def test_the_sample_depends_on_no_order(shuffled: list[Response], numbers: set[int]) -> None:
    given_ = responses(5)
    flips = [(given_[n].question.id, given_[n].generator) for n in sorted(numbers)]
    assert sample.choose(shuffled, flips, STUDY) == sample.choose(given_, flips[::-1], STUDY)


@given(st.sets(st.integers(0, 9), min_size=1))
def test_what_people_see_is_the_same_whoever_generated_and_whatever_was_judged(
    numbers: set[int],
) -> None:
    ours, theirs = responses(5), responses(5, ("another", "third"))
    shown = [
        sample.choose(
            given_, {(given_[n].question.id, given_[n].generator) for n in numbers}, STUDY
        ).items
        for given_ in (ours, theirs)
    ]
    assert shown[0] == shown[1]
    seen = " ".join(" ".join(astuple(item)) for item in shown[0])
    assert not any(word in seen for word in (*GENERATORS, *planted.VERDICTS.values()))
    ids = {item.id: item for item in sample.choose(ours, set(), STUDY, others=99).items}
    assert all(ids[item.id] == item for item in shown[0]), "an id does not tell a flip"


def test_the_place_of_an_item_does_not_tell_whether_its_verdict_flips() -> None:
    given_ = responses(40)
    flips = {(f"q{n:03}", GENERATORS[n % 2]) for n in range(20)}
    texts = {r.text for r in given_ if (r.question.id, r.generator) in flips}
    means = []
    for seed in range(300):
        chosen = sample.choose(given_, flips, STUDY.model_copy(update={"seed": seed}))
        places = [n for n, item in enumerate(chosen.items) if item.response in texts]
        means.append(sum(places) / len(places))
    assert len(chosen.items) == 40
    assert abs(sum(means) / len(means) - 19.5) < 0.5  # five standard errors


def test_another_seed_draws_others_and_shows_them_in_another_order() -> None:
    given_ = responses(20)
    flips = {("q000", GENERATORS[0])}
    first, second = (
        sample.choose(given_, flips, STUDY.model_copy(update={"seed": seed}), others=10)
        for seed in (1, 2)
    )
    assert {item.id for item in first.items} != {item.id for item in second.items}
    both = [
        [i.id for i in each.items if i in first.items and i in second.items]
        for each in (first, second)
    ]
    assert sorted(both[0]) == sorted(both[1])
    assert both[0] != both[1]


def test_a_larger_sample_keeps_the_smaller_one() -> None:
    given_ = responses(20)
    sizes = [
        {item.id for item in sample.choose(given_, set(), STUDY, others=n).items} for n in (5, 9)
    ]
    assert sizes[0] < sizes[1]


def test_the_same_words_to_the_same_question_are_one_item_and_one_flip_is_enough() -> None:
    given_ = [replace(each, text="the same") for each in responses(2)]
    chosen = sample.choose(given_, {("q000", GENERATORS[1])}, STUDY)
    assert (chosen.flips, chosen.others, len(chosen.items)) == (1, 1, 2)


@pytest.mark.parametrize("name", ["id", "question", "reference", "response"])
def test_an_id_is_of_the_study_and_of_each_text(name: str) -> None:
    (first,) = responses(1, GENERATORS[:1])
    other = {
        "id": (first, planted.study().model_copy(update={"name": "other"})),
        "question": (replace(first, question=replace(first.question, text="?")), STUDY),
        "reference": (replace(first, question=replace(first.question, references=("?",))), STUDY),
        "response": (replace(first, text="?"), STUDY),
    }
    assert sample.item(*other[name]).id != sample.item(first, STUDY).id
    renamed = replace(first, generator="another", state="cut_off")
    assert sample.item(renamed, STUDY).id == sample.item(first, STUDY).id
    assert re.fullmatch("r[0-9a-f]{10}", sample.item(first, STUDY).id)


def test_without_a_flip_the_remedy_is_told() -> None:
    with pytest.raises(ParameterError, match=r"no verdict flips.* --others N"):
        sample.choose(responses(2), set(), STUDY)
    assert sample.choose(responses(2), set(), STUDY, others=1).others == 1
    with pytest.raises(ParameterError, match="others is -1"):
        sample.choose(responses(2), set(), STUDY, others=-1)


def test_a_study_is_drawn_from_its_recorded_replies(study: Study) -> None:
    drawn = sample.draw(study)
    assert (drawn.flips, drawn.others, drawn.left_out) == (4, 4, 3), "of 12, two are the same"
    texts = {item.response for item in drawn.items}
    assert {arabic.response(study, model, number) for number, model in arabic.FLIPS} <= texts
    assert {item.question for item in drawn.items} <= {q.text for q in datasets.questions(study)}
    assert set(sample.everything(study)) >= {item.id for item in drawn.items}


def test_the_sample_is_the_same_in_another_process(study: Study) -> None:
    code = (
        "from judgeworthy import study; from judgeworthy.annotation import sample;"
        "print(*[item.id for item in sample.draw(study.load('ar')).items])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [item.id for item in sample.draw(study).items]


def test_a_study_without_the_block_says_so(project: Path) -> None:
    with pytest.raises(ParameterError, match=r"params/x\.yaml: .* block 'sensitivity'"):
        sample.draw(studies.load("x"))


def test_a_study_whose_text_is_not_here_says_how_to_bring_it(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUDGEWORTHY_TYDIQA", str(tmp_path / "nothing"))
    textless = study.model_copy(update={"dataset": "tydiqa", "name": "tydiqa-ar"})
    with pytest.raises(DataError, match=r"'tydiqa-ar': its text .* judgeworthy data tydiqa"):
        sample.draw(textless)


def test_a_study_whose_replies_are_missing_says_how_to_record_them(study: Study) -> None:
    Record.of("ar").growing("base").unlink()
    with pytest.raises(MissingRepliesError, match="make record STUDY=ar"):
        sample.draw(study)
