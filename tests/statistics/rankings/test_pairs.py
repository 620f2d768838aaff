"""Davidson's Bradley–Terry with ties."""

from math import log

import numpy as np
import pytest

from drawn import GOLDEN, SIX_DECIMALS, as_pairs, covers, luce_ballots
from judgeworthy.statistics.rankings.pairs import davidson
from judgeworthy.statistics.rankings.strengths import bradley_terry
from results import MISSING, limits


class TestDavidson:
    def test_golden_two_candidates(self) -> None:
        case = GOLDEN["ties"]
        outcomes = [1.0] * case["first_wins"] + [0.0] * case["second_wins"] + [0.5] * case["ties"]
        found = davidson([0] * 5, [1] * 5, outcomes, candidates=2)
        first, second = found.strengths.values
        assert first is not None
        assert second is not None
        assert first - second == pytest.approx(log(case["ratio"]), abs=SIX_DECIMALS)
        assert found.tie.value == pytest.approx(case["tie"], abs=SIX_DECIMALS)

    def test_planted_outcomes_are_covered(self) -> None:
        worths, nu = np.array([0.9, 0.3, -0.2, -1.0]), 0.8
        generator = np.random.default_rng(0)
        first = generator.integers(0, 4, 3000)
        second = (first + generator.integers(1, 4, 3000)) % 4
        odds = np.exp(
            [worths[first], worths[second], (worths[first] + worths[second]) / 2 + log(nu)]
        )
        drawn = (generator.random(3000) > np.cumsum(odds / odds.sum(axis=0), axis=0)).sum(axis=0)
        found = davidson(first, second, np.array([1, 0, 0.5])[drawn], candidates=4)
        assert all(map(covers, found.strengths.estimates, worths))
        assert covers(found.tie, nu / (2 + nu))

    def test_without_ties_is_bradley_terry(self) -> None:
        ranks = luce_ballots(3, [0.5, 0.0, -0.5], 40, 1, 1)
        prompts = np.repeat(np.arange(40), 3)
        found = davidson(*as_pairs(ranks), candidates=3, clusters=prompts)
        for one, two in zip(found.strengths.estimates, bradley_terry(ranks).estimates, strict=True):
            assert limits(one) == pytest.approx(limits(two), abs=1e-5)
        assert found.tie.value == 0
        assert found.tie.note.startswith("no ties")

    def test_swapping_the_two_sides_changes_nothing(self) -> None:
        first, second, outcome = [0, 0, 1, 2, 2, 0], [1, 2, 2, 0, 1, 1], [1, 0.5, 1, 1, 0.5, 0]
        found = davidson(first, second, outcome, candidates=3)
        swapped = davidson(second, first, [1 - part for part in outcome], candidates=3)
        assert found.strengths.alpha == 0
        assert swapped.strengths.values == pytest.approx(found.strengths.values, abs=1e-6)
        assert limits(swapped.tie) == pytest.approx(limits(found.tie), abs=1e-6)

    def test_a_model_that_never_loses_is_regularised_although_it_ties(self) -> None:
        found = davidson([0, 0, 0], [1, 1, 1], [1, 1, 0.5], candidates=2)
        assert found.strengths.alpha == 0.1
        assert "regularised" in found.strengths.note
        assert found.strengths.values[0] == pytest.approx(-(found.strengths.values[1] or 0))
        assert (found.strengths.values[0] or 0) > 0.1
        assert not found.tie.has_interval

    def test_ties_alone_join_what_wins_do_not(self) -> None:
        found = davidson([0, 0, 1, 1, 2], [1, 1, 2, 2, 1], [1, 0, 0.5, 1, 1], candidates=3)
        assert found.strengths.alpha == 0
        assert found.strengths.note == ""

    def test_a_tie_joins_both_ways(self) -> None:
        found = davidson([0, 0, 0], [1, 2, 1], [0.5, 0.5, 1], candidates=3)
        assert found.strengths.unordered == ()
        assert (found.strengths.values[0] or 0) > (found.strengths.values[1] or 0)

    def test_groups_that_never_meet_are_not_identified(self) -> None:
        found = davidson([0, 2, 1], [1, 3, 0], [1, 0.5, 1], candidates=4)
        assert found.strengths.unordered == ((0, 2), (0, 3), (1, 2), (1, 3))
        assert found.tie.value is None

    @pytest.mark.parametrize(
        ("outcomes", "note"),
        [
            ([], "no valid comparisons"),
            ([MISSING, MISSING], "no valid comparisons"),
            ([0.5, 0.5], "not identified: every comparison is a tie"),
        ],
    )
    def test_is_undefined_without_wins(self, outcomes: list[float], note: str) -> None:
        found = davidson([0] * len(outcomes), [1] * len(outcomes), outcomes, candidates=2)
        assert (found.strengths.note, found.tie.note) == (note, note)
        assert found.strengths.values == (None, None)

    def test_invalid_replies_are_left_out(self) -> None:
        found = davidson([0, 0, 0], [1, 1, 1], [1, 0, MISSING], candidates=2)
        assert found.strengths.estimates[0].n == 2

    def test_one_cluster_gives_no_interval(self) -> None:
        found = davidson([0] * 3, [1] * 3, [1, 0, 0.5], candidates=2, clusters=["a"] * 3)
        assert found.tie.note == "one cluster only: no interval"
        assert not found.strengths.estimates[0].has_interval

    @pytest.mark.parametrize(
        ("first", "second", "outcomes", "message"),
        [
            ([0], [0], [1], "two different"),
            ([0], [2], [1], "from 0 to 1"),
            ([0], [1], [0.7], "outcomes"),
            ([0], [1, 0], [1], "one length"),
        ],
    )
    def test_refuses_what_is_no_comparison(
        self, first: list[int], second: list[int], outcomes: list[float], message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            davidson(first, second, outcomes, candidates=2)
