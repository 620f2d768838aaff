"""The tables of the judge card, laid out for a reader."""

from collections.abc import Mapping

import pandas as pd

from judgeworthy.tables import laid_out, p_value, plain


def decisions(decided: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Lay out the decisions, one row a study and judge; `labels` are the measures in words."""
    rows = decided.assign(decided_by=decided["decided_by"].map(labels))
    names = plain("study", "judge", "decision", "decided_by", "threshold")
    shown = laid_out(rows, names, {"value": "value"})
    return shown.assign(
        distance=decided["distance"].map(lambda x: "--" if pd.isna(x) else f"{x:+.3f}"),
        more=decided["more_questions"].map(lambda n: "" if pd.isna(n) else f"{n}"),
    ).rename(columns={"more": "more questions"})


def measures(found: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Lay out the measures of a card, one row each."""
    rows = found.assign(measure=found["measure"].map(labels))
    names = plain("measure", "threshold", "state", "n", "clusters", "note")
    return laid_out(rows, names, {"value": "value"})


def languages(found: pd.DataFrame) -> pd.DataFrame:
    """Lay out what judges lose between languages, one row a judge, pair and measure."""
    shown = laid_out(found, plain("judge", "first", "second", "measure", "n"), {"drop": "drop"})
    return shown.assign(p=found["p"].map(p_value), Holm=found["p_holm"].map(p_value))


def questions(found: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Lay out how many questions a width takes, a column a half-width."""
    wide = found.assign(
        measure=found["measure"].map(labels), wanted=found["half_width"].map("±{:.2f}".format)
    ).pivot(index=["study", "judge", "measure"], columns="wanted", values="questions")
    wide.columns.name = None
    return wide.reset_index()
