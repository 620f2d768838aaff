"""Five ways to one order from many ballots, side by side, and where they disagree.

References
----------
.. [1] J.-C. de Borda (1781). Mémoire sur les élections au scrutin. Histoire de l'Académie Royale
   des Sciences.
.. [2] J. G. Kemeny (1959). Mathematics without numbers. Daedalus 88, 577-591.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.rankings.ballots import (
    NO_BALLOTS,
    candidate_pairs,
    count_wins,
    prompt_mean,
    read_ballots,
    without_own,
)
from judgeworthy.statistics.rankings.rii import Rii, rii
from judgeworthy.statistics.rankings.strengths import (
    ALPHA,
    Strengths,
    bradley_terry,
    plackett_luce,
)

KEMENY_LIMIT = 8

_LEVEL = 1e-6

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Kemeny:
    """The orders nearest to the ballots.

    Attributes
    ----------
    orders : tuple of tuple of int
        Every order of the smallest distance, the best candidate first.
    distance : int or None
        Over all ballots, pairs that the order puts the other way round.
    note : str
        Why there is none.
    """

    orders: tuple[tuple[int, ...], ...]
    distance: int | None
    note: str = ""


@dataclass(frozen=True)
class Disagreement:
    """Two candidates that not every method puts in the same order.

    Attributes
    ----------
    pair : tuple of (int, int)
    first_above, second_above, level : tuple of str
        Methods that put the first above the second, the second above the first, or neither:
        equal scores, or several Kemeny orders that differ on the pair.
    """

    pair: tuple[int, int]
    first_above: tuple[str, ...]
    second_above: tuple[str, ...]
    level: tuple[str, ...]

    @property
    def reversed(self) -> bool:
        """Whether two methods put the pair in opposite orders."""
        return bool(self.first_above and self.second_above)


@dataclass(frozen=True)
class SideBySide:
    """Every method's result on the same ballots.

    Attributes
    ----------
    rii : Rii
    borda : tuple of Estimate
    bradley_terry, plackett_luce : Strengths
    kemeny : Kemeny
    places : dict of str to tuple of (int or None)
        For each method and candidate, 1 plus the number of candidates above it; None for a method
        without result, and for a candidate on no ballot.
    disagreements : tuple of Disagreement
        Pairs that not all methods with a result put in the same order.
    """

    rii: Rii
    borda: tuple[Estimate, ...]
    bradley_terry: Strengths
    plackett_luce: Strengths
    kemeny: Kemeny
    places: dict[str, tuple[int | None, ...]]
    disagreements: tuple[Disagreement, ...]


def borda(ranks: ArrayLike, confidence: float = 0.95) -> tuple[Estimate, ...]:
    """Estimate the mean Borda count [1]_: how many candidates each beats on a ballot.

    Unlike in the RII every ballot weighs the same, and shorter ballots count for less.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    tuple of Estimate
        One a candidate, from 0 to (n_candidates - 1), clustered on prompts.

    Raises
    ------
    ValueError
        If the ballots are not as described, or `confidence` is not between 0 and 1.
    """
    ballots = read_ballots(ranks)
    beaten = np.isfinite(ballots).sum(axis=-1, keepdims=True) - ballots
    return tuple(prompt_mean(counts, confidence) for counts in np.moveaxis(beaten, -1, 0))


def kemeny(ranks: ArrayLike) -> Kemeny:
    """Find every order that contradicts the fewest pairs of all ballots [2]_, by trying each order.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.

    Returns
    -------
    Kemeny
        Without orders for more than eight candidates, or where no ballot compares two.

    Raises
    ------
    ValueError
        If the ballots are not as described.
    """
    wins = count_wins(read_ballots(ranks))
    if len(wins) > KEMENY_LIMIT:
        return Kemeny((), None, f"exact up to {KEMENY_LIMIT} candidates only")
    if not wins.any():
        return Kemeny((), None, NO_BALLOTS)
    orders = np.array(list(permutations(range(len(wins)))))
    distances = _distances(orders, wins)
    nearest = orders[distances == distances.min()]
    return Kemeny(tuple(map(tuple, nearest.tolist())), int(distances.min()))


def kemeny_distance(ranks: ArrayLike, order: ArrayLike) -> int:
    """Count the pairs of all ballots that an order puts the other way round [2]_.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
    order : array_like of shape (n_candidates,)
        The best candidate first.

    Raises
    ------
    ValueError
        If the ballots are not as described, or `order` is no order of all candidates.
    """
    wins = count_wins(read_ballots(ranks))
    if sorted(np.asarray(order).tolist()) != list(range(len(wins))):
        raise ValueError(f"order must name each of {len(wins)} candidates once")
    return int(_distances(np.asarray(order)[np.newaxis], wins)[0])


def side_by_side(
    ranks: ArrayLike,
    own: ArrayLike | None = None,
    alpha: float = ALPHA,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> SideBySide:
    """Put every method's order of the same ballots side by side.

    In the RII each judge weighs the same, in the other methods each ballot; so they may differ by
    this alone where judges have unequal numbers of valid ballots.

    Parameters
    ----------
    ranks, own
        As in `judgeworthy.statistics.rankings.rii.rii`.
    alpha : float
        As in `judgeworthy.statistics.rankings.strengths.plackett_luce`.
    confidence, resamples, seed
        As in `judgeworthy.statistics.rankings.rii.rii`.

    Returns
    -------
    SideBySide

    Raises
    ------
    ValueError
        As those two do.
    """
    ballots = without_own(ranks, own)
    index, counts = rii(ranks, own, confidence, resamples, seed), borda(ballots, confidence)
    terry = bradley_terry(ballots, alpha, confidence)
    luce = plackett_luce(ballots, alpha, confidence)
    nearest = kemeny(ballots)
    wins = count_wins(ballots)
    orders = {
        "RII": _order(index.values),
        "Borda": _order([count.value for count in counts]),
        "Bradley–Terry": _order(terry.values),
        "Plackett–Luce": _order(luce.values),
        "Kemeny": _agreed(nearest, (wins + wins.T).sum(axis=1) > 0),
    }
    places = {method: _places(order) for method, order in orders.items()}
    return SideBySide(index, counts, terry, luce, nearest, places, _disagreements(orders))


def _distances(orders: NDArray[np.intp], wins: Floats) -> NDArray[np.int64]:
    positions = np.argsort(orders, axis=1)
    distances = np.zeros(len(orders))
    for first, second in zip(*candidate_pairs(len(wins)), strict=True):
        above = positions[:, first] < positions[:, second]
        distances += np.where(above, wins[second, first], wins[first, second])
    return distances.astype(np.int64)


def _order(values: Sequence[float | None]) -> Floats:
    """Return 1 where the row's candidate scores above the column's, -1 below, 0 level, or NaN."""
    scores = np.array(values, dtype=np.float64)
    leads = scores[:, np.newaxis] - scores
    order: Floats = np.where(np.abs(leads) < _LEVEL, 0.0, np.sign(leads))
    return order


def _agreed(nearest: Kemeny, seen: Bools) -> Floats:
    """Return the order of every pair on which all Kemeny orders agree, 0 where they do not."""
    if not nearest.orders:
        return np.full((len(seen), len(seen)), np.nan)
    positions = np.argsort(nearest.orders, axis=1)
    signs = np.sign(positions[:, np.newaxis, :] - positions[:, :, np.newaxis])
    agreed = np.where((signs == signs[0]).all(axis=0), signs[0], 0)
    return np.where(np.outer(seen, seen), agreed, np.nan)


def _places(order: Floats) -> tuple[int | None, ...]:
    above = (order < 0).sum(axis=1).tolist()
    unknown = np.isnan(np.diag(order)).tolist()
    return tuple(None if none else 1 + better for none, better in zip(unknown, above, strict=True))


def _disagreements(orders: dict[str, Floats]) -> tuple[Disagreement, ...]:
    candidates = len(next(iter(orders.values())))
    found = []
    for pair in zip(*(part.tolist() for part in candidate_pairs(candidates)), strict=True):
        sides = [
            tuple(method for method, order in orders.items() if order[pair] == side)
            for side in (1, -1, 0)
        ]
        if sum(map(bool, sides)) > 1:
            found.append(Disagreement(pair, *sides))
    return tuple(found)
