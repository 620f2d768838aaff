"""Bootstraps on one core: our cluster bootstrap beside SciPy's of the same ratio, and RII's.

SciPy draws clusters as pairs of a sum and a size, vectorised, with percentile intervals; both draw
anew, so that the limits differ by chance. Medians.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
from scipy import stats

from clock import seconds
from judgeworthy.statistics.rankings.rii import rii
from judgeworthy.statistics.resampling import cluster_bootstrap

Limits = tuple[float, float]
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
    works: dict[str, tuple[str, Callable[[], Limits]]] = {
        "ours": (
            size,
            lambda: limits(cluster_bootstrap(values.ravel(), labels, resamples=resamples)),
        ),
        "scipy.stats.bootstrap": (size, lambda: scipy_limits(sums, sizes, resamples)),
        "RII": (
            f"10 models × {prompts} prompts × 10 judges",
            lambda: limits(rii(ranks, resamples=resamples).estimates[0]),
        ),
    }
    with one_core():
        return [
            {"bootstrap": what, "sample": sample, "resamples": resamples, **timed(work, repeats)}
            for what, (sample, work) in works.items()
        ]


def timed(work: Callable[[], Limits], repeats: int) -> dict[str, float]:
    """Return how long a bootstrap takes, and its limits."""
    low, high = work()
    return {"seconds": median(seconds(work, repeats)), "low": low, "high": high}


def limits(estimate: Any) -> Limits:
    """Return the interval of an estimate of ours."""
    return estimate.low, estimate.high


def scipy_limits(sums: Any, sizes: Any, resamples: int) -> Limits:
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
