"""The tables of the sensitivity, laid out for a reader."""

from collections.abc import Hashable, Mapping

import pandas as pd

from judgeworthy.tables import laid_out, p_value, plain, with_interval


def acceptance(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay the acceptance rates out for a reader, one row a judge and generator."""
    rows = estimated.assign(shown=with_interval(estimated, "acceptance"))
    index, conditions = ["judge", "generator"], ["NR", "RV", "RC"]
    shown, invalid, notes = (
        rows.pivot(index=index, columns="condition", values=name)[conditions]
        for name in ("shown", "invalid", "note")
    )
    laid = shown.assign(
        invalid=[" / ".join(map(str, row.values())) for row in invalid.to_dict("records")],
        note=[_once(row) for row in notes.to_dict("records")],
    )
    order = rows[["judge", "generator", "n"]].drop_duplicates()
    return order.merge(laid.reset_index(), on=index)


def _once(notes: Mapping[Hashable, str]) -> str:
    """Join the notes of several conditions: one that all share once, else each with its name."""
    if len(set(notes.values())) == 1:
        return next(iter(notes.values()))
    return "; ".join(f"{name}: {note}" for name, note in notes.items() if note)


def transitions(estimated: pd.DataFrame, transition: str) -> pd.DataFrame:
    """Lay the flips of one transition out for a reader, one row a judge and generator."""
    rows = estimated[estimated["transition"] == transition]
    names = plain("judge", "generator", "n", "invalid", "to_incorrect", "to_correct")
    shown = laid_out(rows, names, {"flip_rate": "flip rate", "net": "net"})
    adjusted = {"p": rows["p"].map(p_value), "p Holm": rows["p_holm"].map(p_value)}
    return shown.assign(**adjusted, role=rows["role"], note=rows["note"])


def responses(described: pd.DataFrame) -> pd.DataFrame:
    """Lay out how the responses ended, one row a generator."""
    names = plain("generator", "n", "complete", "cut_off", "empty", "note")
    return laid_out(described, names, {"right": "say a reference"})


def compared(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out what flips are compared with, one row a judge and measure."""
    names = plain("judge", "measure", "n", "invalid", "to_incorrect", "to_correct")
    rates = ("flip_rate", "net", "over_seed", "over_paraphrase", "over_irrelevant", "over_other")
    return laid_out(estimated, names, plain(*rates))


def controls(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out whether the judge is right about answers that are known to be right or wrong."""
    names = plain("judge", "condition", "right_n", "wrong_n", "invalid", "note")
    return laid_out(estimated, names, plain("right_accepted", "wrong_accepted", "gap", "accuracy"))


def leaks(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the reference leaks, one row a judge and condition."""
    names = plain("judge", "condition", "n", "invalid", "leaks", "note")
    rates = {"leak_rate": "leak rate", "above_nr": "above NR", "extracted_changed": "changed"}
    return laid_out(estimated, names, rates)


def accepted_by_response(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the acceptance of right and of wrong responses, one row a judge and response."""
    rows = estimated.assign(shown=with_interval(estimated, "acceptance"))
    index = ["judge", "response", "n"]
    order = rows[index].drop_duplicates()
    wide = rows.pivot(index=index, columns="condition", values="shown")
    invalid = rows.groupby(index)["invalid"].sum()
    laid = wide[["NR", "RV", "RC"]].assign(invalid=invalid)
    return order.merge(laid.reset_index(), on=index)


def correctness(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the flips of right and of wrong responses."""
    names = ("judge", "transition", "response", "n", "invalid", "to_incorrect", "to_correct")
    rows = estimated.astype({"to_incorrect": "Int64", "to_correct": "Int64"})
    return laid_out(rows, plain(*names), {"flip_rate": "flip rate", "net": "net"})


def agreement(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out how far judges agree, one row a pair and condition."""
    names = plain("judge", "other", "condition", "n", "invalid", "note")
    return laid_out(estimated, names, {"agreement": "agreement", "kappa": "kappa", "ac1": "AC1"})


def regression(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the effects of condition and generator, one row a judge and effect."""
    names = plain("judge", "effect", "n", "clusters", "invalid", "note")
    shown = laid_out(estimated, names, {"odds_ratio": "odds ratio"})
    shown.insert(6, "F", estimated["f"].astype("float64").round(2))
    shown.insert(7, "p", estimated["p"].map(p_value))
    return shown


def over_all(estimated: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Leave of each table the rows that are about all generators together, where it has such."""
    return {
        name: frame[frame["generator"] == "all generators"] if "generator" in frame else frame
        for name, frame in estimated.items()
    }
