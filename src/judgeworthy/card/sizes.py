"""How many questions a decision or a width takes: simulated with what was found as the truth."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from judgeworthy import simulator
from judgeworthy.card.collected import Card
from judgeworthy.card.decision import State, Verdict, decide
from judgeworthy.card.evidence import Answers, Evidence, estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.simulator import Judge
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.planning import labels_needed

# Numbers of questions to choose from: before there are data, and after.
BEFORE = (30, 50, 100, 150, 200, 300, 450)
SIZES = (30, 50, 75, 100, 150, 200, 300, 450, 700, 1000)
WIDTHS = (0.05, 0.10)
# Numbers of questions at which half-widths are measured, and how often.
MEASURED, DRAWS = (100, 450), 20
PLANNED = ("c1", "c2", "cgp", "flips")


def questions(card: Card) -> int:
    """Return the number of questions, or of documents, that the card rests on."""
    parts = (getattr(card.evidence, field.name) for field in fields(Evidence))
    return max((len(np.unique(part.clusters)) for part in parts if part is not None), default=0)


def planted(card: Card) -> Judge:
    """Return the judge as it was found, to be simulated.

    A share of 0 or 1 would be simulated without any error, so that half a success and half a
    failure are added to each.
    """
    seen = card.evidence
    judge = Judge(questions(card), _generators(seen))
    if seen.planted is not None:
        judge = replace(judge, c1=_accepted(seen.planted, 1), c2=_accepted(seen.planted, 0))
    if seen.controls is not None:
        judge = replace(judge, controls=(_accepted(seen.controls, 1), _accepted(seen.controls, 0)))
    if seen.compared is not None:
        judge = replace(judge, taken_back=_share(seen.compared.taken_back))
    if seen.again is not None:
        asked = len(np.unique(seen.again.clusters)) / judge.questions
        judge = replace(judge, noise=_share(seen.again.taken_back), again=asked)
    people, people_with = _people(seen.labelled), _people(seen.labelled_with)
    said = [part.said for part in (seen.planted, seen.labelled) if part is not None]
    unread = float(np.isnan(np.concatenate(said)).mean()) if said else 0.0
    return replace(judge, people=people, people_with=people_with, invalid=unread)


def curve(card: Card, thresholds: Thresholds, sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Simulate the decision at each number of questions.

    Returns
    -------
    DataFrame
        One row a number of questions, with the share of each decision.
    """
    return pd.DataFrame([_decisions(card, n, thresholds) for n in sizes])


def before(thresholds: Thresholds) -> pd.DataFrame:
    """Simulate studies of a good judge, before there are data: decisions and widths by size.

    The judge is `simulator.Judge` as it stands there: C1 0.97, C2 0.02, flips at the noise floor.

    Returns
    -------
    DataFrame
        One row a number of questions, with the share of each decision, and the mean half-width of
        each interval.
    """
    rows = []
    for n in BEFORE:
        generator = np.random.default_rng([thresholds.seed, n])
        drawn = (simulator.evidence(Judge(n), generator) for _ in range(thresholds.repetitions))
        found = [estimates(each) for each in drawn]
        halves = {f"{name}_half_width": _half([each[name] for each in found]) for name in PLANNED}
        decided = _shares([decide(each, thresholds).verdict for each in found])
        rows.append({"n": n} | decided | halves)
    return pd.DataFrame(rows)


def more(card: Card, thresholds: Thresholds) -> int | None:
    """Return how many questions more decide with the wanted power; None where none do.

    More questions help where a use is open. They do not where a measure is missing, nor up to the
    largest number simulated where the judge stands too near to a threshold.
    """
    if not open_(card):
        return None
    now = questions(card)
    for n in (size for size in SIZES if size > now):
        if 1 - _decisions(card, n, thresholds)[Verdict.NOT_ENOUGH] >= thresholds.power:
            return n - now
    return None


def open_(card: Card) -> bool:
    """Return whether nothing but the number of questions keeps the card from a decision."""
    undecided = card.decision.verdict is Verdict.NOT_ENOUGH
    return undecided and card.decision.decided_by.state is State.OPEN


def for_width(card: Card) -> Iterator[dict[str, object]]:
    """Yield how many questions give each measure a wanted half-width."""
    drawn = {n: [estimates(each) for each in _draws(card, n, DRAWS, 0)] for n in MEASURED}
    for finding in card.decision.findings:
        name = finding.criterion.name
        if name in PLANNED and finding.state is not State.MISSING:
            halves = [_half([each[name] for each in drawn[n]]) for n in MEASURED]
            for wanted in WIDTHS:
                needed = labels_needed(MEASURED, halves, wanted)
                yield {"measure": name, "half_width": wanted, "questions": needed}


def _decisions(card: Card, n: int, thresholds: Thresholds) -> dict[str, Any]:
    drawn = _draws(card, n, thresholds.repetitions, thresholds.seed)
    exists = card.study.has_references
    found = [
        decide(estimates(each, card.study.confidence), thresholds, exists).verdict for each in drawn
    ]
    return {"n": n} | _shares(found)


def _shares(found: Sequence[Verdict]) -> dict[str, Any]:
    return {str(verdict): found.count(verdict) / len(found) for verdict in Verdict}


def _draws(card: Card, n: int, repetitions: int, seed: int) -> Iterator[Evidence]:
    """Draw studies of n questions that measure what the card's study measures."""
    judge = replace(planted(card), questions=n)
    unmeasured: dict[str, Any] = {
        field.name: None for field in fields(Evidence) if getattr(card.evidence, field.name) is None
    }
    generator = np.random.default_rng([seed, n])
    for _ in range(repetitions):
        yield replace(simulator.evidence(judge, generator), **unmeasured)


def _half(found: Sequence[Estimate]) -> float | None:
    halves = [(e.high - e.low) / 2 for e in found if e.low is not None and e.high is not None]
    return float(np.mean(halves)) if halves else None


def _generators(seen: Evidence) -> int:
    rows = seen.compared or seen.labelled or seen.labelled_with
    return 1 if rows is None else max(1, round(len(rows.clusters) / len(np.unique(rows.clusters))))


def _accepted(answers: Answers, right: int) -> float:
    return _share(answers.said[answers.right == right])


def _people(labelled: Answers | None) -> tuple[float, float, float] | None:
    if labelled is None:
        return None
    right, wrong = (_accepted(labelled, side) for side in (1, 0))
    return _share(labelled.right), right, 1 - wrong


def _share(values: Floats) -> float:
    valid = values[~np.isnan(values)]
    return float((valid.sum() + 0.5) / (len(valid) + 1))
