"""What the section reads, and all its tables, by the names under which they are published."""

from dataclasses import dataclass

import pandas as pd

from judgeworthy.sections.peer_ranking import (
    answers,
    asked,
    estimates,
    judges,
    pairs,
    voted,
)
from judgeworthy.study import Study


@dataclass(frozen=True)
class Given:
    """What was answered and voted.

    Attributes
    ----------
    ballots : DataFrame
        With the columns `asked.COLUMNS`; those of pairs are derived from them.
    answers : DataFrame
        As `asked.answers` describes them; empty where others recorded them.
    votes : DataFrame
        With the columns `voted.COLUMNS`; empty where answers were not compared in pairs.
    """

    ballots: pd.DataFrame
    answers: pd.DataFrame
    votes: pd.DataFrame


def load(study: Study) -> Given:
    """Read what a study's models answered and voted.

    Raises
    ------
    MissingRepliesError
        If a reply is not recorded.
    DataError
        If a file is missing or broken.
    """
    if voted.paired(study):
        votes = voted.load(study)
        return Given(pairs.rankings(votes), nothing(answers.COLUMNS), votes)
    return Given(asked.load(study), asked.answers(study), nothing(list(voted.COLUMNS)))


def tables(given: Given, study: Study) -> dict[str, pd.DataFrame]:
    """Estimate everything that the section publishes.

    Parameters
    ----------
    given : Given
        As `load` returns it.
    study : Study

    Returns
    -------
    dict of str to DataFrame
        One a file ``<name>.csv``; what does not occur in the study is an empty table.
    """
    found = {
        "ranking": estimates.ranking(given.ballots, study),
        "ranking_by_domain": estimates.ranking_by_domain(given.ballots, study),
        "judges": judges.judges(given.ballots, study),
        "mean_ranks": estimates.mean_ranks(given.ballots, study),
        "stability": judges.stability(given.ballots, study),
        "agreement_against_index": judges.agreement_against_index(given.ballots, study),
        "answers": answers.by_model(given.answers),
        "left_out": answers.left_out(given.answers),
    }
    if not voted.paired(study):
        return found | _of_ballots(given, study)
    more = _of_pairs(given, study)
    found["ranking"]["note"] = [
        "; ".join(filter(None, (pairs.left_out(more["derived_rankings"]), note)))
        for note in found["ranking"]["note"]
    ]
    return found | more


def _of_ballots(given: Given, study: Study) -> dict[str, pd.DataFrame]:
    return {
        "pairwise": estimates.pairwise(given.ballots, study),
        "strengths": nothing(pairs.STRENGTHS),
        "pair_judges": nothing(pairs.JUDGES),
        "compared_with_people": nothing(pairs.COMPARED),
        "derived_rankings": nothing(pairs.DERIVED),
    }


def _of_pairs(given: Given, study: Study) -> dict[str, pd.DataFrame]:
    strong = pairs.strengths(given.votes, study)
    return {
        "pairwise": pairs.pairwise(given.votes, study),
        "strengths": strong,
        "pair_judges": pairs.judges(given.votes, study),
        "compared_with_people": pairs.compared(given.votes, strong, study),
        "derived_rankings": pairs.derived(given.votes),
    }


def nothing(columns: list[str]) -> pd.DataFrame:
    """Return a table without rows."""
    return pd.DataFrame(columns=columns)
