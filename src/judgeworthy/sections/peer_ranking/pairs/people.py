"""The models' consensus beside what people prefer."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking.pairs.points import (
    LEVEL,
    Duels,
    earned_by_first,
    percentiles,
    tau_b,
)
from judgeworthy.sections.peer_ranking.pairs.votes import (
    NOT_COMPARED,
    agreement,
    draws_of,
    duels_of,
    names,
    number,
    of_models,
    of_people,
    without_own,
)
from judgeworthy.sections.peer_ranking.rows import columns, row
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import clustered_proportion
from judgeworthy.statistics.rankings.ballots import prompt_mean
from judgeworthy.statistics.rankings.concordance import TAU
from judgeworthy.study import Study

COMPARED = ["measure", "n", "clusters", *columns("value"), "note"]


def compared(votes: pd.DataFrame, strong: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Compare the models' consensus with people: one row a measure.

    Whole orders by Kendall's tau, prompts by tau and by the pairs decided on both sides. The last
    two rows belong together: on comparisons with several people's votes, how often one person
    agrees with another, and with the majority of the models.

    Parameters
    ----------
    votes : DataFrame
    strong : DataFrame
        As `strengths` returns it.
    study : Study
    """
    models, people = of_models(votes), of_people(votes)
    ours, theirs = duels_of(models, votes), duels_of(people, votes)
    apart = duels_of(without_own(models), votes).majority
    estimates = {
        "order of strengths, tau": _of_strengths(strong),
        "order of points, tau": _of_points(ours, theirs, votes, study),
        "order within a prompt, mean tau": _within(ours, theirs, study),
        "majorities on a prompt and pair": agreement(ours.majority, theirs.majority, study),
        "the same without own votes": agreement(apart, theirs.majority, study),
        "one person with another": _among_people(people, study),
        "one person with the models' majority": _with_models(people, ours, votes, study),
    }
    rows = [
        {
            "measure": measure,
            "n": estimate.n,
            "clusters": estimate.clusters,
            **row(study, {"value": number(estimate, (-1, 1))}),
        }
        for measure, estimate in estimates.items()
    ]
    return pd.DataFrame(rows, columns=COMPARED)


def _of_strengths(strong: pd.DataFrame) -> Estimate:
    one, two = (strong[name].to_numpy() for name in ("strength", "people_strength"))
    value, size = float(tau_b(one, two)), len(strong)
    if np.isnan(value):
        return undefined(LEVEL, TAU, size, size)
    return Estimate(value, None, None, size, size, TAU, f"{size} candidates: no interval")


def _of_points(models: Duels, people: Duels, votes: pd.DataFrame, study: Study) -> Estimate:
    weights = draws_of(votes, study)
    drawn = tau_b(models.resampled(weights), people.resampled(weights))
    value = float(tau_b(models.whole, people.whole))
    if np.isnan(value):
        return undefined(LEVEL, TAU)
    return percentiles(value, drawn, len(models.whole), len(models.votes), study.confidence)


def _within(models: Duels, people: Duels, study: Study) -> Estimate:
    return prompt_mean(tau_b(models.by_prompt, people.by_prompt), study.confidence, NOT_COMPARED)


def _decided(people: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Floats]]:
    """Yield the comparisons on which several people voted, with their decisions, 1 or -1."""
    decisions = 2 * earned_by_first(people) - 1
    keys = [people[name] for name in ("question_id", "first", "second")]
    for (prompt, first, second), said in decisions.groupby(keys, sort=False):
        if len(said) > 1:
            yield (str(prompt), str(first), str(second)), said[said != 0].to_numpy()


def _among_people(people: pd.DataFrame, study: Study) -> Estimate:
    hits, prompts = [], []
    for (prompt, _, _), said in _decided(people):
        one, two = np.triu_indices(len(said), 1)
        hits += (said[one] == said[two]).tolist()
        prompts += [prompt] * len(one)
    return _share_of(hits, prompts, study)


def _with_models(
    people: pd.DataFrame, models: Duels, votes: pd.DataFrame, study: Study
) -> Estimate:
    known, asked_ = pd.Index(names(votes)), pd.Index(votes["question_id"].unique())
    hits, prompts = [], []
    for (prompt, first, second), said in _decided(people):
        where = asked_.get_loc(prompt), known.get_loc(first), known.get_loc(second)
        majority = models.majority[where]
        if majority in (1, -1):
            hits += (said == majority).tolist()
            prompts += [prompt] * len(said)
    return _share_of(hits, prompts, study)


def _share_of(hits: list[bool], prompts: list[str], study: Study) -> Estimate:
    values = np.array(hits, dtype=np.float64)
    found = clustered_proportion(values, np.array(prompts, dtype=str), study.confidence)
    return found if found.defined else undefined(NOT_COMPARED, found.method)
