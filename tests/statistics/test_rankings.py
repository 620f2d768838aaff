"""Rankings: golden values, what always holds, planted effects, and ballots that say nothing."""

import json
from dataclasses import fields, is_dataclass
from itertools import combinations, permutations, product
from math import isnan, log, sqrt
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
from choix.opt import Top1Fcts
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import kendalltau, spearmanr

from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.statistics.rankings import strengths
from judgeworthy.statistics.rankings.ballots import read_ballots, without_own
from judgeworthy.statistics.rankings.bias import length_preference, self_preference
from judgeworthy.statistics.rankings.concordance import (
    agreement_with_others,
    kendall_w,
    stability,
    trade_off,
)
from judgeworthy.statistics.rankings.consensus import (
    borda,
    kemeny,
    kemeny_distance,
    side_by_side,
)
from judgeworthy.statistics.rankings.pairs import davidson
from judgeworthy.statistics.rankings.position import position_bias
from judgeworthy.statistics.rankings.rii import leave_one_judge_out, rii
from judgeworthy.statistics.rankings.strengths import Strengths, bradley_terry, plackett_luce

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "rankings.json").read_text("utf-8")
)
TWO_DECIMALS: float = GOLDEN["tolerances"]["two_decimals"]
FOUR_DECIMALS: float = GOLDEN["tolerances"]["four_decimals"]
SIX_DECIMALS: float = GOLDEN["tolerances"]["six_decimals"]

LAST = GOLDEN["last_is_always_last"]
THREE = GOLDEN["three_methods_three_answers"]

# Fits, resamples and permutations take their time.
few = settings(max_examples=40)

MISSING = float("nan")
Floats = NDArray[np.float64]


def ballot(order: str) -> list[float]:
    """Ranks of A, B, C, … in an order; a lower-case letter is not on the ballot."""
    letters = sorted(order.upper())
    ranked = [letter for letter in order if letter.isupper()]
    return [ranked.index(name) + 1.0 if name in ranked else MISSING for name in letters]


def by_prompts(*orders: str) -> Floats:
    """One judge, a prompt a ballot."""
    return np.array([ballot(order) for order in orders])[:, np.newaxis, np.newaxis]


def by_judges(*orders: str, prompts: int = 1) -> Floats:
    """One ballot a judge, the same on every prompt."""
    rows = np.array([ballot(order) for order in orders])
    return np.tile(rows[np.newaxis, :, np.newaxis], (prompts, 1, 1, 1))


def random_ballots(seed: int, *shape: int) -> Floats:
    return np.argsort(np.random.default_rng(seed).random(shape), axis=-1).astype(np.float64) + 1


def luce_ballots(seed: int, worths: Any, *shape: int) -> Floats:
    """Ballots drawn from Plackett-Luce: the order of Gumbel variables with these means."""
    noise = np.random.default_rng(seed).gumbel(size=(*shape, len(worths)))
    return ranked(noise + worths)


def ranked(scores: Floats) -> Floats:
    """Ranks from 1 for the highest score."""
    return np.argsort(np.argsort(-scores, axis=-1), axis=-1).astype(np.float64) + 1


def blanked(ballots: Floats, *index: Any) -> Floats:
    """Make ballots invalid."""
    spoilt = ballots.copy()
    spoilt[index] = MISSING
    return spoilt


@st.composite
def studies(draw: st.DrawFn, candidates: int | None = None, invalid: bool = True) -> Floats:
    sizes = draw(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3)))
    count = candidates or draw(st.integers(2, 5))
    found = random_ballots(draw(st.integers(0, 10**6)), *sizes, count)
    if invalid:
        lost = draw(
            st.lists(st.booleans(), min_size=found[..., 0].size, max_size=found[..., 0].size)
        )
        found[np.reshape(lost, sizes)] = MISSING
    return found


def parts(result: Any) -> Any:
    """Every number and text in a result."""
    if is_dataclass(result):
        for field in fields(result):
            yield from parts(getattr(result, field.name))
    elif isinstance(result, dict):
        yield from parts(list(result.values()))
    elif isinstance(result, tuple | list):
        for part in result:
            yield from parts(part)
    else:
        yield result


def free_of_nan(result: Any) -> bool:
    return not any(isinstance(part, float) and isnan(part) for part in parts(result))


def limits(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def covers(estimate: Estimate, truth: float) -> bool:
    low, high = interval(estimate)
    return low < truth < high


def best_first(found: Strengths) -> list[int]:
    return sorted(range(len(found.values)), key=lambda candidate: -(found.values[candidate] or 0))


def values(estimates: Any) -> list[float | None]:
    return [estimate.value for estimate in estimates]


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


class TestBorda:
    def test_counts_the_candidates_beaten(self) -> None:
        assert values(borda(by_prompts(*THREE["ballots"]))) == pytest.approx(
            [10 / 9, 10 / 9, 7 / 9]
        )

    def test_every_ballot_weighs_the_same(self) -> None:
        ranks = blanked(by_judges("ABC", "CBA", prompts=4), slice(1, None), 1)
        assert values(borda(ranks)) == pytest.approx([1.6, 1, 0.4])

    def test_has_an_interval_by_prompt(self) -> None:
        estimate = borda(np.tile(by_prompts("ABC", "BAC", "CBA"), (1, 4, 1, 1)))[0]
        assert (estimate.has_interval, estimate.n, estimate.clusters) == (True, 12, 3)

    def test_is_undefined_without_ballots(self) -> None:
        assert borda(np.full((2, 2, 1, 2), MISSING))[0].note == "no valid ballots"


class TestKemeny:
    def test_golden_order_and_distances(self) -> None:
        ranks = by_prompts(*THREE["ballots"])
        found = kemeny(ranks)
        assert (found.orders, found.distance) == (((0, 1, 2),), THREE["distances"]["ABC"])
        for order, distance in THREE["distances"].items():
            assert kemeny_distance(ranks, ["ABC".index(name) for name in order]) == distance

    def test_golden_three_optima(self) -> None:
        case = GOLDEN["one_ballot_each"]
        found = kemeny(by_prompts(*case["ballots"]))
        assert ["".join("ABC"[place] for place in order) for order in found.orders] == case[
            "kemeny"
        ]
        assert found.distance == case["distance"]

    @few
    @given(studies(candidates=4))
    def test_no_order_is_nearer_and_none_as_near_is_missing(self, ranks: Floats) -> None:
        assume(np.isfinite(ranks).any())
        found = kemeny(ranks)
        distances = {order: kemeny_distance(ranks, order) for order in permutations(range(4))}
        nearest = min(distances.values())
        assert found.distance == nearest
        assert set(found.orders) == {order for order in distances if distances[order] == nearest}

    @few
    @given(studies(candidates=4))
    def test_the_distance_counts_the_pairs_that_kendalls_tau_counts(self, ranks: Floats) -> None:
        rows = [row for row in ranks.reshape(-1, 4) if np.isfinite(row).all()]
        expected = sum((1 - kendalltau(row, range(4)).statistic) * 3 for row in rows)
        assert kemeny_distance(ranks, range(4)) == pytest.approx(expected)

    def test_counts_only_the_pairs_on_a_ballot(self) -> None:
        assert kemeny_distance(by_prompts("CBa", "ABc"), [0, 1, 2]) == 1

    def test_eight_candidates_are_exact_and_nine_too_many(self) -> None:
        assert kemeny(by_prompts("HGFEDCBA")).orders == ((7, 6, 5, 4, 3, 2, 1, 0),)
        assert kemeny(by_prompts("ABCDEFGHI")).note == "exact up to 8 candidates only"

    def test_is_undefined_without_ballots(self) -> None:
        found = kemeny(np.full((1, 1, 1, 3), MISSING))
        assert (found.orders, found.distance, found.note) == ((), None, "no valid ballots")

    def test_refuses_an_order_that_is_none(self) -> None:
        with pytest.raises(ValueError, match="order"):
            kemeny_distance(by_prompts("ABC"), [0, 1, 1])


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
        naive = davidson(*_as_pairs(ranks), candidates=3).strengths.estimates[0]
        robust = bradley_terry(ranks).estimates[0]
        assert robust.value == pytest.approx(naive.value, abs=1e-5)
        assert robust.low != pytest.approx(naive.low, abs=1e-3)


def _as_pairs(ranks: Floats) -> tuple[list[int], list[int], list[float]]:
    rows = ranks.reshape(-1, ranks.shape[-1])
    met = [
        (first, second, float(row[first] < row[second]))
        for row in rows
        for first, second in combinations(range(rows.shape[1]), 2)
    ]
    first, second, outcome = zip(*met, strict=True)
    return list(first), list(second), list(outcome)


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
        found = davidson(*_as_pairs(ranks), candidates=3, clusters=prompts)
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


class TestSideBySide:
    def test_golden_three_methods_give_three_answers(self) -> None:
        found = side_by_side(by_prompts(*THREE["ballots"]))
        assert found.places == {
            "RII": (1, 1, 3),
            "Borda": (1, 1, 3),
            "Bradley–Terry": (1, 1, 3),
            "Plackett–Luce": (2, 1, 3),
            "Kemeny": (1, 2, 3),
        }
        (only,) = found.disagreements
        assert only.pair == (0, 1)
        assert only.reversed
        assert (only.first_above, only.second_above) == (("Kemeny",), ("Plackett–Luce",))
        assert only.level == ("RII", "Borda", "Bradley–Terry")

    def test_several_kemeny_orders_leave_a_pair_level(self) -> None:
        found = side_by_side(by_prompts(*GOLDEN["one_ballot_each"]["ballots"]))
        assert found.places["Kemeny"] == (1, 1, 1)
        assert found.disagreements == ()

    def test_unanimous_ballots_leave_nothing_to_disagree_on(self) -> None:
        found = side_by_side(by_judges("CAB", "CAB", prompts=3))
        assert set(found.places.values()) == {(2, 3, 1)}
        assert found.disagreements == ()

    def test_a_method_without_result_takes_no_side(self) -> None:
        found = side_by_side(by_prompts("ABcd", "abCD", "aBCd", "Abcd"))
        assert found.places["Plackett–Luce"] != (None,) * 4
        found = side_by_side(by_prompts("ABcd", "abCD"))
        assert found.places["Plackett–Luce"] == (None,) * 4
        assert found.places["RII"] == (1, 3, 1, 3)
        assert all(
            "Plackett–Luce" not in (*part.first_above, *part.second_above, *part.level)
            for part in found.disagreements
        )

    def test_a_candidate_on_no_ballot_has_no_place(self) -> None:
        found = side_by_side(by_prompts("ABc", "BAc", "ABc"))
        assert found.places["Kemeny"] == (1, 2, None)
        assert found.places["RII"] == (1, 2, None)

    def test_every_method_reads_the_ballots_without_own_votes(self) -> None:
        ranks = by_judges("ABC", "BCA", "CBA", "BCA", prompts=2)
        found, bare = side_by_side(ranks, own=[0, 1, 2, -1]), without_own(ranks, [0, 1, 2, -1])
        assert found.rii == rii(ranks, own=[0, 1, 2, -1])
        assert found.borda == borda(bare)
        assert found.kemeny == kemeny(bare)
        assert found.plackett_luce == plackett_luce(bare)

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        assert free_of_nan(side_by_side(ranks, resamples=10))


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


class TestSelfPreference:
    def test_is_the_own_rank_minus_that_by_the_others(self) -> None:
        found = self_preference(by_judges("ABCD", "BCDA", "CDAB", prompts=2), [0, -1, -1])
        assert found[0].value == 1 - (4 + 3) / 2
        assert found[1].note == "the judge is no candidate"

    def test_the_other_judges_own_answer_is_taken_off_both_ballots(self) -> None:
        found = self_preference(by_judges("ABCD", "BACD", prompts=2), [0, 1])
        assert values(found) == [0, 0]

    def test_a_vain_judge_does_not_make_the_others_seem_vain(self) -> None:
        vain, fair = "DABC", "ABCD"
        found = self_preference(by_judges(fair, fair, fair, vain, prompts=2), [0, 1, 2, 3])
        assert values(found) == [0, 0, 0, -2]

    def test_planted_self_preference_is_found_and_merit_is_not_taken_for_it(self) -> None:
        merit = np.array([2.0, 0.0, 0.0])
        scores = np.random.default_rng(5).gumbel(size=(200, 3, 1, 3)) + merit
        scores[:, 1, :, 1] += 1.5
        one, vain, other = self_preference(ranked(scores), [0, 1, 2], confidence=0.999)
        assert covers(one, 0)
        assert covers(other, 0)
        assert interval(vain)[1] < -0.1

    def test_rests_on_prompts(self) -> None:
        ranks = blanked(np.tile(by_judges("ABC", "CAB", prompts=4), (1, 1, 3, 1)), 0, 0)
        found = self_preference(ranks, [0, -1])[0]
        assert (found.n, found.clusters) == (3, 3)

    @pytest.mark.parametrize(
        ("ranks", "own"),
        [
            (by_judges("ABC", prompts=2), [0]),
            (by_judges("AB", "BA", prompts=2), [0, 1]),
            (by_judges("aBC", "ABC", prompts=2), [0, -1]),
            (by_judges("ABC", "BAC", prompts=2), [0, 0]),
            (blanked(by_judges("ABC", "BAC", prompts=2), slice(None), 1), [0, 1]),
        ],
        ids=["no other judge", "two models", "own left out", "the same model", "other invalid"],
    )
    def test_is_undefined_where_nothing_compares(self, ranks: Floats, own: list[int]) -> None:
        found = self_preference(ranks, own)[0]
        assert (found.value, found.n) == (None, 0)
        assert found.note.startswith("no prompt on which this judge and another")

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        own = [judge % ranks.shape[-1] for judge in range(ranks.shape[1])]
        assert free_of_nan(self_preference(ranks, own))


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


class TestLengthPreference:
    def test_is_the_share_of_pairs_in_which_the_longer_is_preferred(self) -> None:
        lengths = [[300, 200, 100]] * 2
        found = length_preference(by_judges("ABC", "CBA", "BAC", prompts=2), lengths)
        assert values(found) == pytest.approx([1, 0, 2 / 3])

    def test_equal_lengths_do_not_count(self) -> None:
        found = length_preference(by_judges("ABC", prompts=2), [[200, 200, 100], [100, 100, 100]])
        assert (found[0].value, found[0].n) == (1, 1)

    def test_random_ballots_have_no_preference(self) -> None:
        ranks = random_ballots(1, 300, 1, 1, 4)
        (found,) = length_preference(ranks, np.random.default_rng(2).integers(10, 99, (300, 4)))
        assert covers(found, 0.5)

    def test_is_undefined_where_all_lengths_are_equal(self) -> None:
        (found,) = length_preference(by_judges("ABC"), [[5, 5, 5]])
        assert (found.value, found.note) == (None, "no ballot with answers of different length")

    @pytest.mark.parametrize("lengths", [[[1, 2]], [[1, 2, MISSING]], [1, 2, 3]])
    def test_refuses_lengths_that_are_missing(self, lengths: Any) -> None:
        with pytest.raises(ValueError, match="lengths"):
            length_preference(by_judges("ABC"), lengths)

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        lengths = np.arange(len(ranks) * ranks.shape[-1]).reshape(len(ranks), -1) % 3
        assert free_of_nan(length_preference(ranks, lengths))
