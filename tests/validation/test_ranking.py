"""Ranks, planted: many prompts show the index that the strengths imply."""

import numpy as np
import pytest

from judgeworthy.simulator import Preference, ballots
from judgeworthy.statistics.rankings.ballots import read_ballots
from judgeworthy.statistics.rankings.rii import rii_values
from judgeworthy.validation import ranking


@pytest.mark.parametrize("spread", ranking.SPREADS)
def test_many_prompts_show_the_planted_index(spread: float) -> None:
    preference = Preference(20_000, 3, ranking.STRENGTHS, spread)
    drawn = ballots(preference, np.random.default_rng(1))
    found = rii_values(read_ballots(drawn))
    assert found == pytest.approx(ranking.truth(preference), abs=1)


def test_without_spread_the_index_is_the_mean_chance_of_the_logistic_function() -> None:
    first, second = ranking.truth(Preference(1, 1, (1.0, 0.0), 0.0))
    assert first == pytest.approx(100 / (1 + np.exp(-1)))
    assert first + second == pytest.approx(100)


def test_a_cell_has_a_row_a_model_and_comes_again() -> None:
    preference = Preference(30, 4, ranking.STRENGTHS, 1.0)
    first, second = (ranking.measure(1, preference, 5) for _ in range(2))
    assert first == second
    assert [row["with_interval"] for row in first] == [5] * 4
