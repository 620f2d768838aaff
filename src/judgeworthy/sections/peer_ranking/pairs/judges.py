"""How each judge of pairs votes: ties, order shown, favour to itself, agreement with others."""

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking.pairs.points import earned_by_first
from judgeworthy.sections.peer_ranking.pairs.votes import (
    NOT_COMPARED,
    agreement,
    duels_of,
    number,
    of_models,
    of_people,
    without_own,
)
from judgeworthy.sections.peer_ranking.rows import columns, row
from judgeworthy.sections.peer_ranking.voted import PEOPLE
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import clustered_proportion
from judgeworthy.statistics.rankings.ballots import prompt_mean
from judgeworthy.statistics.rankings.concordance import TAU
from judgeworthy.study import Study

ONE_ORDER = "no pair that it read in both orders"
NO_MODEL = "no model of its own"
JUDGES = [
    *("judge", "n", "clusters"),
    *columns("ties", "first_preferred", "consistent", "self_lead", "with_others", "with_people"),
    "note",
]


def judges(votes: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Describe each judge, people last: one row a judge.

    ``ties`` is the share of ties. Over pairs that it read in both orders, ``first_preferred`` is
    the share of its decisions for the answer shown first, which is 0.5 without position bias, and
    ``consistent`` the share of pairs of which both orders have the same outcome. ``self_lead`` is
    the share that it gives its own answers minus what judges who are neither of the two give them:
    positive where it favours itself. ``with_others`` and ``with_people`` are the shares of prompts
    and pairs, decided on both sides, on which it prefers the answer that the majority of the other
    models, and of people, prefers.
    """
    rows = []
    for judge in (*of_models(votes)["judge"].unique(), PEOPLE):
        mine = votes[votes["judge"].eq(judge)]
        others = of_models(votes)[of_models(votes)["judge"].ne(judge)]
        twice = _both_orders(mine)
        majority = duels_of(mine, votes).majority
        estimates = {
            "ties": _proportion(mine["outcome"].eq("tie"), mine, study),
            "first_preferred": _first(twice, study),
            "consistent": _consistent(twice, study),
            "self_lead": _self_lead(mine, others, judge, study),
            "with_others": agreement(majority, duels_of(others, votes).majority, study),
            "with_people": undefined("they are the people", TAU)
            if judge == PEOPLE
            else agreement(majority, duels_of(of_people(votes), votes).majority, study),
        }
        size = {"n": len(mine), "clusters": mine["question_id"].nunique()}
        entry = row(study, {name: number(estimate) for name, estimate in estimates.items()})
        rows.append({"judge": judge, **size, **entry})
    return pd.DataFrame(rows, columns=JUDGES)


def _proportion(hits: pd.Series, rows: pd.DataFrame, study: Study) -> Estimate:
    values = hits.to_numpy(dtype=np.float64)
    return clustered_proportion(values, rows["question_id"].to_numpy(dtype=str), study.confidence)


def _both_orders(mine: pd.DataFrame) -> pd.DataFrame:
    """Return a judge's votes on pairs that it read once in each order, with the other's outcome."""
    index = ["question_id", "vote"]
    turned = mine.rename(columns={"first": "second", "second": "first", "outcome": "turned"})
    return mine.merge(turned[[*index, "first", "second", "turned"]], on=[*index, "first", "second"])


def _first(twice: pd.DataFrame, study: Study) -> Estimate:
    decided = twice[twice["outcome"].ne("tie")]
    if decided.empty:
        return undefined(ONE_ORDER, TAU)
    return _proportion(decided["outcome"].eq("first"), decided, study)


def _consistent(twice: pd.DataFrame, study: Study) -> Estimate:
    once = twice[twice["first"].lt(twice["second"])]
    if once.empty:
        return undefined(ONE_ORDER, TAU)
    same = {"first": "second", "second": "first", "tie": "tie"}
    return _proportion(once["outcome"].map(same).eq(once["turned"]), once, study)


def _self_lead(mine: pd.DataFrame, others: pd.DataFrame, judge: str, study: Study) -> Estimate:
    own, theirs = _shares_of(mine, judge), _shares_of(without_own(others), judge)
    if own.empty:
        return undefined(NO_MODEL, TAU)
    wide = pd.concat([own, theirs], axis="columns", join="inner", keys=["own", "theirs"])
    leads = (wide["own"] - wide["theirs"]).groupby(level="question_id").mean()
    return prompt_mean(leads.to_numpy(), study.confidence, NOT_COMPARED)


def _shares_of(votes: pd.DataFrame, candidate: str) -> pd.Series:
    """Return the share that a candidate earned on each prompt against each of the others."""
    about = votes[votes["first"].eq(candidate) | votes["second"].eq(candidate)]
    earned = earned_by_first(about)
    ahead = about["first"].eq(candidate)
    scored = about.assign(
        other=about["second"].where(ahead, about["first"]), earned=earned.where(ahead, 1 - earned)
    )
    return scored.groupby(["question_id", "other"])["earned"].mean()
