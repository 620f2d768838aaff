"""Tables: a DataFrame becomes CSV and LaTeX, or HTML to read. No arithmetic beyond layout."""

import re
from pathlib import Path

import pandas as pd
from IPython.display import HTML

FLOAT_FORMAT = "%.6g"


def save(frame: pd.DataFrame, folder: str | Path, name: str) -> None:
    """Write ``<name>.csv``, byte-identical between runs."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    frame.to_csv(
        folder / f"{name}.csv", index=False, float_format=FLOAT_FORMAT, lineterminator="\n"
    )


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
    columns = [name, f"{name}_low", f"{name}_high"]
    return frame[columns].apply(
        lambda row: (
            "--" if row.isna().any() else "{:.{d}f} [{:.{d}f}, {:.{d}f}]".format(*row, d=digits)
        ),
        axis=1,
    )


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


def readable(frame: pd.DataFrame) -> HTML:
    """Show a table whole, each text in the direction of its script."""
    with pd.option_context("display.max_colwidth", None):
        html = frame.to_html(index=False, escape=True, border=0, na_rep="--")
    html = html.replace("<th>", '<th style="text-align: start">')
    return HTML(html.replace("<td>", '<td dir="auto" style="text-align: start">'))
