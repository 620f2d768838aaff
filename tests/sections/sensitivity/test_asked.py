"""Sensitivity: what generators and judges are asked."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from conftest import COMMITTED
from judgeworthy import datasets, prompts, study, text
from judgeworthy.errors import MissingRepliesError, ParameterError
from judgeworthy.judgments import Item
from judgeworthy.models import catalog
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply
from judgeworthy.sections import responses, verdicts
from judgeworthy.sections.sensitivity import asked, examples
from judgeworthy.study import Study

BLOCK = """\
sensitivity:
  generators:
    - judge
    - base
  max_tokens: 20
  compared: 2
  controls: true
"""
VERDICT = '{"extracted_answer": "x", "explanation": "y", "verdict": "CORRECT"}'


def items(study: Study) -> list[Item]:
    return asked.items(study, Record.of(study.name))


@pytest.fixture
def answered(project: Path) -> Study:
    """The small study with two generators, whose responses are recorded."""
    models = project / "params" / "models.yaml"
    entry = models.read_text().split("models:\n")[1]
    base = entry.replace("judge:", "base:", 1) + "    chat: false\n"
    models.write_text(models.read_text() + base)
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text() + BLOCK)
    chosen = study.load("x")
    for stage in (next(asked.stages(chosen, Record.of(chosen.name))),):
        for model, requests in stage.items():
            lines = [
                json.dumps(reply(request.id, f" The answer of {model} is {number}. ").__dict__)
                for number, request in enumerate(requests.values())
            ]
            path = Record.of("x").growing(model)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
    return chosen


def reply(id_: str, said: str, finish: str = "stop") -> Reply:
    return Reply(id_, said, finish, 1, 1, "instruction", "m", "", "", 0.1, "2026-11-30T00:00:00Z")


def place(chosen: Study, condition: str, variant: str = "") -> list[Item]:
    return [
        item for item in items(chosen) if (item.condition, item.variant) == (condition, variant)
    ]


def test_every_response_is_judged_under_three_conditions(answered: Study) -> None:
    for condition in asked.CONDITIONS:
        items = place(answered, condition)
        assert len(items) == 4 * 2
        assert {item.response for item in items} == {
            f"The answer of {model} is {number}."
            for model in ("judge", "base")
            for number in range(4)
        }


def test_the_prompts_differ_in_the_reference_and_in_the_comparison_alone(answered: Study) -> None:
    (nr, rv, rc) = (place(answered, name)[0] for name in asked.CONDITIONS)
    system, shown = zip(
        *(
            [m["content"] for m in verdicts.request(item, "judge", answered).messages]
            for item in (nr, rv, rc)
        ),
        strict=True,
    )
    assert system[0] == system[1] == system[2]
    reference = f"Reference answer: {nr.question.references[0]}\n"
    assert shown[1].replace(reference, "") == shown[0]
    instruction = "Compare the extracted answer with the reference answer before you decide.\n\n"
    assert shown[2] == instruction + shown[1]


def test_a_base_model_completes_a_text_and_a_chat_model_is_asked_in_the_language(
    answered: Study,
) -> None:
    stage = next(asked.stages(answered, Record.of(answered.name)))
    base, chat = (next(iter(stage[model].values())) for model in ("base", "judge"))
    question = asked.questions(answered)[0].text
    assert base.messages == ({"role": "completion", "content": f"Q: {question}\nA:"},)
    assert chat.messages == prompts.messages("generate.en", question=question)
    assert (chat.temperature, chat.seed, chat.max_tokens, chat.schema) == (0.3, 1, 20, None)


def test_the_noise_floor_has_two_seeds_and_a_paraphrase(answered: Study) -> None:
    sampled = [
        verdicts.request(place(answered, "NR", variant)[0], "judge", answered)
        for variant in ("sampled-1", "sampled-2")
    ]
    plain = verdicts.request(place(answered, "NR")[0], "judge", answered)
    assert [(r.temperature, r.seed) for r in (plain, *sampled)] == [(0.0, 0), (0.3, 1), (0.3, 2)]
    asked_plainly = [
        verdicts.request(item, "judge", answered).messages for item in place(answered, "NR")
    ]
    assert all(request.messages in asked_plainly for request in sampled)
    other = verdicts.request(place(answered, "NR", "paraphrase")[0], "judge", answered)
    assert (other.temperature, other.seed) == (0.0, 0)
    assert other.messages[0] != plain.messages[0]


def test_the_placebo_is_an_irrelevant_text_as_long_as_the_reference_or_another_reference(
    answered: Study,
) -> None:
    shown = datasets.shown_answers(answered)
    for item in place(answered, "RV", "irrelevant"):
        assert len(item.reference) >= len(item.question.references[0])
        assert prompts.plain("placebo.en").startswith(item.reference)
    for item in place(answered, "RV", "other"):
        assert item.reference == shown[item.donor_id]
        assert not any(text.overlaps(item.reference, r) for r in item.question.references)
    assert len(place(answered, "RV", "irrelevant")) == len(place(answered, "RV", "other")) == 2 * 2


def test_the_controls_are_the_answers_of_the_calibration(answered: Study) -> None:
    for condition in ("RV", "RC"):
        right, wrong = (place(answered, condition, variant) for variant in ("right", "wrong"))
        assert [item.response for item in right] == [item.question.references[0] for item in right]
        assert all(item.donor_id and item.response for item in wrong)
        assert len(right) == len(wrong) == 4
        assert {item.generator for item in [*right, *wrong]} == {""}


def test_what_begins_alike_stands_together(answered: Study) -> None:
    shown = [verdicts.request(item, "judge", answered).messages for item in items(answered)]
    runs = 1 + sum(a != b for a, b in pairwise(shown))
    assert runs == len({str(messages) for messages in shown}), "equal prompts are neighbours"


def test_an_empty_and_a_cut_off_response_are_kept_as_what_they_are(answered: Study) -> None:
    stage = next(asked.stages(answered, Record.of(answered.name)))
    first, second = list(stage["base"].values())[:2]
    with Record.of("x").growing("base").open("a") as stream:
        for changed in (reply(first.id, "  "), reply(second.id, "It is", "length")):
            stream.write(json.dumps(changed.__dict__) + "\n")
    states = [item.state for item in place(answered, "NR") if item.generator == "base"]
    assert states == ["empty", "cut_off", "complete", "complete"]


def test_without_a_response_the_judges_are_not_asked(answered: Study) -> None:
    Record.of("x").growing("base").unlink()
    with pytest.raises(MissingRepliesError, match="4 replies are not recorded") as raised:
        items(answered)
    assert str(raised.value).count("  base  response  ") == 4


@pytest.mark.parametrize("names", [COMMITTED[:3]])
def test_the_languages_compare_the_same_questions(names: tuple[str, ...]) -> None:
    chosen = [study.load(name) for name in names]
    drawn = [
        tuple(q.id for q in datasets.sample(datasets.questions(each), 20, each.seed))
        for each in chosen
    ]
    assert len(drawn[0]) == 20
    assert drawn[0] == drawn[1] == drawn[2]


def test_the_committed_generators_are_known_models() -> None:
    known = catalog.load().models
    for name in COMMITTED:
        chosen = study.load(name)
        assert set(chosen.generators) <= set(known)
        if chosen.sensitivity:
            judged = asked.load(chosen).query("variant == ''")["question_id"]
            assert judged.nunique() >= (40 if chosen.own_text else 30)


def test_a_place_names_the_model_for_the_one_who_reads_the_report(answered: Study) -> None:
    places = [item.place for item in items(answered)]
    assert len(places) == len(set(places))
    assert all(re.fullmatch(r"(NR|RV|RC)[\w -]*  \S+( of (judge|base))?", each) for each in places)


def test_responses_are_counted_by_state(answered: Study) -> None:
    request = next(iter(next(asked.stages(answered, Record.of(answered.name)))["base"].values()))
    assert responses.invalid(request, reply("", "", "stop"))
    assert responses.invalid(request, reply("", "half a", "length"))
    assert not responses.invalid(request, reply("", "whole", "stop"))


def test_what_is_read_is_the_response_that_was_judged(answered: Study) -> None:
    record = Record.of("x")
    lines = [
        json.dumps(reply(request.id, VERDICT).__dict__)
        for request in verdicts.requests(items(answered), answered)["judge"].values()
    ]
    with record.growing("judge").open("a") as stream:
        stream.write("\n".join(lines) + "\n")
    table = asked.load(answered)
    assert len(table) == len(items(answered))
    read = verdicts.read_items(table, items(answered), record)
    shown = [item.response for item in items(answered)]
    assert read["response"].tolist() == shown
    assert len(set(shown)) > 8
    cases = examples.read_items(table, answered, "judge", ("CORRECT", "CORRECT", "CORRECT"), n=2)
    assert cases["generator"].tolist() == ["base"] * 6
    assert cases["condition"].tolist() == ["NR", "RV", "RC"] * 2
    assert cases["response"].nunique() == 2
    assert cases["response"].str.startswith("The answer of base is ").all()


def test_a_study_without_the_block_is_told_so(project: Path) -> None:
    with pytest.raises(ParameterError, match="needs the block 'sensitivity'"):
        asked.load(study.load("x"))
