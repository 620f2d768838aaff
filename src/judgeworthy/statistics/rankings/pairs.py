"""Strengths from pairs that may tie: Bradley–Terry with ties.

References
----------
.. [1] R. R. Davidson (1970). On extending the Bradley-Terry model to accommodate ties in paired
   comparison experiments. Journal of the American Statistical Association 65, 317-328.
.. [2] K. Konis (2007). Linear programming algorithms for detecting separated data in binary
   logistic regression models. DPhil thesis, University of Oxford.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog, minimize
from scipy.special import expit, logsumexp, softmax

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.rankings.strengths import (
    ALPHA,
    NOT_CONVERGED,
    NOT_IDENTIFIED,
    Labels,
    Strengths,
    chains,
    check_fit,
    interval,
    no_strengths,
    robust_errors,
    strengths_of,
)

DAVIDSON = "Davidson (robust error by cluster, t)"
NO_PAIRS = "no valid comparisons"
ALL_TIES = "not identified: every comparison is a tie"
NO_TIES = "no ties: the fit is Bradley–Terry's, no interval"

_FIRST, _SECOND, _TIE = 0, 1, 2
_ROUNDING = 1e-9
_GRADIENT = 1e-8


@dataclass(frozen=True)
class PairStrengths:
    """Strengths from pairs that may tie.

    Attributes
    ----------
    strengths : Strengths
    tie : Estimate
        The probability that two candidates of equal strength tie.
    """

    strengths: Strengths
    tie: Estimate


def davidson(
    first: ArrayLike,
    second: ArrayLike,
    outcomes: ArrayLike,
    candidates: int,
    clusters: ArrayLike | None = None,
    alpha: float = ALPHA,
    confidence: float = 0.95,
) -> PairStrengths:
    """Fit Davidson's model [1]_ to pairs of candidates.

    Where s and t are the strengths of two candidates, the first wins, the second wins and they tie
    in the proportions exp(s) : exp(t) : ν exp((s + t) / 2); two of equal strength tie with the
    probability ν / (2 + ν). Linear programming tells whether the likelihood has a maximum [2]_:
    connected wins are not the whole condition, because ν can grow along with a difference. Where
    there is none, but chains of wins and ties join every pair, the fit takes off `alpha` times the
    sum of the squared strengths, and has no intervals.

    Parameters
    ----------
    first, second : array_like of shape (n_pairs,)
        Numbers of the two candidates, from 0.
    outcomes : array_like of shape (n_pairs,)
        1 where the first wins, 0 where the second does, 0.5 for a tie, NaN for an invalid reply.
    candidates : int
        How many candidates there are.
    clusters : array_like of shape (n_pairs,), optional
        A label per pair, as the prompt; without it every pair is its own cluster.
    alpha, confidence : float
        Regularisation, and nominal coverage, between 0 and 1.

    Returns
    -------
    PairStrengths
        Without ties the fit is Bradley–Terry's. Undefined where all pairs tie, or where chains of
        wins and ties leave a pair of candidates apart.

    Raises
    ------
    ValueError
        If the shapes differ, a candidate meets itself or does not exist, an outcome is none of the
        four, `alpha` is not positive, or `confidence` is not between 0 and 1.
    """
    check_fit(alpha, confidence)
    pairs = _read(first, second, outcomes, candidates, clusters)
    unordered = chains(pairs.wins())[1]
    reason = pairs.obstacle() or (NOT_IDENTIFIED if unordered else "")
    if reason:
        return _nothing(reason, pairs, unordered)
    separated = _separated(pairs.contrasts())
    fitted = _maximise(pairs, alpha if separated else 0.0)
    if fitted is None:
        return _nothing(NOT_CONVERGED, pairs)
    errors = None if separated or pairs.clusters < 2 else _errors(pairs, fitted)
    return _results(pairs, fitted, errors, confidence, alpha if separated else 0.0)


@dataclass(frozen=True)
class _Pairs:
    """Valid pairs, with what was chosen: the first, the second or a tie."""

    first: Labels
    second: Labels
    chosen: Labels
    labels: Labels
    candidates: int

    @property
    def clusters(self) -> int:
        return int(self.labels.max(initial=-1)) + 1

    @property
    def tied(self) -> bool:
        return bool((self.chosen == _TIE).any())

    def obstacle(self) -> str:
        if not len(self.chosen):
            return NO_PAIRS
        return ALL_TIES if (self.chosen == _TIE).all() else ""

    def wins(self) -> Floats:
        """Wins of the row's candidate over the column's; a tie counts for both."""
        wins = np.zeros((self.candidates, self.candidates))
        np.add.at(wins, (self.first, self.second), self.chosen != _SECOND)
        np.add.at(wins, (self.second, self.first), self.chosen != _FIRST)
        return wins

    def design(self) -> Floats:
        """What each outcome of each pair takes from the strengths and from the logarithm of ν."""
        rows = np.arange(len(self.chosen))
        design = np.zeros((len(rows), 3, self.candidates + 1))
        design[rows, _FIRST, self.first] = 1
        design[rows, _SECOND, self.second] = 1
        design[:, _TIE] = (design[:, _FIRST] + design[:, _SECOND]) / 2
        design[:, _TIE, -1] = 1
        return design if self.tied else design[:, :_TIE, :-1]

    def had(self) -> Floats:
        """The row of the design that came about."""
        design = self.design()
        return design[np.arange(len(design)), self.chosen]

    def contrasts(self) -> Floats:
        """The outcome that came about, less each of the others."""
        design = self.design()
        less = (self.had()[:, np.newaxis] - design).reshape(-1, design.shape[-1])
        contrasts: Floats = np.unique(less, axis=0)
        return contrasts


def _read(
    first: ArrayLike,
    second: ArrayLike,
    outcomes: ArrayLike,
    candidates: int,
    clusters: ArrayLike | None,
) -> _Pairs:
    results = np.asarray(outcomes, dtype=np.float64)
    one, two = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    names = np.arange(results.size) if clusters is None else np.asarray(clusters)
    if results.ndim != 1 or not one.shape == two.shape == names.shape == results.shape:
        raise ValueError("first, second, outcomes and clusters must be rows of one length")
    if not np.isin(np.concatenate([one, two]), np.arange(candidates)).all() or (one == two).any():
        raise ValueError(f"a pair must be two different numbers from 0 to {candidates - 1}")
    valid = ~np.isnan(results)
    if not np.isin(results[valid], (0.0, 0.5, 1.0)).all():
        raise ValueError("outcomes must be 1, 0, 0.5 or NaN")
    chosen = np.select([results == 1, results == 0], [_FIRST, _SECOND], _TIE)[valid]
    labels = np.unique(names[valid], return_inverse=True)[1]
    return _Pairs(one[valid], two[valid], chosen, labels, candidates)


def _separated(contrasts: Floats) -> bool:
    """Whether some direction raises the likelihood for ever [2]_."""
    towards = -contrasts.sum(axis=0)
    found = linprog(towards, A_ub=-contrasts, b_ub=np.zeros(len(contrasts)), bounds=(-1, 1))
    return bool(found.fun < -_ROUNDING)


def _maximise(pairs: _Pairs, penalty: float) -> Floats | None:
    """Strengths with mean 0, and the logarithm of ν where there are ties."""
    design, had = pairs.design(), pairs.had()
    strengths = (np.arange(design.shape[-1]) < pairs.candidates).astype(np.float64)
    # The second term only holds the mean at 0, along which the likelihood is flat.
    ridge = 2 * penalty * np.diag(strengths) + np.outer(strengths, strengths)

    def loss(x: Floats) -> float:
        return float((logsumexp(design @ x, axis=1) - had @ x).sum() + x @ ridge @ x / 2)

    def gradient(x: Floats) -> Floats:
        slope: Floats = -_scores(design, had, x).sum(axis=0) + ridge @ x
        return slope

    def curvature(x: Floats) -> Floats:
        return _information(design, x) + ridge

    found = minimize(
        loss,
        np.zeros(len(strengths)),
        jac=gradient,
        hess=curvature,
        method="trust-exact",
        options={"gtol": _GRADIENT * len(design)},
    )
    return np.asarray(found.x) if found.success else None


def _scores(design: Floats, had: Floats, x: Floats) -> Floats:
    chances = softmax(design @ x, axis=1)
    scores: Floats = had - np.einsum("pa,pak->pk", chances, design)
    return scores


def _information(design: Floats, x: Floats) -> Floats:
    chances = softmax(design @ x, axis=1)
    means = np.einsum("pa,pak->pk", chances, design)
    information: Floats = np.einsum("pa,paj,pak->jk", chances, design, design) - means.T @ means
    return information


def _errors(pairs: _Pairs, fitted: Floats) -> Floats:
    design = pairs.design()
    scores = np.zeros((pairs.clusters, len(fitted)))
    np.add.at(scores, pairs.labels, _scores(design, pairs.had(), fitted))
    return robust_errors(scores, _information(design, fitted))


def _results(
    pairs: _Pairs, fitted: Floats, errors: Floats | None, confidence: float, alpha: float
) -> PairStrengths:
    size = len(pairs.chosen), pairs.clusters
    inner = None if errors is None else errors[: pairs.candidates]
    found = strengths_of(fitted[: pairs.candidates], inner, size, DAVIDSON, confidence, alpha)
    if not pairs.tied:
        return PairStrengths(found, Estimate(0.0, None, None, *size, DAVIDSON, NO_TIES))
    if errors is None:
        value = _tie(fitted[-1])
        return PairStrengths(found, Estimate(value, None, None, *size, DAVIDSON, found.note))
    log = interval(float(fitted[-1]), float(errors[-1]), *size, DAVIDSON, confidence)
    ends = _tie(log.value), _tie(log.low), _tie(log.high)
    return PairStrengths(found, Estimate(*ends, *size, DAVIDSON, log.note))


def _tie(log: float | None) -> float | None:
    """ν / (2 + ν), from the logarithm of ν."""
    return None if log is None else float(expit(log - np.log(2)))


def _nothing(
    reason: str, pairs: _Pairs, unordered: tuple[tuple[int, int], ...] = ()
) -> PairStrengths:
    size = len(pairs.chosen), pairs.clusters
    nothing = no_strengths(reason, DAVIDSON, pairs.candidates, size, unordered)
    return PairStrengths(nothing, undefined(reason, DAVIDSON, *size))
