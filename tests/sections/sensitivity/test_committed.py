"""Sensitivity: the committed tables, computed again from the raw judgments in another way.

Nothing here uses the project's statistics. Of each table one row is computed again, which the
table's own hash picks, so that it is another one whenever the table changes.
"""

import hashlib
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from numpy.typing import NDArray
from scipy import linalg, stats
from statsmodels.stats.proportion import proportion_confint

from conftest import COMMITTED, ROOT
from judgeworthy import study as studies
from judgeworthy.models import catalog
from judgeworthy.study import Sensitivity, Study

ALL, NOT_OWN, NOT_FAMILY = "all generators", "not its own", "not its family"
MAJORITY = "majority of judges"
CONDITIONS = ["NR", "RV", "RC"]
DECISIONS = {"CORRECT": 1.0, "INCORRECT": 0.0}
RESPONSE = ["generator", "question_id", "cluster", "response_right"]
PAIRS = {
    "another seed": ("NR sampled-1", "NR sampled-2"),
    "paraphrase": ("NR", "NR paraphrase"),
    "irrelevant text": ("NR", "RV irrelevant"),
    "another question's reference": ("NR", "RV other"),
    "reference visible": ("NR", "RV"),
    "reference compared": ("NR", "RC"),
}
# Of the bootstrap and of the permutation test here; their seed is not the studies'.
DRAWS, SEED = 20_000, 4
# What a simulated number may be off, in standard errors of the simulation.
ERRORS = 5.0
EXTREME = 1e-8

Row = Mapping[Hashable, Any]
Expected = dict[str, Any]
Chance = Callable[[float, float], float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Between:
    """A number that is known up to the error of a simulation."""

    low: float
    high: float


@dataclass(frozen=True)
class Marked:
    """A note that says 'imprecise', or something graver, where the interval is wide."""

    wide: bool


@dataclass(frozen=True)
class Rate:
    """A proportion, or a difference of two, with its limits."""

    value: float | None
    low: float | None
    high: float | None
    note: str = ""

    @property
    def wide(self) -> bool:
        return self.low is not None and self.high is not None and self.high - self.low > 0.3

    def shown(self, name: str) -> Expected:
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


@dataclass(frozen=True)
class Raw:
    """What a study's folder of figures holds."""

    folder: Path
    study: Study

    @cached_property
    def table(self) -> pd.DataFrame:
        return self._read("sensitivity_judgments")

    @cached_property
    def calibration(self) -> pd.DataFrame:
        return self._read("calibration_judgments")

    @cached_property
    def main(self) -> pd.DataFrame:
        return self.table[self.table["variant"] == ""]

    @cached_property
    def families(self) -> dict[str, str]:
        return {name: model.family for name, model in catalog.load().models.items()}

    @property
    def settings(self) -> Sensitivity:
        assert self.study.sensitivity is not None
        return self.study.sensitivity

    def committed(self, name: str) -> pd.DataFrame:
        frame = pd.read_csv(self.folder / f"{name}.csv", dtype={"note": str, "relation": str})
        texts = frame.columns.intersection(["note", "relation"])
        return frame.fillna(dict.fromkeys(texts, ""))

    def _read(self, name: str) -> pd.DataFrame:
        frame = pd.read_csv(self.folder / f"{name}.csv", dtype=str, keep_default_na=False)
        return frame.assign(accepted=frame["verdict"].map(DECISIONS))


# Statistics, written anew


def rate(values: pd.Series, clusters: pd.Series, level: float) -> Rate:
    """Wilson's limits; at the effective sample size where rows share clusters."""
    valid = values.dropna()
    sizes = clusters[valid.index].value_counts()
    n, groups = len(valid), len(sizes)
    if n == 0:
        return Rate(None, None, None, "no valid rows")
    share = float(valid.mean())
    if groups == 1 < n:
        return Rate(share, None, None, "one cluster only: no interval")
    if groups == n or share in (0, 1):
        low, high = proportion_confint(share * groups, groups, 1 - level, method="wilson")
        note = f"all {share:.0f}: the interval counts {groups} clusters, not {n} rows"
        return Rate(share, float(low), float(high), note * (groups < n))
    variance = share * (1 - share)
    error = max(bias_reduced_variance(valid - share, clusters[valid.index]), variance / n)
    quantile = stats.t.ppf((1 + level) / 2, groups - 1)
    return Rate(share, *score_limits(share, variance / error, quantile))


def bias_reduced_variance(residuals: pd.Series, clusters: pd.Series) -> float:
    """CR2 of a mean: residuals of a cluster times (I - H) to the power -1/2, H its hat matrix."""
    n = len(residuals)
    adjusted = [
        adjustment(len(mine), n) @ mine.to_numpy() for _, mine in residuals.groupby(clusters)
    ]
    return sum(float(each.sum()) ** 2 for each in adjusted) / n**2


@cache
def adjustment(size: int, n: int) -> Floats:
    values, vectors = linalg.eigh(np.eye(size) - np.full((size, size), 1 / n))
    return np.asarray(vectors @ np.diag(values**-0.5) @ vectors.T)


def score_limits(share: float, n: float, quantile: float) -> tuple[float, float]:
    """The two shares at which (observed - share) is `quantile` of their standard errors."""
    roots = np.roots([1 + quantile**2 / n, -2 * share - quantile**2 / n, share**2])
    return float(min(roots)), float(max(roots))


def difference(one: pd.Series, two: pd.Series, clusters: pd.Series, level: float) -> Rate:
    """First proportion minus second, by square-and-add with their correlation."""
    first, second = rate(one, clusters, level), rate(two, clusters, level)
    if first.value is None or second.value is None:
        return Rate(None, None, None)
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Rate(value, None, None)
    whole = one.notna().all() and two.notna().all() and clusters.is_unique
    phi = corrected_phi(one, two) if whole else corrected_correlation(one, two, clusters)
    below, above = first.value - first.low, first.high - first.value
    under, over = second.value - second.low, second.high - second.value
    low = below**2 - 2 * phi * below * over + over**2
    high = above**2 - 2 * phi * above * under + under**2
    return Rate(value, value - max(low, 0) ** 0.5, value + max(high, 0) ** 0.5)


def corrected_phi(one: pd.Series, two: pd.Series) -> float:
    """Newcombe's phi for method 10, from the table of pairs."""
    both, first_only, second_only, neither = counts(one, two)
    rows = (both + first_only) * (second_only + neither)
    columns = (both + second_only) * (first_only + neither)
    product = float(both * neither - first_only * second_only)
    if rows * columns == 0:
        return 0.0
    corrected = max(product - len(one) / 2, 0) if product > 0 else product
    return float(corrected / np.sqrt(rows * columns))


def corrected_correlation(one: pd.Series, two: pd.Series, clusters: pd.Series) -> float:
    """The same for clusters: the correlation of their residual totals, less half a cluster."""
    totals = [(side - side.mean()).groupby(clusters).sum() for side in (one, two)]
    norm = float(np.sqrt((totals[0] ** 2).sum() * (totals[1] ** 2).sum()))
    groups = [clusters[side.notna()].nunique() for side in (one, two)]
    spread = float(np.sqrt(groups[0] * one.var(ddof=0) * groups[1] * two.var(ddof=0)))
    if norm < 1e-12 or spread == 0:
        return 0.0
    found = float((totals[0] * totals[1]).sum()) / norm
    return max(found - 0.5 / spread, 0.0) if found > 0 else found


def counts(one: pd.Series, two: pd.Series) -> tuple[int, int, int, int]:
    """Pairs that both accept, the first alone, the second alone, neither."""
    pairs = [(1, 1), (1, 0), (0, 1), (0, 0)]
    both, first_only, second_only, neither = (int((one.eq(a) & two.eq(b)).sum()) for a, b in pairs)
    return both, first_only, second_only, neither


def mcnemar(one: pd.Series, two: pd.Series, clusters: pd.Series) -> float | Between:
    """A binomial test where clusters shift by one pair, else a sign for each cluster by chance."""
    shifts = (one - two).groupby(clusters).sum()
    shifts = shifts[shifts != 0]
    if shifts.empty:
        return 1.0
    if shifts.abs().eq(1).all():
        return float(stats.binomtest(int((shifts > 0).sum()), len(shifts)).pvalue)
    signs = np.random.default_rng(SEED).choice([-1, 1], size=(DRAWS, len(shifts)))
    p = float((np.abs(signs @ shifts.to_numpy()) >= abs(shifts.sum())).mean())
    error = ERRORS * np.sqrt(max(p * (1 - p), 1 / DRAWS) / DRAWS)
    return Between(max(p - error, 0), p + error)


def holm(p: float, family: pd.Series) -> float | None:
    """Of the sorted p values the i-th (from 0) times (m - i), never less than the one before."""
    tested: list[float] = sorted(family.dropna())
    steps = [min((len(tested) - place) * each, 1.0) for place, each in enumerate(tested)]
    return max(steps[: tested.index(p) + 1]) if pd.notna(p) else None


def bootstrap(
    values: pd.Series, clusters: pd.Series, raw: Raw, weights: pd.Series | None = None
) -> tuple[Between, Between] | tuple[None, None]:
    """Where the percentile limits of the study's resamples may lie."""
    weights = (values * 0 + 1) if weights is None else weights.where(values.notna())
    parts = pd.DataFrame({"total": values * weights, "weight": weights}).dropna()
    totals = parts.groupby(clusters).sum().to_numpy()
    drawn = np.random.default_rng(SEED).integers(len(totals), size=(DRAWS, len(totals)))
    sums = totals[drawn].sum(axis=1)
    means = sums[:, 0] / sums[:, 1]
    if len(totals) < 2 or np.ptp(means) < 1e-12:
        return None, None
    tail = (1 - raw.study.confidence) / 2
    off = ERRORS * np.sqrt(tail * (1 - tail) / raw.settings.resamples)
    low, high = (
        Between(*np.quantile(means, np.clip([at - off, at + off], 0, 1))) for at in (tail, 1 - tail)
    )
    return low, high


def kappa_chance(first: float, second: float) -> float:
    """Disagreement by chance if each rater keeps its own share of 1."""
    return first * (1 - second) + second * (1 - first)


def ac1_chance(first: float, second: float) -> float:
    """Gwet's: one minus the agreement 2π(1 - π) by chance, π the mean share of 1."""
    mean = (first + second) / 2
    return 1 - 2 * mean * (1 - mean)


def coefficient(cells: Floats, chance: Chance) -> float:
    """One minus observed over expected disagreement, from the numbers of 11, 10, 01 and 00."""
    shares = cells / cells.sum()
    expected = chance(shares[0] + shares[1], shares[0] + shares[2])
    return float(1 - (shares[1] + shares[2]) / expected)


def coefficient_rate(
    one: pd.Series, two: pd.Series, clusters: pd.Series, level: float, chance: Chance
) -> Rate:
    """A coefficient of agreement with its limits."""
    valid = one.notna() & two.notna()
    one, two, clusters = one[valid], two[valid], clusters[valid]
    if one.empty or chance(one.mean(), two.mean()) == 0:
        return Rate(None, None, None)
    value = coefficient(np.array(counts(one, two), dtype=float), chance)
    if clusters.nunique() == 1:
        return Rate(value, None, None)
    if one.equals(two):
        low = rate(one * 0 + 1, clusters, level).low
        assert low is not None
        return Rate(1.0, max(1 - (1 - low) / chance(one.mean(), two.mean()), -1), 1.0)
    low, high = fisher_limits(one, two, clusters, level, chance)
    return Rate(value, min(low, value), max(high, value))


def fisher_limits(
    one: pd.Series, two: pd.Series, clusters: pd.Series, level: float, chance: Chance
) -> tuple[float, float]:
    """The delta method on Fisher's z, with a cluster added that is spread over the four cells."""
    sizes = clusters.value_counts()
    cells = np.array(counts(one, two), dtype=float) + sizes.mean() / 4
    steps = np.eye(4) * 1e-4
    slopes = np.array(
        [coefficient(cells + step, chance) - coefficient(cells - step, chance) for step in steps]
    )
    slopes /= 2e-4
    places = (3 - 2 * one - two).astype(int)
    influence = pd.Series(slopes[places], places.index).groupby(clusters).sum()
    variance = (influence**2 / (1 - sizes / len(one))).sum()
    variance += sizes.mean() ** 2 * (slopes**2).mean()
    centre = coefficient(cells, chance)
    reach = stats.t.ppf((1 + level) / 2, len(sizes) - 1) * np.sqrt(variance) / (1 - centre**2)
    low, high = np.tanh(np.arctanh(centre) + reach * np.array([-1, 1]))
    return float(low), float(high)


# Cells


def cell(raw: Raw, judge: str, generator: str) -> pd.DataFrame:
    """A row a response, a column a condition, for one generator or a pool of them."""
    verdicts = majority(raw) if judge == MAJORITY else raw.main[raw.main["judge"] == judge]
    wide = verdicts.pivot(index=RESPONSE, columns="condition", values="verdict").reset_index()
    wide[CONDITIONS] = wide[CONDITIONS].apply(lambda column: column.map(DECISIONS))
    names, family = raw.settings.generators, raw.families.get(judge)
    pools = {
        ALL: list(names),
        NOT_OWN: [name for name in names if name != judge],
        NOT_FAMILY: [name for name in names if raw.families[name] != family],
    }
    chosen = wide["generator"].isin(pools.get(generator, [generator]))
    return wide[chosen].reset_index(drop=True)


def majority(raw: Raw) -> pd.DataFrame:
    """What more than half of the judges say, else INVALID."""
    votes = raw.main.pivot(index=[*RESPONSE, "condition"], columns="judge", values="verdict")
    said = {name: (votes == name).sum(axis=1) * 2 > votes.shape[1] for name in DECISIONS}
    verdict = np.select(list(said.values()), list(said), "INVALID")
    return pd.DataFrame({"verdict": verdict}, votes.index).reset_index()


def note(found: Rate, invalid: int, n: int, raw: Raw) -> str:
    if n and invalid / n > raw.study.max_invalid:
        return f"not estimable: {invalid} of {n} are invalid"
    return "; ".join(part for part in (found.note, "imprecise" * found.wide) if part)


# Tables: the row as the raw judgments give it, without its labels


def responses(row: Row, raw: Raw) -> Expected:
    mine = raw.main[raw.main["generator"] == row["generator"]]
    mine = mine[mine["judge"] == raw.study.judges[0]]
    mine = mine[mine["condition"] == "NR"]
    states = mine["response_state"]
    right = mine["response_right"].eq("True").astype(float)
    return {
        "n": len(mine),
        **{state: int((states == state).sum()) for state in ("complete", "cut_off", "empty")},
        **rate(right, mine["cluster"], raw.study.confidence).shown("right"),
    }


def acceptance(row: Row, raw: Raw) -> Expected:
    wide = cell(raw, row["judge"], row["generator"])
    condition: str = row["condition"]
    decisions = wide[condition]
    found = rate(decisions, wide["cluster"], raw.study.confidence)
    n, accepted, invalid = len(wide), int((decisions == 1).sum()), int(decisions.isna().sum())
    said = note(found, invalid, n, raw)
    return {
        "n": n,
        "clusters": wide["cluster"].nunique(),
        "invalid": invalid,
        **hidden(found.shown("acceptance"), said),
        "acceptance_min": accepted / n if n else None,
        "acceptance_max": (accepted + invalid) / n if n else None,
        "note": said,
    }


def hidden(numbers: Expected, said: str) -> Expected:
    return dict.fromkeys(numbers) if said.startswith("not estimable") else numbers


def sensitivity(row: Row, raw: Raw) -> Expected:
    wide = cell(raw, row["judge"], row["generator"])
    first, second = row["transition"].split("→")
    one, two, clusters = wide[first], wide[second], wide["cluster"]
    invalid = int((one.isna() | two.isna()).sum())
    flip = rate((one - two).abs(), clusters, raw.study.confidence)
    said = note(flip, invalid, len(wide), raw)
    low, high = bootstrap(one - two, clusters, raw)
    numbers = {
        **flip.shown("flip_rate"),
        **directions(one, two, clusters, raw),
        **difference(one, two, clusters, raw.study.confidence).shown("net"),
    }
    return {
        "relation": relation(row["judge"], row["generator"], raw.families),
        **counted(one, two, clusters),
        "accepted_first": int((one.eq(1) & two.notna()).sum()),
        "rejected_first": int((one.eq(0) & two.notna()).sum()),
        **hidden(numbers, said),
        **net_bounds(one, two),
        "net_bootstrap_low": low,
        "net_bootstrap_high": high,
        "p": mcnemar(one, two, clusters) if invalid < len(wide) else None,
        **multiplicity(row, raw),
        "note": said,
    }


def counted(one: pd.Series, two: pd.Series, clusters: pd.Series) -> Expected:
    _, to_incorrect, to_correct, _ = counts(one, two)
    flips, invalid, n = to_incorrect + to_correct, int((one - two).isna().sum()), len(one)
    return {
        "n": n,
        "clusters": clusters.nunique(),
        "invalid": invalid,
        "to_incorrect": to_incorrect,
        "to_correct": to_correct,
        "flip_rate_min": flips / n if n else None,
        "flip_rate_max": (flips + invalid) / n if n else None,
    }


def directions(one: pd.Series, two: pd.Series, clusters: pd.Series, raw: Raw) -> Expected:
    """Flips each way, over all valid pairs and over those that could flip that way."""
    shift = one - two
    found: Expected = {}
    for name, sign, start in (("to_incorrect", 1, 1), ("to_correct", -1, 0)):
        hits = shift.eq(sign).astype(float).where(shift.notna())
        found |= rate(hits, clusters, raw.study.confidence).shown(f"{name}_share")
        could = rate(hits.where(one == start), clusters, raw.study.confidence)
        found |= could.shown(f"{name}_rate")
    return found


def net_bounds(one: pd.Series, two: pd.Series) -> Expected:
    """Invalid verdicts read so that the difference is as small, and as large, as it can be."""
    if one.empty:
        return {"net_min": None, "net_max": None}
    return {
        "net_min": one.fillna(0).mean() - two.fillna(1).mean(),
        "net_max": one.fillna(1).mean() - two.fillna(0).mean(),
    }


def relation(judge: str, generator: str, families: Mapping[str, str]) -> str:
    if judge == MAJORITY or generator in (ALL, NOT_OWN, NOT_FAMILY):
        return ""
    alike = families[judge] == families[generator]
    return "own" if judge == generator else "family" if alike else "other"


def multiplicity(row: Row, raw: Raw) -> Expected:
    contrast = row["transition"] == "→".join(raw.settings.primary)
    primary = contrast and row["generator"] == ALL and row["judge"] != MAJORITY
    role = "primary" if primary else "exploratory"
    table = raw.committed("sensitivity")
    return {"role": role, "p_holm": holm(row["p"], table.loc[table["role"] == role, "p"])}


def paths(row: Row, raw: Raw) -> Expected:
    wide = raw.main[raw.main["judge"] == row["judge"]].pivot(
        index=["generator", "question_id"], columns="condition", values="verdict"
    )
    same = [wide[name] == row[name] for name in CONDITIONS]
    return {"n": int((same[0] & same[1] & same[2]).sum())}


def leaks(row: Row, raw: Raw) -> Expected:
    said = {name: leaking(raw, row["judge"], name) for name in ("NR", row["condition"])}
    before, after = said["NR"], said[row["condition"]]
    assert before.index.equals(after.index)
    clusters, level = after["cluster"], raw.study.confidence
    found = rate(after["leak"], clusters, level)
    both = before["accepted"].notna() & after["accepted"].notna()
    changed = before["extracted"].ne(after["extracted"]).astype(float).where(both)
    above = difference(after["leak"], before["leak"], clusters, level).shown("above_nr")
    changes = rate(changed, clusters, level).shown("extracted_changed")
    baseline = row["condition"] == "NR"
    return {
        "n": int(after["leak"].notna().sum()),
        "leaks": int(after["leak"].sum()),
        **found.shown("leak_rate"),
        **(dict.fromkeys(above) if baseline else above),
        "compared": 0 if baseline else int(both.sum()),
        **(dict.fromkeys(changes) if baseline else changes),
        "note": Marked(found.wide),
    }


def leaking(raw: Raw, judge: str, condition: str) -> pd.DataFrame:
    """Extracted answers that say a reference, among responses that say none."""
    chosen = (raw.main["judge"] == judge) & (raw.main["condition"] == condition)
    mine = raw.main[chosen].set_index(["generator", "question_id"]).sort_index()
    could = mine["response_right"].eq("False") & mine["accepted"].notna()
    leak = mine["extracted_matches_reference"].eq("True").astype(float)
    return mine.assign(leak=leak.where(could))


def compared(row: Row, raw: Raw) -> Expected:
    mine = raw.table[(raw.table["judge"] == row["judge"]) & (raw.table["generator"] != "")]
    chosen = mine.loc[mine["variant"] == "sampled-1", "question_id"]
    mine = mine[mine["question_id"].isin(chosen)]
    name = (mine["condition"] + " " + mine["variant"]).str.strip()
    wide = mine.assign(name=name).pivot(index=RESPONSE, columns="name", values="accepted")
    wide = wide.reset_index()
    one, two = (wide[name] for name in PAIRS[row["measure"]])
    clusters, level = wide["cluster"], raw.study.confidence
    flip = rate((one - two).abs(), clusters, level)
    return {
        **counted(one, two, clusters),
        **flip.shown("flip_rate"),
        **difference(one, two, clusters, level).shown("net"),
        **over(wide, row["measure"], "another seed", raw, "over_seed"),
        **over(wide, row["measure"], "paraphrase", raw, "over_paraphrase"),
        "note": Marked(flip.wide),
    }


def over(wide: pd.DataFrame, measure: str, floor: str, raw: Raw, name: str) -> Expected:
    """How much more flips than between two seeds, or two wordings."""
    if measure == floor:
        return Rate(None, None, None).shown(name)
    flips, noise = ((wide[a] - wide[b]).abs() for a, b in (PAIRS[measure], PAIRS[floor]))
    return difference(flips, noise, wide["cluster"], raw.study.confidence).shown(name)


def controls(row: Row, raw: Raw) -> Expected:
    if row["condition"] == "none":
        asked = raw.table["question_id"].unique()
        mine = raw.calibration[raw.calibration["question_id"].isin(asked)]
        right = mine["condition"] == "C1"
    else:
        mine = raw.table[raw.table["condition"] == row["condition"]]
        mine = mine[mine["variant"].isin(["right", "wrong"])]
        right = mine["variant"] == "right"
    mine = mine[mine["judge"] == row["judge"]]
    right = right[mine.index]
    correct = mine["accepted"].where(right, 1 - mine["accepted"])
    clusters, level = mine["cluster"], raw.study.confidence
    accuracy = rate(correct, clusters, level)
    return {
        "n": len(mine),
        "clusters": clusters.nunique(),
        "invalid": int(mine["verdict"].eq("INVALID").sum()),
        **rate(mine["accepted"][right], clusters, level).shown("right_accepted"),
        **rate(mine["accepted"][~right], clusters, level).shown("wrong_accepted"),
        **accuracy.shown("accuracy"),
        "note": Marked(accuracy.wide),
    }


def flips_by_correctness(row: Row, raw: Raw) -> Expected:
    wide = cell(raw, row["judge"], ALL)
    wide["right"] = wide["response_right"].map({"True": "right", "False": "wrong"})
    first, second = row["transition"].split("→")
    wide["flip"] = (wide[first] - wide[second]).abs()
    if row["response"] == "standardised":
        return standardised(row, wide, raw)
    part = wide[wide["right"] == row["response"]]
    _, to_incorrect, to_correct, _ = counts(part[first], part[second])
    found = rate(part["flip"], part["cluster"], raw.study.confidence)
    return {
        "n": int(part["flip"].notna().sum()),
        "to_incorrect": to_incorrect,
        "to_correct": to_correct,
        **found.shown("flip_rate"),
        "note": Marked(found.wide),
    }


def standardised(row: Row, wide: pd.DataFrame, raw: Raw) -> Expected:
    """Generators weigh alike among the right responses, and among the wrong ones."""
    weights = pd.Series(0.0, wide.index)
    for _, stratum in wide.groupby("right"):
        for _, mine in stratum.groupby("generator"):
            generators = stratum["generator"].nunique()
            weights[mine.index] = len(stratum) / len(wide) / generators / len(mine)
    valid = wide["flip"].notna()
    low, high = bootstrap(wide["flip"], wide["cluster"], raw, weights)
    value = np.average(wide["flip"][valid], weights=weights[valid]) if valid.any() else None
    return {
        "n": int(valid.sum()),
        "to_incorrect": None,
        "to_correct": None,
        "flip_rate": value,
        "flip_rate_low": low,
        "flip_rate_high": high,
        "note": Marked(row["flip_rate_high"] - row["flip_rate_low"] > 0.3),
    }


def judges_agreement(row: Row, raw: Raw) -> Expected:
    decisions = [
        cell(raw, row[name], ALL).set_index(RESPONSE).sort_index()[row["condition"]]
        for name in ("judge", "other")
    ]
    both = pd.concat(decisions, axis="columns", keys=["one", "two"]).reset_index()
    one, two, clusters, level = both["one"], both["two"], both["cluster"], raw.study.confidence
    valid = one.notna() & two.notna()
    same = one.eq(two).astype(float).where(valid)
    return {
        "n": int(valid.sum()),
        "invalid": int((~valid).sum()),
        **rate(same, clusters, level).shown("agreement"),
        **coefficient_rate(one, two, clusters, level, kappa_chance).shown("kappa"),
        **coefficient_rate(one, two, clusters, level, ac1_chance).shown("ac1"),
        "note": row["note"] if is_special(one[valid], two[valid]) else "",
    }


def is_special(one: pd.Series, two: pd.Series) -> bool:
    """Whether a rater is constant or the two never differ, of which the note speaks."""
    return one.nunique() < 2 or two.nunique() < 2 or bool(one.eq(two).all())


def regression(row: Row, raw: Raw) -> Expected:
    mine = raw.main[raw.main["judge"] == row["judge"]].dropna(subset="accepted")
    conditions, generators = len(CONDITIONS) - 1, len(raw.settings.generators) - 1
    interaction = row["effect"] == "condition × generator"
    sign = "*" if interaction else "+"
    formula = f"accepted ~ C(condition, Treatment('NR')) {sign} C(generator)"
    degrees = conditions * generators if interaction else conditions
    ratio, test = Rate(None, None, None), {"f": None, "degrees": degrees, "p": None}
    odds = row["effect"].endswith(" against NR")
    if row["note"]:
        confirm(row["note"], formula, mine)
    elif odds:
        ratio = odds_ratio(fit(formula, mine), row["effect"].split()[0], mine, raw)
    else:
        test |= wald(fit(formula, mine), ":" if interaction else "C(condition", mine)
    return {
        **ratio.shown("odds_ratio"),
        **(dict.fromkeys(test) if odds else test),
        "note": row["note"],
    }


def fit(formula: str, mine: pd.DataFrame) -> Any:
    """A GEE with exchangeable correlation; with none where that is impossible or finds nothing."""
    largest = mine["cluster"].value_counts().max()
    for structure in (sm.cov_struct.Exchangeable(), sm.cov_struct.Independence()):
        model = smf.gee(
            formula, "cluster", mine, family=sm.families.Binomial(), cov_struct=structure
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = model.fit(cov_type="bias_reduced")
        possible = -1 / (largest - 1) < (structure.dep_params or 0) < 1
        if fitted.converged and possible and not is_extreme(fitted):
            break
    return fitted


def is_extreme(fitted: Any) -> bool:
    """Whether a fit ran away: no share of a few hundred rows is so near to 0 or 1."""
    shares = fitted.fittedvalues
    return bool(np.minimum(shares, 1 - shares).min() < EXTREME)


def odds_ratio(fitted: Any, condition: str, mine: pd.DataFrame, raw: Raw) -> Rate:
    place = next(name for name in fitted.params.index if name.endswith(f"[T.{condition}]"))
    degrees = mine["cluster"].nunique() - len(fitted.params)
    half = stats.t.ppf((1 + raw.study.confidence) / 2, degrees) * fitted.bse[place]
    low, value, high = np.exp(fitted.params[place] + np.array([-half, 0, half]))
    return Rate(value, low, high)


def wald(fitted: Any, part: str, mine: pd.DataFrame) -> Expected:
    """F of the coefficients whose names hold this part."""
    names = [name for name in fitted.params.index if part in name]
    values = fitted.params[names].to_numpy()
    covariance = fitted.cov_params().loc[names, names].to_numpy()
    f = float(values @ linalg.inv(covariance) @ values) / len(names)
    degrees = mine["cluster"].nunique() - len(fitted.params)
    return {"f": f, "p": stats.f.sf(f, len(names), degrees)}


def confirm(said: str, formula: str, mine: pd.DataFrame) -> None:
    """Where the note says separated: a cell is constant, and the likelihood has no maximum."""
    if said.startswith("separated"):
        rates = mine.pivot_table(values="accepted", index="generator", columns="condition")
        assert rates.isin([0, 1]).any(axis=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = smf.glm(formula, mine, family=sm.families.Binomial())
            assert is_extreme(model.fit(tol=1e-14, maxiter=50))


# The labels of each table's rows, and how the rest of a row is computed

TABLES: dict[str, tuple[list[str], Callable[[Row, Raw], Expected]]] = {
    "responses": (["generator"], responses),
    "acceptance": (["judge", "generator", "condition"], acceptance),
    "sensitivity": (["judge", "generator", "transition"], sensitivity),
    "paths": (["judge", *CONDITIONS], paths),
    "compared": (["judge", "measure"], compared),
    "controls": (["judge", "condition"], controls),
    "leaks": (["judge", "condition"], leaks),
    "flips_by_correctness": (["judge", "transition", "response"], flips_by_correctness),
    "judges_agreement": (["judge", "other", "condition"], judges_agreement),
    "regression": (["judge", "effect"], regression),
}
# Tables that have rows only where the judgments hold these variants.
OPTIONAL = {"compared": ["sampled-1"], "controls": ["right", "wrong"]}


def differing(row: Row, name: str, raw: Raw) -> dict[str, tuple[Any, Any]]:
    """The columns of a row that are not what the raw judgments give: found, expected."""
    labels, recompute = TABLES[name]
    expected = recompute(row, raw)
    assert {*labels, *expected} == set(row)
    return {
        column: (row[column], wanted)
        for column, wanted in expected.items()
        if not agrees(row[column], wanted)
    }


def agrees(found: Any, expected: Any) -> bool:
    """Whether a number of six digits, a text, or its absence, is what is expected."""
    match expected:
        case None:
            return bool(pd.isna(found))
        case str():
            return bool(found == expected)
        case Marked(wide):
            return bool(found) if wide else "imprecise" not in found
        case Between(low, high):
            return bool(low - 1e-5 <= found <= high + 1e-5)
        case _:
            return bool(found == pytest.approx(expected, rel=1e-5, abs=1e-9))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", COMMITTED)
def test_a_row_of_each_committed_table_is_what_the_raw_judgments_give(
    name: str, table: str
) -> None:
    folder = ROOT / "figures" / name
    if not (folder / "sensitivity.csv").exists():
        pytest.skip(f"no sensitivity tables of {name} yet")
    raw = Raw(folder, studies.load(name))
    rows = raw.committed(table).to_dict("records")
    if table in OPTIONAL and not raw.table["variant"].isin(OPTIONAL[table]).any():
        assert not rows
        return
    picked = int(hashlib.sha256((folder / f"{table}.csv").read_bytes()).hexdigest(), 16)
    row = rows[picked % len(rows)]
    assert not differing(row, table, raw), row
