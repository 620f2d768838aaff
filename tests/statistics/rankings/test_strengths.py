"""Plackett–Luce and Bradley–Terry: golden values, other implementations, planted strengths."""

from itertools import combinations
from math import log, sqrt
from typing import Any

import choix
import numpy as np
import pytest
from choix.opt import Top1Fcts
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from drawn import (
    FOUR_DECIMALS,
    LAST,
    SIX_DECIMALS,
    THREE,
    Floats,
    as_pairs,
    best_first,
    by_judges,
    by_prompts,
    covers,
    few,
    interval,
    luce_ballots,
    random_ballots,
    studies,
)
from judgeworthy.statistics.rankings import strengths
from judgeworthy.statistics.rankings.pairs import davidson
from judgeworthy.statistics.rankings.strengths import bradley_terry, plackett_luce
from results import MISSING, limits


class TestPlackettLuce:
    def test_golden_maximum(self) -> None:
        found = plackett_luce(by_prompts(*THREE["ballots"]))
        assert found.values == pytest.approx(THREE["plackett_luce"], abs=SIX_DECIMALS)
        assert found.shares == pytest.approx(THREE["shares"], abs=FOUR_DECIMALS)
        assert (found.alpha, found.note) == (0, "")

    def test_golden_regularised_order_where_one_is_always_last(self) -> None:
        found = plackett_luce(by_prompts(*LAST["ballots"]), alpha=LAST["alpha"])
        assert found.values == pytest.approx(LAST["plackett_luce"], abs=SIX_DECIMALS)
        assert found.alpha == LAST["alpha"]
        assert "no maximum" in found.note
        assert "alpha = 0.1" in found.note
        assert not any(estimate.has_interval for estimate in found.estimates)

    def test_agrees_with_choix_on_ballots_that_leave_candidates_out(self) -> None:
        ranks = by_prompts("ABCd", "BDaC", "DcAB", "CABD", "dBCA", "CDBA")
        orders = [(0, 1, 2), (1, 3, 2), (3, 0, 1), (2, 0, 1, 3), (1, 2, 0), (2, 3, 1, 0)]
        expected = choix.opt_rankings(4, orders, alpha=0)
        assert plackett_luce(ranks).values == pytest.approx(
            (expected - expected.mean()).tolist(), abs=1e-4
        )

    def test_planted_ballots_give_back_their_order_and_strengths(self) -> None:
        worths = np.array([0.4, -1.2, 1.5, -0.2, -0.5])
        found = plackett_luce(luce_ballots(7, worths, 150, 4, 1))
        assert best_first(found) == [2, 0, 3, 4, 1]
        assert all(map(covers, found.estimates, worths))

    def test_errors_are_those_of_the_likelihood_where_ballots_are_independent(self) -> None:
        found = plackett_luce(luce_ballots(7, [0.5, -0.5], 2000, 1, 1)).estimates[0]
        wins = 1 / (1 + np.exp(-2 * float(found.value or 0)))
        error = sqrt(1 / (wins * (1 - wins) * 2000)) / 2
        assert found.high is not None
        assert found.value is not None
        assert (found.high - found.value) / 1.961 == pytest.approx(error, rel=0.01)

    def test_errors_are_the_sandwich_of_the_derivatives_that_choix_has(self) -> None:
        ranks = luce_ballots(9, [0.5, 0.0, 0.2, -0.7], 25, 1, 1)
        orders = [tuple(np.argsort(row).tolist()) for row in ranks.reshape(-1, 4)]
        found = plackett_luce(ranks)
        fitted = np.array(found.values, dtype=np.float64)
        slopes = np.array([Top1Fcts.from_rankings([order], 0).gradient(fitted) for order in orders])
        inverse = np.linalg.pinv(Top1Fcts.from_rankings(orders, 0).hessian(fitted), rcond=1e-9)
        errors = np.sqrt(np.diag(inverse @ slopes.T @ slopes @ inverse) * 25 / 24)
        halves = [interval(part)[1] - (part.value or 0) for part in found.estimates]
        assert halves == pytest.approx((stdtrit(24, 0.975) * errors).tolist(), rel=1e-5)

    def test_copies_of_a_ballot_in_its_prompt_make_it_no_more_certain(self) -> None:
        ranks = luce_ballots(7, [0.5, 0.0, -0.5], 30, 1, 1)
        once = plackett_luce(ranks).estimates[0]
        often = plackett_luce(np.tile(ranks, (1, 5, 2, 1))).estimates[0]
        assert limits(often) == pytest.approx(limits(once))
        assert (often.n, often.clusters) == (300, 30)


@pytest.mark.parametrize("fit", [plackett_luce, bradley_terry])
class TestStrengths:
    def test_a_model_that_always_wins_comes_first_and_is_finite(self, fit: Any) -> None:
        found = fit(by_prompts("ABC", "ACB", "ABC"))
        assert found.alpha == 0.1
        assert best_first(found) == [0, 1, 2]
        assert np.isfinite(found.values).all()

    def test_one_order_throughout_is_regularised_and_never_level(self, fit: Any) -> None:
        found = fit(by_prompts(*["ABCDEFGH"] * 30))
        assert best_first(found) == list(range(8))
        assert np.diff(found.values).max() < -0.1

    def test_groups_that_never_meet_are_not_identified(self, fit: Any) -> None:
        found = fit(by_prompts("ABcd", "BAcd", "abCD", "abDC"))
        assert found.values == (None,) * 4
        assert found.shares == (None,) * 4
        assert found.unordered == ((0, 2), (0, 3), (1, 2), (1, 3))
        assert found.note.startswith("not identified")
        assert found.estimates[0].n == 4

    def test_losers_to_one_model_that_never_meet_are_not_identified(self, fit: Any) -> None:
        found = fit(by_prompts("ABc", "AbC"))
        assert found.values == (None,) * 3
        assert found.unordered == ((1, 2),)

    def test_a_candidate_on_no_ballot_is_not_identified(self, fit: Any) -> None:
        assert fit(by_prompts("ABc", "BAc")).unordered == ((0, 2), (1, 2))

    def test_equal_records_are_level_where_the_maximum_is_finite(self, fit: Any) -> None:
        found = fit(by_prompts("ABC", "BCA", "CAB"))
        assert found.values == pytest.approx((0, 0, 0), abs=1e-7)
        assert (found.alpha, found.note) == (0, "")

    def test_two_candidates_have_the_log_odds(self, fit: Any) -> None:
        found = fit(by_prompts("AB", "AB", "AB", "BA"))
        assert found.values == pytest.approx((log(3) / 2, -log(3) / 2))
        assert found.shares == pytest.approx((0.75, 0.25))

    def test_two_candidates_have_the_error_of_the_odds_with_few_clusters(self, fit: Any) -> None:
        found = fit(by_prompts("AB", "AB", "AB", "BA")).estimates[0]
        error = sqrt(1 / (4 * 0.75 * 0.25) * 4 / 3) / 2
        assert interval(found)[1] - log(3) / 2 == pytest.approx(stdtrit(3, 0.975) * error)

    @few
    @given(studies(candidates=4), st.permutations(range(4)))
    def test_relabelling_models_permutes_the_result_and_nothing_else(
        self, fit: Any, ranks: Floats, order: list[int]
    ) -> None:
        found, moved = fit(ranks), fit(ranks[..., order])
        assert moved.note == found.note
        for place, candidate in enumerate(order):
            expected = limits(found.estimates[candidate])
            assert limits(moved.estimates[place]) == pytest.approx(expected, abs=1e-4)

    def test_one_prompt_gives_no_interval(self, fit: Any) -> None:
        found = fit(by_judges("AB", "AB", "BA"))
        assert found.note == "one cluster only: no interval"
        assert limits(found.estimates[0])[1:] == (None, None)

    def test_prompts_that_do_not_vary_give_no_interval(self, fit: Any) -> None:
        found = fit(by_judges("AB", "AB", "BA", prompts=3))
        assert found.estimates[0].note == "the clusters do not vary: no interval"
        assert not found.estimates[0].has_interval

    def test_is_undefined_without_ballots(self, fit: Any) -> None:
        found = fit(np.full((2, 1, 1, 3), MISSING))
        assert (found.values, found.note) == ((None,) * 3, "no valid ballots")

    def test_says_where_the_fit_does_not_converge(
        self, fit: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(strengths, "_ITERATIONS", 1)
        found = fit(by_prompts(*THREE["ballots"]))
        assert (found.values, found.note) == ((None,) * 3, "the fit did not converge")

    @pytest.mark.parametrize(("argument", "value"), [("alpha", 0.0), ("confidence", 95)])
    def test_refuses_impossible_arguments(self, fit: Any, argument: str, value: float) -> None:
        with pytest.raises(ValueError, match=argument):
            fit(by_prompts("AB"), **{argument: value})


class TestBradleyTerry:
    def test_agrees_with_choix_on_pairs(self) -> None:
        ranks = random_ballots(2, 6, 2, 1, 4)
        pairs = [
            (first, second) if row[first] < row[second] else (second, first)
            for row in ranks.reshape(-1, 4)
            for first, second in combinations(range(4), 2)
        ]
        expected = choix.ilsr_pairwise(4, pairs)
        assert bradley_terry(ranks).values == pytest.approx(expected.tolist(), abs=1e-6)

    def test_pairs_of_a_ballot_are_not_taken_for_independent(self) -> None:
        worths = [0.5, 0.0, -0.5]
        ranks = luce_ballots(8, worths, 400, 1, 1)
        naive = davidson(*as_pairs(ranks), candidates=3).strengths.estimates[0]
        robust = bradley_terry(ranks).estimates[0]
        assert robust.value == pytest.approx(naive.value, abs=1e-5)
        assert robust.low != pytest.approx(naive.low, abs=1e-3)
