"""Strict rankings derived from pairs, for the methods that need them, and what they leave out."""

from collections.abc import Iterator
from math import nan

import pandas as pd

from judgeworthy.sections import rates
from judgeworthy.sections.peer_ranking import asked
from judgeworthy.sections.peer_ranking.pairs.points import Duels
from judgeworthy.sections.peer_ranking.pairs.votes import names, of_models

DERIVED = ["judge", "rankings", "strict", "tied", "incomplete"]


def derived(votes: pd.DataFrame) -> pd.DataFrame:
    """Count the rankings that can be derived from each judge's votes: one row a judge.

    A judge's points on a prompt order the answers. They make a strict ranking where no two are
    level; a prompt of which a vote is missing makes none.
    """
    rows = []
    for judge, sheets in _sheets(votes):
        states = [_state(sheet) for sheet in sheets.values()]
        counts = {state: states.count(state) for state in DERIVED[2:]}
        rows.append({"judge": judge, "rankings": len(states), **counts})
    return pd.DataFrame(rows, columns=DERIVED)


def rankings(votes: pd.DataFrame) -> pd.DataFrame:
    """Derive strict rankings from the models' votes, as ballots; what is not strict is left out.

    They have no place and no length, because a pair has its own.
    """
    domains = dict(zip(votes["question_id"], votes["domain"], strict=True))
    blank = {"run": 1, "session": 1, "variant": "", "place": nan, "reason": "", "attempts": 1}
    rows = [
        {
            **blank,
            "prompt_id": prompt,
            "domain": domains[prompt],
            "judge": judge,
            "candidate": candidate,
            "rank": 1 + sum(earned > own for earned in sheet.values()),
            "characters": nan,
        }
        for judge, sheets in _sheets(votes)
        for prompt, sheet in sheets.items()
        if _state(sheet) == "strict"
        for candidate, own in sheet.items()
    ]
    return pd.DataFrame(rows, columns=list(asked.COLUMNS))


def _sheets(votes: pd.DataFrame) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """Yield every judge and what each candidate earned by prompt; nothing if a vote is missing."""
    known, prompts = names(votes), tuple(votes["question_id"].unique())
    whole = len(known) * (len(known) - 1)
    for judge, mine in of_models(votes).groupby("judge", sort=False):
        duels = Duels.of(mine, known, prompts)
        earned, cast = duels.earned.sum(axis=-1), duels.votes.sum(axis=(1, 2)) / 2
        yield (
            str(judge),
            {
                prompt: dict(zip(known, points, strict=True)) if count == whole else {}
                for prompt, points, count in zip(prompts, earned.tolist(), cast, strict=True)
                if count
            },
        )


def _state(sheet: dict[str, float]) -> str:
    if not sheet:
        return "incomplete"
    return "strict" if len(set(sheet.values())) == len(sheet) else "tied"


def left_out(counted: pd.DataFrame) -> str:
    """Say how many derived rankings the strict methods leave out."""
    tied, incomplete, whole = (
        int(counted[name].sum()) for name in ("tied", "incomplete", "rankings")
    )
    share = f"{(tied + incomplete) / whole:.0%}" if whole else rates.NOT_ESTIMABLE
    return (
        f"{tied} rankings with ties and {incomplete} with a missing vote are left out, {share} of "
        f"{whole}"
    )
