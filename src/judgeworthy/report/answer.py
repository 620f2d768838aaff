"""The answer of the front page: three sentences that are made from the estimates."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
from babel import Locale

from judgeworthy.card.decision import Verdict
from judgeworthy.tables import p_value

Row = Mapping[Hashable, Any]
_LEVEL = 0.05
_NAMED = 3


def sentences(decided: pd.DataFrame, calibrated: pd.DataFrame, drops: pd.DataFrame) -> list[str]:
    """Answer whether judges may be trusted without a reference.

    Parameters
    ----------
    decided, calibrated, drops : DataFrame
        The tables ``judge_card``, ``calibration`` and ``languages`` of all studies.

    Returns
    -------
    list of str
        On the decisions, on right and wrong answers, and on languages.
    """
    return [_decisions(decided), _accepted(calibrated), _languages(drops)]


def alt(calibrated: pd.DataFrame) -> str:
    """Say what the figure of all studies shows."""
    shown = "; ".join(
        f"{row['title']}, {row['judge']}: C1 {number(row['c1'])}, C2 {number(row['c2'])}, "
        f"CGP {interval(row, 'cgp')}"
        for row in calibrated.to_dict("records")
    )
    return f"Shares of right (C1) and wrong (C2) answers accepted, and their gap CGP. {shown}."


def interval(row: Row, name: str) -> str:
    """Write an estimate with its interval."""
    if pd.isna(row[name]):
        return "not estimable"
    low, high = number(row[f"{name}_low"]), number(row[f"{name}_high"])
    return f"{number(row[name])} [{low}, {high}]"


def number(value: float, digits: int = 2) -> str:
    """Write a number with a minus sign that is one."""
    if pd.isna(value):
        return "--"
    return f"{value:.{digits}f}".replace("-", "−")


def _decisions(decided: pd.DataFrame) -> str:
    counted = {verdict: int((decided["decision"] == verdict).sum()) for verdict in Verdict}
    trusted = decided[decided["decision"] == Verdict.TRUST].to_dict("records")
    studies = decided["study"].nunique()
    if trusted:
        named = _list([f"{row['judge']} on {row['study']}" for row in trusted[:_NAMED]])
        more = " and more" if len(trusted) > _NAMED else ""
        begin = f"In {len(trusted)} of {len(decided)} cases, {named}{more}"
    else:
        begin = f"No, in none of {len(decided)} cases"
    return (
        f"{begin} (a case is one judge in one of {studies} studies): in "
        f"{counted[Verdict.DO_NOT_USE]} the judge is not to be used, in "
        f"{counted[Verdict.WITH_REFERENCE]} only with a reference, and in "
        f"{counted[Verdict.NOT_ENOUGH]} the data are not enough to decide."
    )


def _accepted(calibrated: pd.DataFrame) -> str:
    known = calibrated[calibrated["cgp"].notna() & calibrated["cgp_low"].notna()]
    if known.empty:
        return "No judge was asked about answers known to be right or wrong."
    best = max(known.to_dict("records"), key=lambda row: float(row["cgp"]))
    blind = int((known["cgp_low"] <= 0).sum())
    return (
        f"Shown no reference, judges accept {_range(known['c1'])} of the right answers and "
        f"{_range(known['c2'])} of wrong ones that were borrowed from other questions; the widest "
        f"gap is {interval(best, 'cgp')} ({best['judge']}, {best['title']}), and in {blind} of "
        f"{len(known)} cases the judge is not shown to tell right from wrong."
    )


def _languages(drops: pd.DataFrame) -> str:
    known = drops[(drops["measure"] == "CGP") & drops["drop"].notna()]
    if known.empty:
        return "No judge was asked the same facts in two languages."
    most = max(known.to_dict("records"), key=lambda row: float(row["drop"]))
    changed = int((known["p_holm"] < _LEVEL).sum())
    first, second = (_language(most[name]) for name in ("first", "second"))
    return (
        f"From one language to another, the same facts asked, that gap narrows by up to "
        f"{interval(most, 'drop')} ({most['judge']}, {first} to {second}, {most['n']} facts, "
        f"{_p(most['p_holm'])} after Holm), and {changed} of {len(known)} such comparisons "
        f"show a change at the level of {100 * _LEVEL:.0f}\N{NO-BREAK SPACE}%."
    )


def _p(value: float) -> str:
    written = p_value(value)
    equal = "" if written.startswith("<") else "= "
    return f"p {equal}{written}".replace(" ", "\N{NO-BREAK SPACE}")


def _range(shares: pd.Series) -> str:
    low, high = f"{100 * shares.min():.0f}", f"{100 * shares.max():.0f}"
    return f"{low}\N{NO-BREAK SPACE}%" if low == high else f"{low} to {high}\N{NO-BREAK SPACE}%"


def _language(code: str) -> str:
    return str(Locale("en").languages.get(code, code))


def _list(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
