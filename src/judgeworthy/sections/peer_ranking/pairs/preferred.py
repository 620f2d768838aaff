"""Who is preferred to whom by the models, pair by pair."""

from math import nan

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking.pairs.points import Duels, percentiles
from judgeworthy.sections.peer_ranking.pairs.votes import (
    NOT_COMPARED,
    draws_of,
    duels_of,
    names,
    number,
    of_models,
    without_own,
)
from judgeworthy.sections.peer_ranking.rows import row
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.rankings.ballots import candidate_pairs, prompt_mean
from judgeworthy.study import Study


def pairwise(votes: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate who is preferred to whom by the models: one row a pair of candidates.

    ``preferred`` is the share earned, a tie counting one half, ``preferred_by_others`` that of
    judges who are neither of the two; ``lead`` is the difference of the points.
    """
    models = of_models(votes)
    duels, apart = duels_of(models, votes), duels_of(without_own(models), votes)
    drawn, known = duels.resampled(draws_of(votes, study)), names(votes)
    rows = []
    for one, two in zip(*(part.tolist() for part in candidate_pairs(len(known))), strict=True):
        size = int(duels.votes[:, one, two].sum()), int((duels.votes[:, one, two] > 0).sum())
        lead = duels.whole[one] - duels.whole[two]
        resamples = drawn[:, one] - drawn[:, two]
        estimates = {
            "preferred": number(_share(duels, one, two, study), (0, 1)),
            "preferred_by_others": number(_share(apart, one, two, study), (0, 1)),
            "lead": number(percentiles(lead, resamples, *size, study.confidence)),
        }
        entry = row(study, estimates)
        pair = {"candidate": known[one], "other": known[two]}
        rows.append({**pair, "n": size[0], "clusters": size[1], "invalid": 0, **entry})
    return pd.DataFrame(rows)


def _share(duels: Duels, one: int, two: int, study: Study) -> Estimate:
    votes = duels.votes[:, one, two]
    shares = np.divide(
        duels.earned[:, one, two], votes, out=np.full(len(votes), nan), where=votes > 0
    )
    return prompt_mean(shares, study.confidence, NOT_COMPARED)
