"""The card, tested: large studies show what was planted, and useless judges are not trusted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from conftest import ROOT
from judgeworthy.card.decision import Verdict
from judgeworthy.card.evidence import estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.simulator import Judge, evidence
from judgeworthy.validation import judging

DEFAULTS = Thresholds()
PLANTED = judging.judges(DEFAULTS)


@pytest.mark.parametrize("name", PLANTED)
def test_a_large_study_shows_the_planted_truth(name: str) -> None:
    judge = replace(PLANTED[name], questions=8000)
    found = estimates(evidence(judge, np.random.default_rng(1)))
    for measure, wanted in judging.truth(judge).items():
        assert found[measure].value == pytest.approx(wanted, abs=0.02), measure


def test_verdicts_on_a_question_go_together() -> None:
    judge = Judge(20_000, 2, taken_back=0.5, invalid=0.0, correlation=0.3)
    compared = evidence(judge, np.random.default_rng(2)).compared
    assert compared is not None
    pairs = compared.taken_back.reshape(-1, 2)
    # Of normal variables with correlation ρ, both are below 0 with 1/4 + arcsin(ρ) / 2π.
    expected = 1 / 4 + np.arcsin(0.3) / (2 * np.pi)
    assert (pairs.sum(axis=1) == 2).mean() == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("name", [name for name in PLANTED if name.startswith("misses ")])
def test_each_of_these_misses_one_threshold_and_no_other(name: str) -> None:
    known = judging.truth(PLANTED[name])
    at_least = ("c1", "cgp", "controls", "kappa")
    missed = {
        measure
        for measure, value in known.items()
        if measure in Thresholds.model_fields
        and (value < getattr(DEFAULTS, measure)) == (measure in at_least)
        and value != getattr(DEFAULTS, measure)
    }
    assert missed == {name.removeprefix("misses ")}


@pytest.mark.parametrize("name", ["accepts everything", "coin"])
def test_useless_judges_are_not_trusted(name: str) -> None:
    judge = replace(PLANTED[name], questions=30)
    decided, _ = judging.measure(0, name, judge, 40, DEFAULTS)
    assert decided[str(Verdict.TRUST)] == 0


def test_a_cell_gives_the_same_numbers_again() -> None:
    judge = replace(PLANTED[judging.GOOD], questions=30)
    first, second = (judging.measure(3, judging.GOOD, judge, 20, DEFAULTS) for _ in range(2))
    assert first == second


def test_what_breaks_a_rule_is_said() -> None:
    trusted = str(Verdict.TRUST)
    decisions = pd.DataFrame(
        [
            {"judge": "coin", "n": 30, trusted: 0.03},
            {"judge": judging.GOOD, "n": 450, trusted: 0.85},
            {"judge": judging.GOOD, "n": 30, trusted: 0.0},
        ]
    )
    intervals = pd.DataFrame(
        [{"measure": "c1", "judge": "coin", "n": 450, "truth": 0.5, "coverage": 0.92}]
    )
    assert list(judging.exceptions(decisions, intervals)) == [
        "coin at n = 30: trusted in 0.0300",
        "good at n = 450: trusted in 0.8500",
        "c1: coverage 0.920 on average",
        "c1: coverage 0.920 of coin at n = 450",
    ]


COMMITTED = ROOT / "validation" / "judge_decisions.csv"


@pytest.mark.skipif(not COMMITTED.is_file(), reason="make validate did not run yet")
def test_the_committed_table_meets_the_rules_of_the_decision() -> None:
    decisions = pd.read_csv(COMMITTED)
    intervals = pd.read_csv(COMMITTED.with_name("judge_intervals.csv"))
    assert len(decisions) == len(judging.grid(DEFAULTS))
    assert (decisions["repetitions"] == judging.REPETITIONS).all()
    assert not [each for each in judging.exceptions(decisions, intervals) if "trusted" in each]
