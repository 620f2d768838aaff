"""How often intervals held what was planted, as a row of a table."""

from collections.abc import Sequence

import numpy as np

from judgeworthy.statistics.proportions import wilson


def covered(
    measure: str, limits: Sequence[tuple[float, float]], wanted: float
) -> dict[str, object]:
    """Return coverage, with Wilson's interval for the error of the simulation, and half-width."""
    low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
    coverage = wilson(int(((low <= wanted) & (wanted <= high)).sum()), len(limits))
    return {
        "measure": measure,
        "truth": wanted,
        "with_interval": len(limits),
        "coverage": coverage.value,
        "coverage_low": coverage.low,
        "coverage_high": coverage.high,
        "half_width": float((high - low).mean() / 2) if limits else None,
    }
