"""The evidence is what the studies' tables hold; what they do not hold is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import COMMITTED, ROOT
from judgeworthy import study
from judgeworthy.card import collected
from judgeworthy.card.decision import State, Verdict, decide
from judgeworthy.card.evidence import estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.errors import ParameterError
from judgeworthy.study import Study

Built = Callable[..., None]


def test_a_study_that_did_not_run_has_cards_that_know_nothing(project: Path) -> None:
    (card,) = collected.cards(study.load("x"), Thresholds())
    assert card.decision.verdict is Verdict.NOT_ENOUGH
    assert all(finding.distance is None for finding in card.decision.findings)


def test_a_judge_that_is_good_in_everything_is_trusted(two_stages: Study, built: Built) -> None:
    built("x", "calibration", {"judge": {"C1": [1] * 80, "C2": [0] * 80}})
    sides = {"NR": [1] * 80, "RC": [1] * 80, "NR sampled-1": [1] * 30, "NR sampled-2": [1] * 30}
    arms = {"RC right": [1] * 80, "RC wrong": [0] * 80, "RV wrong": [1] * 80}
    built("x", "sensitivity", {"judge": {**sides, **arms}})
    (card,) = collected.cards(two_stages, Thresholds())
    assert card.decision.verdict is Verdict.TRUST
    assert card.evidence.again is not None and len(card.evidence.again.first) == 30
    assert card.evidence.controls is not None and len(card.evidence.controls.said) == 160


def test_calibration_alone_rules_out_but_does_not_trust(project: Path, built: Built) -> None:
    built("x", "calibration", {"judge": {"C1": [1] * 80, "C2": [1] * 80}})
    (card,) = collected.cards(study.load("x"), Thresholds())
    assert str(card.decision.without) == "failed"
    assert card.decision.verdict is Verdict.NOT_ENOUGH, "with the reference it was never asked"
    assert card.decision.decided_by.criterion.name == "controls"


def test_an_unknown_judge_is_named_with_the_nearest(project: Path) -> None:
    cards = collected.cards(study.load("x"), Thresholds())
    with pytest.raises(ParameterError, match=r"no judge 'juge'\. Did you mean 'judge'"):
        collected.find("x", "juge", cards)
    with pytest.raises(ParameterError, match="no card of a study 'y'"):
        collected.find("y", "judge", cards)


def test_verdicts_that_others_recorded_with_references_allow_use_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    (card,) = collected.cards(study.load("openqa-eval"), Thresholds())
    assert card.evidence.labelled is None and card.evidence.labelled_with is not None
    assert card.decision.verdict is Verdict.WITH_REFERENCE


def test_where_a_task_has_no_references_the_verdicts_are_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    cards = collected.cards(study.load("nomiracl-te"), Thresholds())
    assert all(card.evidence.labelled is not None for card in cards)
    assert {card.decision.verdict for card in cards} == {Verdict.DO_NOT_USE}


@pytest.mark.parametrize("name", [*COMMITTED, "nomiracl-en", "nomiracl-ar", "nomiracl-te"])
def test_every_recorded_decision_moves_with_the_threshold_that_decided_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    chosen, asked = study.load(name), Thresholds()
    for card in collected.cards(chosen, asked):
        by = card.decision.decided_by
        if by.state is State.MISSING:
            continue
        bound = by.estimate.low if by.criterion.at_least else by.estimate.high
        assert bound is not None and by.state is not State.MET
        moved = asked.model_copy(update={by.criterion.threshold: bound})
        measured = estimates(card.evidence, chosen.confidence, chosen.max_invalid)
        decision = decide(measured, moved, chosen.has_references)
        assert decision.verdict is not card.decision.verdict or (
            decision.decided_by.criterion is not by.criterion
        ), card.judge
