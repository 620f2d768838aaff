"""The decision follows from the bounds, names the measure that decided, and moves with a threshold.

How often it is wrong is simulated in `validation`.
"""

from dataclasses import replace

import pytest

from judgeworthy.card.decision import CRITERIA, State, Verdict, decide, find
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.statistics.estimate import Estimate, undefined

DEFAULTS = Thresholds()
MIDDLES = {"c1": 0.97, "c2": 0.03, "cgp": 0.93, "flips": 0.01, "controls": 0.95, "invalid": 0.02}


def estimate(value: float, half: float = 0.02) -> Estimate:
    return Estimate(value, value - half, value + half, 100, 100, "planted")


def measured(**changed: Estimate | None) -> dict[str, Estimate]:
    """The measures of a judge that is good in all that it is not changed in; None is missing."""
    good = {name: estimate(value) for name, value in MIDDLES.items()}
    good["invalid_reference"] = estimate(0.02)
    return {name: each for name, each in {**good, **changed}.items() if each is not None}


def moved(name: str, value: float) -> Thresholds:
    return Thresholds(**{name: value})


def test_where_every_bound_is_on_the_right_side_the_judge_is_trusted() -> None:
    decision = decide(measured(), DEFAULTS)
    assert decision.verdict is Verdict.TRUST
    assert decision.decided_by.criterion.name == "c1", "it is nearest to its threshold"
    assert decision.decided_by.distance == pytest.approx(0.97 - 0.02 - 0.90)


@pytest.mark.parametrize("name", ["c1", "cgp", "controls"])
def test_trust_is_lost_where_a_measure_must_be_higher(name: str) -> None:
    beyond = moved(name, MIDDLES[name] - 0.01)
    decision = decide(measured(), beyond)
    assert decision.verdict is Verdict.NOT_ENOUGH
    assert decision.decided_by.criterion.name == name
    assert decision.decided_by.distance == pytest.approx(-0.01)


@pytest.mark.parametrize("name", ["c2", "flips", "invalid"])
def test_trust_is_lost_where_a_measure_must_be_lower(name: str) -> None:
    decision = decide(measured(), moved(name, MIDDLES[name]))
    assert decision.verdict is Verdict.NOT_ENOUGH
    assert decision.decided_by.criterion.name == name


def test_moving_one_threshold_turns_trust_into_each_other_decision() -> None:
    generous = measured(c2=estimate(0.30))
    assert decide(generous, moved("c2", 0.35)).verdict is Verdict.TRUST
    assert decide(generous, moved("c2", 0.31)).verdict is Verdict.NOT_ENOUGH
    assert decide(generous, moved("c2", 0.10)).verdict is Verdict.WITH_REFERENCE
    weak = measured(c2=estimate(0.30), controls=estimate(0.5))
    assert decide(weak, moved("controls", 0.40)).verdict is Verdict.WITH_REFERENCE
    assert decide(weak, moved("controls", 0.50)).verdict is Verdict.NOT_ENOUGH
    assert decide(weak, moved("controls", 0.60)).verdict is Verdict.DO_NOT_USE


def test_where_use_without_a_reference_is_not_measured_what_allows_the_other_decides() -> None:
    labelled = {"kappa_reference": estimate(0.7), "invalid_reference": estimate(0.02)}
    decision = decide(labelled, DEFAULTS)
    assert decision.verdict is Verdict.WITH_REFERENCE
    assert decision.decided_by.criterion.name == "invalid_reference", "it is the nearest"
    assert decision.decided_by.distance == pytest.approx(0.10 - 0.02 - 0.02)
    assert decide(labelled, moved("kappa", 0.65)).decided_by.criterion.name == "kappa_reference"


def test_a_bound_that_meets_the_threshold_exactly_is_on_the_right_side() -> None:
    touching = Estimate(0.95, 0.90, 1.0, 100, 100, "planted")
    assert find("c1", touching, DEFAULTS).state is State.MET
    below = Estimate(0.8, 0.7, 0.90, 100, 100, "planted")
    assert find("c1", below, DEFAULTS).state is State.OPEN


@pytest.mark.parametrize("name", ["c1", "c2", "cgp", "flips", "controls", "invalid"])
def test_one_measure_on_the_wrong_side_is_enough_to_rule_trust_out(name: str) -> None:
    wrong = estimate(0.5)
    decision = decide(measured(**{name: wrong}), DEFAULTS)
    assert decision.without is State.FAILED
    assert decision.verdict is not Verdict.TRUST


@pytest.mark.parametrize("name", ["c1", "c2", "cgp", "flips", "controls"])
def test_what_is_missing_is_on_no_side(name: str) -> None:
    decision = decide(measured(**{name: None}), DEFAULTS)
    assert decision.without is State.MISSING
    assert decision.verdict is not Verdict.TRUST
    assert decision.decided_by.criterion.name == name


def test_a_number_without_interval_is_missing_with_its_reason() -> None:
    left_out = undefined("not estimable: 30 of 100 are invalid", "Wilson", 70, 70)
    finding = find("c1", left_out, DEFAULTS)
    assert (finding.state, finding.distance) == (State.MISSING, None)
    assert finding.estimate.note.startswith("not estimable")


def test_peoples_labels_are_a_line_of_evidence_of_their_own() -> None:
    labels = {"kappa": estimate(0.7), "invalid": estimate(0.02)}
    assert decide(labels, DEFAULTS).verdict is Verdict.TRUST
    assert decide(labels, moved("kappa", 0.69)).verdict is Verdict.NOT_ENOUGH


def test_where_people_labelled_both_lines_must_agree() -> None:
    assert decide(measured(kappa=estimate(0.7)), DEFAULTS).verdict is Verdict.TRUST
    against = decide(measured(kappa=estimate(0.3)), DEFAULTS)
    assert against.verdict is Verdict.WITH_REFERENCE
    assert against.decided_by.criterion.name == "kappa"


def test_verdicts_with_the_reference_alone_allow_use_with_it() -> None:
    labels = {"kappa_reference": estimate(0.7), "invalid_reference": estimate(0.02)}
    assert decide(labels, DEFAULTS).verdict is Verdict.WITH_REFERENCE


def test_without_controls_it_is_not_known_whether_a_reference_helps() -> None:
    decision = decide(measured(c2=estimate(0.5), controls=None), DEFAULTS)
    assert decision.verdict is Verdict.NOT_ENOUGH
    assert decision.decided_by.criterion.name == "controls"


def test_where_a_task_has_no_references_they_are_no_way_out() -> None:
    labels = {"kappa": estimate(0.3), "invalid": estimate(0.02)}
    assert decide(labels, DEFAULTS, reference_exists=False).verdict is Verdict.DO_NOT_USE
    assert decide(labels, DEFAULTS, reference_exists=True).verdict is Verdict.NOT_ENOUGH


def test_wide_intervals_decide_nothing() -> None:
    wide = {name: replace(each, low=0.0, high=1.0) for name, each in measured().items()}
    decision = decide(wide, DEFAULTS)
    assert decision.verdict is Verdict.NOT_ENOUGH
    assert {finding.state for finding in decision.findings} == {State.OPEN, State.MISSING}


def test_every_measure_is_found_also_the_missing_ones() -> None:
    names = [finding.criterion.name for finding in decide({}, DEFAULTS).findings]
    assert names == list(CRITERIA)
