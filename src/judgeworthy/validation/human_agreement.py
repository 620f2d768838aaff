"""How often the intervals of human agreement and of corrected shares hold the planted truth.

The grid was fixed before anything was simulated. ``python -m judgeworthy.validation.human_agreement
OUTPUT`` writes the table; ``make validate`` does.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from itertools import product
from pathlib import Path

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from judgeworthy import tables
from judgeworthy.errors import ClusterError
from judgeworthy.simulator import Panel, draw
from judgeworthy.statistics.agreement import agreement, diagnostic_accuracy
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.correction import corrected_proportion
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.prediction_powered import ppi_mean
from judgeworthy.statistics.proportions import clustered_proportion, wilson
from judgeworthy.workers import workers

REPETITIONS = 10_000
SEED = 20261130
# Clusters, responses to each, and their correlation.
SHAPES = ((30, 1, 0.0), (30, 5, 0.3), (450, 1, 0.0), (150, 3, 0.3))
PREVALENCES = (0.5, 0.8)
JUDGES = ((0.9, 0.8), (0.98, 0.4))
# The share of responses that people label where the others' share is to be estimated.
LABELLED = 0.4


def grid() -> list[Panel]:
    """Return every cell."""
    return [
        Panel(clusters, size, prevalence, sensitivity, specificity, correlation)
        for (clusters, size, correlation), prevalence, (sensitivity, specificity) in product(
            SHAPES, PREVALENCES, JUDGES
        )
    ]


def truth(panel: Panel) -> dict[str, float]:
    """Return what every interval should hold, computed from the planted shares."""
    p = panel.prevalence
    both, neither = p * panel.sensitivity, (1 - p) * panel.specificity
    said = both + (1 - p) * (1 - panel.specificity)
    same, mean = both + neither, (p + said) / 2
    by_chance = p * said + (1 - p) * (1 - said)
    by_category = 2 * mean * (1 - mean)
    return {
        "agreement": same,
        "kappa": (same - by_chance) / (1 - by_chance),
        "AC1": (same - by_category) / (1 - by_category),
        "alpha": 1 - (1 - same) / by_category,
        "sensitivity": panel.sensitivity,
        "specificity": panel.specificity,
        "labels alone": p,
        "Rogan–Gladen": p,
        "PPI++": p,
    }


def estimates(panel: Panel, generator: np.random.Generator) -> dict[str, Estimate]:
    """Draw one panel and estimate everything from it."""
    human, said = draw(panel, generator)
    clusters = panel.labels
    found = agreement(said, human, clusters)
    sides = diagnostic_accuracy(said, human, clusters)
    labels = _partly(human, generator)
    return {
        "agreement": found.raw,
        "kappa": found.kappa,
        "AC1": found.ac1,
        "alpha": found.alpha,
        "sensitivity": sides.sensitivity,
        "specificity": sides.specificity,
        "labels alone": clustered_proportion(labels, clusters),
        "Rogan–Gladen": corrected_proportion(labels, said, clusters).estimate,
        "PPI++": ppi_mean(labels, said, clusters).estimate,
    }


def _partly(human: Floats, generator: np.random.Generator) -> Floats:
    kept = generator.permutation(len(human))[: round(LABELLED * len(human))]
    labels = np.full(len(human), np.nan)
    labels[kept] = human[kept]
    return labels


def measure(place: int, panel: Panel, repetitions: int) -> list[dict[str, object]]:
    """Return coverage and width of every interval in one cell."""
    generator = np.random.default_rng([SEED, place])
    wanted = truth(panel)
    limits: dict[str, list[tuple[float, float]]] = {name: [] for name in wanted}
    for _ in range(repetitions):
        for name, estimate in estimates(panel, generator).items():
            if estimate.low is not None and estimate.high is not None:
                limits[name].append((estimate.low, estimate.high))
    return [_row(panel, name, limits[name], wanted[name], repetitions) for name in wanted]


def _row(
    panel: Panel, name: str, limits: list[tuple[float, float]], wanted: float, repetitions: int
) -> dict[str, object]:
    low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
    held = int(((low <= wanted) & (wanted <= high)).sum())
    coverage = wilson(held, len(limits))
    return {
        "interval": name,
        "n": panel.n,
        "clusters": panel.clusters,
        "correlation": panel.correlation,
        "prevalence": panel.prevalence,
        "judge_sensitivity": panel.sensitivity,
        "judge_specificity": panel.specificity,
        "truth": wanted,
        "repetitions": repetitions,
        "with_interval": len(limits),
        "coverage": coverage.value,
        "coverage_low": coverage.low,
        "coverage_high": coverage.high,
        "width": float((high - low).mean()) if limits else None,
    }


def simulate(
    pool: Executor, repetitions: int = REPETITIONS, cells: int | None = None
) -> pd.DataFrame:
    """Simulate the whole grid, or its first cells, each by one of the workers."""
    chosen = list(enumerate(grid()))[:cells]
    futures = [pool.submit(measure, place, panel, repetitions) for place, panel in chosen]
    return pd.DataFrame([row for future in tqdm(futures, unit="cell") for row in future.result()])


def exceptions(measured: pd.DataFrame) -> Iterator[str]:
    """Say where the rule is not met: 0.94 to 0.97 on average, and no cell far below 0.95.

    A cell of 30 responses must cover 0.90, one of 450 must cover 0.93; between them, 0.90.
    """
    for name, rows in measured.groupby("interval", sort=False):
        mean = rows["coverage"].mean()
        if not 0.94 <= mean <= 0.97:
            yield f"{name}: {mean:.3f} on average"
        floors = rows["n"].map(lambda n: 0.93 if n >= 450 else 0.90)
        for row in rows[rows["coverage"] < floors].to_dict("records"):
            yield (
                f"{name}: {row['coverage']:.3f} at n = {row['n']} in {row['clusters']} clusters, "
                f"prevalence {row['prevalence']}, judge ({row['judge_sensitivity']}, "
                f"{row['judge_specificity']})"
            )


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def main(folder: Path) -> None:
    """Write the table of coverage to FOLDER."""
    try:
        with workers() as pool:
            table = simulate(pool)
    except ClusterError as error:
        raise click.ClickException(str(error)) from None
    tables.save(folder, human_agreement=table)
    click.echo("\n".join(exceptions(table)) or "the rule is met everywhere")


if __name__ == "__main__":
    main()
