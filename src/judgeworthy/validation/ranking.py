"""How often the intervals of the Relative Intelligence Index hold a planted consensus."""

from itertools import product

import numpy as np
from scipy.special import expit

from judgeworthy.simulator import Preference, ballots
from judgeworthy.statistics.rankings.rii import rii
from judgeworthy.validation.coverage import covered

SEED = 20261201
PROMPTS, SPREADS = (30, 100, 450), (0.0, 1.0)
STRENGTHS = (1.5, 0.5, 0.0, -1.0)
JUDGES, RESAMPLES = 4, 2000
# Nodes of the quadrature over what a prompt adds.
NODES = 64


def grid() -> list[Preference]:
    """Return every cell."""
    return [
        Preference(prompts, JUDGES, STRENGTHS, spread)
        for prompts, spread in product(PROMPTS, SPREADS)
    ]


def truth(preference: Preference) -> list[float]:
    """Return the index of every model: 100 times the mean chance to beat each other one.

    What a prompt adds to a difference of two models is normal with √2 times the spread.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    added = np.sqrt(2) * preference.spread * nodes
    strengths = np.asarray(preference.strengths)
    differences = strengths[:, None] - strengths[None, :]
    beats = expit(differences[..., None] + added) @ (weights / weights.sum())
    others = len(strengths) - 1
    return [float(value) for value in 100 * (beats.sum(axis=1) - beats.diagonal()) / others]


def measure(place: int, preference: Preference, repetitions: int) -> list[dict[str, object]]:
    """Return coverage and width of the index of every model."""
    generator = np.random.default_rng([SEED, place])
    limits: list[list[tuple[float, float]]] = [[] for _ in preference.strengths]
    for repetition in range(repetitions):
        found = rii(ballots(preference, generator), resamples=RESAMPLES, seed=repetition)
        for model, estimate in enumerate(found.estimates):
            if estimate.low is not None and estimate.high is not None:
                limits[model].append((estimate.low, estimate.high))
    cell = {"n": preference.prompts, "repetitions": repetitions}
    return [
        {"judge": f"model {model}, prompts spread by {preference.spread:g}"}
        | cell
        | covered("RII", limits[model], wanted)
        for model, wanted in enumerate(truth(preference))
    ]
