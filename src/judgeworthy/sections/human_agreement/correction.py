"""From a judge's score to an estimate of what people accept, and how well that covers the truth.

The truth is here the share that people accept of all labelled responses of the study. A subsample
keeps its labels, the others lose theirs: what a user who labels a part would have.
"""

from collections.abc import Callable, Iterator, Mapping
from math import nan

import numpy as np
import pandas as pd

from judgeworthy.sections import rates
from judgeworthy.sections.rates import Row
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.correction import corrected_proportion
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.planning import labels_needed
from judgeworthy.statistics.prediction_powered import ppi_mean
from judgeworthy.statistics.proportions import clustered_proportion, wilson
from judgeworthy.study import Study
from judgeworthy.study.blocks import HumanAgreement

NAIVE, LABELS, ROGAN_GLADEN, PPI = (
    "naive acceptance",
    "labels alone",
    "Rogan–Gladen",
    "PPI++",
)
WANTED = (0.05, 0.10)
# From labels (NaN where taken away), verdicts, clusters and confidence to an estimate.
Method = Callable[[Floats, Floats, pd.Series, float], Estimate]

METHODS: Mapping[str, Method] = {
    NAIVE: lambda labels, said, clusters, level: clustered_proportion(said, clusters, level),
    LABELS: lambda labels, said, clusters, level: clustered_proportion(labels, clusters, level),
    ROGAN_GLADEN: lambda labels, said, clusters, level: (
        corrected_proportion(labels, said, clusters, level).estimate
    ),
    PPI: lambda labels, said, clusters, level: (
        ppi_mean(labels, said, clusters, confidence=level).estimate
    ),
}


def settings(study: Study) -> HumanAgreement:
    """Return the study's block ``human_agreement``, or its defaults."""
    return study.human_agreement or HumanAgreement()


def corrected(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate what people accept from one labelled subsample: judge × condition × method.

    The subsample is drawn once with the study's seed, the same for all judges. ``truth`` is the
    share that people accept of all labelled responses, ``error`` the estimate minus it. Empty where
    the labelled responses are no random part of all.
    """
    rows = []
    if not study.labels_at_random:
        return pd.DataFrame(columns=_CORRECTED)
    for judge, condition, mine in _cells(table):
        labels = _subsample(mine, settings(study).labels, np.random.default_rng(study.seed))
        truth = clustered_proportion(mine["human"], mine["cluster"], study.confidence)
        for method, estimate in METHODS.items():
            found = estimate(labels, _said(mine), mine["cluster"], study.confidence)
            place = {"judge": judge, "condition": condition, "method": method}
            rows.append({**place, **_corrected(method, found, truth, mine, study)})
    return pd.DataFrame(rows, columns=_CORRECTED)


_CORRECTED = [
    *("judge", "condition", "method", "n", "clusters", "invalid", "labels"),
    *("estimate", "estimate_low", "estimate_high", "truth", "truth_low", "truth_high"),
    *("error", "note"),
]


def _cells(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    labelled = table[table["human"].notna()]
    labelled = labelled.assign(human=labelled["human"].astype("float64"))
    for (judge, condition), mine in labelled.groupby(["judge", "condition"], sort=False):
        yield str(judge), str(condition), mine


def _said(mine: pd.DataFrame) -> Floats:
    return rates.accepted(mine["verdict"]).to_numpy()


def _subsample(mine: pd.DataFrame, size: int, generator: np.random.Generator) -> Floats:
    """Return the labels of a random part of the responses; NaN for the others."""
    kept = generator.permutation(len(mine))[:size]
    labels = np.full(len(mine), nan)
    labels[kept] = mine["human"].to_numpy()[kept]
    return labels


def _corrected(
    method: str, found: Estimate, truth: Estimate, mine: pd.DataFrame, study: Study
) -> Row:
    left_out = _left_out(method, mine, study)
    limits = rates.limits("estimate", None if left_out else found)
    true = rates.limits("truth", truth)
    return {
        "n": len(mine),
        "clusters": mine["cluster"].nunique(),
        "invalid": int(np.isnan(_said(mine)).sum()),
        "labels": min(settings(study).labels, len(mine)),
        **limits,
        **true,
        "error": limits["estimate"] - true["truth"],
        "note": left_out or found.note,
    }


def _left_out(method: str, mine: pd.DataFrame, study: Study) -> str:
    """Say why a method that uses the verdicts is not estimated, if too many are invalid."""
    invalid = int(np.isnan(_said(mine)).sum())
    if method == LABELS or invalid <= study.max_invalid * len(mine):
        return ""
    return f"{rates.NOT_ESTIMABLE}: {invalid} of {len(mine)} are invalid"


def coverage(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Measure how often intervals hold the truth: judge × condition × method × labels.

    Over many random subsamples of each size: the share of intervals that hold the truth, with
    Wilson's interval for the error of the simulation, their mean half-width, how many came out at
    all, and the mean error of the estimate. The subsamples are parts of one finite sample, so that
    an interval for a larger population covers more than its level where a part is large. Methods
    that use the verdicts are left out where too many are invalid.
    """
    rows = [
        {"judge": judge, "condition": condition, "method": method, "labels": size, **row}
        for judge, condition, mine in _cells(table)
        for size in settings(study).sizes
        if size < len(mine) and study.labels_at_random
        for method, row in _repeated(mine, size, study).items()
        if not _left_out(method, mine, study)
    ]
    return pd.DataFrame(rows, columns=_COVERAGE)


_COVERAGE = [
    *("judge", "condition", "method", "labels", "subsamples", "with_interval"),
    *("coverage", "coverage_low", "coverage_high", "half_width", "mean_error"),
]


def _repeated(mine: pd.DataFrame, size: int, study: Study) -> dict[str, Row]:
    generator = np.random.default_rng([study.seed, size])
    drawn = [_subsample(mine, size, generator) for _ in range(settings(study).subsamples)]
    truth, said, clusters = float(mine["human"].mean()), _said(mine), mine["cluster"]
    codes = pd.Series(pd.factorize(clusters)[0])
    found = {}
    for method in (LABELS, ROGAN_GLADEN, PPI):
        estimates = [METHODS[method](labels, said, codes, study.confidence) for labels in drawn]
        found[method] = _covered(estimates, truth, study)
    return found


def _covered(estimates: list[Estimate], truth: float, study: Study) -> Row:
    limits = np.array([(e.low, e.high) for e in estimates if e.has_interval], dtype=np.float64)
    limits = limits.reshape(-1, 2)
    held = (limits[:, 0] <= truth) & (truth <= limits[:, 1])
    errors = [e.value - truth for e in estimates if e.value is not None]
    return {
        "subsamples": len(estimates),
        "with_interval": len(limits),
        **rates.limits("coverage", wilson(int(held.sum()), len(held), study.confidence)),
        "half_width": float((limits[:, 1] - limits[:, 0]).mean() / 2) if len(limits) else nan,
        "mean_error": float(np.mean(errors)) if errors else nan,
    }


def planner(covered: pd.DataFrame) -> pd.DataFrame:
    """Say how many labels an interval of a wanted half-width takes: judge × condition × method.

    From the half-widths that were measured, by the square root of the number of labels.
    """
    rows = [
        {
            **dict(zip(("judge", "condition", "method"), place, strict=True)),
            "half_width": wanted,
            "labels": labels_needed(
                list(mine["labels"]),
                [None if pd.isna(half) else half for half in mine["half_width"]],
                wanted,
            ),
        }
        for place, mine in covered.groupby(["judge", "condition", "method"], sort=False)
        for wanted in WANTED
    ]
    frame = pd.DataFrame(rows, columns=["judge", "condition", "method", "half_width", "labels"])
    return frame.astype({"labels": "Int64"})
