"""Position bias: planted ones come back, and ballots that say nothing are known."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from drawn import (
    Floats,
    ballot,
    blanked,
    by_prompts,
    few,
    interval,
    luce_ballots,
    random_ballots,
    ranked,
    studies,
)
from judgeworthy.statistics.rankings.position import position_bias
from judgeworthy.statistics.rankings.rii import rii
from results import MISSING, limits


class TestPositionBias:
    def test_a_judge_that_gives_back_the_order_shown_is_named(self) -> None:
        places = random_ballots(1, 20, 1, 1, 4)
        (found,) = position_bias(places, places)
        assert found.correlation.value == pytest.approx(1)
        assert found.mean_ranks == (1, 2, 3, 4)
        assert found.explained == pytest.approx(1)
        assert found.p_early_late == pytest.approx(1 / 1001)
        assert found.order_only

    @pytest.mark.parametrize("pattern", [(4, 3, 2, 1), (2, 4, 1, 3)])
    def test_any_fixed_pattern_of_places_is_nothing_but_order(self, pattern: Any) -> None:
        places = random_ballots(1, 20, 1, 1, 4)
        ranks = np.array(pattern)[places.astype(int) - 1]
        (found,) = position_bias(ranks, places)
        assert found.mean_ranks == pattern
        assert found.order_only

    def test_a_judge_of_content_is_not_named(self) -> None:
        ranks = luce_ballots(3, [1.5, 0.5, -0.5, -1.5], 60, 1, 1)
        (found,) = position_bias(ranks, random_ballots(4, 60, 1, 1, 4))
        assert (found.p_any or 0) > 0.01
        assert not found.order_only

    def test_a_leaning_judge_is_tested_but_not_named(self) -> None:
        places = random_ballots(4, 100, 1, 1, 4)
        scores = np.random.default_rng(5).gumbel(size=places.shape) + np.array(
            [1.5, 0.5, -0.5, -1.5]
        )
        ranks = ranked(scores - 0.5 * places)
        (found,) = position_bias(ranks, places)
        assert (found.p_early_late or 1) < 0.01
        assert interval(found.correlation)[0] > 0
        assert not found.order_only

    def test_a_taste_for_the_middle_is_no_matter_of_early_or_late(self) -> None:
        places = random_ballots(4, 100, 1, 1, 3)
        noise = np.random.default_rng(5).gumbel(size=places.shape)
        ranks = ranked(noise + 2.0 * (places == 2))
        (found,) = position_bias(ranks, places)
        assert found.p_any == pytest.approx(1 / 1001)
        assert (found.p_early_late or 0) > 0.05

    def test_two_equal_ballots_are_too_few_to_name_a_judge(self) -> None:
        places = random_ballots(1, 1, 1, 1, 4)
        (found,) = position_bias(places, places)
        assert found.explained == pytest.approx(1)
        assert found.p_any == 1
        assert not found.order_only

    def test_runs_that_were_shown_one_order_count_once_for_the_test(self) -> None:
        places = np.tile(random_ballots(1, 1, 1, 1, 4), (1, 1, 50, 1))
        (found,) = position_bias(places, places)
        assert found.p_any == 1
        assert found.correlation.n == 50

    @few
    @given(st.integers(0, 10**6), st.integers(2, 5))
    def test_the_correlation_is_spearmans(self, seed: int, candidates: int) -> None:
        ranks = random_ballots(seed, 3, 1, 1, candidates)
        places = random_ballots(seed + 1, 3, 1, 1, candidates)
        pairs = zip(ranks[:, 0, 0], places[:, 0, 0], strict=True)
        expected = np.mean([spearmanr(one, two).statistic for one, two in pairs])
        (found,) = position_bias(ranks, places, permutations=1)
        assert found.correlation.value == pytest.approx(expected)

    def test_p_is_exact_on_average(self) -> None:
        ranks = random_ballots(9, 8, 200, 1, 3)
        places = random_ballots(10, 8, 200, 1, 3)
        found = position_bias(ranks, places, permutations=19)
        for name in ("p_early_late", "p_any"):
            tested = np.array([getattr(bias, name) for bias in found])
            assert np.mean(tested <= 0.1) == pytest.approx(0.1, abs=0.06)

    @few
    @given(studies(candidates=4), st.permutations(range(4)), st.integers(0, 10**6))
    def test_relabelling_models_changes_nothing(
        self, ranks: Floats, order: list[int], seed: int
    ) -> None:
        places = random_ballots(seed, *ranks.shape)
        found = position_bias(ranks, places, permutations=19)
        moved = position_bias(ranks[..., order], places[..., order], permutations=19)
        for one, two in zip(found, moved, strict=True):
            assert limits(two.correlation) == pytest.approx(limits(one.correlation))
            assert (two.p_any, two.p_early_late) == (one.p_any, one.p_early_late)

    def test_ballots_without_the_own_answer_have_fewer_places(self) -> None:
        ranks = np.concatenate([by_prompts("aBCD"), by_prompts("aCDB")])
        (found,) = position_bias(ranks, ranks)
        assert found.correlation.value == 1
        assert found.mean_ranks == (1, 2, 3, None)

    def test_the_place_of_an_invalid_ballot_is_not_read(self) -> None:
        ranks = blanked(random_ballots(1, 3, 1, 1, 3), 0)
        places = np.where(np.isnan(ranks), 7, ranks)
        assert position_bias(ranks, places)[0].correlation.n == 2

    def test_is_undefined_without_ballots(self) -> None:
        (found,) = position_bias(np.full((2, 1, 1, 3), MISSING), np.ones((2, 1, 1, 3)))
        assert found.correlation.note == "no valid ballots"
        assert (found.explained, found.p_any, found.order_only) == (None, None, False)

    def test_refuses_places_that_are_no_order(self) -> None:
        with pytest.raises(ValueError, match="places"):
            position_bias(by_prompts("ABC"), np.ones((1, 1, 1, 3)))
        with pytest.raises(ValueError, match="shape"):
            position_bias(by_prompts("ABC"), [1, 2, 3])

    def test_the_index_can_be_taken_without_the_judges_that_are_named(self) -> None:
        places = random_ballots(1, 20, 2, 1, 3)
        ranks = places.copy()
        ranks[:, 1] = ballot("BCA")
        found = position_bias(ranks, places)
        assert [bias.order_only for bias in found] == [True, False]
        kept = rii(ranks[:, [not bias.order_only for bias in found]])
        assert kept.values == (0, 100, 50)
