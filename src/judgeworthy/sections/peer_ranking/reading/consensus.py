"""What the tables of ballots say of the models."""

import pandas as pd

from judgeworthy.sections.peer_ranking.judges import EVERYONE, ORDERS, RUNS, SESSIONS
from judgeworthy.sections.peer_ranking.reading.words import Row, decimal, number, p, row_of


def preferred(ranking: pd.DataFrame, pairwise: pd.DataFrame) -> str:
    """Say whose answers the judges prefer, and which models are not told apart."""
    if ranking["rii"].isna().all():
        return _not_estimated(ranking)
    ordered = ranking.sort_values("rii", ascending=False, kind="stable").to_dict("records")
    listed = ", ".join(f"{row['candidate']} {number(row, 'rii', 1)}" for row in ordered)
    return f"RII with all votes: {listed}. {_apart(pairwise)}"


def _not_estimated(ranking: pd.DataFrame) -> str:
    """Say why there is no index, what bounds it, and what the judges that can be read say."""
    rows = ranking.to_dict("records")
    why = rows[0]["note"].split(";")[0]
    text = f"RII with all votes: {why}."
    if ranking["rii_min"].notna().all():
        limits = [
            f"{row['candidate']} {row['rii_min']:.1f} to {row['rii_max']:.1f}" for row in rows
        ]
        text += f" It may be anything from {', '.join(limits)}."
    if ranking["rii_of_valid_judges"].notna().any():
        listed = [f"{row['candidate']} {number(row, 'rii_of_valid_judges', 1)}" for row in rows]
        text += f" By the judges of whom few ballots are INVALID: {', '.join(listed)}."
    return text


def _apart(pairwise: pd.DataFrame) -> str:
    level = [
        f"{row['candidate']} and {row['other']}"
        for row in pairwise.to_dict("records")
        if pd.isna(row["lead_low"]) or row["lead_low"] <= 0 <= row["lead_high"]
    ]
    if not level:
        return "Every pair is told apart: the interval of its lead excludes 0."
    return f"Not told apart by the interval of the lead: {', '.join(level)}."


def own_votes(ranking: pd.DataFrame) -> str:
    """Say whether own votes, or judges that rank by place, change the order."""
    known = {
        name: column
        for name, column in (
            ("all votes", "rii"),
            ("without own votes", "rii_without_own"),
            ("own answer not shown", "rii_self_excluded"),
            ("without judges that give back the order shown", "rii_without_order_only"),
        )
        if ranking[column].notna().all()
    }
    orders = {name: _ordered(ranking, column) for name, column in known.items()}
    if len(orders) < 2:
        return "No two of the indices are estimable, so that there is nothing to compare."
    by_order: dict[str, list[str]] = {}
    for name, order in orders.items():
        by_order.setdefault(" > ".join(order), []).append(name)
    if len(by_order) == 1:
        return f"Every index gives one order, {next(iter(by_order))} ({', '.join(orders)})."
    listed = "; ".join(f"{order} ({', '.join(names)})" for order, names in by_order.items())
    return f"The order depends on them: {listed}."


def _ordered(ranking: pd.DataFrame, column: str) -> list[str]:
    ordered = ranking.sort_values(column, ascending=False, kind="stable")
    return [str(name) for name in ordered["candidate"]]


def methods(ranking: pd.DataFrame) -> str:
    """Say where other methods give another order."""
    said = [
        f"{row['candidate']} {row['disagreements']}"
        for row in ranking.to_dict("records")
        if row["disagreements"]
    ]
    if ranking["place_rii"].isna().all():
        return "Not compared, for the same reason."
    if not said:
        return "RII, Borda, Bradley–Terry, Plackett–Luce and Kemeny give one order."
    return f"The methods differ: {'; '.join(said)}."


def domains(by_domain: pd.DataFrame) -> str:
    """Say how far the judges agree in each domain, and who comes first."""
    said: list[str] = []
    for row in by_domain.drop_duplicates("domain").to_dict("records"):
        mine = by_domain[by_domain["domain"] == row["domain"]]
        best = ""
        if mine["rii"].notna().any():
            best = f", {mine.loc[mine['rii'].idxmax(), 'candidate']} first"
        said.append(f"{row['domain'] or 'no domain'} {_w(row)}{best}")
    return f"Kendall's W beside its mean under random ballots: {'; '.join(said)}."


def _w(row: Row) -> str:
    if pd.isna(row["w"]):
        return str(row["note"]).rpartition("w: ")[2].split(";")[0]
    return f"{number(row, 'w')} beside {row['w_null']:.2f} ({p(row['w_p'])})"


def stable(stability: pd.DataFrame) -> str:
    """Say how far a judge agrees with itself, between runs and between readings."""
    said: list[str] = []
    for measure in (RUNS, SESSIONS):
        mine = stability[stability["measure"] == measure]
        whole = row_of(mine, judge=EVERYONE)
        orders = row_of(mine, judge=ORDERS)
        if pd.isna(whole["tau"]):
            said.append(f"{measure.capitalize()}: {whole['note']}.")
            continue
        tail = "" if pd.isna(orders["tau"]) else f"; of the orders by RII {decimal(orders['tau'])}"
        said.append(
            f"{measure.capitalize()} Kendall's tau of a judge's ballots is "
            f"{number(whole, 'tau')}{tail}."
        )
    return " ".join(said)


def trade_off(found: pd.DataFrame) -> str:
    """Say how agreement with the others goes with the standing of the own model."""
    (row,) = found.to_dict("records")
    if pd.isna(row["tau"]):
        return f"Not correlated: {row['note']}."
    return (
        f"Over {row['judges']} judges, Kendall's tau between agreement with the others and the RII "
        f"of the own model is {decimal(row['tau'])}: too few judges for more than a picture."
    )
