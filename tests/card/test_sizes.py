"""How many questions: from simulated studies of the judge as it was found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from judgeworthy import simulator, study
from judgeworthy.card import sizes
from judgeworthy.card.collected import Card
from judgeworthy.card.decision import Verdict, decide
from judgeworthy.card.evidence import Evidence, estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.simulator import Judge

FEW = Thresholds(repetitions=50)


def card(judge: Judge) -> Card:
    """What a study of a planted judge finds."""
    drawn = simulator.evidence(judge, np.random.default_rng(5))
    return _decided(drawn)


def _decided(evidence: Evidence) -> Card:
    return Card(study.load("x"), "judge", evidence, decide(estimates(evidence), FEW))


def test_the_judge_is_planted_as_it_was_found(project: Path) -> None:
    found = sizes.planted(card(Judge(2000, 4, 0.9, 0.2, 0.08, 0.03, (0.97, 0.1), 0.05)))
    assert (found.questions, found.generators) == (2000, 4)
    assert found.c1 == pytest.approx(0.9, abs=0.03)
    assert found.taken_back == pytest.approx(0.08, abs=0.02)
    assert found.again == pytest.approx(0.4)
    assert found.invalid == pytest.approx(0.05, abs=0.01)


def test_a_share_of_all_is_not_planted_without_error(project: Path) -> None:
    found = sizes.planted(card(Judge(40, 1, 1.0, 0.0, invalid=0.0)))
    assert (found.c1, found.c2) == (40.5 / 41, 0.5 / 41)


def test_a_good_judge_on_few_questions_needs_more_and_is_told_how_many(project: Path) -> None:
    few = card(Judge(40, 2, 0.98, 0.02, 0.02, 0.02))
    assert few.decision.verdict is Verdict.NOT_ENOUGH
    needed = sizes.more(few, FEW)
    assert needed is not None and 40 + needed in sizes.SIZES
    decided = sizes.curve(few, FEW, (40 + needed,))
    assert decided[Verdict.NOT_ENOUGH].item() <= 1 - FEW.power


def test_where_a_measure_is_missing_more_questions_do_not_help(project: Path) -> None:
    drawn = simulator.evidence(Judge(40, 2), np.random.default_rng(5))
    lacking = _decided(replace(drawn, controls=None))
    assert sizes.more(lacking, FEW) is None
    assert not sizes.open_(lacking)


def test_what_was_not_measured_is_not_simulated(project: Path) -> None:
    drawn = simulator.evidence(Judge(40, 2), np.random.default_rng(5))
    shown = sizes.curve(_decided(replace(drawn, controls=None)), FEW, (450,))
    assert shown[Verdict.TRUST].item() == 0


def test_a_width_takes_four_times_the_questions_at_half_of_it(project: Path) -> None:
    wanted = {
        row["half_width"]: int(str(row["questions"]))
        for row in sizes.for_width(card(Judge(200, 2, 0.8, 0.3)))
        if row["measure"] == "c2"
    }
    assert wanted[0.05] == pytest.approx(4 * wanted[0.10], rel=0.02)
    # Wilson's half-width at 0.3 is about 1.96 √(0.21 / n).
    assert wanted[0.10] == pytest.approx(1.96**2 * 0.21 / 0.01, rel=0.2)


def test_before_there_are_data_a_good_judge_is_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "BEFORE", (30, 300))
    few, many = sizes.before(FEW).to_dict("records")
    assert few[str(Verdict.TRUST)] == 0, "at 30 questions C1 cannot be shown"
    assert many[str(Verdict.TRUST)] > 0.9
    assert few["c2_half_width"] > many["c2_half_width"]
