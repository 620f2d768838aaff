"""Planning: labels for a wanted width, and the smallest difference that a sample shows."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import normal_sample_size_one_tail

from judgeworthy.statistics.planning import detectable_difference, labels_needed


def test_half_the_width_takes_four_times_the_labels() -> None:
    assert labels_needed([50], [0.1], 0.05) == 200
    assert labels_needed([50, 200], [0.1, 0.05], 0.05) == 200


def test_the_median_of_what_the_sizes_tell_is_taken_and_rounded_up() -> None:
    assert labels_needed([10, 20, 100], [0.1, 0.1, 0.1], 0.1) == 20
    assert labels_needed([10, 15], [0.1, 0.1], 0.1) == 13
    assert labels_needed([10, 20], [None, 0.1], 0.1) == 20


def test_without_any_interval_there_is_no_plan() -> None:
    assert labels_needed([10, 20], [None, None], 0.1) is None
    assert labels_needed([], [], 0.1) is None


@pytest.mark.parametrize("wanted", [0, -0.1])
def test_a_width_that_is_none_is_refused(wanted: float) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        labels_needed([10], [0.1], wanted)


def test_a_difference_of_this_size_is_found_with_the_wanted_power() -> None:
    first = np.tile([1.0, 1.0, 0.0, 0.0], 25)
    second = np.tile([1.0, 0.0, 1.0, 0.0], 25)
    found = detectable_difference(first, second)
    assert found.value is not None and (found.n, found.clusters) == (100, 100)
    spread = (first - second).std(ddof=1)
    # n for which a one-tailed test at 0.025 finds this difference with a power of 0.8
    needed = normal_sample_size_one_tail(found.value, 0.8, 0.025, spread, spread)
    assert needed == pytest.approx(100, rel=1e-6)


def test_rows_that_share_clusters_show_less() -> None:
    generator = np.random.default_rng(1)
    shift = np.repeat(generator.choice([-1.0, 0.0, 1.0], 30), 4)
    clusters = np.repeat(np.arange(30), 4)
    alone = detectable_difference(shift, np.zeros(120))
    together = detectable_difference(shift, np.zeros(120), clusters)
    assert alone.value is not None and together.value is not None
    assert together.value == pytest.approx(alone.value * sqrt(4), rel=0.05)


@given(st.floats(0.51, 0.99), st.floats(0.5, 0.99))
def test_more_power_and_more_confidence_ask_for_a_larger_difference(
    power: float, confidence: float
) -> None:
    values = [1, 0, 0, 1, 1, 0, 1, 1]
    base = detectable_difference(values, [0] * 8, power=0.5, confidence=0.5).value
    more = detectable_difference(values, [0] * 8, power=power, confidence=confidence).value
    assert base is not None and more is not None and more > base


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0], [float("nan")] * 3])
def test_without_an_error_nothing_is_said(values: list[float]) -> None:
    found = detectable_difference(values, [0.0] * len(values))
    assert found.value is None and found.note


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="differ in shape"):
        detectable_difference([1, 0], [1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        detectable_difference([1, 0], [0, 1], power=1)
