"""The tables of human agreement, laid out for a reader."""

import pandas as pd

from judgeworthy.tables import laid_out, plain


def agreement(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out how far judges agree with people, one row a judge, condition and whose label."""
    names = plain("judge", "condition", "against", "n", "invalid", "unlabelled", "note")
    rates = plain("agreement", "kappa", "ac1", "alpha", "sensitivity", "specificity")
    return laid_out(estimated, names, {**rates, "ac1": "AC1"})


def against_people(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out whose side flips take, one row a judge, transition and direction."""
    names = plain("judge", "transition", "direction", "n", "invalid", "flips", "toward", "note")
    rates = plain("toward_human", "agreement_change")
    return laid_out(estimated, names, rates)


def corrected(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out naive and corrected shares beside the true one, one row a judge and method."""
    names = plain("judge", "condition", "method", "n", "invalid", "labels", "note")
    return laid_out(estimated, names, plain("estimate", "truth"))


def planner(planned: pd.DataFrame) -> pd.DataFrame:
    """Lay out how many labels it takes, one row a judge and method, a column a half-width."""
    rows = planned.assign(
        wanted=planned["half_width"].map("labels for ±{:.2f}".format),
        labels=planned["labels"].map(lambda count: "--" if pd.isna(count) else f"{count:,}"),
    )
    index = ["judge", "condition", "method"]
    wide = rows.pivot(index=index, columns="wanted", values="labels").reset_index()
    wide.columns.name = None
    return planned[index].drop_duplicates().merge(wide, on=index)


def detectable(found: pd.DataFrame) -> pd.DataFrame:
    """Lay out how small a difference the sample shows, one row a pair of judges."""
    rows = found.sort_values("difference", kind="stable")
    shown = rows["difference"].map(lambda value: "--" if pd.isna(value) else f"{value:.2f}")
    return rows[["judge", "other", "condition", "n", "note"]].assign(difference=shown)
