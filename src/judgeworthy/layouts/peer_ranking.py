"""The tables of the peer ranking, laid out for a reader."""

from collections.abc import Mapping

import pandas as pd

from judgeworthy.tables import p_value

INDICES = {
    "rii": "RII, all votes",
    "rii_without_own": "without own votes",
    "rii_self_excluded": "own answer not shown",
    "rii_without_order_only": "without judges by place",
    "rii_of_valid_judges": "judges with few INVALID",
}
METHODS = {"borda": "Borda", "bradley_terry": "Bradley–Terry", "plackett_luce": "Plackett–Luce"}
PLACES = {
    "place_rii": "place by RII",
    "place_borda": "by Borda",
    "place_bradley_terry": "by Bradley–Terry",
    "place_plackett_luce": "by Plackett–Luce",
    "place_kemeny": "by Kemeny",
}


def ranking(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the index in its variants, one row a candidate, the first one on top."""
    rows = _best_first(estimated, "rii")
    return _laid_out(rows, ("candidate", "n", "invalid"), INDICES, digits=1)


def methods(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out five methods side by side: scores, then places, and where they differ."""
    rows = _best_first(estimated, "rii")
    scores = _laid_out(rows, ("candidate",), METHODS, note=False)
    places = {name: _whole(rows[column]) for column, name in PLACES.items()}
    return pd.concat([scores, pd.DataFrame(places), rows[["disagreements"]]], axis="columns")


def by_domain(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the index by domain, one row a domain and candidate."""
    names = ("domain", "candidate", "n", "clusters", "invalid")
    indices = {name: INDICES[name] for name in ("rii", "rii_without_own")}
    return _laid_out(estimated, names, indices, digits=1)


def concordance(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out Kendall's W of each domain beside what random ballots give."""
    rows = estimated.drop_duplicates("domain")
    shown = _laid_out(rows, ("domain", "n", "clusters"), {"w": "Kendall's W"}, note=False)
    null = zip(rows["w_null"], rows["w_null_low"], rows["w_null_high"], strict=True)
    shown["random ballots, mean and middle 95 %"] = [_cell(*limits) for limits in null]
    shown["p"] = rows["w_p"].map(p_value)
    return shown.assign(note=rows["note"])


def judges(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the judges, one row each: INVALID ballots, agreement, own model, own votes."""
    names = ("judge", "n", "invalid", "reasons", "asked_again")
    numbers = {
        "agreement": "agreement with the others",
        "own_rii": "RII of its own model",
        "self_preference": "own rank minus theirs",
        "self_preference_without_order_only": "the same, without judges by place",
    }
    shown = _laid_out(estimated, names, numbers, note=False)
    return shown.assign(note=estimated["note"])


def bias(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out what else moves the judges, one row each: place, length, and the judge's weight."""
    shown = _laid_out(estimated, ("judge",), {"position": "rank and place"}, note=False)
    shown["p"] = estimated["position_p"].map(p_value)
    shown["p, any place"] = estimated["position_p_any"].map(p_value)
    shown["explained by place"] = estimated["position_explained"].map(_percent)
    known = {True: "yes", False: "no"}
    shown["order shown alone"] = [known.get(said, "--") for said in estimated["order_only"]]
    longer = _laid_out(estimated, (), {"longer_preferred": "longer preferred"}, note=False)
    shown = pd.concat([shown, longer], axis="columns")
    shown["RII moves without it"] = estimated["left_out_shift"].map(_decimal)
    return shown.assign(swaps=_whole(estimated["left_out_swaps"]))


def pairwise(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out who is preferred to whom, one row a pair."""
    names = ("candidate", "other", "n", "invalid")
    numbers = {
        "preferred": "share preferred",
        "preferred_by_others": "by judges who are neither",
        "lead": "lead",
    }
    return _laid_out(estimated, names, numbers)


def stability(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out how far rankings stay the same, one row a measure and judge."""
    return _laid_out(estimated, ("measure", "judge", "n", "invalid"), {"tau": "Kendall's tau"})


def strengths(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out strengths from pairs, by models and by people, the strongest on top."""
    rows = _best_first(estimated, "strength")
    numbers = {
        "strength": "strength",
        "strength_without_own": "without own votes",
        "people_strength": "people's",
        "points": "points, %",
        "people_points": "people's points, %",
    }
    return _laid_out(rows, ("candidate", "n", "people_n"), numbers)


def pair_judges(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out how each judge compares pairs, people last."""
    numbers = {
        "ties": "ties",
        "first_preferred": "first shown preferred",
        "consistent": "both orders alike",
        "self_lead": "own answers above others' view",
        "with_others": "with the other models",
        "with_people": "with people",
    }
    return _laid_out(estimated, ("judge", "n"), numbers)


def compared_with_people(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out the models' consensus against people, one row a measure."""
    return _laid_out(estimated, ("measure", "n", "clusters"), {"value": "value"})


def _laid_out(
    rows: pd.DataFrame,
    names: tuple[str, ...],
    numbers: Mapping[str, str],
    digits: int = 2,
    note: bool = True,
) -> pd.DataFrame:
    """Return plain columns, then numbers with their intervals, then the note."""
    columns = {name.replace("_", " "): rows[name] for name in names}
    for name, heading in numbers.items():
        limits = zip(rows[name], rows[f"{name}_low"], rows[f"{name}_high"], strict=True)
        texts = [_cell(*values, digits=digits) for values in limits]
        columns[heading] = pd.Series(texts, rows.index, dtype="str")
    return pd.DataFrame({**columns, **({"note": rows["note"]} if note else {})})


def _cell(value: float, low: float, high: float, digits: int = 2) -> str:
    """Write a number with its interval; one without interval stands alone."""
    if pd.isna(value):
        return "--"
    shown = [f"{round(float(number), digits) + 0.0:.{digits}f}" for number in (value, low, high)]
    return shown[0] if pd.isna(low) else f"{shown[0]} [{shown[1]}, {shown[2]}]"


def _best_first(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    return rows.sort_values(by, ascending=False, kind="stable")


def _whole(numbers: pd.Series) -> pd.Series:
    return numbers.map(lambda number: "--" if pd.isna(number) else str(int(number)))


def _decimal(value: float) -> str:
    return "--" if pd.isna(value) else f"{value:.1f}"


def _percent(value: float) -> str:
    return "--" if pd.isna(value) else f"{value:.0%}"
