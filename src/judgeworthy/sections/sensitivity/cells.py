"""The judgments laid out: one row a response, a column a condition; and how estimates are shown."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from judgeworthy.models import catalog
from judgeworthy.sections.sensitivity.asked import CONDITIONS, settings
from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.study import Study

ALL, NOT_OWN, NOT_FAMILY = "all generators", "not its own", "not its family"
MAJORITY = "majority of judges"
# An interval of a rate that is wider than this leaves too much open.
IMPRECISE = 0.3
Row = dict[str, Any]


def every(table: pd.DataFrame, study: Study) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield judge, generator or pool of generators, and the decisions of that cell."""
    families = {name: model.family for name, model in catalog.load().models.items()}
    judged = plain(table)
    for judge in study.judges:
        responses = wide(judged, judge)
        for generator in settings(study).generators:
            yield judge, generator, responses[responses["generator"] == generator]
        yield judge, ALL, responses
        yield judge, NOT_OWN, responses[responses["generator"] != judge]
        yield judge, NOT_FAMILY, responses[responses["generator"].map(families) != families[judge]]
    if len(study.judges) > 2:
        responses = majority(judged)
        for generator in settings(study).generators:
            yield MAJORITY, generator, responses[responses["generator"] == generator]
        yield MAJORITY, ALL, responses


def plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return the judgments of NR, RV and RC themselves, without the variants."""
    return table[table["variant"] == ""]


def of(judge: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return a judge's judgments of NR, RV and RC."""
    judged = plain(table)
    return judged[judged["judge"] == judge]


def accepted(table: pd.DataFrame) -> pd.Series:
    """Return 1 for CORRECT, 0 for INCORRECT, missing for INVALID."""
    return table["verdict"].map({"CORRECT": 1.0, "INCORRECT": 0.0}).astype("float64")


def wide(judged: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return a judge's decisions: one row a response, a column a condition."""
    mine = judged[judged["judge"] == judge]
    wide = mine.assign(accepted=accepted(mine), right=mine["response_right"].astype(bool)).pivot(
        index=["generator", "question_id", "cluster", "right"],
        columns="condition",
        values="accepted",
    )
    return wide.reindex(columns=list(CONDITIONS)).reset_index()


def majority(judged: pd.DataFrame) -> pd.DataFrame:
    """Return what more than half of all judges say; no verdict where no such majority is."""
    judges = judged["judge"].nunique()
    index = ["generator", "question_id", "cluster", "response_right", "condition"]
    votes = (
        judged.assign(accepted=accepted(judged)).groupby(index)["accepted"].agg(["sum", "count"])
    )
    decided = pd.Series(np.nan, votes.index)
    decided[votes["sum"] > judges / 2] = 1.0
    decided[votes["count"] - votes["sum"] > judges / 2] = 0.0
    wide = decided.unstack("condition").reindex(columns=list(CONDITIONS))
    return wide.reset_index().rename(columns={"response_right": "right"})


def note(estimate: Estimate, invalid: int, n: int, study: Study) -> str:
    """Say what a reader must know beside a rate, the gravest first."""
    if n and invalid > study.max_invalid * n:
        return f"not estimable: {invalid} of {n} are invalid"
    return "; ".join(filter(None, [estimate.note, imprecise(estimate)]))


def imprecise(estimate: Estimate) -> str:
    """Mark a rate that so few questions cannot carry."""
    if estimate.low is None or estimate.high is None:
        return ""
    return "imprecise" if estimate.high - estimate.low > IMPRECISE else ""


def shown(name: str, estimate: Estimate, note: str = "") -> Row:
    """Return an estimate as three columns, empty where it is not estimable."""
    hidden = note.startswith("not estimable")
    values = (None, None, None) if hidden else (estimate.value, estimate.low, estimate.high)
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))


def bounds(name: str, limits: Bounds) -> Row:
    """Return bounds as two columns."""
    return {f"{name}_min": limits.low, f"{name}_max": limits.high}
