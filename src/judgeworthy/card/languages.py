"""The same judge in two languages, on questions that ask for the same facts: paired by fact."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from judgeworthy.card import collected
from judgeworthy.sections import rates
from judgeworthy.sections.rates import Row
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.flips import clustered_mcnemar
from judgeworthy.statistics.multiplicity import holm
from judgeworthy.statistics.proportions import cluster_mean, paired_difference
from judgeworthy.study import Study

ARMS = ("C1", "C2")


def drops(studies: Sequence[Study]) -> pd.DataFrame:
    """Estimate what a judge loses from one language to another: judge × pair of studies × measure.

    Only the studies of our parallel questions, which ask for the same facts in each language.
    ``drop`` is the first language minus the second over the facts whose verdicts are all valid,
    with Newcombe's method 10 for C1 and C2, and for CGP the mean over facts with its bias-reduced
    error and t. The drop of CGP is tested: were the languages alike, a fact's verdicts in the two
    might change places, so that the sign of its drop is a fair coin (exact, as the clustered
    McNemar test). ``p_holm`` is adjusted over all judges and pairs of languages.
    """
    parallel = sorted(
        (study for study in studies if study.dataset == "parallel" and study.calibration),
        key=lambda study: (study.language != "en", study.name),
    )
    found = {study.name: collected.table(study, "calibration") for study in parallel}
    rows = [
        {"judge": judge, "first": first.name, "second": second.name, **row}
        for judge in dict.fromkeys(judge for study in parallel for judge in study.judges)
        for first, second in combinations(parallel, 2)
        if judge in first.judges and judge in second.judges
        for row in _pair(_accepted(found[first.name], judge), _accepted(found[second.name], judge))
    ]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    frame["p_holm"] = pd.Series(
        holm([None if pd.isna(p) else p for p in frame["p"]]), frame.index, dtype="float64"
    )
    return frame


_COLUMNS = [
    *("judge", "first", "second", "measure", "n", "left_out"),
    *("drop", "drop_low", "drop_high", "p", "p_holm", "note"),
]


def _accepted(table: pd.DataFrame | None, judge: str) -> pd.DataFrame:
    """Return what the judge said of each fact, a column an arm."""
    if table is None:
        return pd.DataFrame(columns=["question_id", *ARMS])
    mine = table[table["judge"] == judge]
    return mine.assign(accepted=rates.accepted(mine["verdict"])).pivot(
        index="question_id", columns="condition", values="accepted"
    )


def _pair(one: pd.DataFrame, other: pd.DataFrame) -> Iterator[Row]:
    facts = one.merge(other, on="question_id", suffixes=(" first", " second"))
    whole = facts.dropna()
    if whole.empty:
        return
    first, second = ({arm: whole[f"{arm} {end}"].to_numpy() for arm in ARMS} for end in _ENDS)
    counted = {"n": len(whole), "left_out": len(facts) - len(whole)}
    for arm in ARMS:
        found = paired_difference(first[arm], second[arm])
        yield {"measure": arm, **counted, **rates.limits("drop", found), "note": found.note}
    # What C1 loses and what C2 gains are two rows of a fact; their sum is the drop of CGP.
    left = np.concatenate([first["C1"], second["C2"]])
    right = np.concatenate([second["C1"], first["C2"]])
    fact = np.tile(np.arange(len(whole)), 2)
    found = _twice(cluster_mean(left - right, fact).estimate)
    p = clustered_mcnemar(left, right, fact)
    row = {"measure": "CGP", **counted, **rates.limits("drop", found), "p": p, "note": found.note}
    yield row


_ENDS = ("first", "second")


def _twice(mean: Estimate) -> Estimate:
    value, low, high = (None if x is None else 2 * x for x in (mean.value, mean.low, mean.high))
    return replace(mean, value=value, low=low, high=high)
