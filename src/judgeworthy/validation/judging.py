"""How often the card decides rightly of a judge whose truth is planted, and its intervals hold it.

The grid was fixed before anything was simulated. ``python -m judgeworthy.validation.judging
OUTPUT`` writes the tables; ``make validate`` does.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from judgeworthy import tables
from judgeworthy.card.decision import Verdict, decide
from judgeworthy.card.evidence import estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.plots import canvas
from judgeworthy.plots import judge_card as plots
from judgeworthy.simulator import Judge, Panel, evidence
from judgeworthy.statistics.proportions import wilson
from judgeworthy.validation import human_agreement, ranking
from judgeworthy.validation.coverage import covered
from judgeworthy.workers import workers

REPETITIONS = 10_000
SEED = 20261130
SIZES = (30, 100, 450)
# At more sizes for the curve of the good judge.
CURVE = (50, 75, 150, 200, 300, 700)
GOOD = "good"
TITLE = "How often planted judges are trusted, by number of questions"
# How far beyond a threshold a judge is that must not be trusted.
STEP = 0.001
# The most often that such a judge may be trusted, and the least often that a good one must be.
FALSE, POWER = 0.025, 0.90


def judges(thresholds: Thresholds) -> dict[str, Judge]:
    """Return the planted judges, by name: a good one, two useless ones, each threshold missed.

    Who misses a threshold is as good as can be in all else: the case in which a decision that asks
    for every measure is most often wrong.
    """
    good = Judge(SIZES[-1], c1=0.97, c2=0.02, taken_back=0.03, noise=0.03)
    best = replace(good, c1=1.0, c2=0.0, controls=(1.0, 0.0), invalid=0.0)
    share = (1 + thresholds.cgp - STEP) / 2
    known = (1 + thresholds.controls - STEP) / 2
    same = (1 + thresholds.kappa - STEP) / 2
    return {
        GOOD: good,
        "accepts everything": replace(best, c2=1.0, taken_back=0, noise=0, controls=(1.0, 1.0)),
        "coin": Judge(good.questions, 4, 0.5, 0.5, 0.25, 0.25, (0.5, 0.5)),
        "misses c1": replace(best, c1=thresholds.c1 - STEP),
        "misses c2": replace(best, c2=thresholds.c2 + STEP),
        "misses cgp": replace(best, c1=share, c2=1 - share),
        "misses flips": replace(best, taken_back=best.noise + thresholds.flips + STEP),
        "misses controls": replace(best, controls=(known, 1 - known)),
        "misses invalid": replace(best, invalid=thresholds.invalid + STEP),
        "misses kappa": replace(best, people=(0.5, same, same)),
    }


def grid(thresholds: Thresholds) -> list[tuple[str, Judge]]:
    """Return every cell: a judge's name, and the judge with its number of questions."""
    planted = judges(thresholds)
    cells = [(name, replace(judge, questions=n)) for name, judge in planted.items() for n in SIZES]
    return cells + [(GOOD, replace(planted[GOOD], questions=n)) for n in CURVE]


def truth(judge: Judge) -> dict[str, float]:
    """Return what the interval of every measure should hold."""
    known = {
        "c1": judge.c1,
        "c2": judge.c2,
        "cgp": judge.c1 - judge.c2,
        "flips": judge.taken_back - judge.noise,
        "controls": judge.controls[0] - judge.controls[1],
        "invalid": judge.invalid,
        "invalid_reference": judge.invalid,
    }
    if judge.people is None:
        return known
    panel = Panel(judge.questions, judge.generators, *judge.people, judge.correlation)
    return known | {"kappa": human_agreement.truth(panel)["kappa"]}


def measure(
    place: int, name: str, judge: Judge, repetitions: int, thresholds: Thresholds
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Return a cell's decisions, and coverage and width of the interval of every measure."""
    generator = np.random.default_rng([SEED, place])
    verdicts: list[Verdict] = []
    limits: dict[str, list[tuple[float, float]]] = {measure: [] for measure in truth(judge)}
    for _ in range(repetitions):
        measured = estimates(evidence(judge, generator))
        verdicts.append(decide(measured, thresholds).verdict)
        for measure, found in measured.items():
            if found.low is not None and found.high is not None:
                limits[measure].append((found.low, found.high))
    cell = {"judge": name, "n": judge.questions, "repetitions": repetitions}
    rows = [cell | covered(measure, limits[measure], truth(judge)[measure]) for measure in limits]
    return cell | _decided(verdicts), rows


def _decided(verdicts: list[Verdict]) -> dict[str, object]:
    trusted = wilson(verdicts.count(Verdict.TRUST), len(verdicts))
    shares = {str(verdict): verdicts.count(verdict) / len(verdicts) for verdict in Verdict}
    return shares | {"trusted_low": trusted.low, "trusted_high": trusted.high}


def simulate(
    pool: Executor, repetitions: int = REPETITIONS, cells: int | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate the whole grid, or its first cells: the decisions, and the intervals."""
    thresholds = Thresholds()
    ranked = [
        pool.submit(ranking.measure, place, preference, repetitions)
        for place, preference in enumerate(ranking.grid()[:cells])
    ]
    futures = [
        pool.submit(measure, place, name, judge, repetitions, thresholds)
        for place, (name, judge) in enumerate(grid(thresholds)[:cells])
    ]
    done = [future.result() for future in tqdm(futures, unit="cell")]
    rows = [row for _, intervals in done for row in intervals]
    rows += [row for future in tqdm(ranked, unit="cell") for row in future.result()]
    return pd.DataFrame([decided for decided, _ in done]), pd.DataFrame(rows)


def exceptions(decisions: pd.DataFrame, intervals: pd.DataFrame) -> Iterator[str]:
    """Say where the rules are not met: those of the decisions, and that of the intervals.

    A share of 0 or 1 that is planted is held by every interval, and says nothing of coverage.
    """
    trusted = str(Verdict.TRUST)
    for row in decisions.to_dict("records"):
        place = f"{row['judge']} at n = {row['n']}: trusted in {row[trusted]:.4f}"
        if row["judge"] != GOOD and row[trusted] > FALSE:
            yield place
        if row["judge"] == GOOD and row["n"] >= SIZES[-1] and row[trusted] < POWER:
            yield place
    told = intervals[~intervals["truth"].abs().isin([0, 1]) | intervals["measure"].eq("flips")]
    for name, rows in told.groupby("measure", sort=False):
        if not 0.94 <= rows["coverage"].mean() <= 0.97:
            yield f"{name}: coverage {rows['coverage'].mean():.3f} on average"
        floors = rows["n"].map(lambda n: 0.93 if n >= SIZES[-1] else 0.90)
        for row in rows[rows["coverage"] < floors].to_dict("records"):
            yield f"{name}: coverage {row['coverage']:.3f} of {row['judge']} at n = {row['n']}"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def main(folder: Path) -> None:
    """Write the tables of decisions and intervals, and their figure, to FOLDER."""
    with workers() as pool:
        decisions, intervals = simulate(pool)
    tables.save(folder, judge_decisions=decisions, judge_intervals=intervals)
    canvas.save(plots.validated(decisions, FALSE), folder, "judge_decisions", TITLE)
    click.echo("\n".join(exceptions(decisions, intervals)) or "the rules are met everywhere")


if __name__ == "__main__":
    main()
