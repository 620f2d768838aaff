"""Holm's adjustment of a family of p values."""

import itertools

import pytest

from judgeworthy.statistics.multiplicity import holm


def closed_bonferroni(p_values: list[float]) -> list[float]:
    """Adjust by the closed test: the largest Bonferroni p of any subset that holds the test."""
    adjusted = [0.0] * len(p_values)
    for size in range(1, len(p_values) + 1):
        for subset in itertools.combinations(range(len(p_values)), size):
            together = min(1.0, size * min(p_values[test] for test in subset))
            for test in subset:
                adjusted[test] = max(adjusted[test], together)
    return adjusted


def test_four_tests_by_hand() -> None:
    # In order 0.005 × 4, 0.01 × 3, 0.03 × 2; the last, 0.04 × 1, may not fall below its forerunner.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@pytest.mark.parametrize(
    "family", [[0.5, 0.5], [0.2, 0.01, 0.01, 0.2, 0.05, 0.0], [1.0, 0.013, 0.3, 0.001, 0.012]]
)
def test_is_the_closed_test_by_bonferroni(family: list[float]) -> None:
    assert holm(family) == pytest.approx(closed_bonferroni(family))


def test_what_was_not_tested_is_not_part_of_the_family() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, pytest.approx(0.04), None, pytest.approx(0.04)]


def test_one_test_is_not_adjusted() -> None:
    assert holm([0.03]) == [pytest.approx(0.03)]


@pytest.mark.parametrize("family", [[], [None], [None, None]])
def test_without_tests_nothing_is_adjusted(family: list[None]) -> None:
    assert holm(family) == family


def test_never_exceeds_one() -> None:
    assert holm([0.6, 0.7, 1.0]) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, p])
