"""Estimators of ours beside those of other packages, on the same rows."""

import krippendorff
import numpy as np
import pytest
import truescore
from numpy.typing import NDArray
from ppi_py import ppi_mean_ci

from judgeworthy.statistics.agreement import agreement, krippendorff_alpha
from judgeworthy.statistics.correction import rogan_gladen
from judgeworthy.statistics.prediction_powered import ppi_mean
from judgeworthy.statistics.proportions import clustered_proportion

Numbers = NDArray[np.float64]
SEEDS = range(20)
LABELLED = 60
ROUNDING = 1e-9


def rows(seed: int) -> tuple[Numbers, Numbers]:
    """What people say of some responses, and what a judge says."""
    dice = np.random.default_rng(seed)
    human = (dice.random(300) < dice.uniform(0.3, 0.8)).astype(float)
    right = dice.random(300) < dice.uniform(0.7, 0.95)
    return human, np.where(right, human, 1 - human)


def partly(human: Numbers) -> Numbers:
    """The labels of the first responses; the others have none."""
    return np.where(np.arange(len(human)) < LABELLED, human, np.nan)


@pytest.mark.parametrize("seed", SEEDS)
def test_ppi_is_that_of_ppi_python(seed: int) -> None:
    human, said = rows(seed)
    found = ppi_mean(partly(human), said).estimate
    low, high = ppi_mean_ci(human[:LABELLED], said[:LABELLED], said[LABELLED:], alpha=0.05)
    assert (found.low, found.high) == pytest.approx((low[0], high[0]), abs=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_corrected_accuracy_is_that_of_truescore(seed: int) -> None:
    human, said = rows(seed)
    labels = human[:LABELLED]
    expected = truescore.rogan_gladen_estimate(said, labels, np.arange(LABELLED))
    accepted, rejected = said[:LABELLED][labels == 1], said[:LABELLED][labels == 0]
    found = rogan_gladen(clustered_proportion(said), accepted.mean(), 1 - rejected.mean())
    assert found.value == pytest.approx(expected.point, abs=ROUNDING)
    powered = truescore.ppi_estimate(said, labels, np.arange(LABELLED))
    ours = ppi_mean(partly(human), said, ddof=1).estimate
    assert ours.value == pytest.approx(powered.point, abs=2e-3)
    assert ours.high - ours.low == pytest.approx(powered.high - powered.low, rel=0.02)  # type: ignore[operator]


@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_and_ac1_are_those_of_truescore(seed: int) -> None:
    human, said = rows(seed)
    found = agreement(said, human)
    assert found.kappa.value == pytest.approx(truescore.cohen_kappa(said, human), abs=ROUNDING)
    assert found.ac1.value == pytest.approx(truescore.gwet_ac1(said, human), abs=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_is_that_of_krippendorff(seed: int) -> None:
    dice = np.random.default_rng(seed)
    ratings = np.where(dice.random((4, 50)) < 0.7, 1.0, dice.integers(0, 3, (4, 50)))
    ratings[dice.random((4, 50)) < 0.2] = np.nan
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement="nominal")
    assert krippendorff_alpha(ratings).value == pytest.approx(expected, abs=ROUNDING)
