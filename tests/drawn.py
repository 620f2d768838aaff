"""Ballots for tests: written as orders, drawn at random, or planted by Plackett-Luce."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.rankings.strengths import Strengths
from results import MISSING

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "golden" / "rankings.json").read_text("utf-8")
)
TWO_DECIMALS: float = GOLDEN["tolerances"]["two_decimals"]
FOUR_DECIMALS: float = GOLDEN["tolerances"]["four_decimals"]
SIX_DECIMALS: float = GOLDEN["tolerances"]["six_decimals"]

LAST = GOLDEN["last_is_always_last"]
THREE = GOLDEN["three_methods_three_answers"]

# Fits, resamples and permutations take their time.
few = settings(max_examples=40)

Floats = NDArray[np.float64]


def ballot(order: str) -> list[float]:
    """Ranks of A, B, C, … in an order; a lower-case letter is not on the ballot."""
    letters = sorted(order.upper())
    ranked = [letter for letter in order if letter.isupper()]
    return [ranked.index(name) + 1.0 if name in ranked else MISSING for name in letters]


def by_prompts(*orders: str) -> Floats:
    """One judge, a prompt a ballot."""
    return np.array([ballot(order) for order in orders])[:, np.newaxis, np.newaxis]


def by_judges(*orders: str, prompts: int = 1) -> Floats:
    """One ballot a judge, the same on every prompt."""
    rows = np.array([ballot(order) for order in orders])
    return np.tile(rows[np.newaxis, :, np.newaxis], (prompts, 1, 1, 1))


def random_ballots(seed: int, *shape: int) -> Floats:
    return np.argsort(np.random.default_rng(seed).random(shape), axis=-1).astype(np.float64) + 1


def luce_ballots(seed: int, worths: Any, *shape: int) -> Floats:
    """Ballots drawn from Plackett-Luce: the order of Gumbel variables with these means."""
    noise = np.random.default_rng(seed).gumbel(size=(*shape, len(worths)))
    return ranked(noise + worths)


def ranked(scores: Floats) -> Floats:
    """Ranks from 1 for the highest score."""
    return np.argsort(np.argsort(-scores, axis=-1), axis=-1).astype(np.float64) + 1


def blanked(ballots: Floats, *index: Any) -> Floats:
    """Make ballots invalid."""
    spoilt = ballots.copy()
    spoilt[index] = MISSING
    return spoilt


@st.composite
def studies(draw: st.DrawFn, candidates: int | None = None, invalid: bool = True) -> Floats:
    sizes = draw(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3)))
    count = candidates or draw(st.integers(2, 5))
    found = random_ballots(draw(st.integers(0, 10**6)), *sizes, count)
    if invalid:
        lost = draw(
            st.lists(st.booleans(), min_size=found[..., 0].size, max_size=found[..., 0].size)
        )
        found[np.reshape(lost, sizes)] = MISSING
    return found


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def covers(estimate: Estimate, truth: float) -> bool:
    low, high = interval(estimate)
    return low < truth < high


def best_first(found: Strengths) -> list[int]:
    return sorted(range(len(found.values)), key=lambda candidate: -(found.values[candidate] or 0))


def values(estimates: Any) -> list[float | None]:
    return [estimate.value for estimate in estimates]


def as_pairs(ranks: Floats) -> tuple[list[int], list[int], list[float]]:
    rows = ranks.reshape(-1, ranks.shape[-1])
    met = [
        (first, second, float(row[first] < row[second]))
        for row in rows
        for first, second in combinations(range(rows.shape[1]), 2)
    ]
    first, second, outcome = zip(*met, strict=True)
    return list(first), list(second), list(outcome)
