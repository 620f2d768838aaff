"""Planning: how many labels an estimate takes, and how small a difference a sample can show.

References
----------
.. [1] J. L. Fleiss, B. Levin, M. C. Paik (2003). Statistical Methods for Rates and Proportions,
   3rd edition. Wiley, chapter 4.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import cluster_mean

DETECTABLE = "normal, with the error of cluster totals (CR2)"


def labels_needed(
    sizes: Sequence[int], half_widths: Sequence[float | None], wanted: float
) -> int | None:
    """Return how many labels give an interval of a wanted half-width.

    The width shrinks with the square root of the number of labels, so that each measured size
    tells how many it would take; the median of what they tell is taken, rounded up.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of labels that were tried.
    half_widths : sequence of float or None
        The mean half-width at each; None where no interval came out.
    wanted : float
        Half-width, positive.

    Returns
    -------
    int or None
        None where no size gave an interval.

    Raises
    ------
    ValueError
        If `wanted` is not positive, or the lengths differ.
    """
    if wanted <= 0:
        raise ValueError(f"the wanted half-width must be positive, got {wanted}")
    told = sorted(
        size * (half / wanted) ** 2
        for size, half in zip(sizes, half_widths, strict=True)
        if half is not None
    )
    if not told:
        return None
    middle = len(told) // 2
    return ceil(told[middle] if len(told) % 2 else (told[middle - 1] + told[middle]) / 2)


def detectable_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
) -> Estimate:
    """Return the smallest true difference that a paired sample like this one shows.

    A two-sided test at level 1 - confidence finds a difference of (z + z′) SE with the wanted
    power [1]_, where SE is the error of the paired difference as it is in this sample.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        Any numbers; NaN is missing, and its pair is left out.
    clusters : array_like of shape (n_pairs,), optional
        A label per pair; without it every pair is its own cluster.
    power, confidence : float
        Between 0 and 1.

    Returns
    -------
    Estimate
        Without interval. Undefined where the difference has no error.

    Raises
    ------
    ValueError
        If a value is infinite, if the shapes differ, or if `power` or `confidence` is not between
        0 and 1.
    """
    if not (0 < power < 1 and 0 < confidence < 1):
        raise ValueError(f"power and confidence must lie between 0 and 1: {power}, {confidence}")
    found = cluster_mean(_difference(first, second), clusters, confidence)
    n, units = found.estimate.n, found.estimate.clusters
    if not found.cr2:
        return undefined(found.estimate.note or "no error", DETECTABLE, n, units)
    reach = float(ndtri((1 + confidence) / 2) + ndtri(power)) * found.cr2
    return Estimate(reach, None, None, n, units, DETECTABLE)


def _difference(first: ArrayLike, second: ArrayLike) -> Floats:
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape:
        raise ValueError(f"first and second differ in shape: {one.shape}, {two.shape}")
    return one - two
