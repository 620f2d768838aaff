"""Tables: a DataFrame becomes CSV and LaTeX, or HTML to read. No arithmetic beyond layout."""

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from IPython.display import HTML

FLOAT_FORMAT = "%.6g"
_INTERVAL = re.compile(r"<td>(-?[\d.]+ \[-?[\d.]+, -?[\d.]+\])")


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


def plain(*names: str) -> dict[str, str]:
    """Return headings for columns: their names, as words."""
    verdicts = {"to_incorrect": "to INCORRECT", "to_correct": "to CORRECT"}
    return {name: verdicts.get(name, name.replace("_", " ")) for name in names}


def laid_out(
    estimated: pd.DataFrame, plain: Mapping[str, str], rates: Mapping[str, str]
) -> pd.DataFrame:
    """Return plain columns, then rates with their intervals, then the note if there is one."""
    columns = {heading: estimated[name] for name, heading in plain.items() if name != "note"}
    shown = {heading: with_interval(estimated, name) for name, heading in rates.items()}
    note = {"note": estimated["note"]} if "note" in plain else {}
    return pd.DataFrame({**columns, **shown, **note})


def p_value(value: float) -> str:
    """Write a p value."""
    if pd.isna(value):
        return "--"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def readable(*frames: pd.DataFrame) -> HTML:
    """Show tables whole, one under the other, each text in the direction of its script.

    Of a table without rows it is said that there is nothing.
    """
    return HTML("\n".join(_html(frame) for frame in frames))


def _html(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "<p><em>Nothing of this kind in this study.</em></p>"
    with pd.option_context("display.max_colwidth", None):
        html = frame.to_html(index=False, escape=True, border=0, na_rep="--")
    html = html.replace("<th>", '<th style="text-align: start">')
    html = _INTERVAL.sub(r'<td style="text-align: start; white-space: nowrap">\1', html)
    return html.replace("<td>", '<td dir="auto" style="text-align: start">')
