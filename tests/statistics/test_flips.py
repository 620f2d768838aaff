"""Flips: McNemar's test, transitions, rates and bounds."""

import itertools
import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from judgeworthy.statistics.estimate import Bounds
from judgeworthy.statistics.flips import (
    Transition,
    clustered_mcnemar,
    conditional_flip_bounds,
    conditional_flip_rate,
    flip_rate,
    flipped,
    mcnemar,
    net_bounds,
    transition,
)
from judgeworthy.statistics.proportions import clustered_proportion

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8")
)
SIX_DECIMALS: float = GOLDEN["tolerances"]["six_decimals"]


@pytest.mark.parametrize("case", GOLDEN["mcnemar"])
def test_golden(case: dict[str, Any]) -> None:
    found = mcnemar(case["first_only"], case["second_only"])
    assert (found.p, found.mid_p) == pytest.approx((case["p"], case["mid_p"]), abs=SIX_DECIMALS)


def test_many_flips_that_cancel_are_no_shift() -> None:
    assert mcnemar(20, 20).p == 1


def test_an_even_split_takes_half_its_probability_off() -> None:
    assert mcnemar(1, 1).mid_p == 1 - 0.5 / 2


@given(st.integers(0, 60), st.integers(0, 60))
def test_p_is_exact_symmetric_and_above_mid_p(first_only: int, second_only: int) -> None:
    found, swapped = mcnemar(first_only, second_only), mcnemar(second_only, first_only)
    assert (swapped.p, swapped.mid_p) == pytest.approx((found.p, found.mid_p))
    assert 0 < found.mid_p <= found.p <= 1
    if first_only + second_only > 0:
        table = [[0, first_only], [second_only, 0]]
        assert found.p == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue)


def test_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


MISSING = float("nan")
decisions = st.sampled_from([0.0, 1.0])
decisions_or_missing = st.sampled_from([0.0, 1.0, MISSING])
documents = st.sampled_from("abcdefg")


@st.composite
def paired_samples(
    draw: st.DrawFn, value: st.SearchStrategy[float] = decisions_or_missing, size: int = 30
) -> Any:
    rows = draw(st.lists(st.tuples(value, value, documents), max_size=size))
    return tuple([row[side] for row in rows] for side in range(3))


def discordant(first_only: int, second_only: int) -> tuple[list[int], list[int]]:
    first = [1] * first_only + [0] * second_only
    return first, [1 - decision for decision in first]


def share_of_sign_flips(first: list[float], second: list[float], clusters: list[str]) -> float:
    """Share of all ways to exchange the decisions of whole clusters that shift as much."""
    shifts = dict.fromkeys(clusters, 0.0)
    for one, two, cluster in zip(first, second, clusters, strict=True):
        shifts[cluster] += one - two
    observed = abs(sum(shifts.values()))
    sums = [
        sum(sign * shift for sign, shift in zip(signs, shifts.values(), strict=True))
        for signs in itertools.product([1, -1], repeat=len(shifts))
    ]
    return sum(abs(total) >= observed for total in sums) / len(sums)


class TestClusteredMcNemar:
    @pytest.mark.parametrize("case", GOLDEN["mcnemar"])
    def test_golden_with_one_pair_a_cluster(self, case: dict[str, Any]) -> None:
        pairs = discordant(case["first_only"], case["second_only"])
        found = clustered_mcnemar(*pairs, range(len(pairs[0])))
        assert found == pytest.approx(case["p"], abs=SIX_DECIMALS)

    def test_many_flips_that_cancel_are_no_shift(self) -> None:
        assert clustered_mcnemar(*discordant(20, 20)) == pytest.approx(1)

    @given(*[st.integers(0, 40)] * 4)
    def test_clusters_of_one_are_mcnemar(
        self, first_only: int, second_only: int, both: int, neither: int
    ) -> None:
        first, second = discordant(first_only, second_only)
        same = [1] * both + [0] * neither
        expected = pytest.approx(mcnemar(first_only, second_only).p)
        assert clustered_mcnemar(first + same, second + same) == expected
        clusters = range(len(first) + len(same))
        assert clustered_mcnemar(first + same, second + same, clusters) == expected

    @given(paired_samples(decisions))
    def test_is_the_share_of_sign_flips_of_clusters_that_shift_as_much(self, sample: Any) -> None:
        assert clustered_mcnemar(*sample) == pytest.approx(share_of_sign_flips(*sample))

    @given(paired_samples())
    def test_exchanging_the_sides_changes_nothing(self, sample: Any) -> None:
        first, second, clusters = sample
        found = clustered_mcnemar(first, second, clusters)
        assert 0 < found <= 1
        assert clustered_mcnemar(second, first, clusters) == found

    @given(paired_samples(), st.permutations("abcdefg"), st.randoms(use_true_random=False))
    def test_names_of_clusters_and_order_of_rows_do_not_matter(
        self, sample: Any, names: list[str], random: Any
    ) -> None:
        renamed = dict(zip("abcdefg", names, strict=True))
        rows = [(one, two, renamed[cluster]) for one, two, cluster in zip(*sample, strict=True)]
        random.shuffle(rows)
        first, second, clusters = ([row[side] for row in rows] for side in range(3))
        expected = clustered_mcnemar(*sample)
        assert clustered_mcnemar(first, second, clusters) == pytest.approx(expected)

    @given(paired_samples())
    def test_pairs_with_a_missing_side_are_left_out(self, sample: Any) -> None:
        rows = [row for row in zip(*sample, strict=True) if row[0] + row[1] >= 0]
        complete = tuple([row[side] for row in rows] for side in range(3))
        assert clustered_mcnemar(*sample) == pytest.approx(clustered_mcnemar(*complete))

    def test_copies_within_a_cluster_add_no_information(self) -> None:
        first, second = discordant(9, 1)
        clusters = list(range(10))
        found = clustered_mcnemar(first * 3, second * 3, clusters * 3)
        assert found == pytest.approx(mcnemar(9, 1).p)
        assert found > mcnemar(27, 3).p

    @pytest.mark.parametrize(
        ("first", "second", "clusters"),
        [
            ([], [], []),
            ([MISSING, 1], [0, MISSING], ["a", "b"]),
            ([1, 0, 1], [1, 0, 1], ["a", "a", "b"]),
            ([1, 1, 1], [0, 0, 0], ["a", "a", "a"]),
            ([1, 0], [0, 1], ["a", "a"]),
        ],
        ids=["no pairs", "all missing", "no flips", "one cluster", "a cluster that cancels"],
    )
    def test_without_shifts_of_several_clusters_p_is_one(
        self, first: Any, second: Any, clusters: Any
    ) -> None:
        assert clustered_mcnemar(first, second, clusters) == 1

    def test_refuses_what_is_not_a_decision_and_different_shapes(self) -> None:
        with pytest.raises(ValueError, match="0, 1 or NaN"):
            clustered_mcnemar([0.5], [1])
        with pytest.raises(ValueError, match="shape"):
            clustered_mcnemar([1, 0], [1])
        with pytest.raises(ValueError, match="shape"):
            clustered_mcnemar([1, 0], [1, 1], ["a"])


STATES = {
    (1, 1): "both",
    (1, 0): "first_only",
    (0, 1): "second_only",
    (0, 0): "neither",
    (None, 1): "first_missing",
    (None, 0): "first_missing",
    (1, None): "second_missing",
    (0, None): "second_missing",
    (None, None): "both_missing",
}


def fillings(*sides: list[float]) -> list[tuple[list[float], ...]]:
    """Every way to put 0 or 1 in the place of what is missing."""
    choices = [[value] if value == value else [0.0, 1.0] for side in sides for value in side]
    n = len(sides[0])
    return [
        tuple(list(filled[n * side : n * side + n]) for side in range(len(sides)))
        for filled in itertools.product(*choices)
    ]


def extremes(values: list[float]) -> Any:
    return pytest.approx((min(values), max(values)))


class TestTransition:
    @pytest.mark.parametrize(("pair", "state"), STATES.items())
    def test_each_of_the_nine_pairs_has_its_state(self, pair: Any, state: str) -> None:
        empty = dict.fromkeys(STATES.values(), 0)
        assert transition([pair[0]], [pair[1]]) == Transition(**{**empty, state: 1})

    @given(st.lists(st.sampled_from(list(STATES)), max_size=30))
    def test_counts_pairs_by_state(self, pairs: list[Any]) -> None:
        found = transition([one for one, _ in pairs], [two for _, two in pairs])
        named = [STATES[pair] for pair in pairs]
        assert found == Transition(**{state: named.count(state) for state in STATES.values()})
        assert found.n == len(pairs)
        assert found.valid == sum(None not in pair for pair in pairs)
        assert found.flips == pairs.count((1, 0)) + pairs.count((0, 1))

    @given(paired_samples(size=5))
    def test_flip_bounds_are_the_extremes_over_all_fillings(self, sample: Any) -> None:
        first, second, _ = sample
        found = transition(first, second).flip_bounds()
        if not first:
            assert found == Bounds(None, None)
            return
        shares = [
            sum(a != b for a, b in zip(one, two, strict=True)) / len(first)
            for one, two in fillings(first, second)
        ]
        assert astuple(found) == extremes(shares)

    def test_refuses_what_is_not_a_decision_and_different_shapes(self) -> None:
        with pytest.raises(ValueError, match="0, 1 or NaN"):
            transition([1], [2])
        with pytest.raises(ValueError, match="shape"):
            transition([1], [1, 0])
        with pytest.raises(ValueError, match="shape"):
            transition([[1, 0]], [[1, 0]])


class TestNetBounds:
    @given(paired_samples(size=5).filter(lambda sample: sample[0]))
    def test_are_the_extremes_over_all_fillings(self, sample: Any) -> None:
        first, second, _ = sample
        shifts = [(sum(one) - sum(two)) / len(first) for one, two in fillings(first, second)]
        assert astuple(net_bounds(first, second)) == extremes(shifts)

    def test_without_missing_decisions_both_are_the_net_shift(self) -> None:
        assert net_bounds([1, 1, 1, 0], [0, 0, 1, 1]) == Bounds(0.25, 0.25)

    def test_are_undefined_without_pairs(self) -> None:
        assert net_bounds([], []) == Bounds(None, None)

    def test_without_any_valid_decision_they_say_nothing(self) -> None:
        assert net_bounds([MISSING, MISSING], [MISSING, MISSING]) == Bounds(-1, 1)


@pytest.mark.parametrize("start", [0, 1])
@given(sample=paired_samples(size=5))
def test_conditional_flip_bounds_are_the_extremes_over_all_fillings(
    start: int, sample: Any
) -> None:
    first, second, _ = sample
    rates = [
        sum(two[place] != start for place in begun) / len(begun)
        for one, two in fillings(first, second)
        if (begun := [place for place, decision in enumerate(one) if decision == start])
    ]
    found = astuple(conditional_flip_bounds(first, second, start))
    assert found == (extremes(rates) if rates else (None, None))


class TestRates:
    def test_flipped_is_one_where_a_decision_changes(self) -> None:
        found = flipped([1, 0, 1, 0, MISSING, 1], [1, 0, 0, 1, 1, MISSING])
        np.testing.assert_array_equal(found, [0, 0, 1, 1, MISSING, MISSING])

    @given(paired_samples(), st.sampled_from([0.8, 0.95]))
    def test_flip_rate_is_the_clustered_proportion_of_flips(
        self, sample: Any, confidence: float
    ) -> None:
        first, second, clusters = sample
        rows = [row for row in zip(*sample, strict=True) if row[0] + row[1] >= 0]
        changes = [float(one != two) for one, two, _ in rows]
        expected = clustered_proportion(changes, [row[2] for row in rows], confidence)
        assert flip_rate(first, second, clusters, confidence) == expected

    @given(paired_samples(), st.sampled_from([0, 1]), st.sampled_from([0.8, 0.95]))
    def test_conditional_flip_rate_is_that_of_the_pairs_that_could_flip(
        self, sample: Any, start: int, confidence: float
    ) -> None:
        rows = [row for row in zip(*sample, strict=True) if row[0] == start and row[1] >= 0]
        found = conditional_flip_rate(sample[0], sample[1], start, sample[2], confidence)
        if not rows:
            assert (found.defined, found.note) == (False, f"no valid pair starts {start}")
            return
        changes = [float(row[1] != start) for row in rows]
        assert found == clustered_proportion(changes, [row[2] for row in rows], confidence)

    def test_directions_are_apart(self) -> None:
        first, second = [1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 0]
        assert conditional_flip_rate(first, second, 1).value == 1 / 4
        assert conditional_flip_rate(first, second, 0).value == 1 / 2
        assert flip_rate(first, second).value == pytest.approx(2 / 6)

    @pytest.mark.parametrize("values", [[], [MISSING, MISSING]])
    def test_are_undefined_without_valid_pairs(self, values: list[float]) -> None:
        found = flip_rate(values, [1] * len(values))
        assert (found.defined, found.n, found.note) == (False, 0, "no valid rows")
        assert not conditional_flip_rate(values, [1] * len(values), 1).defined

    def test_one_cluster_has_a_value_and_a_reason(self) -> None:
        found = flip_rate([1, 1], [1, 0], ["a", "a"])
        assert (found.value, found.has_interval) == (0.5, False)
        assert found.note == "one cluster only: no interval"

    def test_refuse_misuse(self) -> None:
        with pytest.raises(ValueError, match="start"):
            conditional_flip_rate([1], [0], 2)
        with pytest.raises(ValueError, match="confidence"):
            flip_rate([1], [0], confidence=95)
        with pytest.raises(ValueError, match="0, 1 or NaN"):
            flip_rate([0.5], [1])
