"""Flips: how paired decisions change.

A decision is 1 (accepted), 0 (rejected) or missing (NaN: invalid), which is a state of its own: a
pair with a missing side is counted, is no flip, and bounds what the flips could be.

References
----------
.. [1] Q. McNemar (1947). Note on the sampling error of the difference between correlated
   proportions or percentages. Psychometrika 12, 153-157.
.. [2] M. W. Fagerland, S. Lydersen, P. Laake (2013). The McNemar test for binary matched-pairs
   data: mid-p and asymptotic are better than exact conditional. BMC Medical Research Methodology
   13, 91.
.. [3] A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith (2015). Multi-level
   block permutation. NeuroImage 123, 253-268.
"""

from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from judgeworthy.statistics.clusters import Floats, read_rows
from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.statistics.proportions import (
    clustered_proportion,
    difference_bounds,
    proportion_bounds,
)


@dataclass(frozen=True)
class McNemar:
    """The test of the net shift between paired decisions.

    It does not test how much flips: 20 flips one way and 20 the other give p = 1.

    Attributes
    ----------
    first_only, second_only : int
        Discordant pairs: accepted by the first alone, and by the second alone.
    p, mid_p : float
        Exact conditional two-sided p, and its mid-p form; both 1 without discordant pairs.
    """

    first_only: int
    second_only: int
    p: float
    mid_p: float


@dataclass(frozen=True)
class Transition:
    """Counts of pairs by their first and second decision.

    Attributes
    ----------
    both, first_only, second_only, neither : int
        Pairs of valid decisions, by which of them accept.
    first_missing, second_missing, both_missing : int
        Pairs of which the first alone, the second alone, or each is missing.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    first_missing: int
    second_missing: int
    both_missing: int

    @property
    def valid(self) -> int:
        """Pairs with two valid decisions."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def n(self) -> int:
        """All pairs."""
        return self.valid + self.first_missing + self.second_missing + self.both_missing

    @property
    def flips(self) -> int:
        """Pairs whose decision changes."""
        return self.first_only + self.second_only

    def flip_bounds(self) -> Bounds:
        """Bound the share of flips over all ways to fill in the missing decisions."""
        return proportion_bounds(self.flips, self.both + self.neither, self.n - self.valid)


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test whether flips go one way more often than the other [1]_.

    The exact p is that of a binomial test with probability 1/2. The mid-p takes off the
    probability of the observed table, or half of it where both counts are equal [2]_.

    Parameters
    ----------
    first_only, second_only : int
        Discordant pairs: accepted by the first alone, and by the second alone.

    Raises
    ------
    ValueError
        If a count is negative.
    """
    if min(first_only, second_only) < 0:
        raise ValueError(f"counts must not be negative: {first_only}, {second_only}")
    discordant = first_only + second_only
    if discordant == 0:
        return McNemar(0, 0, 1.0, 1.0)
    fewer = min(first_only, second_only)
    p = min(1.0, 2 * float(bdtr(fewer, discordant, 0.5)))
    observed = comb(discordant, fewer) / 2**discordant
    mid_p = p - (observed / 2 if first_only == second_only else observed)
    return McNemar(first_only, second_only, p, mid_p)


def clustered_mcnemar(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None
) -> float:
    """Test whether flips go one way more often than the other, where pairs share clusters.

    Under the null hypothesis the two decisions of all pairs of a cluster may change places
    together, so the sign of each cluster's net shift is a fair coin [3]_. The two-sided p is exact:
    the distribution of the sum is computed, not sampled. Where each cluster holds one pair it is
    McNemar's exact p.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing); pairs with a missing side are left out.
    clusters : array_like of shape (n_pairs,), optional
        A label per pair; without it every pair is its own cluster.

    Returns
    -------
    float
        1 without discordant pairs, and where one cluster alone has a net shift. It cannot be less
        than twice 1/2 to the power of the clusters with a net shift.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    left, right = _decisions(first, second)
    rows = read_rows(left - right, clusters)
    totals = np.abs(np.bincount(rows.labels, rows.values).astype(int))
    totals = totals[totals > 0]
    reach = int(totals.sum())
    if reach == 0:
        return 1.0
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for total in totals:
        chances = (np.roll(chances, total) + np.roll(chances, -total)) / 2
    shift = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, float(chances[shift >= abs(round(float(rows.values.sum())))].sum()))


def transition(first: ArrayLike, second: ArrayLike) -> Transition:
    """Count pairs by their first and second decision.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing).

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    left, right = _decisions(first, second)
    one, two = np.isnan(left), np.isnan(right)
    pairs = {(a, b): int(((left == a) & (right == b)).sum()) for a in (0, 1) for b in (0, 1)}
    return Transition(
        both=pairs[1, 1],
        first_only=pairs[1, 0],
        second_only=pairs[0, 1],
        neither=pairs[0, 0],
        first_missing=int((one & ~two).sum()),
        second_missing=int((two & ~one).sum()),
        both_missing=int((one & two).sum()),
    )


def flipped(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return 1 where a decision changes, 0 where it stays, NaN where a side is missing.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing).

    Returns
    -------
    array of shape (n_pairs,)

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    left, right = _decisions(first, second)
    return np.abs(left - right)


def flip_rate(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the share of valid pairs whose decision changes, either way.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing).
    clusters : array_like of shape (n_pairs,), optional
        A label per pair; without it every pair is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        With the interval of `proportions.clustered_proportion`. Undefined without a valid pair.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    return clustered_proportion(flipped(first, second), clusters, confidence)


def conditional_flip_rate(
    first: ArrayLike,
    second: ArrayLike,
    start: int,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the share that changes among the pairs that could: those that start at `start`.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing).
    start : int
        1 for flips to rejection, 0 for flips to acceptance.
    clusters : array_like of shape (n_pairs,), optional
        A label per pair; without it every pair is its own cluster.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        With the interval of `proportions.clustered_proportion`. Undefined where no valid pair
        starts there.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if the shapes differ, if `start` is not 0 or 1, or if
        `confidence` is not between 0 and 1.
    """
    if start not in (0, 1):
        raise ValueError(f"start must be 0 or 1, got {start}")
    left, right = _decisions(first, second)
    changes = np.where(left == start, np.abs(left - right), np.nan)
    estimate = clustered_proportion(changes, clusters, confidence)
    return estimate if estimate.defined else replace(estimate, note=f"no valid pair starts {start}")


def conditional_flip_bounds(first: ArrayLike, second: ArrayLike, start: int) -> Bounds:
    """Bound `conditional_flip_rate` over all ways to fill in the missing decisions.

    A pair whose first decision is missing may start at `start` or not; it counts for the low limit
    if it can start there and stay, for the high one if it can start there and change.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing).
    start : int
        1 for flips to rejection, 0 for flips to acceptance.

    Returns
    -------
    Bounds
        None and None where no pair starts there, however the missing ones are filled in.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    left, right = _decisions(first, second)
    starts, unknown, open_ = left == start, np.isnan(left), np.isnan(right)
    changes, stays = right == 1 - start, right == start
    surely = int((starts & changes).sum())
    begun = int(starts.sum())
    staying = int((unknown & (stays | open_)).sum())
    changing = int((unknown & (changes | open_)).sum())
    possible = surely + int((starts & open_).sum()) + changing
    low, high = begun + staying, begun + changing
    if low + high == 0:
        return Bounds(None, None)
    return Bounds(surely / low if low else 1.0, possible / high if high else 0.0)


def net_bounds(first: ArrayLike, second: ArrayLike) -> Bounds:
    """Bound the net shift, share accepted first minus second, over all ways to fill in.

    Both shares are of all pairs, and the missing decisions of the two sides are filled in
    independently.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        0, 1 or NaN (missing).

    Returns
    -------
    Bounds
        None and None without pairs.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, or if the shapes differ.
    """
    left, right = _decisions(first, second)
    return difference_bounds(_bounds(left), _bounds(right))


def _bounds(decisions: Floats) -> Bounds:
    accepted, rejected = int((decisions == 1).sum()), int((decisions == 0).sum())
    return proportion_bounds(accepted, rejected, len(decisions) - accepted - rejected)


def _decisions(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError(f"first and second differ in shape: {left.shape}, {right.shape}")
    if not np.isin([*left[~np.isnan(left)], *right[~np.isnan(right)]], (0.0, 1.0)).all():
        raise ValueError("decisions must be 0, 1 or NaN")
    return left, right
