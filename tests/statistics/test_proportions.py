"""Proportions, cluster means and paired differences: golden values, and what always holds."""

import itertools
import json
from dataclasses import astuple
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.statistics.proportions import (
    cluster_mean,
    clustered_proportion,
    difference_bounds,
    paired_difference,
    proportion_bounds,
    wilson,
)

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8")
)
FOUR_DECIMALS: float = GOLDEN["tolerances"]["four_decimals"]
SIX_DECIMALS: float = GOLDEN["tolerances"]["six_decimals"]
ROUNDING: float = GOLDEN["tolerances"]["rounding"]

MISSING = float("nan")
decisions = st.sampled_from([0.0, 1.0])
decisions_or_missing = st.sampled_from([0.0, 1.0, MISSING])
documents = st.sampled_from("abcdefgh")


@st.composite
def samples(draw: st.DrawFn, value: st.SearchStrategy[float] = decisions) -> Any:
    rows = draw(st.lists(st.tuples(value, documents), max_size=30))
    return [row[0] for row in rows], [row[1] for row in rows]


@st.composite
def paired_samples(draw: st.DrawFn) -> Any:
    row = st.tuples(decisions_or_missing, decisions_or_missing, documents)
    rows = draw(st.lists(row, max_size=30))
    return tuple([row[side] for row in rows] for side in range(3))


def close(estimate: Estimate, *expected: float | None, within: float = ROUNDING) -> bool:
    found = (estimate.value, estimate.low, estimate.high)
    return bool(found == pytest.approx(expected, abs=within))


def contains_its_value(estimate: Estimate) -> bool:
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return False
    return low - ROUNDING <= value <= high + ROUNDING


def free_of_nan(result: Any) -> bool:
    return all(isfinite(part) for part in astuple(result) if isinstance(part, float))


def mirrored(values: list[float]) -> list[float]:
    return [1 - value for value in values]


class TestWilson:
    @pytest.mark.parametrize("case", GOLDEN["wilson"])
    def test_golden(self, case: dict[str, float]) -> None:
        estimate = wilson(int(case["successes"]), int(case["n"]))
        assert estimate.low == pytest.approx(case["low"], abs=FOUR_DECIMALS)
        assert estimate.high == pytest.approx(case["high"], abs=FOUR_DECIMALS)

    @given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
    def test_agrees_with_statsmodels(self, n: int, data: st.DataObject, level: float) -> None:
        successes = data.draw(st.integers(0, n))
        low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
        assert close(wilson(successes, n, level), successes / n, low, high)

    @pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (0, -1)])
    def test_refuses_impossible_counts(self, successes: int, n: int) -> None:
        with pytest.raises(ValueError, match="successes"):
            wilson(successes, n)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
    def test_refuses_an_impossible_confidence(self, confidence: float) -> None:
        with pytest.raises(ValueError, match="confidence"):
            wilson(1, 2, confidence)


SIX_QUESTIONS = GOLDEN["cluster_mean"]
VALUES = [int(digit) for question in SIX_QUESTIONS["clusters"] for digit in question]
QUESTIONS = np.repeat(np.arange(6), 3)


class TestClusterMean:
    @pytest.mark.parametrize("error", ["naive", "cr0", "cr1", "cr3"])
    def test_golden_errors(self, error: str) -> None:
        found = getattr(cluster_mean(VALUES, QUESTIONS), error)
        assert found == pytest.approx(SIX_QUESTIONS[error], abs=SIX_DECIMALS)

    def test_golden_interval_with_five_degrees_of_freedom(self) -> None:
        expected = SIX_QUESTIONS["value"], SIX_QUESTIONS["low"], SIX_QUESTIONS["high"]
        assert close(cluster_mean(VALUES, QUESTIONS).estimate, *expected, within=FOUR_DECIMALS)

    def test_cr0_is_the_exhaustive_cluster_bootstrap(self) -> None:
        means = np.reshape(VALUES, (6, 3)).mean(axis=1)
        resamples = np.array(list(itertools.product(means, repeat=6))).mean(axis=1)
        assert cluster_mean(VALUES, QUESTIONS).cr0 == pytest.approx(resamples.std())

    @pytest.mark.parametrize(("kind", "error"), [("robust", "cr0"), ("bias_reduced", "cr3")])
    def test_agrees_with_gee_on_unequal_clusters(self, kind: str, error: str) -> None:
        values, clusters = [1, 0, 0, 1, 1, 1, 0, 1, 0], [0, 0, 0, 1, 1, 2, 2, 3, 4]
        model = sm.GEE(np.array(values), np.ones((9, 1)), groups=np.array(clusters))
        expected = float(model.fit(cov_type=kind).bse[0])
        assert getattr(cluster_mean(values, clusters), error) == pytest.approx(expected)

    @given(samples(st.floats(-100, 100)))
    def test_cr2_is_the_classical_error_where_rows_are_independent(self, sample: Any) -> None:
        values = [*sample[0], 0.0, 1.0]
        expected = np.std(values, ddof=1) / sqrt(len(values))
        assert cluster_mean(values).cr2 == pytest.approx(expected)

    @given(samples(st.sampled_from([0.0, 1.0, 2.5, MISSING])))
    def test_is_never_nan(self, sample: Any) -> None:
        result = cluster_mean(*sample)
        assert free_of_nan(result)
        assert free_of_nan(result.estimate)

    def test_says_why_there_is_no_interval(self) -> None:
        assert cluster_mean([]).estimate.note == "no valid rows"
        assert cluster_mean([2.0, 3.0], ["a", "a"]).estimate.note == (
            "one cluster only: no interval"
        )
        assert cluster_mean([1, 1, 1], ["a", "b", "b"]).estimate.note == (
            "the cluster totals do not vary: no interval"
        )


class TestClusteredProportion:
    @given(st.lists(decisions, min_size=1, max_size=40))
    def test_clusters_of_one_are_wilson(self, values: list[float]) -> None:
        expected = wilson(int(sum(values)), len(values))
        assert clustered_proportion(values) == expected
        assert clustered_proportion(values, range(len(values))) == expected

    def test_uses_the_effective_sample_size_and_t(self) -> None:
        case = SIX_QUESTIONS
        effective_n = 0.25 / case["cr1"] ** 2  # CR2 is CR1 where clusters are of one size
        t5 = (case["high"] - case["value"]) / case["cr1"]
        half = t5 * sqrt(0.25 / effective_n + (t5 / (2 * effective_n)) ** 2)
        half /= 1 + t5**2 / effective_n
        found = clustered_proportion(VALUES, QUESTIONS)
        assert close(found, 0.5, 0.5 - half, 0.5 + half, within=FOUR_DECIMALS)
        assert (found.n, found.clusters) == (18, 6)

    def test_more_alike_clusters_give_a_wider_interval(self) -> None:
        clusters = np.repeat(np.arange(10), 4)
        alike = clustered_proportion(np.repeat([0, 1], 20), clusters)
        mixed = clustered_proportion(np.tile([0, 1], 20), clusters)
        assert alike.low < mixed.low < 0.5 < mixed.high < alike.high  # type: ignore[operator]

    def test_effective_sample_size_is_at_most_the_rows(self) -> None:
        clusters = np.repeat(np.arange(1000), 2)
        unlike = clustered_proportion(np.tile([0, 1], 1000), clusters)
        assert close(unlike, *astuple(wilson(1000, 2000))[:3], within=1e-4)

    @pytest.mark.parametrize("value", [0, 1])
    def test_counts_clusters_where_all_rows_agree(self, value: int) -> None:
        found = clustered_proportion([value] * 12, np.repeat(np.arange(4), 3))
        expected = wilson(4 * value, 4)
        assert close(found, expected.value, expected.low, expected.high)
        assert found.note == f"all {value}: the interval counts 4 clusters, not 12 rows"

    def test_one_cluster_has_a_value_and_a_reason(self) -> None:
        found = clustered_proportion([1, 0, 1, 1], ["a"] * 4)
        assert (found.value, found.has_interval) == (0.75, False)
        assert found.note == "one cluster only: no interval"

    @pytest.mark.parametrize("values", [[], [MISSING, MISSING], [None]])
    def test_without_valid_rows_it_is_undefined(self, values: Any) -> None:
        found = clustered_proportion(values, ["a"] * len(values))
        assert (found.defined, found.n, found.note) == (False, 0, "no valid rows")

    def test_missing_rows_are_left_out(self) -> None:
        with_missing = clustered_proportion([1, MISSING, 0, 1, MISSING], list("aabbc"))
        assert with_missing == clustered_proportion([1, 0, 1], list("abb"))

    @given(samples(decisions_or_missing))
    def test_interval_contains_the_value_and_lies_in_the_unit_interval(self, sample: Any) -> None:
        found = clustered_proportion(*sample)
        assert free_of_nan(found)
        if found.has_interval:
            assert contains_its_value(found)
            assert 0 <= found.low <= found.high <= 1  # type: ignore[operator]
        else:
            assert found.note

    @given(samples(decisions_or_missing))
    def test_swapping_the_labels_mirrors_the_interval(self, sample: Any) -> None:
        values, clusters = sample
        found = clustered_proportion(values, clusters)
        swapped = clustered_proportion(mirrored(values), clusters)
        if found.value is not None:
            assert swapped.value == pytest.approx(1 - found.value)
        if found.low is not None and found.high is not None:
            assert (swapped.low, swapped.high) == pytest.approx((1 - found.high, 1 - found.low))

    @given(samples(decisions_or_missing), st.randoms(use_true_random=False))
    def test_order_of_rows_does_not_matter(self, sample: Any, random: Any) -> None:
        rows = list(zip(*sample, strict=True))
        random.shuffle(rows)
        shuffled = [row[0] for row in rows], [row[1] for row in rows]
        found = clustered_proportion(*sample)
        assert close(clustered_proportion(*shuffled), found.value, found.low, found.high)

    @given(st.lists(decisions_or_missing, max_size=30))
    def test_copies_within_a_cluster_add_no_information(self, values: list[float]) -> None:
        clusters = list(range(len(values)))
        twice = clustered_proportion(values * 2, clusters * 2)
        thrice = clustered_proportion(values * 3, clusters * 3)
        assert close(thrice, twice.value, twice.low, twice.high)

    @pytest.mark.parametrize("values", [[0.5], [2], [-1, 0], [float("inf")]])
    def test_refuses_what_is_not_a_decision(self, values: list[float]) -> None:
        with pytest.raises(ValueError, match="values must be"):
            clustered_proportion(values)

    def test_refuses_different_shapes(self) -> None:
        with pytest.raises(ValueError, match="shape"):
            clustered_proportion([0, 1], ["a"])


def decisions_of(case: dict[str, int]) -> tuple[list[float], list[float]]:
    """Rows of a paired table."""
    cells = [case[name] for name in ("both", "first_only", "second_only", "neither")]
    first = np.repeat([1.0, 1.0, 0.0, 0.0], cells).tolist()
    second = np.repeat([1.0, 0.0, 1.0, 0.0], cells).tolist()
    return first, second


def newcombe_10(a: int, b: int, c: int, d: int) -> tuple[float, float, float]:
    """Newcombe's method 10 as his paper writes it, from the four cells."""
    n = a + b + c + d
    (p, low, high), (q, low2, high2) = (astuple(wilson(x, n))[:3] for x in (a + b, a + c))
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    association = a * d - b * c
    corrected = max(association - n / 2, 0) if association > 0 else association
    phi = corrected / sqrt(margins) if margins else 0.0
    below, above = p - low, high2 - q
    left = sqrt(below**2 - 2 * phi * below * above + above**2)
    below, above = q - low2, high - p
    right = sqrt(above**2 - 2 * phi * below * above + below**2)
    return p - q, p - q - left, p - q + right


class TestPairedDifference:
    @pytest.mark.parametrize("case", GOLDEN["paired_difference"])
    def test_golden(self, case: dict[str, Any]) -> None:
        found = paired_difference(*decisions_of(case))
        assert close(found, case["value"], case["low"], case["high"], within=FOUR_DECIMALS)

    @given(st.tuples(*[st.integers(0, 30)] * 4).filter(any))
    def test_complete_independent_pairs_are_newcombe_10(self, cells: Any) -> None:
        names = ("both", "first_only", "second_only", "neither")
        pairs = decisions_of(dict(zip(names, cells, strict=True)))
        expected = newcombe_10(*cells)
        assert close(paired_difference(*pairs), *expected)
        assert close(paired_difference(*pairs, range(sum(cells))), *expected)

    def test_an_incomplete_pair_counts_for_its_own_side(self) -> None:
        found = paired_difference([1, 1, 0, MISSING], [0, 1, MISSING, 0])
        assert found.value == pytest.approx(2 / 3 - 1 / 3)
        assert found.n == 2
        assert found.note == "3 valid in the first, 3 in the second, 2 in both"

    def test_without_complete_pairs_the_sides_are_independent(self) -> None:
        one, two = [1.0, 1.0, 0.0], [0.0, 1.0]
        gap_one, gap_two = [MISSING] * 2, [MISSING] * 3
        first, second = wilson(2, 3), wilson(1, 2)
        below = np.hypot(first.value - first.low, second.high - second.value)  # type: ignore[operator]
        above = np.hypot(first.high - first.value, second.value - second.low)  # type: ignore[operator]
        found = paired_difference(one + gap_one, gap_two + two)
        assert close(found, 1 / 6, 1 / 6 - below, 1 / 6 + above)

    def test_correlation_shrinks_with_the_share_of_complete_pairs(self) -> None:
        first, second = np.tile([0.0, 1.0], 100), np.tile([0.0, 1.0], 100)
        half = np.arange(200) < 100
        other = np.where(half, second, MISSING)
        complete, incomplete = paired_difference(first, second), paired_difference(first, other)
        unpaired = np.hypot(0.5 - wilson(100, 200).low, 0.5 - wilson(50, 100).low)  # type: ignore[operator]
        assert complete.high < incomplete.high < unpaired  # type: ignore[operator]

    def test_pairing_within_clusters_narrows_the_interval(self) -> None:
        clusters = np.repeat(np.arange(40), 3)
        first = np.repeat(np.tile([0, 1], 20), 3)
        same, unrelated = first, np.repeat(np.tile([0, 0, 1, 1], 10), 3)
        paired = paired_difference(first, same, clusters)
        apart = paired_difference(first, unrelated, clusters)
        assert paired.high < apart.high  # type: ignore[operator]

    @given(paired_samples())
    def test_interval_contains_the_value_and_lies_between_minus_one_and_one(
        self, sample: Any
    ) -> None:
        found = paired_difference(*sample)
        assert free_of_nan(found)
        if found.has_interval:
            assert contains_its_value(found)
            assert -1 - ROUNDING <= found.low <= found.high <= 1 + ROUNDING  # type: ignore[operator]
        else:
            assert found.note

    @given(paired_samples())
    def test_swapping_sides_or_labels_turns_the_sign(self, sample: Any) -> None:
        first, second, clusters = sample
        found = paired_difference(first, second, clusters)
        for turned in (
            paired_difference(second, first, clusters),
            paired_difference(mirrored(first), mirrored(second), clusters),
        ):
            if found.value is not None:
                assert turned.value == pytest.approx(-found.value, abs=ROUNDING)
            if found.low is not None and found.high is not None:
                assert turned.low == pytest.approx(-found.high, abs=ROUNDING)
                assert turned.high == pytest.approx(-found.low, abs=ROUNDING)

    @given(paired_samples(), st.randoms(use_true_random=False))
    def test_order_of_rows_does_not_matter(self, sample: Any, random: Any) -> None:
        rows = list(zip(*sample, strict=True))
        random.shuffle(rows)
        first, second, clusters = ([row[side] for row in rows] for side in range(3))
        found = paired_difference(*sample)
        assert close(paired_difference(first, second, clusters), found.value, found.low, found.high)

    @given(paired_samples())
    def test_copies_within_a_cluster_add_no_information(self, sample: Any) -> None:
        first, second, _ = sample
        clusters = list(range(len(first)))
        twice = paired_difference(first * 2, second * 2, clusters * 2)
        thrice = paired_difference(first * 3, second * 3, clusters * 3)
        assert close(thrice, twice.value, twice.low, twice.high)

    @pytest.mark.parametrize(
        ("first", "second", "clusters", "note"),
        [
            ([], [], [], "first: no valid rows; second: no valid rows"),
            ([MISSING, MISSING], [1, 0], ["a", "b"], "first: no valid rows"),
            ([1, 0], [0, 0], ["a", "a"], "first: one cluster only: no interval"),
        ],
    )
    def test_says_why_there_is_no_number_or_no_interval(
        self, first: Any, second: Any, clusters: Any, note: str
    ) -> None:
        found = paired_difference(first, second, clusters)
        assert not found.has_interval
        assert note in found.note

    def test_refuses_different_shapes(self) -> None:
        with pytest.raises(ValueError, match="shape"):
            paired_difference([1], [1, 0, 1])

    def test_reads_columns_of_a_table(self) -> None:
        table = pd.DataFrame(
            {"c1": [True, True, False], "c2": [False, True, False], "title": ["x", "y", "z"]}
        )
        assert paired_difference(table["c1"], table["c2"], table["title"]).value == pytest.approx(
            1 / 3
        )


counts = st.tuples(*[st.integers(0, 6)] * 3)


def fillings(accepted: int, rejected: int, invalid: int) -> list[float]:
    total = accepted + rejected + invalid
    return [(accepted + filled) / total for filled in range(invalid + 1)]


class TestBounds:
    def test_golden(self) -> None:
        case = GOLDEN["bounds"]
        first, second = proportion_bounds(**case["first"]), proportion_bounds(**case["second"])
        found = difference_bounds(first, second)
        assert astuple(found) == pytest.approx((case["low"], case["high"]))

    @given(counts.filter(any), counts.filter(any))
    def test_are_the_extremes_over_all_fillings(self, one: Any, two: Any) -> None:
        differences = [a - b for a in fillings(*one) for b in fillings(*two)]
        found = difference_bounds(proportion_bounds(*one), proportion_bounds(*two))
        assert astuple(found) == pytest.approx((min(differences), max(differences)))

    def test_are_undefined_without_rows(self) -> None:
        nothing = proportion_bounds(0, 0, 0)
        assert nothing == Bounds(None, None)
        assert difference_bounds(nothing, proportion_bounds(1, 1, 1)) == nothing
        assert difference_bounds(proportion_bounds(1, 1, 1), nothing) == nothing

    def test_refuse_negative_counts(self) -> None:
        with pytest.raises(ValueError, match="negative"):
            proportion_bounds(1, -1, 0)
