"""Kendall's W, stability, agreement with others, and what it goes with."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from drawn import (
    LAST,
    SIX_DECIMALS,
    Floats,
    blanked,
    by_judges,
    few,
    luce_ballots,
    random_ballots,
    studies,
    values,
)
from judgeworthy.statistics.rankings.ballots import without_own
from judgeworthy.statistics.rankings.concordance import (
    agreement_with_others,
    kendall_w,
    stability,
    trade_off,
)
from judgeworthy.statistics.rankings.rii import rii
from results import free_of_nan, limits


class TestKendallW:
    def test_golden(self) -> None:
        assert kendall_w(by_judges(*LAST["ballots"])).w.value == pytest.approx(
            LAST["w"], abs=SIX_DECIMALS
        )

    @few
    @given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 5))
    def test_is_a_linear_function_of_the_mean_spearman_correlation(
        self, seed: int, judges: int, candidates: int
    ) -> None:
        ranks = random_ballots(seed, 1, judges, 1, candidates)
        rows = [ranks[0, judge, 0] for judge in range(judges)]
        correlations = [spearmanr(one, two).statistic for one, two in combinations(rows, 2)]
        expected = ((judges - 1) * np.mean(correlations) + 1) / judges
        assert kendall_w(ranks, permutations=1).w.value == pytest.approx(expected)

    def test_unanimous_judges_have_1_and_opposed_ones_0(self) -> None:
        assert kendall_w(by_judges("ABC", "ABC", prompts=2)).w.value == 1
        assert kendall_w(by_judges("ABC", "CBA", prompts=2)).w.value == 0

    def test_its_null_mean_is_one_over_the_judges(self) -> None:
        found = kendall_w(random_ballots(1, 60, 4, 1, 4))
        assert found.null_mean == 0.25
        assert found.null_low is not None
        assert found.null_high is not None
        assert 0.18 < found.null_low < 0.25 < found.null_high < 0.32
        assert found.w.value == pytest.approx(0.25, abs=0.07)
        assert (found.p or 0) > 0.01

    def test_the_null_follows_the_number_of_valid_ballots(self) -> None:
        ranks = blanked(random_ballots(1, 2, 4, 1, 3), 0, slice(2, None))
        assert kendall_w(ranks).null_mean == (1 / 2 + 1 / 4) / 2

    def test_the_smallest_p_counts_the_observed_ballots(self) -> None:
        assert kendall_w(by_judges(*["ABCD"] * 4, prompts=10), permutations=99).p == 0.01

    def test_p_is_exact_on_average(self) -> None:
        tested = [
            kendall_w(random_ballots(seed, 3, 3, 1, 4), permutations=19, seed=1000 + seed).p
            for seed in range(200)
        ]
        assert np.mean(np.array(tested) <= 0.1) == pytest.approx(0.1, abs=0.06)

    def test_ballots_that_leave_a_candidate_out_do_not_enter(self) -> None:
        ranks = np.concatenate([by_judges("ABC", "BAC"), by_judges("CBa")], axis=1)
        assert kendall_w(ranks).w == kendall_w(by_judges("ABC", "BAC")).w

    @pytest.mark.parametrize("shape", [(0, 2, 1, 3), (2, 1, 1, 3), (2, 2, 1, 1)])
    def test_is_undefined_without_two_ballots(self, shape: tuple[int, ...]) -> None:
        found = kendall_w(random_ballots(0, *shape))
        assert found.w.note == "no prompt with two complete ballots"
        assert (found.null_mean, found.p) == (None, None)

    @few
    @given(studies(candidates=3), st.permutations(range(3)))
    def test_relabelling_models_changes_nothing(self, ranks: Floats, order: list[int]) -> None:
        found, moved = (kendall_w(part, permutations=19) for part in (ranks, ranks[..., order]))
        assert limits(moved.w) == pytest.approx(limits(found.w))
        assert (moved.p, moved.null_mean) == (found.p, found.null_mean)


class TestStability:
    def test_equal_runs_have_1_and_reversed_ones_minus_1(self) -> None:
        one, two = by_judges("ABC", "BCA", prompts=3), by_judges("ABC", "ACB", prompts=3)
        found = stability(np.concatenate([one, two], axis=2))
        assert values(found.judges) == [1, -1]
        assert found.ballots.value == 0

    @few
    @given(studies(candidates=4, invalid=False))
    def test_is_the_mean_of_kendalls_tau(self, ranks: Floats) -> None:
        assume(ranks.shape[2] > 1)
        taus = [
            kendalltau(runs[one], runs[two]).statistic
            for runs in ranks.reshape(-1, *ranks.shape[2:])
            for one, two in combinations(range(len(runs)), 2)
        ]
        found = stability(ranks).ballots
        assert found.value == pytest.approx(np.mean(taus))
        assert (found.n, found.clusters) == (len(taus), len(ranks))

    def test_orders_of_runs_are_compared_by_their_index(self) -> None:
        one, two = by_judges("ABC", "ACB", prompts=2), by_judges("BAC", "BAC", prompts=2)
        found = stability(np.concatenate([one, one, two], axis=2)).orders
        taus = [kendalltau([3, 1.5, 1.5], run).statistic for run in ([3, 1.5, 1.5], [2, 3, 1])]
        assert found.value == pytest.approx((taus[0] + 2 * taus[1]) / 3)
        assert (found.n, found.has_interval) == (3, False)

    def test_an_invalid_ballot_leaves_the_other_runs(self) -> None:
        ranks = blanked(np.tile(by_judges("ABC", prompts=2), (1, 1, 3, 1)), 0, 0, 0)
        assert (stability(ranks).ballots.value, stability(ranks).ballots.n) == (1, 4)

    def test_one_run_has_no_stability(self) -> None:
        found = stability(by_judges("ABC", "BCA", prompts=3))
        assert found.ballots.note == "no judge has two valid ballots on a prompt in different runs"
        assert found.orders.note.startswith("fewer than two runs")
        assert values([found.ballots, *found.judges, found.orders]) == [None] * 4

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        assert free_of_nan(stability(ranks))


class TestAgreementWithOthers:
    def test_is_kendalls_tau_with_the_other_of_two_judges(self) -> None:
        found = agreement_with_others(by_judges("ABCD", "ACBD", prompts=2))
        assert values(found) == pytest.approx([2 / 3, 2 / 3])

    def test_the_consensus_is_that_of_the_others_alone(self) -> None:
        found = agreement_with_others(by_judges("CBA", "ABC", "ABC", "ABC", prompts=2))
        assert values(found) == [-1, 1, 1, 1]

    def test_level_pairs_do_not_count(self) -> None:
        found = agreement_with_others(by_judges("ABC", "ABC", "BAC", prompts=2))
        assert values(found) == pytest.approx([1, 1, 1 / 3])

    def test_each_other_judge_weighs_the_same_over_its_runs(self) -> None:
        ranks = np.tile(by_judges("AB", "AB", "BA", "BA"), (1, 1, 3, 1))
        ranks = blanked(ranks, 0, slice(2, None), slice(1, None))
        assert agreement_with_others(ranks)[0].value == -1

    def test_a_lone_judge_has_no_others(self) -> None:
        (only,) = agreement_with_others(by_judges("ABC", prompts=2))
        assert only.note == "no ballot beside one of another judge"

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        assert free_of_nan(agreement_with_others(ranks))


class TestTradeOff:
    def test_sets_agreement_against_the_index_of_the_own_model(self) -> None:
        ranks = luce_ballots(2, [1.0, 0.0, -1.0], 20, 4, 1)
        found = trade_off(ranks, [2, -1, 0, 1])
        index = rii(ranks, [2, -1, 0, 1])
        assert [found.performance[judge] for judge in (0, 2, 3)] == [
            index.estimates[model] for model in (2, 0, 1)
        ]
        assert found.performance[1].note == "the judge is no candidate"
        assert found.agreement == agreement_with_others(without_own(ranks, [2, -1, 0, 1]))

    def test_the_correlation_is_over_judges_and_has_no_interval(self) -> None:
        ranks = luce_ballots(2, [1.0, 0.0, -1.0, 0.5], 20, 3, 1)
        found = trade_off(ranks, [0, 1, 2], resamples=10)
        expected = kendalltau(values(found.agreement), values(found.performance)).statistic
        assert found.correlation.value == pytest.approx(expected)
        assert (found.correlation.n, found.correlation.has_interval) == (3, False)

    def test_favouring_oneself_gains_nothing(self) -> None:
        honest = by_judges("BACDE", "ACDBE", "ABDEC", prompts=3)
        vain = by_judges("ABCDE", "BACDE", "CABDE", prompts=3)
        assert trade_off(vain, [0, 1, 2]) == trade_off(honest, [0, 1, 2])

    def test_is_undefined_for_fewer_than_two_candidates_that_judge(self) -> None:
        found = trade_off(by_judges("ABC", "BAC", prompts=2), [0, -1]).correlation
        assert (found.value, found.n) == (None, 1)
        assert found.note.startswith("fewer than two judges")
