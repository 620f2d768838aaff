"""Votes on pairs: whose they are, what they add up to, and where two sides of them agree."""

from math import inf, nan

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.sections.peer_ranking.pairs.points import Duels
from judgeworthy.sections.peer_ranking.rows import Number
from judgeworthy.sections.peer_ranking.voted import PEOPLE
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import clustered_proportion
from judgeworthy.statistics.rankings.ballots import candidate_pairs
from judgeworthy.statistics.resampling import draws
from judgeworthy.study import Study

NOT_COMPARED = "nothing that both decided"


def names(votes: pd.DataFrame) -> tuple[str, ...]:
    """Return the models whose answers are compared."""
    return tuple(sorted({*votes["first"], *votes["second"]}))


def of_models(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the votes of models."""
    return votes[votes["judge"].ne(PEOPLE)]


def of_people(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the votes of people."""
    return votes[votes["judge"].eq(PEOPLE)]


def without_own(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the votes of which the judge is neither of the two."""
    return votes[votes["judge"].ne(votes["first"]) & votes["judge"].ne(votes["second"])]


def duels_of(part: pd.DataFrame, votes: pd.DataFrame) -> Duels:
    """Count a part of the votes, over all candidates and prompts."""
    return Duels.of(part, names(votes), tuple(votes["question_id"].unique()))


def draws_of(votes: pd.DataFrame, study: Study) -> Floats:
    """Return how often each prompt of the votes is drawn in the study's resamples."""
    return draws(votes["question_id"].nunique(), settings(study).resamples, study.seed)


def number(estimate: Estimate, scale: tuple[float, float] = (-inf, inf)) -> Number:
    """Return an estimate as a number to be published; votes are never invalid."""
    return Number(estimate, 0, 0, scale=scale)


def agreement(one: Floats, two: Floats, study: Study) -> Estimate:
    """Estimate how often two majorities prefer the same answer, of what both decide."""
    first, second = candidate_pairs(one.shape[-1])
    products = one[:, first, second] * two[:, first, second]
    hits = np.where(np.nan_to_num(products) == 0, nan, products > 0)
    clusters = np.repeat(np.arange(len(hits)), hits.shape[1])
    found = clustered_proportion(hits.ravel(), clusters, study.confidence)
    return found if found.defined else undefined(NOT_COMPARED, found.method)
