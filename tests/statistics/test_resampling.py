"""The cluster bootstrap: golden error, standardising, and what it says without variation."""

import itertools
import json
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.proportions import cluster_mean
from judgeworthy.statistics.resampling import (
    BOOTSTRAP,
    cluster_bootstrap,
    draws,
    standardised_bootstrap,
)

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8")
)
ROUNDING: float = GOLDEN["tolerances"]["rounding"]
SIX_QUESTIONS = GOLDEN["cluster_mean"]
VALUES = [int(digit) for question in SIX_QUESTIONS["clusters"] for digit in question]
QUESTIONS = np.repeat(np.arange(6), 3)

MISSING = float("nan")
few = settings(max_examples=50)


@st.composite
def samples(draw: st.DrawFn) -> Any:
    row = st.tuples(st.sampled_from([-1.0, 0.0, 0.1, 1.0, 2.5, MISSING]), st.sampled_from("abcdef"))
    rows = draw(st.lists(row, max_size=20))
    return [row[0] for row in rows], [row[1] for row in rows]


def few_resamples(values: Any, clusters: Any) -> Estimate:
    return cluster_bootstrap(values, clusters, resamples=50)


def same(one: Estimate, two: Estimate) -> bool:
    found, expected = (
        (estimate.value, estimate.low, estimate.high, estimate.clusters, estimate.note)
        for estimate in (one, two)
    )
    return bool(found[:3] == pytest.approx(expected[:3]) and found[3:] == expected[3:])


class TestSixQuestions:
    def test_resample_means_vary_as_over_all_resamples(self) -> None:
        totals = np.reshape(VALUES, (6, 3)).sum(axis=1).astype(float)
        means = draws(6, 200_000, seed=1) @ totals / 18
        assert means.mean() == pytest.approx(SIX_QUESTIONS["value"], abs=0.001)
        assert means.std() == pytest.approx(SIX_QUESTIONS["cr0"], abs=0.0007)

    def test_interval_has_the_quantiles_of_all_resamples(self) -> None:
        question_means = np.reshape(VALUES, (6, 3)).mean(axis=1)
        resamples = np.array(list(itertools.product(question_means, repeat=6))).mean(axis=1)
        found = cluster_bootstrap(VALUES, QUESTIONS, resamples=20_000)
        for limit, tail in ((found.low, 0.025), (found.high, 0.975)):
            assert limit is not None
            below, up_to = (resamples < limit - 1e-9).mean(), (resamples < limit + 1e-9).mean()
            assert below - 0.005 < tail < up_to + 0.005  # 0.005 is four standard errors and a half

    def test_says_what_it_rests_on(self) -> None:
        found = cluster_bootstrap(VALUES, QUESTIONS)
        assert found.value == SIX_QUESTIONS["value"]
        assert (found.n, found.clusters, found.method, found.note) == (18, 6, BOOTSTRAP, "")


class TestResampling:
    def test_the_same_seed_gives_the_same_interval(self) -> None:
        values = np.linspace(0, 1, 30) ** 2
        found = cluster_bootstrap(values, seed=3)
        assert cluster_bootstrap(values, seed=3) == found
        assert cluster_bootstrap(values, seed=4) != found

    def test_many_independent_rows_give_the_normal_interval(self) -> None:
        values = np.random.default_rng(0).normal(2, 1, size=400)
        found = cluster_bootstrap(values, resamples=5000)
        expected = cluster_mean(values).estimate
        assert found.value == pytest.approx(expected.value)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.01)

    def test_more_confidence_gives_a_wider_interval(self) -> None:
        narrow = cluster_bootstrap(VALUES, QUESTIONS, confidence=0.8)
        wide = cluster_bootstrap(VALUES, QUESTIONS, confidence=0.99)
        assert wide.low < narrow.low < narrow.high < wide.high  # type: ignore[operator]

    def test_whole_clusters_are_drawn(self) -> None:
        alike = cluster_bootstrap(np.repeat([0, 1], 30), np.repeat(np.arange(10), 6))
        apart = cluster_bootstrap(np.repeat([0, 1], 30))
        assert alike.low < apart.low < apart.high < alike.high  # type: ignore[operator]

    def test_clusters_count_with_their_rows(self) -> None:
        found = cluster_bootstrap([0, 0, 0, 1], ["a", "a", "a", "b"])
        assert (found.value, found.low, found.high) == (0.25, 0.0, 1.0)

    @few
    @given(samples())
    def test_copies_within_a_cluster_add_no_information(self, sample: Any) -> None:
        values, clusters = sample
        assert same(few_resamples(values * 2, clusters * 2), few_resamples(values, clusters))

    @few
    @given(samples(), st.randoms(use_true_random=False))
    def test_order_of_rows_does_not_matter(self, sample: Any, random: Any) -> None:
        rows = list(zip(*sample, strict=True))
        random.shuffle(rows)
        shuffled = few_resamples([row[0] for row in rows], [row[1] for row in rows])
        assert same(shuffled, few_resamples(*sample))

    @few
    @given(samples())
    def test_missing_rows_are_left_out(self, sample: Any) -> None:
        rows = [row for row in zip(*sample, strict=True) if row[0] == row[0]]
        complete = few_resamples([row[0] for row in rows], [row[1] for row in rows])
        assert few_resamples(*sample) == complete

    @few
    @given(samples())
    def test_is_never_nan_and_gives_a_reason_where_there_is_no_interval(self, sample: Any) -> None:
        found = few_resamples(*sample)
        numbers = [part for part in (found.value, found.low, found.high) if part is not None]
        assert all(isfinite(number) for number in numbers)
        assert found.has_interval == (found.note == "")
        if found.low is not None and found.high is not None:
            assert -1 - ROUNDING <= found.low <= found.high <= 2.5 + ROUNDING


class TestStandardised:
    def test_groups_weigh_alike_in_each_stratum_and_strata_as_they_occur(self) -> None:
        values = [1, 1, 1, 0, 0, 1, 0, 0]
        strata = ["right"] * 4 + ["wrong"] * 4
        groups = ["a", "a", "a", "b", "a", "b", "b", "b"]
        found = standardised_bootstrap(values, strata, groups)
        assert found.value == pytest.approx(0.5 * (1 + 0) / 2 + 0.5 * (0 + 1 / 3) / 2)
        assert found.n == 8

    @few
    @given(samples())
    def test_one_stratum_and_one_group_make_it_the_plain_mean(self, sample: Any) -> None:
        values, clusters = sample
        same_for_all = ["one"] * len(values)
        found = standardised_bootstrap(values, same_for_all, same_for_all, clusters, resamples=50)
        assert same(found, few_resamples(values, clusters))

    def test_a_group_that_is_more_often_right_does_not_look_better_for_that(self) -> None:
        strata = ["right"] * 9 + ["wrong"] + ["right"] + ["wrong"] * 9
        groups = ["a"] * 10 + ["b"] * 10
        values = [0.0 if stratum == "right" else 1.0 for stratum in strata]
        assert standardised_bootstrap(values, strata, groups).value == pytest.approx(0.5)
        assert np.mean(values[:10]) != np.mean(values[10:])

    def test_weights_are_computed_anew_in_every_resample(self) -> None:
        clusters = np.arange(40)
        strata = ["right" if cluster % 2 else "wrong" for cluster in clusters]
        values = [1.0 if stratum == "right" else 0.0 for stratum in strata]
        found = standardised_bootstrap(values, strata, ["a"] * 40, clusters)
        assert found.low is not None and found.low < 0.4, "with fixed weights it would be 0.5"

    def test_a_missing_row_has_no_weight(self) -> None:
        found = standardised_bootstrap([0, 1, MISSING], list("rrw"), list("aba"))
        assert (found.value, found.n) == (0.5, 2)

    @pytest.mark.parametrize("labels", [["r"], ["r"] * 3])
    def test_labels_are_one_a_row(self, labels: list[str]) -> None:
        with pytest.raises(ValueError, match="differ in length"):
            standardised_bootstrap([0, 1], labels, ["a", "b"])


class TestWithoutInterval:
    @pytest.mark.parametrize("values", [[], [MISSING, MISSING], [None]])
    def test_without_valid_rows_it_is_undefined(self, values: Any) -> None:
        found = cluster_bootstrap(values, ["a"] * len(values))
        assert (found.defined, found.n, found.note) == (False, 0, "no valid rows")

    @pytest.mark.parametrize("values", [[1], [0, 1, 1, 0], [0, 1, MISSING, 0.5]])
    def test_one_cluster_has_a_value_and_a_reason(self, values: list[float]) -> None:
        found = cluster_bootstrap(values, ["a"] * len(values))
        assert found.value == pytest.approx(np.nanmean(values))
        assert (found.has_interval, found.clusters) == (False, 1)
        assert found.note == "one cluster only: no interval"

    @pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -1e9])
    def test_rows_that_are_all_equal_have_a_value_and_a_reason(self, value: float) -> None:
        found = cluster_bootstrap([value] * 7, list("aaabbcd"))
        assert found.value == pytest.approx(value)
        assert (found.has_interval, found.note) == (False, "the resamples do not vary: no interval")

    def test_clusters_with_equal_means_do_not_vary(self) -> None:
        found = cluster_bootstrap([0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.2], list("aaabbbc"))
        assert found.value == pytest.approx(0.2)
        assert found.note == "the resamples do not vary: no interval"

    def test_quantiles_that_meet_are_not_taken_for_no_variation(self) -> None:
        found = cluster_bootstrap([0, 1], confidence=0.1)
        assert (found.low, found.high, found.note) == (0.5, 0.5, "")


class TestMisuse:
    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
    def test_refuses_an_impossible_confidence(self, confidence: float) -> None:
        with pytest.raises(ValueError, match="confidence"):
            cluster_bootstrap([0, 1], confidence=confidence)

    def test_refuses_no_resamples(self) -> None:
        with pytest.raises(ValueError, match="resamples"):
            cluster_bootstrap([0, 1], resamples=0)

    def test_refuses_infinite_values_and_different_shapes(self) -> None:
        with pytest.raises(ValueError, match="finite"):
            cluster_bootstrap([0, float("inf")])
        with pytest.raises(ValueError, match="shape"):
            cluster_bootstrap([0, 1], ["a"])


def test_the_first_shard_has_the_stream_of_the_seed_and_each_other_one_its_own() -> None:
    one, two, three = (draws(6, 50, seed) for seed in (3, (3, 0), (3, 1)))
    assert (one == two).all()
    assert (one != three).any()
