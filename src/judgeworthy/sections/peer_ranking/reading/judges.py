"""What the tables say of each judge."""

from collections.abc import Iterator

import pandas as pd

from judgeworthy.sections.peer_ranking.reading.words import (
    Row,
    counted,
    number,
    p,
    share,
)
from judgeworthy.sections.rates import NOT_ESTIMABLE


def of_judge(row: Row) -> str:
    """Say how a judge ranks, or why it is not known."""
    invalid = f"{row['invalid']} of {row['n']} ballots INVALID"
    why = f" ({row['reasons']})" if row["reasons"] else ""
    if not row["n"]:
        return "gave no ballot."
    parts = [f"{invalid}{why}."]
    unreadable = str(row["note"]).startswith(NOT_ESTIMABLE)
    if unreadable:
        return f"{parts[0]} More is not estimated: {row['note'].split(';')[0]}."
    return " ".join([*parts, *_traits(row)])


def _traits(row: Row) -> Iterator[str]:
    yield f"Agreement with the others {number(row, 'agreement')}, RII of its own model"
    yield f"{number(row, 'own_rii', 1)}."
    if pd.notna(row["self_preference"]):
        yield f"Own rank minus that by the others {number(row, 'self_preference')}{_own(row)}."
    if pd.notna(row["position"]):
        only = ": the ballots carry nothing but the order shown" if row["order_only"] else ""
        yield f"Rank and place correlate {number(row, 'position')} ({p(row['position_p'])},"
        yield f"place explains {row['position_explained']:.0%} of the ranks){only}."
    if pd.notna(row["longer_preferred"]):
        yield f"The longer of two answers ranks higher in {share(row, 'longer_preferred')}."
    if pd.notna(row["left_out_shift"]):
        yield f"Without it an RII moves by up to {row['left_out_shift']:.1f}, with"
        yield f"{counted(row['left_out_swaps'], 'pair')} in another order."


def _own(row: Row) -> str:
    """Say how a judge ranks its own answer, by both ways to compare it with the others."""
    names = ("self_preference", "self_preference_without_order_only")
    ends = [(row[f"{name}_low"], row[f"{name}_high"]) for name in names]
    beside = f", beside judges that rank by more than place {number(row, names[1])}"
    shown = "" if pd.isna(row[names[1]]) or row[names[0]] == row[names[1]] else beside
    if row["order_only"]:
        return f"{shown}, which place decides"
    if all(high < 0 for _, high in ends):
        return f"{shown}: it ranks itself higher than they do"
    if all(low > 0 for low, _ in ends):
        return f"{shown}: it ranks itself lower than they do"
    return shown
