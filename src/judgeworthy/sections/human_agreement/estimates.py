"""Judge against human: agreement, whose side flips take, and what the score is worth.

How rates are written is said in `sections.rates`. Rows without a human label are left out and
counted.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from judgeworthy.sections import rates
from judgeworthy.sections.rates import Number, Row
from judgeworthy.statistics import flips
from judgeworthy.statistics.agreement import agreement as agree
from judgeworthy.statistics.agreement import (
    agreement_bounds,
    diagnostic_accuracy,
    matches,
)
from judgeworthy.statistics.annotators import alternative_annotator_test
from judgeworthy.statistics.estimate import Bounds
from judgeworthy.statistics.planning import detectable_difference
from judgeworthy.study import Study

PEOPLE, FIRST = "human label", "annotator 1"
CEILING = "annotator 2"
TRANSITIONS = (("NR", "RV"), ("RV", "RC"), ("NR", "RC"))
DIRECTIONS = {"to INCORRECT": 0.0, "to CORRECT": 1.0}
COEFFICIENTS = ("agreement", "kappa", "ac1", "alpha")


def agreement(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how far each judge agrees with people: judge × condition × whose label.

    Beside the human label stands that of annotator 1, where the data set has it, and with it the
    ceiling: annotator 2 against annotator 1. A majority label is more reliable than one person,
    so that a judge is compared with the ceiling on annotator 1's labels. ``sensitivity`` is the
    share accepted of what people accept, ``specificity`` the share rejected of what they reject.
    """
    rows = []
    for judge, condition, mine in _cells(table):
        for against, column in ((PEOPLE, "human"), (FIRST, "human_1")):
            if mine[column].notna().any():
                place = {"judge": judge, "condition": condition, "against": against}
                rows.append({**place, **_agreement(mine["said"], mine, column, study)})
    people = table.drop_duplicates(["question_id", "generator"])
    if people[["human_1", "human_2"]].notna().all(axis="columns").any():
        place = {"judge": CEILING, "condition": "", "against": FIRST}
        second = people["human_2"].astype("float64")
        asked = people.assign(**_labels(people))[second.notna()]
        rows.append({**place, **_agreement(second.dropna(), asked, "human_1", study)})
    return pd.DataFrame(rows, columns=_AGREEMENT)


_AGREEMENT = [
    *("judge", "condition", "against", "n", "clusters", "invalid", "unlabelled"),
    *rates.columns(*COEFFICIENTS, "sensitivity", "specificity", "accepted", "human_accepted"),
    "note",
]


def alternative_annotator(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Test whether a judge may stand in for an annotator: judge × condition.

    Only where three people labelled independently of one another. ``winning_rate`` is the share of
    annotators whom the judge equals or beats, ``advantage`` the mean share of items on which it
    agrees with the others at least as well.
    """
    annotators = ["human_1", "human_2", "human_3"]
    rows = []
    for judge, condition, mine in _cells(table):
        panel = mine[mine[annotators].notna().all(axis="columns")]
        if study.annotators_independent and len(panel):
            found = alternative_annotator_test(
                panel[annotators].to_numpy().T, panel["said"], panel["cluster"]
            )
            rows.append(
                {
                    "judge": judge,
                    "condition": condition,
                    "n": len(panel),
                    "clusters": panel["cluster"].nunique(),
                    "invalid": int(panel["said"].isna().sum()),
                    "winning_rate": found.winning_rate,
                    **rates.limits("advantage", found.advantage),
                    "epsilon": found.epsilon,
                    "note": found.note,
                }
            )
    return pd.DataFrame(rows, columns=_ALTERNATIVE)


_ALTERNATIVE = [
    *("judge", "condition", "n", "clusters", "invalid", "winning_rate"),
    *("advantage", "advantage_low", "advantage_high", "epsilon", "note"),
]


def _cells(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield judge, condition and their judgments, decisions and labels as 1, 0 or missing."""
    numbers = table.assign(said=rates.accepted(table["verdict"]), **_labels(table))
    for (judge, condition), mine in numbers.groupby(["judge", "condition"], sort=False):
        yield str(judge), str(condition), mine


def _labels(table: pd.DataFrame) -> dict[str, pd.Series]:
    names = ("human", "human_1", "human_2", "human_3")
    return {name: table[name].astype("float64") for name in names}


def _agreement(said: pd.Series, mine: pd.DataFrame, column: str, study: Study) -> Row:
    labelled = mine[column].notna()
    said, human, clusters = (part[labelled] for part in (said, mine[column], mine["cluster"]))
    found = agree(said, human, clusters, study.confidence)
    limits = agreement_bounds(said, human)
    sides = diagnostic_accuracy(said, human, clusters, study.confidence)
    right, wrong = human == 1, human == 0
    numbers = {
        "agreement": Number(found.raw, len(said), found.missing, limits.raw),
        "kappa": Number(found.kappa, len(said), found.missing, limits.kappa),
        "ac1": Number(found.ac1, len(said), found.missing, limits.ac1),
        "alpha": Number(found.alpha, len(said), found.missing, limits.alpha),
        "sensitivity": Number(
            sides.sensitivity,
            int(right.sum()),
            int(said[right].isna().sum()),
            sides.sensitivity_bounds,
        ),
        "specificity": Number(
            sides.specificity,
            int(wrong.sum()),
            int(said[wrong].isna().sum()),
            sides.specificity_bounds,
        ),
        "accepted": rates.rate(said, clusters, study),
        "human_accepted": rates.rate(human, clusters, study),
    }
    return {
        "n": len(said),
        "clusters": clusters.nunique(),
        "invalid": found.missing,
        "unlabelled": int((~labelled).sum()),
        **rates.row(study, **numbers),
    }


def against_people(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate whose side flips take: judge × transition × direction.

    ``toward_human`` is the share of the flips that end at the human label. ``agreement_change`` is
    the agreement with people after minus before, over all pairs: flips toward people minus flips
    away, as a share. Empty where a judge was asked under one condition alone.
    """
    rows = [
        {"judge": judge, "transition": f"{first}→{second}", "direction": direction, **row}
        for judge, wide in _wide(table)
        for first, second in TRANSITIONS
        for direction, row in _sides(wide, first, second, study).items()
    ]
    return pd.DataFrame(rows, columns=_AGAINST)


_AGAINST = [
    *("judge", "transition", "direction", "n", "clusters", "invalid", "flips", "toward", "away"),
    *rates.columns("toward_human", "agreement_change"),
    "note",
]


def _wide(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each judge and its labelled decisions, a column a condition, if it has several."""
    labelled = table[table["human"].notna()]
    numbers = labelled.assign(
        said=rates.accepted(labelled["verdict"]), human=labelled["human"].astype("float64")
    )
    for judge, mine in numbers.groupby("judge", sort=False):
        if mine["condition"].nunique() > 1:
            index = ["generator", "question_id", "cluster", "human"]
            wide = mine.pivot(index=index, columns="condition", values="said")
            yield str(judge), wide.reset_index()


def _sides(wide: pd.DataFrame, first: str, second: str, study: Study) -> dict[str, Row]:
    one, two, human = wide[first], wide[second], wide["human"]
    change = rates.difference(matches(two, human), matches(one, human), wide["cluster"], study)
    found = {"both": _side(wide, one, two, (0.0, 1.0), study, agreement_change=change)}
    for name, end in DIRECTIONS.items():
        found[name] = _side(wide, one, two, (end,), study)
    return found


def _side(
    wide: pd.DataFrame,
    one: pd.Series,
    two: pd.Series,
    ends: tuple[float, ...],
    study: Study,
    **others: Number,
) -> Row:
    flipped = pd.Series(flips.flipped(one, two), wide.index).eq(1) & two.isin(ends)
    toward = two.eq(wide["human"]).astype(float)[flipped]
    rate = rates.rate(toward, wide["cluster"][flipped], study)
    invalid = int((one.isna() | two.isna()).sum())
    counted = int(toward.sum()), int((1 - toward).sum())
    limits = _bounds(one, two, wide["human"], ends, counted)
    number = Number(rate.estimate, len(wide), invalid, limits)
    return {
        "n": len(wide),
        "clusters": wide["cluster"].nunique(),
        "invalid": invalid,
        "flips": len(toward),
        "toward": counted[0],
        "away": counted[1],
        **rates.row(study, toward_human=number, **others),
    }


def _bounds(
    one: pd.Series,
    two: pd.Series,
    human: pd.Series,
    ends: tuple[float, ...],
    counted: tuple[int, int],
) -> Bounds:
    """Bound the share toward people: an invalid side may make a flip to either end, or none."""
    possible = {
        end: (one.isna() | two.isna()) & one.ne(end) & (two.eq(end) | two.isna()) for end in ends
    }
    toward, away = counted
    may_toward = int(sum((possible[end] & human.eq(end)).sum() for end in ends))
    may_away = int(sum((possible[end] & human.ne(end)).sum() for end in ends))
    if toward + away + may_toward + may_away == 0:
        return Bounds(None, None)
    low = toward / (toward + away + may_away) if toward + away + may_away else 1.0
    high = (toward + may_toward) / (toward + away + may_toward) if toward + may_toward else 0.0
    return Bounds(low, high)


def detectable(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Say how small a difference in agreement this sample shows: pair of judges × condition.

    The difference is between two judges' agreement with people on the same responses; a true one
    of this size is found with a power of 0.8.
    """
    hits = table[table["human"].notna()]
    hits = hits.assign(
        hit=matches(rates.accepted(hits["verdict"]), hits["human"].astype("float64"))
    )
    index = ["generator", "question_id", "cluster"]
    rows = []
    for condition, mine in hits.groupby("condition", sort=False):
        wide = mine.pivot(index=index, columns="judge", values="hit").reset_index()
        for judge, other in combinations(mine["judge"].unique(), 2):
            found = detectable_difference(
                wide[judge], wide[other], wide["cluster"], confidence=study.confidence
            )
            rows.append(
                {
                    "judge": judge,
                    "other": other,
                    "condition": condition,
                    "n": found.n,
                    "clusters": found.clusters,
                    "difference": np.nan if found.value is None else found.value,
                    "note": found.note,
                }
            )
    columns = ["judge", "other", "condition", "n", "clusters", "difference", "note"]
    return pd.DataFrame(rows, columns=columns)
