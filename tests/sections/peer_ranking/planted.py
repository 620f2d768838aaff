"""Ballots as they are planted: judges who rank by merit, by place, by length, or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking import asked
from judgeworthy.sections.peer_ranking.blinding import WITHOUT_OWN
from judgeworthy.study import Study
from judgeworthy.study.blocks import PeerRanking

NAMES = ("ann", "ben", "cy", "dee")
DOMAINS = ("logic", "safety")


@dataclass(frozen=True)
class Paper:
    """What a planted judge sees: more than a real one, for it may know the names."""

    judge: str
    prompt: int
    run: int
    session: int
    shown: tuple[str, ...]
    lengths: Mapping[str, int]
    dice: np.random.Generator


# The candidates from the best, or the reason why the ballot is INVALID.
Judge = Callable[[Paper], Sequence[str] | str]


def study(
    names: Sequence[str] = NAMES, max_invalid: float = 0.2, runs: int = 2, sessions: int = 2
) -> Study:
    return Study(
        name="planted",
        title="Planted peers",
        dataset="peer-prompts",
        language="en",
        seed=1,
        max_invalid=max_invalid,
        peer_ranking=PeerRanking(
            models=tuple(names),
            runs=runs,
            sessions=sessions,
            response_tokens=50,
            ballot_tokens=30,
            resamples=200,
        ),
    )


def table(
    judges: Mapping[str, Judge], prompts: int = 30, runs: int = 2, sessions: int = 2, seed: int = 0
) -> pd.DataFrame:
    """Return ballots as `asked.load` does, own answers shown and not."""
    dice = np.random.default_rng(seed)
    rows = []
    for prompt in range(prompts):
        for run in range(1, runs + 1):
            lengths = {name: int(dice.integers(50, 500)) for name in judges}
            for judge, vote in judges.items():
                for session in range(1, (sessions if run == 1 else 1) + 1):
                    shown = tuple(dice.permutation(list(judges)))
                    paper = Paper(judge, prompt, run, session, shown, lengths, dice)
                    rows += _rows(paper, vote, "")
                shown = tuple(dice.permutation([name for name in judges if name != judge]))
                rows += _rows(Paper(judge, prompt, run, 1, shown, lengths, dice), vote, WITHOUT_OWN)
    return pd.DataFrame(rows, columns=list(asked.COLUMNS))


def _rows(paper: Paper, vote: Judge, variant: str) -> list[dict[str, object]]:
    order = vote(paper)
    reason = order if isinstance(order, str) else ""
    ranks = {} if reason else {name: rank for rank, name in enumerate(order, start=1)}
    return [
        {
            "prompt_id": f"p{paper.prompt:03}",
            "domain": DOMAINS[paper.prompt % len(DOMAINS)],
            "run": paper.run,
            "session": paper.session,
            "variant": variant,
            "judge": paper.judge,
            "candidate": name,
            "place": place,
            "rank": ranks.get(name, nan),
            "reason": reason,
            "attempts": 2 if reason else 1,
            "characters": paper.lengths[name],
        }
        for place, name in enumerate(paper.shown, start=1)
    ]


def by_merit(order: Sequence[str] = NAMES, noise: float = 1.0) -> Judge:
    """Rank by an order; noise draws Plackett–Luce ballots around it, 0 gives it back."""
    worth = {name: -float(place) for place, name in enumerate(order)}

    def vote(paper: Paper) -> Sequence[str]:
        drawn = {name: worth[name] + noise * paper.dice.gumbel() for name in paper.shown}
        return sorted(paper.shown, key=lambda name: -drawn[name])

    return vote


def by_place(paper: Paper) -> Sequence[str]:
    return paper.shown


def by_length(paper: Paper) -> Sequence[str]:
    return sorted(paper.shown, key=lambda name: -paper.lengths[name])


def by_chance(paper: Paper) -> Sequence[str]:
    return tuple(paper.dice.permutation(list(paper.shown)))


def for_itself(paper: Paper) -> Sequence[str]:
    """Rank by merit, with the own answer first."""
    order = by_merit()(paper)
    return sorted(order, key=lambda name: name != paper.judge)


def silent(paper: Paper) -> str:
    return "repeated_label"


def sometimes(vote: Judge, every: int) -> Judge:
    """Leave every so-manieth prompt without a valid ballot."""
    return lambda paper: "tie" if paper.prompt % every == 0 else vote(paper)


def given(orders: Sequence[str]) -> pd.DataFrame:
    """Return ballots word for word, a judge an order; letters are the candidates A, B, C, …"""
    names = sorted(orders[0])
    judges = {
        f"{names[place]}" if place < len(names) else f"judge-{place}": order
        for place, order in enumerate(orders)
    }
    rows = [
        {
            "prompt_id": "p1",
            "domain": "logic",
            "run": 1,
            "session": 1,
            "variant": "",
            "judge": judge,
            "candidate": name,
            "place": place,
            "rank": order.index(name) + 1,
            "reason": "",
            "attempts": 1,
            "characters": 10,
        }
        for judge, order in judges.items()
        for place, name in enumerate(names, start=1)
    ]
    return pd.DataFrame(rows, columns=list(asked.COLUMNS))
