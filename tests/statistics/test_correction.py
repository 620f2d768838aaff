"""Corrected accuracy: golden values, and what always holds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judgeworthy.statistics.correction import (
    corrected_proportion,
    lang_reiczigel,
    rogan_gladen,
)
from judgeworthy.statistics.estimate import undefined
from judgeworthy.statistics.proportions import clustered_proportion, wilson
from labelled import lies_in_the_unit_interval, rows_of, samples
from results import MISSING, close, free_of_nan, limits

SIX_DECIMALS = 5e-7
NORMAL_QUANTILE = 1.959963984540054

count_pairs = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)


class TestRoganGladen:
    def test_golden(self) -> None:
        found = rogan_gladen(wilson(60, 100), 0.9, 0.8)
        assert found.value == pytest.approx(0.571429, abs=SIX_DECIMALS)

    def test_the_limits_are_corrected_like_the_value(self) -> None:
        acceptance = clustered_proportion([1, 1, 0, 1, 0, 1], list("aabbcc"))
        found = rogan_gladen(acceptance, 0.9, 0.95)
        expected = [((share or 0) - 0.05) / 0.85 for share in limits(acceptance)]
        expected[2] = min(expected[2], 1)
        assert limits(found) == pytest.approx(expected)
        assert (found.n, found.clusters) == (6, 3)

    def test_a_perfect_judge_needs_no_correction(self) -> None:
        assert close(rogan_gladen(wilson(7, 20), 1, 1), wilson(7, 20))

    @pytest.mark.parametrize(("sensitivity", "specificity"), [(0.5, 0.5), (0.3, 0.2), (0, 1)])
    def test_is_not_identified_where_both_sum_to_1_or_less(
        self, sensitivity: float, specificity: float
    ) -> None:
        found = rogan_gladen(wilson(60, 100), sensitivity, specificity)
        assert (found.defined, found.n) == (False, 100)
        assert found.note == "sensitivity + specificity is not above 1: not identified"

    def test_an_undefined_acceptance_stays_so_for_its_reason(self) -> None:
        assert rogan_gladen(undefined("no valid rows", "Wilson"), 0.9, 0.8).note == "no valid rows"

    def test_an_estimate_outside_0_to_1_is_moved_and_the_note_says_so(self) -> None:
        found = rogan_gladen(wilson(19, 20), 0.9, 0.95)
        assert (found.value, found.high) == (1, 1)
        assert found.note == "1.059 before it was moved into 0 to 1"

    def test_an_interval_that_lies_outside_is_left_out(self) -> None:
        found = rogan_gladen(wilson(10, 1000), 0.9, 0.5)
        assert limits(found) == (0, None, None)
        assert "the interval lies outside 0 to 1" in found.note

    @pytest.mark.parametrize(("sensitivity", "specificity"), [(1.1, 0.9), (0.9, -0.1), (90, 80)])
    def test_refuses_what_is_no_share(self, sensitivity: float, specificity: float) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            rogan_gladen(wilson(1, 2), sensitivity, specificity)


class TestLangReiczigel:
    def test_golden(self) -> None:
        found = lang_reiczigel(60, 100, 45, 50, 40, 50)
        expected = (0.571429, 0.396257, 0.743166)
        assert limits(found.estimate) == pytest.approx(expected, abs=SIX_DECIMALS)
        parts = (found.adjusted, found.shift, found.error)
        assert parts == pytest.approx((0.571647, -0.001935, 0.088499), abs=SIX_DECIMALS)
        assert (found.estimate.n, found.labels) == (100, 100)

    def test_is_wider_than_with_known_sensitivity_and_specificity(self) -> None:
        estimated = lang_reiczigel(60, 100, 45, 50, 40, 50).estimate
        known = rogan_gladen(wilson(60, 100), 0.9, 0.8)
        assert estimated.low < known.low < known.high < estimated.high  # type: ignore[operator]

    def test_many_labels_come_near_to_known_sensitivity_and_specificity(self) -> None:
        estimated = lang_reiczigel(60, 100, 900_000, 1_000_000, 800_000, 1_000_000).estimate
        known = rogan_gladen(wilson(60, 100), 0.9, 0.8)
        assert limits(estimated) == pytest.approx(limits(known), abs=0.01)

    @pytest.mark.parametrize(
        ("counts", "note"),
        [
            ((6, 10, 5, 10, 5, 10), "not identified"),
            ((6, 10, 2, 10, 3, 10), "not identified"),
            ((0, 0, 5, 10, 9, 10), "acceptance unknown"),
            ((6, 10, 0, 0, 9, 10), "sensitivity unknown"),
            ((6, 10, 5, 10, 0, 0), "specificity unknown"),
        ],
    )
    def test_says_why_it_is_undefined(self, counts: Any, note: str) -> None:
        found = lang_reiczigel(*counts)
        assert not found.estimate.defined
        assert note in found.estimate.note
        assert (found.adjusted, found.shift, found.error) == (None, None, None)

    def test_has_no_interval_where_the_added_labels_undo_the_identification(self) -> None:
        found = lang_reiczigel(6, 10, 1, 1, 1, 100)
        assert found.estimate.defined
        assert not found.estimate.has_interval
        assert "hardly above 1" in found.estimate.note

    @given(count_pairs, count_pairs, count_pairs)
    def test_the_interval_contains_the_estimate_and_lies_in_0_to_1(
        self, acceptance: Any, right: Any, wrong: Any
    ) -> None:
        found = lang_reiczigel(*acceptance, *right, *wrong)
        assert free_of_nan(found)
        assert lies_in_the_unit_interval(found.estimate)
        assert found.estimate.has_interval or found.estimate.note

    @given(count_pairs, count_pairs, count_pairs)
    def test_exchanging_the_categories_mirrors_the_interval(
        self, acceptance: Any, right: Any, wrong: Any
    ) -> None:
        accepted, n = acceptance
        one = lang_reiczigel(accepted, n, *right, *wrong).estimate
        other = lang_reiczigel(n - accepted, n, *wrong, *right).estimate
        assume(one.has_interval)
        mirrored = [1 - (limit or 0) for limit in (one.value, one.high, one.low)]
        assert limits(other) == pytest.approx(mirrored, abs=1e-6)

    @pytest.mark.parametrize(
        "counts", [(11, 10, 1, 2, 1, 2), (1, 2, -1, 2, 1, 2), (1, 2, 1, 2, 3, 2)]
    )
    def test_refuses_impossible_counts(self, counts: Any) -> None:
        with pytest.raises(ValueError, match="successes"):
            lang_reiczigel(*counts)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
    def test_refuses_an_impossible_confidence(self, confidence: float) -> None:
        with pytest.raises(ValueError, match="confidence"):
            lang_reiczigel(60, 100, 45, 50, 40, 50, confidence)


class TestCorrectedProportion:
    def test_golden_rows(self) -> None:
        labels, verdicts = rows_of(45, 50, 40, 50, 60, 100)
        expected = lang_reiczigel(60, 100, 45, 50, 40, 50)
        assert corrected_proportion(labels, verdicts) == expected
        assert corrected_proportion(labels, verdicts, range(200)) == expected

    def test_clusters_count_with_their_effective_size(self) -> None:
        labels, verdicts = rows_of(45, 50, 40, 50, 60, 100)
        found = corrected_proportion(labels, verdicts, np.arange(200) // 2).estimate
        apart = lang_reiczigel(60, 100, 45, 50, 40, 50).estimate
        assert found.value == pytest.approx(apart.value)
        assert found.low < apart.low < apart.high < found.high  # type: ignore[operator]
        assert (found.n, found.clusters) == (100, 50)

    def test_the_effective_size_is_at_most_the_rows(self) -> None:
        labels, verdicts = rows_of(450, 500, 400, 500, 600, 1000)
        unlike = np.concatenate([np.arange(1000), 1000 + np.arange(1000) % 600])
        found = corrected_proportion(labels, verdicts, unlike).estimate
        apart = lang_reiczigel(600, 1000, 450, 500, 400, 500).estimate
        assert limits(found) == pytest.approx(limits(apart), abs=1e-3)
        assert found.method.startswith("Lang-Reiczigel at the effective sample sizes")

    @given(samples())
    def test_copies_within_a_cluster_add_no_information(self, sample: Any) -> None:
        labels, verdicts, _ = sample
        clusters = list(range(len(labels)))
        twice = corrected_proportion(labels * 2, verdicts * 2, clusters * 2).estimate
        thrice = corrected_proportion(labels * 3, verdicts * 3, clusters * 3).estimate
        assert close(twice, thrice)

    @given(samples())
    def test_the_interval_contains_the_estimate_and_lies_in_0_to_1(self, sample: Any) -> None:
        found = corrected_proportion(*sample)
        assert free_of_nan(found)
        assert lies_in_the_unit_interval(found.estimate)
        assert found.estimate.has_interval or found.estimate.note

    def test_invalid_rows_are_left_out_and_counted(self) -> None:
        labels, verdicts = rows_of(45, 50, 40, 50, 60, 100)
        found = corrected_proportion([*labels, 1, MISSING], [*verdicts, MISSING, MISSING])
        assert close(found.estimate, lang_reiczigel(60, 100, 45, 50, 40, 50).estimate)
        assert found.estimate.note == "2 of 202 rows without a valid verdict left out"

    @pytest.mark.parametrize(
        ("labels", "verdicts", "note"),
        [
            ([], [], "sensitivity unknown"),
            ([1, 0], [1, 0], "acceptance unknown"),
            ([0, MISSING], [0, 1], "sensitivity unknown"),
            ([1, MISSING], [1, 1], "specificity unknown"),
            ([1, 0, MISSING], [1, 1, 1], "not identified"),
        ],
    )
    def test_says_why_it_is_undefined(self, labels: Any, verdicts: Any, note: str) -> None:
        found = corrected_proportion(labels, verdicts).estimate
        assert not found.defined
        assert note in found.note

    def test_one_question_only_has_a_value_and_a_reason(self) -> None:
        labels, verdicts = rows_of(4, 5, 4, 5, 6, 10)
        found = corrected_proportion(labels, verdicts, ["only"] * 20).estimate
        assert found.value == pytest.approx((0.6 + 0.8 - 1) / 0.6)
        assert (found.has_interval, found.note) == (False, "one cluster only: no interval")

    @pytest.mark.parametrize(
        ("labels", "verdicts", "complaint"),
        [
            ([1], [1, 0], "shape"),
            ([2, 0], [1, 0], "0, 1 or NaN"),
            ([1, 0], [1, 0.5], "0, 1 or NaN"),
        ],
    )
    def test_refuses_misuse(self, labels: Any, verdicts: Any, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            corrected_proportion(labels, verdicts)
