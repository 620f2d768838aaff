"""Ballots are strict orders or nothing."""

from typing import Any

import numpy as np
import pytest

from drawn import by_judges
from judgeworthy.statistics.rankings.ballots import read_ballots, without_own
from results import MISSING


class TestBallots:
    @pytest.mark.parametrize(
        "row", [[1, 1, 2], [1, 3, 4], [0, 1, 2], [1, 2, np.inf], [1, 3, MISSING], [1.5, 1, 2]]
    )
    def test_refuses_what_is_no_strict_order(self, row: list[float]) -> None:
        with pytest.raises(ValueError, match="1 to k"):
            read_ballots([[[row]]])

    def test_refuses_another_number_of_axes(self) -> None:
        with pytest.raises(ValueError, match="four axes"):
            read_ballots([[1.0, 2.0]])

    def test_closes_the_ranks_up_where_the_own_answer_is_taken_off(self) -> None:
        found = without_own(by_judges("BACD", "BACD", "BACD"), [0, 1, -1])
        np.testing.assert_array_equal(found, by_judges("BaCD", "bACD", "BACD"))

    def test_taking_the_own_answer_off_leaves_the_input_alone(self) -> None:
        ranks = by_judges("ABC")
        without_own(ranks, [0])
        np.testing.assert_array_equal(ranks, by_judges("ABC"))

    @pytest.mark.parametrize("own", [[0], [0, 3], [0, -2], [[0, 1]]])
    def test_refuses_an_own_model_that_is_no_candidate(self, own: Any) -> None:
        with pytest.raises(ValueError, match="own"):
            without_own(by_judges("ABC", "ABC"), own)
