"""Tables: a DataFrame becomes CSV and LaTeX, or HTML to read. No arithmetic beyond layout."""

import re
from collections.abc import Hashable, Mapping
from pathlib import Path

import pandas as pd
from IPython.display import HTML

FLOAT_FORMAT = "%.6g"


def save(folder: str | Path, **frames: pd.DataFrame) -> None:
    """Write each table as ``<name>.csv``, byte-identical between runs."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        path = folder / f"{name}.csv"
        frame.to_csv(path, index=False, float_format=FLOAT_FORMAT, lineterminator="\n")


def save_latex(frame: pd.DataFrame, folder: str | Path, name: str, caption: str) -> None:
    """Write ``<name>.tex``: a booktabs table, with its caption."""
    text = frame.to_latex(
        index=False, escape=True, na_rep="--", caption=_escaped(caption), position="t"
    )
    Path(folder, f"{name}.tex").write_text(text, encoding="utf-8")


def _escaped(text: str) -> str:
    return re.sub(r"([%&_#$])", r"\\\1", text)


def with_interval(frame: pd.DataFrame, name: str, digits: int = 2) -> pd.Series:
    """Return a column as text: the estimate and its interval, ``0.78 [0.65, 0.87]``."""
    rows = frame[[name, f"{name}_low", f"{name}_high"]].itertuples(index=False, name=None)
    texts = ["--" if any(map(pd.isna, row)) else _interval(row, digits) for row in rows]
    return pd.Series(texts, frame.index, dtype="str")


def _interval(limits: tuple[float, ...], digits: int) -> str:
    value, low, high = (f"{number:.{digits}f}" for number in limits)
    return f"{value} [{low}, {high}]"


def calibration(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay the calibration estimates out for a reader, one row a judge."""
    return pd.DataFrame(
        {
            "judge": estimated["judge"],
            "n": estimated["n"],
            "C1": with_interval(estimated, "c1"),
            "C2": with_interval(estimated, "c2"),
            "CGP": with_interval(estimated, "cgp"),
            "invalid C1": estimated["c1_invalid"],
            "invalid C2": estimated["c2_invalid"],
            "note": estimated["note"],
        }
    )


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
    plain = _plain("judge", "generator", "n", "invalid", "to_incorrect", "to_correct")
    shown = _laid_out(rows, plain, {"flip_rate": "flip rate", "net": "net"})
    adjusted = {"p": rows["p"].map(_p), "p Holm": rows["p_holm"].map(_p)}
    return shown.assign(**adjusted, role=rows["role"], note=rows["note"])


def responses(described: pd.DataFrame) -> pd.DataFrame:
    """Lay out how the responses ended, one row a generator."""
    plain = _plain("generator", "n", "complete", "cut_off", "empty", "note")
    return _laid_out(described, plain, {"right": "say a reference"})


def compared(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out what flips are compared with, one row a judge and measure."""
    plain = _plain("judge", "measure", "n", "invalid", "to_incorrect", "to_correct")
    names = ("flip_rate", "net", "over_seed", "over_paraphrase", "over_irrelevant", "over_other")
    return _laid_out(estimated, plain, _plain(*names))


def controls(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out whether the judge is right about answers that are known to be right or wrong."""
    plain = _plain("judge", "condition", "right_n", "wrong_n", "invalid", "note")
    return _laid_out(
        estimated, plain, _plain("right_accepted", "wrong_accepted", "gap", "accuracy")
    )


def leaks(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the reference leaks, one row a judge and condition."""
    plain = _plain("judge", "condition", "n", "invalid", "leaks", "note")
    rates = {"leak_rate": "leak rate", "above_nr": "above NR", "extracted_changed": "changed"}
    return _laid_out(estimated, plain, rates)


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
    return _laid_out(rows, _plain(*names), {"flip_rate": "flip rate", "net": "net"})


def agreement(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out how far judges agree, one row a pair and condition."""
    plain = _plain("judge", "other", "condition", "n", "invalid", "note")
    return _laid_out(estimated, plain, {"agreement": "agreement", "kappa": "kappa", "ac1": "AC1"})


def regression(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the effects of condition and generator, one row a judge and effect."""
    plain = _plain("judge", "effect", "n", "clusters", "invalid", "note")
    shown = _laid_out(estimated, plain, {"odds_ratio": "odds ratio"})
    shown.insert(6, "F", estimated["f"].astype("float64").round(2))
    shown.insert(7, "p", estimated["p"].map(_p))
    return shown


def over_all(estimated: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Leave of each table the rows that are about all generators together, where it has such."""
    return {
        name: frame[frame["generator"] == "all generators"] if "generator" in frame else frame
        for name, frame in estimated.items()
    }


def _plain(*names: str) -> dict[str, str]:
    """Return headings for columns: their names, as words."""
    verdicts = {"to_incorrect": "to INCORRECT", "to_correct": "to CORRECT"}
    return {name: verdicts.get(name, name.replace("_", " ")) for name in names}


def _laid_out(
    estimated: pd.DataFrame, plain: Mapping[str, str], rates: Mapping[str, str]
) -> pd.DataFrame:
    """Return plain columns, then rates with their intervals, then the note if there is one."""
    columns = {heading: estimated[name] for name, heading in plain.items() if name != "note"}
    shown = {heading: with_interval(estimated, name) for name, heading in rates.items()}
    note = {"note": estimated["note"]} if "note" in plain else {}
    return pd.DataFrame({**columns, **shown, **note})


def _p(value: float) -> str:
    if pd.isna(value):
        return "--"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def readable(*frames: pd.DataFrame) -> HTML:
    """Show tables whole, one under the other, each text in the direction of its script."""
    return HTML("\n".join(_html(frame) for frame in frames))


def _html(frame: pd.DataFrame) -> str:
    with pd.option_context("display.max_colwidth", None):
        html = frame.to_html(index=False, escape=True, border=0, na_rep="--")
    html = html.replace("<th>", '<th style="text-align: start">')
    return html.replace("<td>", '<td dir="auto" style="text-align: start">')
