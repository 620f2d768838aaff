"""The instrument, tested: the planted truth is what large samples show, and the table is whole."""

import numpy as np
import pandas as pd
import pytest

from conftest import ROOT
from judgeworthy.simulator import Panel, draw
from judgeworthy.statistics.agreement import agreement
from judgeworthy.validation import human_agreement as validation

MEASURED = pd.read_csv(ROOT / "validation" / "human_agreement.csv")


@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_a_large_panel_shows_the_planted_truth(correlation: float) -> None:
    panel = Panel(40_000, 3, 0.7, 0.9, 0.6, correlation)
    human, said = draw(panel, np.random.default_rng(1))
    found, wanted = agreement(said, human), validation.truth(panel)
    assert human.mean() == pytest.approx(0.7, abs=0.01)
    assert said[human == 1].mean() == pytest.approx(0.9, abs=0.01)
    assert 1 - said[human == 0].mean() == pytest.approx(0.6, abs=0.01)
    for name, estimate in (
        ("agreement", found.raw),
        ("kappa", found.kappa),
        ("AC1", found.ac1),
        ("alpha", found.alpha),
    ):
        assert estimate.value == pytest.approx(wanted[name], abs=0.01)


def test_rows_of_a_question_go_together_as_planted() -> None:
    panel = Panel(20_000, 2, 0.5, 0.9, 0.9, 0.3)
    human, _ = draw(panel, np.random.default_rng(2))
    pairs = human.reshape(-1, 2)
    # Of normal variables with correlation ρ, both are below 0 with 1/4 + arcsin(ρ) / 2π.
    expected = 1 / 4 + np.arcsin(0.3) / (2 * np.pi)
    assert (pairs.sum(axis=1) == 2).mean() == pytest.approx(expected, abs=0.01)


def test_a_cell_gives_the_same_numbers_again_and_counts_what_has_no_interval() -> None:
    panel = Panel(12, 1, 0.5, 0.98, 0.4, 0.0)
    first, second = (validation.measure(3, panel, 40) for _ in range(2))
    assert first == second
    for row in first:
        assert row["repetitions"] == 40 and 0 <= int(str(row["with_interval"])) <= 40


def test_the_committed_table_has_every_cell_of_the_grid() -> None:
    assert len(MEASURED) == len(validation.grid()) * MEASURED["interval"].nunique()
    assert set(MEASURED["interval"]) == set(validation.truth(validation.grid()[0]))
    assert (MEASURED["repetitions"] == validation.REPETITIONS).all()


def test_the_rule_is_met_but_for_few_labels() -> None:
    said = list(validation.exceptions(MEASURED))
    assert {each.split(":")[0] for each in said} <= {"PPI++", "Rogan–Gladen"}
    below = MEASURED[MEASURED["coverage"] < 0.9]
    assert (below["n"] == 30).all(), "twelve labels, of which the estimate itself warns"


@pytest.mark.parametrize("place", [0, 8])
def test_a_few_repetitions_agree_with_the_committed_table(place: int) -> None:
    panel = validation.grid()[place]
    again = pd.DataFrame(validation.measure(place, panel, 300)).set_index("interval")
    same = MEASURED[
        (MEASURED["n"] == panel.n)
        & (MEASURED["clusters"] == panel.clusters)
        & (MEASURED["prevalence"] == panel.prevalence)
        & (MEASURED["judge_sensitivity"] == panel.sensitivity)
    ].set_index("interval")
    difference = (again["coverage"].astype(float) - same["coverage"]).abs()
    assert difference.max() < 0.06, "five standard errors of 300 repetitions"
