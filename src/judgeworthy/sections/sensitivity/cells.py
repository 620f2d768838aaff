"""The judgments laid out: one row a response, a column a condition; and whose are pooled."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from judgeworthy.models import catalog
from judgeworthy.sections import rates
from judgeworthy.sections.responses import generators
from judgeworthy.sections.sensitivity.asked import CONDITIONS
from judgeworthy.study import Study

ALL, NOT_OWN, NOT_FAMILY = "all generators", "without own", "without own family"
MAJORITY = "majority of judges"


def pools(study: Study, *judges: str) -> dict[str, list[str]]:
    """Return the generators that are pooled: all, without the judges, without their families.

    A pool that leaves out no more than the one before it, or leaves out all, is not there.
    """
    everyone = list(generators(study))
    families = {family(judge) for judge in judges}
    left = {
        ALL: everyone,
        NOT_OWN: [name for name in everyone if name not in judges],
        NOT_FAMILY: [name for name in everyone if family(name) not in families],
    }
    sizes: dict[int, str] = {}
    for name, members in left.items():
        sizes.setdefault(len(members), name)
    return {name: left[name] for size, name in sizes.items() if size}


def pooled(
    responses: pd.DataFrame, study: Study, *judges: str
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each pool and its responses."""
    for name, members in pools(study, *judges).items():
        yield name, responses[responses["generator"].isin(members)]


def every(table: pd.DataFrame, study: Study) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield judge, generator or pool of generators, and the decisions of that cell."""
    judged = plain(table)
    named: list[tuple[str, pd.DataFrame, tuple[str, ...]]] = [
        (judge, wide(judged, judge), (judge,)) for judge in study.judges
    ]
    if len(study.judges) > 2:
        named.append((MAJORITY, majority(judged), study.judges))
    for judge, responses, judges in named:
        for generator in generators(study):
            yield judge, generator, responses[responses["generator"] == generator]
        for pool, part in pooled(responses, study, *judges):
            yield judge, pool, part


def plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return the judgments of NR, RV and RC themselves, without the variants."""
    return table[table["variant"] == ""]


def of(judge: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return a judge's judgments of NR, RV and RC."""
    judged = plain(table)
    return judged[judged["judge"] == judge]


def wide(judged: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return a judge's decisions: one row a response, a column a condition."""
    mine = judged[judged["judge"] == judge]
    wide = mine.assign(
        accepted=rates.accepted(mine["verdict"]), right=mine["response_right"].astype(bool)
    ).pivot(
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
        judged.assign(accepted=rates.accepted(judged["verdict"]))
        .groupby(index)["accepted"]
        .agg(["sum", "count"])
    )
    decided = pd.Series(np.nan, votes.index)
    decided[votes["sum"] > judges / 2] = 1.0
    decided[votes["count"] - votes["sum"] > judges / 2] = 0.0
    wide = decided.unstack("condition").reindex(columns=list(CONDITIONS))
    return wide.reset_index().rename(columns={"response_right": "right"})


def relation(judge: str, generator: str) -> str:
    """Say whether a judge judges itself, its family, another model, or a pool."""
    if judge == generator:
        return "own"
    if judge == MAJORITY or generator in (ALL, NOT_OWN, NOT_FAMILY):
        return ""
    return "family" if family(judge) == family(generator) else "other"


def family(name: str) -> str:
    """Return a model's family; a model that is not in the catalog is one of its own."""
    models = catalog.load().models
    return models[name].family if name in models else name
