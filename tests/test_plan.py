"""The plan says what a recording then asks for, and what like replies cost."""

import json
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner

from judgeworthy import plan, study
from judgeworthy.cli import main
from judgeworthy.models import catalog, cost
from judgeworthy.models.budget import Budget, Limits
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.sections import calibration

SENSITIVITY = """
sensitivity:
  generators: [judge]
  temperature: 0.3
  max_tokens: 20
  compared: 0
  controls: false
  primary: [NR, RC]
"""


def asked() -> list[Request]:
    (stage,) = calibration.stages(study.load("x"), Record.of("x"))
    return list(stage["judge"].values())


def answer(
    requests: list[Request], prompt: int, completion: int, at: tuple[int, ...] = (0,)
) -> None:
    """Record replies that each took two seconds and came at these seconds, in turn."""
    path = Record.of("x").growing("judge")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        for one, second in zip(requests, cycle(at), strict=False):
            came = f"2026-11-30T12:00:{second:02}+00:00"
            reply = Reply(one.id, "{}", "stop", prompt, completion, "", "", "", "", 2.0, came)
            stream.write(json.dumps(reply.__dict__) + "\n")


def change_models(project: Path, added: str) -> None:
    path = project / "params" / "models.yaml"
    path.write_text(path.read_text(encoding="utf-8") + added, encoding="utf-8")


def test_without_replies_the_rule_tells(project: Path) -> None:
    change_models(project, "    requests_per_minute: 4\n")
    (part,) = plan.parts(study.load("x"))
    assert (part.section, part.stage, part.model) == ("calibration", 1, "judge")
    assert (part.requests, part.recorded, part.ask, part.told) == (8, 0, 8, False)
    assert part.tokens.completion == sum(request.max_tokens for request in asked())
    assert (part.usd, part.seconds) == (None, 120)


def test_with_replies_the_rest_costs_what_they_cost(project: Path) -> None:
    change_models(project, "    price_prompt: 1\n    price_completion: 10\n")
    answer(asked()[:2], 200, 40)
    (part,) = plan.parts(study.load("x"))
    assert (part.recorded, part.ask, part.told) == (2, 6, True)
    assert part.tokens.completion == 6 * 40
    assert part.tokens.prompt == pytest.approx(6 * 200, rel=0.3)
    assert part.usd == pytest.approx((part.tokens.prompt + 10 * 240) / 1e6)
    assert part.seconds == 6 * 2.0 / 2


@pytest.mark.parametrize(
    ("at", "busy"),
    [
        ((10, 10, 10, 10), 2),  # in flight together
        ((10, 12, 14, 16), 8),  # one after another
        ((10, 11, 12, 13), 5),  # overlapping
        ((10, 10, 50, 50), 4),  # with a pause in which nothing was asked
    ],
)
def test_the_rest_comes_at_the_pace_of_what_came(
    project: Path, at: tuple[int, ...], busy: int
) -> None:
    answer(asked()[:4], 200, 40, at)
    (part,) = plan.parts(study.load("x"))
    assert part.seconds == (part.ask / 4) * busy


def test_batches_are_planned_at_the_price_at_which_the_budget_counts_them(project: Path) -> None:
    change_models(project, "    price_prompt: 1\n    price_completion: 10\n    batch: true\n")
    (whole,) = plan.parts(study.load("x"))
    (part,) = plan.parts(study.load("x"), batch=True)
    assert part.usd == pytest.approx((whole.usd or 0) / 2)
    assert (part.tokens, part.seconds) == (whole.tokens, 24 * 60 * 60)
    budget = Budget(Limits())
    budget.affordable(cost.in_batches(catalog.load()["judge"]), asked())
    assert budget.money == pytest.approx(part.usd)


def test_nothing_is_left_where_all_is_recorded(project: Path) -> None:
    answer(asked(), 200, 40)
    (part,) = plan.parts(study.load("x"))
    assert (part.ask, part.tokens.total, part.usd, part.seconds) == (0, 0, None, 0)


def test_a_stage_is_planned_before_the_one_that_it_stands_on_is_recorded(project: Path) -> None:
    with (project / "params" / "x.yaml").open("a", encoding="utf-8") as stream:
        stream.write(SENSITIVITY)
    planned = list(plan.parts(study.load("x")))
    assert [(part.section, part.stage, part.ask) for part in planned] == [
        ("calibration", 1, 8),
        ("sensitivity", 1, 4),
        ("sensitivity", 2, 12),
    ]
    assert planned[2].tokens.prompt > planned[0].tokens.prompt
    assert not Record.of("x").folder.exists(), "a plan leaves nothing behind"


def test_the_command_shows_the_plan_with_its_sums(project: Path) -> None:
    answer(asked()[:2], 200, 40)
    shown = CliRunner().invoke(main, ["plan"])
    assert shown.exit_code == 0, shown.output
    header, line, sums = shown.output.splitlines()
    assert "to ask" in header
    assert line.split()[:7] == ["x", "calibration", "1", "judge", "8", "2", "6"]
    assert sums.split()[:4] == ["all", "8", "2", "6"]
    assert "unknown" in line, "the model has no price"


def test_a_plan_of_an_unknown_study_names_the_nearest(project: Path) -> None:
    shown = CliRunner().invoke(main, ["plan", "y"])
    assert shown.exit_code == 1
    assert "params/y.yaml" in shown.output
