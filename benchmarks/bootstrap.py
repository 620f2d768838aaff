"""Bootstraps on one core: our cluster bootstrap beside SciPy's of the same ratio, and RII's.

SciPy draws clusters as pairs of a sum and a size, vectorised, with percentile intervals; both draw
anew, so that the limits differ by chance. Medians.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
from scipy import stats

from judgeworthy.statistics.rankings.rii import rii
from judgeworthy.statistics.resampling import cluster_bootstrap

SMALL = {"clusters": 40, "resamples": 200, "prompts": 20, "repeats": 1}


def measure(
    clusters: int = 2500, resamples: int = 10_000, prompts: int = 500, repeats: int = 5
) -> list[dict[str, object]]:
    """Return one row a bootstrap."""
    generator = np.random.default_rng(20261130)
    values = generator.random((clusters, 4)) < generator.beta(2, 1, (clusters, 1))
    ranks = generator.permuted(np.tile(np.arange(1.0, 11.0), (prompts, 10, 1, 1)), axis=-1)
    sums, sizes = values.sum(axis=1), np.full(clusters, 4)
    labels = np.repeat(np.arange(clusters), 4)
    size = f"{clusters} clusters of 4"
    with one_core():
        return [
            row(
                "ours",
                size,
                resamples,
                repeats,
                lambda: limits(cluster_bootstrap(values.ravel(), labels, resamples=resamples)),
            ),
            row(
                "scipy.stats.bootstrap",
                size,
                resamples,
                repeats,
                lambda: scipy_limits(sums, sizes, resamples),
            ),
            row(
                "RII",
                f"10 models × {prompts} prompts × 10 judges",
                resamples,
                repeats,
                lambda: limits(rii(ranks, resamples=resamples).estimates[0]),
            ),
        ]


def limits(estimate: Any) -> tuple[float, float]:
    """Return the interval of an estimate of ours."""
    return estimate.low, estimate.high


def scipy_limits(sums: Any, sizes: Any, resamples: int) -> tuple[float, float]:
    """Return SciPy's interval of the same mean."""
    found = stats.bootstrap(
        (sums, sizes),
        lambda total, size, axis: total.sum(axis=axis) / size.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        batch=500,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(found.low), float(found.high)


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def row(
    what: str, size: str, resamples: int, repeats: int, work: Callable[[], tuple[float, float]]
) -> dict[str, object]:
    """Time a bootstrap that was run once before."""
    low, high = work()
    took = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return {
        "bootstrap": what,
        "sample": size,
        "resamples": resamples,
        "seconds": median(took),
        "low": low,
        "high": high,
    }
