"""How strong each model is to the models, and to the people whose votes enter nothing else."""

import pandas as pd

from judgeworthy.sections.peer_ranking.arrays import codes
from judgeworthy.sections.peer_ranking.pairs.points import earned_by_first, percentiles
from judgeworthy.sections.peer_ranking.pairs.votes import (
    draws_of,
    duels_of,
    names,
    number,
    of_models,
    of_people,
    without_own,
)
from judgeworthy.sections.peer_ranking.rows import columns, row
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.rankings.pairs import PairStrengths, davidson
from judgeworthy.study import Study

STRENGTHS = [
    *("candidate", "n", "clusters", "people_n"),
    *columns("strength", "strength_without_own", "people_strength", "points", "people_points"),
    *("place", "place_without_own", "people_place", "note"),
]


def strengths(votes: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how strong each model is, to the models and to people: one row a candidate.

    ``strength`` is Davidson's, on the logarithmic scale with mean 0, ``points`` the mean over the
    others of the share earned against each, in percent, a tie counting one half: 50 is average.
    ``people_*`` is the same from people's votes, which enter nothing else.
    """
    models, people = of_models(votes), of_people(votes)
    parts = {"": models, "_without_own": without_own(models), "people_": people}
    fits = {name: _davidson(part, votes, study) for name, part in parts.items()}
    places = {name: _places(fit) for name, fit in fits.items()}
    earned = {"": _points(models, votes, study), "people_": _points(people, votes, study)}
    rows = []
    for place, candidate in enumerate(names(votes)):
        estimates = {
            "strength": fits[""].strengths.estimates[place],
            "strength_without_own": fits["_without_own"].strengths.estimates[place],
            "people_strength": fits["people_"].strengths.estimates[place],
            "points": earned[""][place],
            "people_points": earned["people_"][place],
        }
        rows.append(
            {
                "candidate": candidate,
                "n": _about(models, candidate),
                "clusters": votes["question_id"].nunique(),
                "people_n": _about(people, candidate),
                **row(study, {name: number(estimate) for name, estimate in estimates.items()}),
                "place": places[""][place],
                "place_without_own": places["_without_own"][place],
                "people_place": places["people_"][place],
            }
        )
    counted = ["place", "place_without_own", "people_place"]
    return pd.DataFrame(rows, columns=STRENGTHS).astype(dict.fromkeys(counted, "Int64"))


def _about(votes: pd.DataFrame, candidate: str) -> int:
    return int((votes["first"].eq(candidate) | votes["second"].eq(candidate)).sum())


def _davidson(part: pd.DataFrame, votes: pd.DataFrame, study: Study) -> PairStrengths:
    known = names(votes)
    return davidson(
        codes(known, part["first"]),
        codes(known, part["second"]),
        earned_by_first(part).to_numpy(),
        len(known),
        part["question_id"].to_numpy(dtype=str),
        confidence=study.confidence,
    )


def _places(fit: PairStrengths) -> list[int | None]:
    values = fit.strengths.values
    return [
        None if value is None else 1 + sum(other > value for other in values if other is not None)
        for value in values
    ]


def _points(part: pd.DataFrame, votes: pd.DataFrame, study: Study) -> list[Estimate]:
    duels = duels_of(part, votes)
    drawn = duels.resampled(draws_of(votes, study))
    size = len(part), part["question_id"].nunique()
    return [
        percentiles(value, resamples, *size, study.confidence)
        for value, resamples in zip(duels.whole, drawn.T, strict=True)
    ]
