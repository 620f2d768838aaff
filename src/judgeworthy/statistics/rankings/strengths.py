"""Strengths from ballots: Plackett–Luce and Bradley–Terry.

A strength is a logarithm, centred so that the mean over candidates is 0: of two candidates the
first is preferred with the odds exp(first - second). The likelihood has a maximum only where every
candidate is reached from every other along wins, that is, where the graph of wins is strongly
connected [1]_. Elsewhere the result is one of two, and never a row of equal numbers:

- Where chains of wins still order every pair, as where one model always wins, a regularised fit
  gives finite strengths. It states its `alpha` and has no intervals: how far apart the strengths
  lie is then a matter of `alpha`, not of the data.
- Where some pair is joined by no chain of wins, as where groups never meet, the strengths are not
  identified, and the pairs are named.

References
----------
.. [1] D. R. Hunter (2004). MM algorithms for generalized Bradley-Terry models. Annals of Statistics
   32, 384-406.
.. [2] L. Maystre, M. Grossglauser (2015). Fast and accurate inference of Plackett-Luce models.
   Advances in Neural Information Processing Systems 28.
.. [3] H. White (1982). Maximum likelihood estimation of misspecified models. Econometrica 50, 1-25.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import choix
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import shortest_path
from scipy.special import softmax

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.quantiles import two_sided
from judgeworthy.statistics.rankings.ballots import (
    NO_BALLOTS,
    candidate_pairs,
    count_wins,
    prompt_labels,
    read_ballots,
)

PLACKETT_LUCE = "Plackett–Luce (robust error by prompt, t)"
BRADLEY_TERRY = "Bradley–Terry (robust error by prompt, t)"

ALPHA = 0.1
NOT_IDENTIFIED = "not identified: chains of wins do not order every pair of candidates"
NOT_CONVERGED = "the fit did not converge"
ONE_CLUSTER = "one cluster only: no interval"
CONSTANT = "the clusters do not vary: no interval"

_ITERATIONS = 1000
_ROUNDING = 1e-9

Bools = NDArray[np.bool_]
Labels = NDArray[np.intp]
Choices = Iterator[tuple[Bools, Bools, Labels]]


@dataclass(frozen=True)
class Strengths:
    """The strength of every candidate.

    Attributes
    ----------
    estimates : tuple of Estimate
        One a candidate, on the logarithmic scale, with mean 0.
    shares : tuple of float or None
        exp(strength), scaled to the sum 1: the chance to be put first among all candidates.
    alpha : float
        The strength of regularisation; 0 for the maximum of the likelihood.
    unordered : tuple of (int, int)
        Pairs of candidates that no chain of wins joins, in either direction.
    note : str
        Why there are no strengths or no intervals; empty where there is nothing to add.
    """

    estimates: tuple[Estimate, ...]
    shares: tuple[float | None, ...]
    alpha: float
    unordered: tuple[tuple[int, int], ...]
    note: str

    @property
    def values(self) -> tuple[float | None, ...]:
        """The strength of each candidate."""
        return tuple(estimate.value for estimate in self.estimates)


def plackett_luce(ranks: ArrayLike, alpha: float = ALPHA, confidence: float = 0.95) -> Strengths:
    """Fit Plackett–Luce to ballots, each weighing the same, by I-LSR [2]_.

    A ballot is a series of choices: the first among all on it, the second among the rest, and so
    on. The errors are robust [3]_: the ballots of a prompt may depend on each other in any way.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    alpha : float
        Regularisation, used only where the likelihood has no maximum: the rate that I-LSR adds to
        every transition between two candidates.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Strengths

    Raises
    ------
    ValueError
        If the ballots are not as described, `alpha` is not positive, or `confidence` is not between
        0 and 1.
    """
    return _fit(read_ballots(ranks), _luce, _choices, PLACKETT_LUCE, alpha, confidence)


def bradley_terry(ranks: ArrayLike, alpha: float = ALPHA, confidence: float = 0.95) -> Strengths:
    """Fit Bradley–Terry to all pairs of every ballot, by I-LSR [2]_.

    The pairs of a ballot depend on each other; the errors are robust [3]_ to that, as to any
    dependence within a prompt.

    Parameters
    ----------
    ranks, alpha, confidence
        As in `plackett_luce`.

    Returns
    -------
    Strengths

    Raises
    ------
    ValueError
        As `plackett_luce` does.
    """
    return _fit(read_ballots(ranks), _terry, _duels, BRADLEY_TERRY, alpha, confidence)


def check_fit(alpha: float, confidence: float) -> None:
    """Refuse an `alpha` that is not positive, and an impossible `confidence`.

    Parameters
    ----------
    alpha, confidence : float

    Raises
    ------
    ValueError
        If `alpha` is not positive, or `confidence` is not between 0 and 1.
    """
    if alpha <= 0:
        raise ValueError(f"alpha must be positive, got {alpha}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")


def chains(wins: Floats) -> tuple[bool, tuple[tuple[int, int], ...]]:
    """Tell whether wins lead from every candidate to every other, and which pairs they leave apart.

    Parameters
    ----------
    wins : array of shape (n_candidates, n_candidates)
        How often the row's candidate beat the column's.

    Returns
    -------
    tuple of bool and tuple of (int, int)
        Whether the graph is strongly connected, and the pairs joined in neither direction.
    """
    reached = np.isfinite(shortest_path(wins > 0, unweighted=True))
    apart = np.argwhere(np.triu(~(reached | reached.T)))
    return bool(reached.all()), tuple((int(first), int(second)) for first, second in apart)


def no_strengths(
    reason: str,
    method: str,
    candidates: int,
    size: tuple[int, int],
    unordered: tuple[tuple[int, int], ...] = (),
) -> Strengths:
    """Say that there are no strengths, and why.

    Parameters
    ----------
    reason, method : str
    candidates : int
    size : tuple of int
        Rows, and clusters.
    unordered : tuple of (int, int)
        Pairs that no chain of wins joins.
    """
    nothing = (undefined(reason, method, *size),) * candidates
    return Strengths(nothing, (None,) * candidates, 0.0, unordered, reason)


def regularised(alpha: float) -> str:
    """Say that the likelihood has no maximum.

    Parameters
    ----------
    alpha : float
        Regularisation that was used instead.
    """
    return f"no maximum of the likelihood: regularised with alpha = {alpha:g}, no interval"


def robust_errors(scores: Floats, information: Floats) -> Floats:
    """Return standard errors that let the rows of a cluster depend on each other in any way [3]_.

    Parameters
    ----------
    scores : array of shape (n_clusters, n_parameters)
        Sum of the gradients of each cluster, at the maximum.
    information : array of shape (n_parameters, n_parameters)
        Minus the second derivatives; singular along the direction that shifts all strengths.
    """
    clusters = len(scores)
    inverse = np.linalg.pinv(information, rcond=_ROUNDING, hermitian=True)
    spread = inverse @ scores.T @ scores @ inverse * clusters / (clusters - 1)
    errors: Floats = np.sqrt(np.maximum(np.diag(spread), 0))
    return errors


def interval(
    value: float, error: float, n: int, clusters: int, method: str, confidence: float
) -> Estimate:
    """Return the t interval with (clusters - 1) degrees of freedom.

    Parameters
    ----------
    value, error : float
        The estimate and its standard error.
    n, clusters : int
    method : str
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Estimate
        Without interval where the error is 0.
    """
    if error < _ROUNDING:
        return Estimate(value, None, None, n, clusters, method, CONSTANT)
    half = two_sided(confidence, clusters - 1) * error
    return Estimate(value, value - half, value + half, n, clusters, method)


def strengths_of(
    fitted: Floats,
    errors: Floats | None,
    size: tuple[int, int],
    method: str,
    confidence: float,
    alpha: float = 0.0,
) -> Strengths:
    """Put fitted strengths and their errors together.

    Parameters
    ----------
    fitted, errors : array of shape (n_candidates,)
        Without errors there is no interval.
    size : tuple of int
        Rows, and clusters.
    method : str
    confidence, alpha : float
    """
    shares = tuple(softmax(fitted).tolist())
    if errors is None:
        note = regularised(alpha) if alpha else ONE_CLUSTER
        bare = tuple(Estimate(value, None, None, *size, method, note) for value in fitted.tolist())
        return Strengths(bare, shares, alpha, (), note)
    found = zip(fitted.tolist(), errors.tolist(), strict=True)
    estimates = tuple(interval(value, error, *size, method, confidence) for value, error in found)
    return Strengths(estimates, shares, alpha, (), "")


def _fit(
    ballots: Floats,
    model: Callable[[Floats, float], Floats],
    choices: Callable[[Floats, Labels], Choices],
    method: str,
    alpha: float,
    confidence: float,
) -> Strengths:
    check_fit(alpha, confidence)
    rows, prompts = _compared(ballots)
    size = len(rows), int(prompts.max(initial=-1)) + 1
    whole, unordered = chains(count_wins(rows))
    if not len(rows) or unordered:
        reason = NOT_IDENTIFIED if len(rows) else NO_BALLOTS
        return no_strengths(reason, method, rows.shape[1], size, unordered)
    penalty = 0.0 if whole else alpha
    try:
        fitted = model(rows, penalty)
    except RuntimeError:
        return no_strengths(NOT_CONVERGED, method, rows.shape[1], size)
    errors = _errors(fitted, choices(rows, prompts), size[1]) if whole and size[1] > 1 else None
    return strengths_of(fitted, errors, size, method, confidence, penalty)


def _compared(ballots: Floats) -> tuple[Floats, Labels]:
    """Ballots that compare two candidates or more, and the number of each one's prompt."""
    rows = ballots.reshape(-1, ballots.shape[-1])
    kept = np.isfinite(rows).sum(axis=1) > 1
    prompts = np.unique(prompt_labels(ballots[..., 0])[kept], return_inverse=True)[1]
    return rows[kept], prompts


def _luce(rows: Floats, alpha: float) -> Floats:
    start = _terry(rows, alpha)
    orders = np.argsort(rows, axis=1).tolist()
    ranked = np.isfinite(rows).sum(axis=1).tolist()
    data = [tuple(order[:size]) for order, size in zip(orders, ranked, strict=True)]
    return choix.ilsr_rankings(rows.shape[1], data, alpha, start, _ITERATIONS)


def _terry(rows: Floats, alpha: float) -> Floats:
    return choix.ilsr_pairwise_dense(count_wins(rows), alpha, max_iter=_ITERATIONS)


def _choices(rows: Floats, prompts: Labels) -> Choices:
    """For every stage of the ballots: who could be chosen, who was, and the prompt."""
    for stage in range(1, rows.shape[1]):
        kept = (rows > stage).any(axis=1)
        yield rows[kept] >= stage, rows[kept] == stage, prompts[kept]


def _duels(rows: Floats, prompts: Labels) -> Choices:
    """For every pair on the ballots: the two, the one that was preferred, and the prompt."""
    for pair in zip(*candidate_pairs(rows.shape[1]), strict=True):
        kept = np.isfinite(rows[:, pair]).all(axis=1)
        two = np.isin(np.arange(rows.shape[1]), pair)
        duel = np.where(two, rows[kept], np.inf)
        yield np.isfinite(duel), duel == duel.min(axis=1, keepdims=True), prompts[kept]


def _errors(fitted: Floats, choices: Choices, clusters: int) -> Floats:
    scores = np.zeros((clusters, len(fitted)))
    information = np.zeros((len(fitted), len(fitted)))
    for possible, chosen, prompts in choices:
        chances = softmax(np.where(possible, fitted, -np.inf), axis=1)
        np.add.at(scores, prompts, chosen - chances)
        information += np.diag(chances.sum(axis=0)) - chances.T @ chances
    return robust_errors(scores, information)
