"""Measures are those of the sections, and flips stand above the noise."""

import numpy as np
import pytest

from judgeworthy.card.evidence import NO_FLOOR, Answers, Evidence, Pairs, estimates
from judgeworthy.statistics.proportions import clustered_proportion, paired_difference, wilson

GENERATOR = np.random.default_rng(7)
N = 60
QUESTIONS = np.arange(N)
RIGHT = (GENERATOR.random(N) < 0.9).astype(float)
WRONG = (GENERATOR.random(N) < 0.2).astype(float)
PLANTED = Answers(
    np.concatenate([RIGHT, WRONG]), np.repeat([1.0, 0.0], N), np.concatenate([QUESTIONS, QUESTIONS])
)


def test_c1_c2_and_cgp_are_those_of_the_calibration() -> None:
    found = estimates(Evidence(planted=PLANTED))
    gap = paired_difference(RIGHT, WRONG, QUESTIONS)
    c1 = wilson(int(RIGHT.sum()), N)
    assert (found["c1"].value, found["c1"].low, found["c1"].n) == (c1.value, c1.low, N)
    assert (found["cgp"].low, found["cgp"].high) == pytest.approx((gap.low, gap.high))
    assert (found["cgp"].n, found["cgp"].clusters) == (2 * N, N)
    assert "flips" not in found


def test_harmful_flips_are_what_the_reference_takes_back() -> None:
    first = np.array([1, 1, 0, 0, np.nan, 1])
    second = np.array([0, 1, 1, 0, 0, np.nan])
    pairs = Pairs(first, second, np.arange(6))
    np.testing.assert_equal(pairs.taken_back, [1, 0, 0, 0, np.nan, np.nan])


def test_the_noise_floor_is_taken_off_the_flips() -> None:
    flips = Pairs(np.ones(100), np.r_[np.zeros(20), np.ones(80)], np.arange(100))
    noise = Pairs(np.ones(50), np.r_[np.zeros(5), np.ones(45)], np.arange(50))
    above = estimates(Evidence(compared=flips, again=noise))["flips"]
    assert above.value == pytest.approx(0.20 - 0.10)
    assert above.n == 100


def test_without_a_noise_floor_flips_may_all_be_noise() -> None:
    flips = Pairs(np.ones(100), np.r_[np.zeros(20), np.ones(80)], np.arange(100))
    found = estimates(Evidence(compared=flips))["flips"]
    assert (found.low, found.note) == (0.0, NO_FLOOR)
    assert found.high == clustered_proportion(flips.taken_back).high


def test_invalid_replies_are_counted_over_all_that_was_asked_and_are_no_rejections() -> None:
    said = np.r_[np.full(5, np.nan), PLANTED.said[5:]]
    compared = Pairs(np.r_[np.nan, np.ones(29)], np.ones(30), np.arange(30))
    cut = Answers(said, PLANTED.right, PLANTED.clusters)
    found = estimates(Evidence(planted=cut, compared=compared))
    assert found["invalid"].value == pytest.approx(6 / (2 * N + 30))
    assert found["invalid_reference"].value == 0
    assert found["c1"].n == N - 5


def test_above_the_allowed_share_of_invalid_replies_a_measure_has_no_number() -> None:
    said = np.r_[np.full(20, np.nan), PLANTED.said[20:]]
    found = estimates(Evidence(planted=Answers(said, PLANTED.right, PLANTED.clusters)))
    assert not found["c1"].defined
    assert found["c1"].note == f"not estimable: 20 of {N} are invalid"
    assert found["c2"].defined and found["invalid"].defined


def test_kappa_is_with_and_without_the_reference_apart() -> None:
    people = Answers(np.tile([1.0, 0.0], 30), np.tile([1.0, 0.0], 30), np.arange(60))
    upside_down = Answers(1 - people.said, people.right, people.clusters)
    found = estimates(Evidence(labelled=upside_down, labelled_with=people))
    assert (found["kappa"].value, found["kappa_reference"].value) == (-1, 1)
