"""References for a part of the responses: without bias, narrower with more, and covered."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from judgeworthy import study
from judgeworthy.card import saving
from judgeworthy.card.saving import ALONE, CORRECTED
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.study import Study

Built = Callable[..., None]
N = 150


@pytest.fixture
def two_judges(two_stages: Study, built: Built) -> Study:
    """One judge whose verdict without the reference is nearly that with it, and one by coin."""
    generator = np.random.default_rng(3)
    truth = generator.random(N) < 0.6
    near = np.where(generator.random(N) < 0.05, ~truth, truth)
    said = {
        "judge": {"NR": near.astype(int).tolist(), "RC": truth.astype(int).tolist()},
        "coin": {
            "NR": generator.integers(0, 2, N).tolist(),
            "RC": [None, *truth.astype(int).tolist()[1:]],
        },
    }
    built("x", "sensitivity", said)
    return two_stages


def test_a_good_judge_saves_references_and_a_coin_does_not(two_judges: Study) -> None:
    found = saving.curve([two_judges], Thresholds(shares=(0.2, 0.4), subsamples=60))
    halves = found.set_index(["judge", "way", "share"])["half_width"]
    assert halves["judge", CORRECTED, 0.2] < 0.75 * halves["judge", ALONE, 0.2]
    assert halves["coin", CORRECTED, 0.2] == pytest.approx(halves["coin", ALONE, 0.2], rel=0.15)
    assert (halves.xs(0.4, level="share") < halves.xs(0.2, level="share")).all()
    assert (found["mean_error"].abs() < 0.05).all(), "drawing some oftener does not bias"
    assert (found["coverage"] > 0.85).all()


def test_invalid_verdicts_are_left_out_and_counted(two_judges: Study) -> None:
    found = saving.curve([two_judges], Thresholds(shares=(0.2,), subsamples=50))
    left = found.set_index("judge")["left_out"]
    assert (left["coin"] == 1).all() and (left["judge"] == 0).all()


@pytest.mark.parametrize(
    ("sizes", "wanted", "allotted"),
    [
        ((50, 100), 20, [10, 10]),  # twice as often: 2 × 50 against 100
        ((0, 100), 20, [0, 20]),
        ((100, 0), 20, [20, 0]),
        ((2, 100), 60, [2, 58]),
        ((90, 10), 80, [76, 4]),
    ],
)
def test_disagreements_are_drawn_twice_as_often(
    sizes: tuple[int, int], wanted: int, allotted: list[int]
) -> None:
    strata = [np.arange(size) for size in sizes]
    assert saving._allotted(strata, wanted) == allotted


def test_a_study_without_both_verdicts_has_no_curve(project: Path) -> None:
    assert saving.curve([study.load("x")], Thresholds()).empty
