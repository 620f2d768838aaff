"""What moves ballots besides the merit of the answers: whose they are, and how long."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import CLUSTER_T
from judgeworthy.statistics.rankings.ballots import (
    candidate_pairs,
    mean_of_valid,
    pair_signs,
    prompt_mean,
    ratio,
    read_ballots,
    read_own,
)

NO_CANDIDATE = "the judge is no candidate"
NOT_COMPARED = "no prompt on which this judge and another rank its answer among others"
ONE_LENGTH = "no ballot with answers of different length"


def self_preference(
    ranks: ArrayLike, own: ArrayLike, confidence: float = 0.95
) -> tuple[Estimate, ...]:
    """Estimate how much better each judge ranks its own answer than the other judges do.

    It is the rank that the judge gives its own answer minus the mean rank that the others give it:
    negative where it favours itself. The other judge's own answer is first taken off both ballots
    and the ranks are closed up, because a judge that another one pushes down in favour of itself
    would otherwise seem to favour itself too. That an answer is good does not show in it, for the
    others rank the same answer; that a judge values what its own answers have, does.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them, own answers included.
    own : array_like of shape (n_judges,)
        Which candidate each judge is, -1 for none.
    confidence : float
        Nominal coverage of the intervals, between 0 and 1.

    Returns
    -------
    tuple of Estimate
        One a judge, in ranks; `n` counts prompts.

    Raises
    ------
    ValueError
        If the ballots or `own` are not as described, or `confidence` is not between 0 and 1.
    """
    ballots = read_ballots(ranks)
    models = read_own(own, ballots.shape[1], ballots.shape[-1])
    return tuple(
        prompt_mean(_leads(ballots, models, judge), confidence, NOT_COMPARED)
        if models[judge] >= 0
        else undefined(NO_CANDIDATE, CLUSTER_T)
        for judge in range(len(models))
    )


def length_preference(
    ranks: ArrayLike, lengths: ArrayLike, confidence: float = 0.95
) -> tuple[Estimate, ...]:
    """Estimate how often each judge ranks the longer of two answers higher.

    0.5 is no preference. Longer answers may also be better; what a judge prefers beyond that shows
    only beside the values of the other judges, who ranked the same answers.

    Parameters
    ----------
    ranks : array_like of shape (n_prompts, n_judges, n_runs, n_candidates)
        Ballots, as `judgeworthy.statistics.rankings.ballots` describes them.
    lengths : array_like of shape (n_prompts, n_candidates)
        In any unit. Pairs of equal length do not count.
    confidence : float
        Nominal coverage of the intervals, which are clustered on prompts.

    Returns
    -------
    tuple of Estimate
        One a judge: the mean over its ballots of the share of pairs, between 0 and 1.

    Raises
    ------
    ValueError
        If the ballots are not as described, if the shapes differ, if a length is not finite, or if
        `confidence` is not between 0 and 1.
    """
    ballots, sizes = read_ballots(ranks), np.asarray(lengths, dtype=np.float64)
    if sizes.shape != (len(ballots), ballots.shape[-1]) or not np.isfinite(sizes).all():
        raise ValueError("lengths must be finite, one for each prompt and candidate")
    first, second = candidate_pairs(ballots.shape[-1])
    longer = np.sign(sizes[:, first] - sizes[:, second])[:, np.newaxis, np.newaxis]
    followed = pair_signs(ballots) * longer
    shares = ratio((followed > 0).sum(axis=-1), (followed != 0).sum(axis=-1))
    return tuple(
        prompt_mean(shares[:, judge], confidence, ONE_LENGTH) for judge in range(shares.shape[1])
    )


def _leads(ballots: Floats, models: NDArray[np.intp], judge: int) -> Floats:
    """Own rank minus the mean rank by the others on each prompt, NaN where there is none."""
    model = models[judge]
    leads = [np.full(len(ballots), np.nan)]
    for other in np.flatnonzero(models != model):
        mine = _rank_without(ballots[:, judge], model, models[other])
        theirs = _rank_without(ballots[:, other], model, models[other])
        leads.append(mean_of_valid(mine, axis=-1) - mean_of_valid(theirs, axis=-1))
    return mean_of_valid(np.stack(leads), axis=0)


def _rank_without(ballots: Floats, candidate: int, left_out: int) -> Floats:
    """Rank of a candidate when another is left out; NaN where none is left to compare it with."""
    ranks, rivals = ballots[..., candidate], np.isfinite(ballots).sum(axis=-1) - 1
    if left_out >= 0:
        rivals = rivals - np.isfinite(ballots[..., left_out])
        ranks = ranks - (ballots[..., left_out] < ranks)
    return np.where(rivals > 0, ranks, np.nan)
