"""Votes on pairs, as they are planted: of models and of people."""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking import voted

NAMES = ("ann", "ben", "cy")
# From judge, first and second to first, second or tie.
Voter = Callable[[str, str, str, np.random.Generator], str]


def votes(
    voters: Mapping[str, Voter], people: Voter | None = None, prompts: int = 20, several: int = 3
) -> pd.DataFrame:
    """Return votes of each voter on all pairs of candidates, in both orders; of people in one."""
    dice = np.random.default_rng(0)
    rows = []
    for number in range(prompts):
        for first, second in permutations(NAMES, 2):
            for judge, vote in voters.items():
                rows.append(_row(number, judge, 1, first, second, vote(judge, first, second, dice)))
            if people is not None and first < second:
                for place in range(1, several + 1):
                    said = people(voted.PEOPLE, first, second, dice)
                    rows.append(_row(number, voted.PEOPLE, place, first, second, said))
    return pd.DataFrame(rows, columns=list(voted.COLUMNS))


def _row(number: int, judge: str, vote: int, first: str, second: str, said: str) -> list[object]:
    return [f"p{number:02}", f"kind-{number % 2}", judge, vote, first, second, said]


def by_merit(order: Sequence[str] = NAMES, noise: float = 1.0, ties: float = 0.2) -> Voter:
    """Prefer what stands first in an order, a share of ties aside."""

    def vote(_: str, first: str, second: str, dice: np.random.Generator) -> str:
        if dice.random() < ties:
            return "tie"
        lead = order.index(second) - order.index(first) + noise * dice.logistic()
        return "first" if lead > 0 else "second"

    return vote


def for_the_first(_: str, __: str, ___: str, ____: np.random.Generator) -> str:
    return "first"


def always_tie(_: str, __: str, ___: str, ____: np.random.Generator) -> str:
    return "tie"


def for_itself(judge: str, first: str, second: str, dice: np.random.Generator) -> str:
    if judge in (first, second):
        return "first" if judge == first else "second"
    return by_merit()(judge, first, second, dice)
