"""Labels beside verdicts for tests, written as counts or drawn at random."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from judgeworthy.statistics.estimate import Estimate
from results import MISSING, ROUNDING, limits

decisions_or_missing = st.sampled_from([0.0, 1.0, MISSING])
documents = st.sampled_from("abcdefgh")


@st.composite
def samples(
    draw: st.DrawFn, value: st.SearchStrategy[float] = decisions_or_missing, size: int = 40
) -> Any:
    """Labels, verdicts and clusters."""
    rows = draw(st.lists(st.tuples(value, value, documents), max_size=size))
    return tuple([row[side] for row in rows] for side in range(3))


def lies_in_the_unit_interval(estimate: Estimate) -> bool:
    value, low, high = limits(estimate)
    if value is None:
        return low is None and high is None
    if low is None or high is None:
        return 0 <= value <= 1
    return 0 <= low <= value + ROUNDING and value - ROUNDING <= high <= 1


def rows_of(
    true_positives: int, positives: int, true_negatives: int, negatives: int, accepted: int, n: int
) -> tuple[Any, Any]:
    """Labels and verdicts: first the labelled rows, then the others."""
    labels = np.repeat([1.0, 0.0, MISSING], [positives, negatives, n])
    missed = positives - true_positives
    counts = [true_positives, missed, true_negatives, negatives - true_negatives]
    verdicts = np.repeat([1.0, 0.0, 0.0, 1.0, 1.0, 0.0], [*counts, accepted, n - accepted])
    return labels, verdicts


@st.composite
def panels(draw: st.DrawFn, categories: int = 3) -> Any:
    """Raters × units, at least one of each."""
    rating = st.sampled_from([MISSING, *map(float, range(categories))])
    units, raters = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    return np.array([[draw(rating) for _ in range(units)] for _ in range(raters)])
