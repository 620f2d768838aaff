"""How few verdicts with the reference give the accuracy that references for all would give.

The accuracy is the share that the judge accepts with the reference compared. A part of the
responses is judged so, all are judged without: the correction makes the latter worth something.

References
----------
.. [1] G. Y. Zou, W. Huang, X. Zhang (2009). A note on confidence interval estimation for a linear
   function of binomial proportions. Computational Statistics & Data Analysis 53, 1080-1085.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgeworthy.card import collected
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.sections import rates
from judgeworthy.sections.rates import Row
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.prediction_powered import ppi_mean
from judgeworthy.statistics.proportions import clustered_proportion, wilson
from judgeworthy.study import Study

ALONE, CORRECTED, DISAGREEING = (
    "at random, uncorrected",
    "at random, corrected",
    "where judges disagree, corrected",
)
# How much likelier a response is drawn on which the judges disagree.
OFTENER = 2
_METHOD = "sum of strata (MOVER)"
Strata = Sequence[NDArray[np.intp]]


def curve(studies: Sequence[Study], thresholds: Thresholds) -> pd.DataFrame:
    """Measure width and coverage of the accuracy from a part of the verdicts with the reference.

    One row a study, judge, way of drawing and share of the responses drawn, over many
    draws. ``truth`` is the share accepted with the reference of all responses whose verdicts are
    both valid; draws are parts of these, so that an interval for a larger population holds it
    more often than its level where the part is large. ``all_half_width`` is the half-width that
    references for all would give. Ways: at random without correction; at random with PPI++; and
    with PPI++ in two strata, where the judges' verdicts without the reference differ and where
    they do not, of which the first is drawn `OFTENER` times as often. The strata's limits are
    combined as [1]_ combine those of a sum.
    """
    rows = [
        {"study": study.name, "judge": judge, **row}
        for study in studies
        if (found := _responses(study)) is not None
        for judge, mine in found.items()
        for row in _judge(mine, study, thresholds)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = [
    *("study", "judge", "way", "share", "references", "n", "clusters", "left_out"),
    *("disagreements", "truth", "draws", "with_interval"),
    *("coverage", "coverage_low", "coverage_high", "half_width", "mean_error", "all_half_width"),
]


def _responses(study: Study) -> Mapping[str, pd.DataFrame] | None:
    """Return each judge's verdicts without and with the reference, one row a response."""
    section = "sensitivity" if study.sensitivity else "human_agreement"
    table = collected.table(study, section) if getattr(study, section) else None
    if table is None:
        return None
    plain = table[table["condition"].isin(("NR", "RC")) & (table["generator"] != "")]
    if "variant" in plain:
        plain = plain[plain["variant"] == ""]
    index = ["question_id", "generator", "cluster"]
    wide = plain.assign(accepted=rates.accepted(plain["verdict"])).pivot(
        index=index, columns=["judge", "condition"], values="accepted"
    )
    if wide.empty:
        return None
    without = pd.DataFrame(wide.xs("NR", axis="columns", level="condition"))
    differ = without.nunique(axis="columns") > 1
    return {
        judge: wide[judge].reset_index().assign(differ=differ.to_numpy())
        for judge in without.columns
    }


@dataclass(frozen=True)
class _Known:
    """A judge's responses with two valid verdicts, and where the judges disagree about them."""

    said: Floats
    truth: Floats
    clusters: NDArray[np.intp]
    apart: Strata
    level: float

    def random(self, wanted: int, generator: np.random.Generator) -> tuple[Estimate, Estimate]:
        """Draw at random, and estimate without and with correction."""
        drawn = _drawn(self.truth, [np.arange(len(self.truth))], [wanted], generator)
        alone = clustered_proportion(drawn, self.clusters, self.level)
        return alone, _ppi(drawn, self.said, self.clusters, self.level)

    def stratified(self, wanted: int, generator: np.random.Generator) -> Estimate:
        """Draw more often where judges disagree, and correct each stratum by itself."""
        drawn = _drawn(self.truth, self.apart, _allotted(self.apart, wanted), generator)
        return _stratified(drawn, self.said, self.clusters, self.apart, self.level)


def _judge(mine: pd.DataFrame, study: Study, thresholds: Thresholds) -> Iterator[Row]:
    whole = mine[mine[["NR", "RC"]].notna().all(axis="columns")]
    said, truth = (whole[name].to_numpy(dtype=float) for name in ("NR", "RC"))
    apart = [np.flatnonzero(whole["differ"] == side) for side in (True, False)]
    known = _Known(said, truth, pd.factorize(whole["cluster"])[0], apart, study.confidence)
    everything = clustered_proportion(truth, known.clusters, study.confidence)
    counted = {
        "n": len(whole),
        "clusters": everything.clusters,
        "left_out": len(mine) - len(whole),
        "disagreements": len(apart[0]),
        "truth": everything.value,
        "all_half_width": _half(everything),
    }
    for share in thresholds.shares:
        wanted = round(share * len(whole))
        for way, found in _repeated(known, wanted, thresholds).items():
            drawn = {"way": way, "share": share, "references": wanted}
            yield {**drawn, **counted, **_covered(found, everything.value)}


def _repeated(known: _Known, wanted: int, thresholds: Thresholds) -> dict[str, list[Estimate]]:
    generator = np.random.default_rng([thresholds.seed, wanted])
    found: dict[str, list[Estimate]] = {way: [] for way in (ALONE, CORRECTED, DISAGREEING)}
    for _ in range(thresholds.subsamples):
        alone, corrected = known.random(wanted, generator)
        found[ALONE].append(alone)
        found[CORRECTED].append(corrected)
        found[DISAGREEING].append(known.stratified(wanted, generator))
    return found


def _ppi(drawn: Floats, said: Floats, labels: NDArray[np.intp], level: float) -> Estimate:
    return ppi_mean(drawn, said, labels, confidence=level).estimate


def _allotted(strata: Strata, wanted: int) -> list[int]:
    """Share the draws out: the first stratum `OFTENER` times as often, at least one of each."""
    first, second = (len(stratum) for stratum in strata)
    often = round(wanted * OFTENER * first / (OFTENER * first + second))
    often = min(first, max(often, min(first, 1), wanted - second))
    return [often, wanted - often]


def _drawn(
    truth: Floats, strata: Strata, sizes: Sequence[int], generator: np.random.Generator
) -> Floats:
    """Return the verdicts with the reference of random parts of the strata; NaN elsewhere."""
    drawn = np.full(len(truth), nan)
    for stratum, size in zip(strata, sizes, strict=True):
        chosen = generator.permutation(stratum)[:size]
        drawn[chosen] = truth[chosen]
    return drawn


def _stratified(
    drawn: Floats, said: Floats, labels: NDArray[np.intp], strata: Strata, level: float
) -> Estimate:
    """Correct each stratum by itself and add them up, each by its share of the responses."""
    parts = [
        (len(rows) / len(drawn), _ppi(drawn[rows], said[rows], labels[rows], level))
        for rows in strata
        if len(rows)
    ]
    value, below, above = 0.0, 0.0, 0.0
    for weight, part in parts:
        if part.value is None or part.low is None or part.high is None:
            return Estimate(None, None, None, len(drawn), 0, _METHOD, part.note)
        value += weight * part.value
        below += (weight * (part.value - part.low)) ** 2
        above += (weight * (part.high - part.value)) ** 2
    return Estimate(value, value - sqrt(below), value + sqrt(above), len(drawn), 0, _METHOD)


def _covered(found: Sequence[Estimate], truth: float | None) -> Row:
    if truth is None:
        return {"draws": len(found), "with_interval": 0}
    whole = [(e.low, e.high) for e in found if e.low is not None and e.high is not None]
    held = wilson(sum(low <= truth <= high for low, high in whole), len(whole))
    errors = [e.value - truth for e in found if e.value is not None]
    halves = [(high - low) / 2 for low, high in whole]
    return {
        "draws": len(found),
        "with_interval": len(whole),
        **rates.limits("coverage", held),
        "half_width": float(np.mean(halves)) if halves else nan,
        "mean_error": float(np.mean(errors)) if errors else nan,
    }


def _half(estimate: Estimate) -> float:
    if estimate.low is None or estimate.high is None:
        return nan
    return (estimate.high - estimate.low) / 2
