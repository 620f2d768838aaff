"""Borda, Kemeny, and the methods side by side."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.stats import kendalltau

from drawn import GOLDEN, THREE, Floats, blanked, by_judges, by_prompts, few, studies, values
from judgeworthy.statistics.rankings.ballots import without_own
from judgeworthy.statistics.rankings.consensus import (
    borda,
    kemeny,
    kemeny_distance,
    side_by_side,
)
from judgeworthy.statistics.rankings.rii import rii
from judgeworthy.statistics.rankings.strengths import plackett_luce
from results import MISSING, free_of_nan


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
