"""Position bias: whether ranks follow the place at which an answer was shown.

References
----------
.. [1] R. A. Fisher (1935). The Design of Experiments. Oliver and Boyd, chapter 3.
.. [2] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Statistical
   Applications in Genetics and Molecular Biology 9, 39.
.. [3] C. Spearman (1904). The proof and measurement of association between two things. American
   Journal of Psychology 15, 72-101.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.rankings.ballots import (
    mean_of_valid,
    prompt_labels,
    prompt_mean,
    ratio,
    read_ballots,
)

ORDER_ONLY_SHARE = 0.8
ORDER_ONLY_LEVEL = 0.01

_ROUNDING = 1e-9

Bools = NDArray[np.bool_]
Labels = NDArray[np.intp]


@dataclass(frozen=True)
class PositionBias:
    """How a judge's ranks follow the place at which an answer was shown.

    Attributes
    ----------
    correlation : Estimate
        Mean over ballots of Spearman's correlation of rank and place: positive where answers shown
        early are ranked high, 1 where the order shown is given back.
    mean_ranks : tuple of float or None
        The mean rank of the answer shown at each place.
    explained : float or None
        The share of the variance of ranks that place explains, from 0 to 1. It also holds what is
        not early against late, as where the middle is favoured.
    p_early_late, p_any : float or None
        Permutation tests of the correlation, and of any dependence on place.
    order_only : bool
        Whether the ballots carry nothing but the order shown: place explains at least 80 % of the
        variance, and the test of any dependence gives a p of at most 0.01.
    """

    correlation: Estimate
    mean_ranks: tuple[float | None, ...]
    explained: float | None
    p_early_late: float | None
    p_any: float | None
    order_only: bool


def position_bias(
    ranks: ArrayLike,
    places: ArrayLike,
    confidence: float = 0.95,
    permutations: int = 1000,
    seed: int = 0,
) -> tuple[PositionBias, ...]:
    """Test whether each judge's ranks follow the place at which an answer was shown.

    Answers are shuffled independently for every judge and prompt, so under the null hypothesis any
    order shown was as likely as the one that was, and the test is exact [1]_; the observed order
    counts among the permutations [2]_. Ballots of a judge on one prompt that were shown the same
    order, as in several runs, are permuted together. The correlation is Spearman's [3]_.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them, with every answer that
        was shown.
    places : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        The place of each answer on the ballot, from 1; not read where the rank is missing.
    confidence : float
        Nominal coverage of the intervals, which are clustered on prompts.
    permutations : int
    seed : int

    Returns
    -------
    tuple of PositionBias
        One a judge. The index without judges of which the ballots carry nothing but the order
        shown is ``rii(ranks[:, [not bias.order_only for bias in found]])``.

    Raises
    ------
    ValueError
        If the ballots are not as described, if the places of the ranked answers are not 1 to k, or
        if `confidence` is not between 0 and 1.
    """
    ballots, shown = read_ballots(ranks), np.asarray(places, dtype=np.float64)
    if shown.shape != ballots.shape:
        raise ValueError(f"ranks and places differ in shape: {ballots.shape}, {shown.shape}")
    seen = np.where(np.isfinite(ballots), shown, np.nan)
    try:
        read_ballots(seen)
    except ValueError as error:
        raise ValueError("the places of the ranked answers must be 1 to k, each once") from error
    generator = np.random.default_rng(seed)
    return tuple(
        _position_bias(ballots[:, judge], seen[:, judge], confidence, permutations, generator)
        for judge in range(ballots.shape[1])
    )


def _position_bias(
    ranks: Floats,
    places: Floats,
    confidence: float,
    permutations: int,
    generator: np.random.Generator,
) -> PositionBias:
    by_place = np.take_along_axis(ranks, np.argsort(places, axis=-1), axis=-1)
    centred, slopes, compared = _centre(by_place)
    correlations = np.where(compared, np.nansum(centred * slopes, axis=-1), np.nan)
    correlation = prompt_mean(correlations, confidence)
    means = tuple(
        None if np.isnan(mean) else mean for mean in mean_of_valid(by_place, axis=(0, 1)).tolist()
    )
    if not correlation.defined:
        return PositionBias(correlation, means, None, None, None, False)
    units = _units(centred[compared], slopes[compared], _shuffles(places)[compared])
    seen = np.isfinite(centred[compared]).sum(axis=0)
    early_late, any_place = _permuted(*units, seen, permutations, generator)
    explained = _statistics(*units, seen)[1] / float(np.nansum(centred[compared] ** 2))
    order_only = explained >= ORDER_ONLY_SHARE and any_place <= ORDER_ONLY_LEVEL
    return PositionBias(correlation, means, explained, early_late, any_place, order_only)


def _centre(by_place: Floats) -> tuple[Floats, Floats, Bools]:
    """Centred ranks, what turns them into Spearman's correlation, and which ballots compare two."""
    length = np.isfinite(by_place).sum(axis=-1, keepdims=True)
    steps = np.arange(1, by_place.shape[-1] + 1) - (length + 1) / 2
    squares = np.where(np.isfinite(by_place), length * (length**2 - 1) / 12, 0)
    return by_place - (length + 1) / 2, ratio(steps, squares), length[..., 0] > 1


def _shuffles(places: Floats) -> Labels:
    """Give every ballot the number of the first one of its prompt that was shown the same order."""
    rows = np.nan_to_num(places).reshape(-1, places.shape[-1])
    keys = np.column_stack([prompt_labels(places[..., 0]), rows])
    _, first, members = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[members].reshape(places.shape[:-1]))


def _units(centred: Floats, slopes: Floats, shuffles: Labels) -> tuple[Floats, Floats]:
    """Add up the ballots of each order shown, which are permuted together."""
    members = np.unique(shuffles, return_inverse=True)[1]
    together = np.zeros((members.max() + 1, centred.shape[1]))
    np.add.at(together, members, centred)
    factors = np.zeros_like(together)
    factors[members] = slopes
    return together, factors


def _permuted(
    together: Floats,
    slopes: Floats,
    seen: Labels,
    permutations: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """How often another order shown would have led as far: early against late, and any place."""
    observed = np.array(_statistics(together, slopes, seen)) - _ROUNDING
    as_far = np.ones(2)
    for _ in range(permutations):
        keys = np.where(np.isnan(together), np.inf, generator.random(together.shape))
        drawn = np.take_along_axis(together, np.argsort(keys, axis=1), axis=1)
        as_far += np.array(_statistics(drawn, slopes, seen)) >= observed
    early_late, any_place = (as_far / (1 + permutations)).tolist()
    return early_late, any_place


def _statistics(together: Floats, slopes: Floats, seen: Labels) -> tuple[float, float]:
    """How far ranks follow early against late, and the sum of squares between places."""
    between = ratio(np.nansum(together, axis=0) ** 2, seen)
    return abs(float(np.nansum(together * slopes))), float(np.nansum(between))
