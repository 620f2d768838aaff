"""The Relative Intelligence Index: golden values, what always holds, planted orders."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from drawn import (
    LAST,
    THREE,
    TWO_DECIMALS,
    Floats,
    blanked,
    by_judges,
    by_prompts,
    few,
    interval,
    luce_ballots,
    random_ballots,
    studies,
)
from judgeworthy.statistics.estimate import Bounds
from judgeworthy.statistics.rankings.rii import leave_one_judge_out, rii
from results import MISSING, free_of_nan, limits


class TestRii:
    @pytest.mark.parametrize("case", [LAST, THREE])
    def test_golden(self, case: dict[str, Any]) -> None:
        for ranks in (by_prompts(*case["ballots"]), by_judges(*case["ballots"])):
            assert rii(ranks).values == pytest.approx(case["rii"], abs=TWO_DECIMALS)

    @few
    @given(studies(invalid=False), st.floats(0.1, 50), st.floats(-100, 100))
    def test_is_the_same_under_any_increasing_linear_scale_of_rank_points(
        self, ranks: Floats, slope: float, shift: float
    ) -> None:
        candidates = ranks.shape[-1]
        points = shift + slope * (candidates - ranks)
        lowest, highest = shift, shift + slope * (candidates - 1)
        expected = 100 * (points.mean(axis=(0, 1, 2)) - lowest) / (highest - lowest)
        assert rii(ranks, resamples=1).values == pytest.approx(expected.tolist(), abs=1e-6)

    @few
    @given(studies(), st.randoms())
    def test_relabelling_models_permutes_it_and_nothing_else(
        self, ranks: Floats, random: Any
    ) -> None:
        order = random.sample(range(ranks.shape[-1]), ranks.shape[-1])
        found, moved = rii(ranks, resamples=50), rii(ranks[..., order], resamples=50)
        for place, candidate in enumerate(order):
            expected, estimate = found.estimates[candidate], moved.estimates[place]
            assert limits(estimate) == pytest.approx(limits(expected))
            assert (estimate.n, estimate.note) == (expected.n, expected.note)

    def test_each_judge_weighs_the_same_however_many_ballots_are_invalid(self) -> None:
        ranks = blanked(by_judges("ABC", "CBA", prompts=10), slice(1, None), 1)
        assert rii(ranks).values == (50, 50, 50)

    def test_a_judge_without_valid_ballots_does_not_enter_and_is_told(self) -> None:
        found = rii(blanked(by_judges("ABC", "CBA", prompts=2), slice(None), 1))
        assert found.values == (100, 50, 0)
        assert "1 of 2 judges without a valid ballot" in found.estimates[0].note

    def test_own_votes_can_be_left_out(self) -> None:
        ranks = by_judges("ABC", "BAC", "CAB")
        assert rii(ranks).values == pytest.approx((200 / 3, 50, 100 / 3))
        assert rii(ranks, own=[0, 1, 2]).values == pytest.approx((100, 50, 0))

    def test_a_model_that_never_judges_is_ranked_all_the_same(self) -> None:
        assert rii(by_judges("ACB", "BCA"), own=[0, 1]).values == pytest.approx((0, 0, 100))

    @few
    @given(studies(candidates=3, invalid=False))
    def test_agrees_with_the_definition_without_own_votes(self, ranks: Floats) -> None:
        judges = ranks.shape[1]
        own = [judge % 3 for judge in range(judges)]
        earned: list[list[float]] = [[], [], []]
        for judge, candidate in product(range(judges), range(3)):
            if candidate != own[judge]:
                rows = ranks[:, judge].reshape(-1, 3)
                other = 3 - candidate - own[judge]
                earned[candidate].append(float((rows[:, candidate] < rows[:, other]).mean()))
        expected = [100 * sum(share) / len(share) if share else None for share in earned]
        assert list(rii(ranks, own, resamples=1).values) == pytest.approx(expected)

    def test_the_interval_is_that_of_the_exhaustive_bootstrap_of_prompts(self) -> None:
        ranks = by_prompts("ABC", "BAC", "CBA", "BCA")
        shares = (3 - ranks[:, 0, 0, 0]) / 2
        exhaustive = [100 * np.mean(drawn) for drawn in product(shares, repeat=4)]
        low, high = np.quantile(exhaustive, [0.05, 0.95])
        found = rii(ranks, confidence=0.9, resamples=40_000).estimates[0]
        assert limits(found) == pytest.approx((37.5, low, high))

    def test_runs_and_judges_of_a_prompt_are_drawn_together(self) -> None:
        once = by_prompts("ABC", "BAC", "CBA", "BCA")
        often = np.tile(once, (1, 3, 2, 1))
        assert limits(rii(often).estimates[0]) == pytest.approx(limits(rii(once).estimates[0]))
        assert (rii(often).estimates[0].n, rii(often).estimates[0].clusters) == (24, 4)

    def test_leads_are_differences_with_paired_intervals(self) -> None:
        ranks = luce_ballots(1, [2.0, 0.0, -2.0], 40, 3, 1)
        found = rii(ranks)
        for (first, second), lead in found.leads.items():
            high, low = found.values[first], found.values[second]
            assert high is not None
            assert low is not None
            assert lead.value == pytest.approx(high - low)
            assert interval(lead)[0] > 0
        assert list(found.leads) == [(0, 1), (0, 2), (1, 2)]

    def test_the_lead_of_two_candidates_is_twice_the_distance_from_50(self) -> None:
        ranks = luce_ballots(1, [0.5, 0.0], 40, 2, 1)
        found = rii(ranks)
        expected = [2 * (part - 50) for part in limits(found.estimates[0]) if part is not None]
        assert limits(found.leads[0, 1]) == pytest.approx(tuple(expected))

    def test_a_prompt_without_valid_ballots_is_not_drawn(self) -> None:
        ranks = random_ballots(3, 40, 2, 1, 3)
        padded = np.concatenate([ranks, np.full((20, 2, 1, 3), MISSING)])
        assert rii(padded).estimates == rii(ranks).estimates

    def test_the_same_seed_gives_the_same_interval(self) -> None:
        ranks = random_ballots(3, 20, 2, 1, 4)
        assert rii(ranks, seed=5) == rii(ranks, seed=5)
        assert rii(ranks, seed=5) != rii(ranks, seed=6)

    def test_says_where_there_are_few_prompts(self) -> None:
        note = "fewer than 30 prompts: the interval covers less than it claims"
        assert rii(random_ballots(3, 29, 1, 1, 3)).estimates[0].note == note
        assert rii(random_ballots(3, 30, 1, 1, 3)).estimates[0].note == ""

    def test_one_prompt_gives_no_interval(self) -> None:
        estimate = rii(by_judges("ABC", "CAB")).estimates[0]
        assert limits(estimate) == (75, None, None)
        assert estimate.note == "one prompt only: no interval"

    def test_resamples_that_do_not_vary_give_no_interval(self) -> None:
        found = rii(by_judges("ABC", "ACB", prompts=40))
        assert limits(found.estimates[0]) == (100, None, None)
        assert found.estimates[0].note == "the resamples do not vary: no interval"
        assert limits(found.leads[1, 2]) == (0, None, None)

    @pytest.mark.parametrize("shape", [(0, 2, 1, 3), (2, 0, 1, 3), (2, 2, 0, 3), (2, 2, 1, 1)])
    def test_is_undefined_where_nothing_is_compared(self, shape: tuple[int, ...]) -> None:
        found = rii(np.ones(shape))
        assert {(*limits(part), part.note) for part in found.estimates} == {
            (None, None, None, "no valid ballots")
        }

    def test_bounds_fill_invalid_ballots_in_at_both_ends(self) -> None:
        ranks = blanked(by_judges("ABC", "ABC", prompts=4), 0, 0)
        assert rii(ranks).bounds == (Bounds(87.5, 100), Bounds(43.75, 56.25), Bounds(0, 12.5))

    def test_bounds_leave_the_own_answer_off_the_ballots_that_are_filled_in(self) -> None:
        ranks = blanked(by_judges("ABC", "ABC", prompts=2), slice(None), 0)
        assert rii(ranks, own=[0, -1]).bounds == (Bounds(100, 100), Bounds(25, 75), Bounds(0, 50))

    @few
    @given(studies())
    def test_bounds_hold_the_value_unless_a_judge_is_silent(self, ranks: Floats) -> None:
        assume(np.isfinite(ranks).any(axis=(0, 2, 3)).all())
        found = rii(ranks, resamples=1)
        for value, bound in zip(found.values, found.bounds, strict=True):
            assert value is not None
            assert bound.low is not None
            assert bound.high is not None
            assert bound.low - 1e-9 <= value <= bound.high + 1e-9

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        assert free_of_nan(rii(ranks, [0] * ranks.shape[1], resamples=20))

    @pytest.mark.parametrize(("argument", "value"), [("confidence", 95), ("resamples", 0)])
    def test_refuses_impossible_arguments(self, argument: str, value: Any) -> None:
        with pytest.raises(ValueError, match=argument):
            rii(by_judges("AB"), **{argument: value})


class TestLeaveOneJudgeOut:
    def test_is_the_index_of_the_other_judges(self) -> None:
        ranks = random_ballots(4, 12, 3, 2, 4)
        for judge, influence in enumerate(leave_one_judge_out(ranks, [0, 1, 2], seed=1)):
            others = [other for other in range(3) if other != judge]
            assert influence.rii == rii(ranks[:, others], others, resamples=2000, seed=1)

    def test_counts_the_pairs_that_one_judge_turns_round(self) -> None:
        found = leave_one_judge_out(by_judges("ACDB", "BACD", "BACD"))
        assert [influence.swaps for influence in found] == [1, 0, 0]

    def test_the_shift_is_the_largest_change(self) -> None:
        found = leave_one_judge_out(by_judges("ABC", "ABC", "CBA"))
        assert [influence.shift for influence in found] == pytest.approx([50 / 3, 50 / 3, 100 / 3])

    def test_of_one_judge_leaves_nothing(self) -> None:
        (only,) = leave_one_judge_out(by_judges("ABC"))
        assert only.rii.estimates[0].note == "no valid ballots"
        assert only.shift is None
