"""Rates, tests and intervals, written anew and in another way than the project's own.

Bounds are found by filling in, exact p values by counting, matrix powers by eigenvectors; what the
project draws at random is known only up to the error of its draws.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from numpy.typing import NDArray
from scipy import linalg, stats
from statsmodels.stats.proportion import proportion_confint

from judgeworthy.study import Study

ENDS = ("", "_low", "_high", "_min", "_max")
WIDE = 0.3
NO_ROWS, ONE_CLUSTER = "no valid rows", "one cluster only: no interval"
NO_PAIRS = "no row has both ratings"
ONE_CATEGORY = "all ratings are equal: agreement by chance is certain, so this is undefined"
ALL_AGREE = "the raters agree on every row: the interval is that of raw agreement, rescaled"
CONSTANT_RATER = "a rater is constant: kappa is 0 whatever the other says"
SEPARATED = "separated: a combination of levels has one outcome only, so the odds have no estimate"
GEE = "GEE (logit, {}, bias-reduced error, t)"
# Of the bootstrap here; its seed is not the studies'.
DRAWS, SEED = 20_000, 4
# What a simulated number may be off, in standard errors of the simulation.
ERRORS = 5.0
# Shares nearer to 0 or 1 are those of a fit that ran away.
EXTREME = 1e-8

Expected = dict[str, Any]
Chance = Callable[[float, float], float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Between:
    """A number that is known up to the error of a simulation."""

    low: float
    high: float


# Entries of a table


@dataclass(frozen=True)
class Rate:
    """A number with its interval and its bounds, and the rows that it was asked of."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    asked: int = 0
    invalid: int = 0
    least: float | None = None
    most: float | None = None

    @property
    def remarks(self) -> list[str]:
        wide = self.low is not None and self.high is not None and self.high - self.low > WIDE
        return [text for text in (self.note, "imprecise" * wide) if text]

    def kept(self, study: Study) -> "Rate":
        """Itself, or its bounds alone where too much is invalid."""
        if self.invalid <= study.max_invalid * self.asked:
            return self
        note = f"not estimable: {self.invalid} of {self.asked} are invalid"
        return replace(self, value=None, low=None, high=None, note=note)

    def columns(self, name: str) -> Expected:
        values = (self.value, self.low, self.high, self.least, self.most)
        return {f"{name}{end}": value for end, value in zip(ENDS, values, strict=True)}


def counted(values: pd.Series, clusters: pd.Series) -> Expected:
    return {
        "n": len(values),
        "clusters": clusters.nunique(),
        "invalid": int(values.isna().sum()),
    }


def entries(study: Study, **rates: Rate) -> Expected:
    """Five columns a rate, and one note."""
    kept = {name: each.kept(study) for name, each in rates.items()}
    found: Expected = {"note": joined(kept)}
    for name, each in kept.items():
        found |= each.columns(name)
    return found


def absent(*names: str) -> Expected:
    return dict.fromkeys(f"{name}{end}" for name in names for end in ENDS)


def joined(rates: Mapping[str, Rate]) -> str:
    """Each remark once; before it, whom it is about, unless that is the first."""
    remarks = dict.fromkeys(text for each in rates.values() for text in each.remarks)
    about = [[name for name in rates if text in rates[name].remarks] for text in remarks]
    first = next(iter(rates))
    whom = ["" if first in names else f"{', '.join(names)}: " for names in about]
    return "; ".join(
        names.replace("_", " ") + text for names, text in zip(whom, remarks, strict=True)
    )


# Proportions and their differences


def rate(values: pd.Series, clusters: pd.Series, level: float) -> Rate:
    """The share of 1 among the valid, and with the others read as 0 and as 1."""
    found = proportion(values.dropna(), clusters, level)
    if values.empty:
        return found
    least, most = (float(values.fillna(reading).mean()) for reading in (0, 1))
    invalid = int(values.isna().sum())
    return replace(found, asked=len(values), invalid=invalid, least=least, most=most)


def proportion(valid: pd.Series, clusters: pd.Series, level: float) -> Rate:
    """Wilson's limits; at the effective sample size where rows share clusters."""
    clusters = clusters[valid.index]
    n, groups = len(valid), clusters.nunique()
    if n == 0:
        return Rate(note=NO_ROWS)
    share = float(valid.mean())
    if groups == 1 < n:
        return Rate(share, note=ONE_CLUSTER)
    if groups == n or share in (0, 1):
        low, high = proportion_confint(share * groups, groups, 1 - level, method="wilson")
        note = f"all {share:.0f}: the interval counts {groups} clusters, not {n} rows"
        return Rate(share, float(low), float(high), note * (groups < n))
    variance = share * (1 - share)
    error = max(bias_reduced_variance(valid - share, clusters), variance / n)
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
    """First share minus second over the complete pairs; any other reading bounds it."""
    if one.empty:
        return paired(one, two, clusters, level)
    whole = one.notna() & two.notna()
    return replace(
        paired(one[whole], two[whole], clusters[whole], level),
        asked=len(one),
        invalid=int((~whole).sum()),
        least=one.fillna(0).mean() - two.fillna(1).mean(),
        most=one.fillna(1).mean() - two.fillna(0).mean(),
    )


def paired(one: pd.Series, two: pd.Series, clusters: pd.Series, level: float) -> Rate:
    """Square-and-add, with the correlation of the two shares."""
    first, second = (proportion(side, clusters, level) for side in (one, two))
    sides = {"first": first.note, "second": second.note}
    note = "; ".join(f"{name}: {text}" for name, text in sides.items() if text)
    if first.value is None or second.value is None:
        return Rate(note=note)
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Rate(value, note=note)
    phi = corrected_correlation(one, two, clusters)
    low = value - reach(first.value - first.low, second.high - second.value, phi)
    high = value + reach(first.high - first.value, second.value - second.low, phi)
    return Rate(value, low, high, note)


def reach(one: float, two: float, phi: float) -> float:
    return float(max(one**2 - 2 * phi * one * two + two**2, 0) ** 0.5)


def corrected_correlation(one: pd.Series, two: pd.Series, clusters: pd.Series) -> float:
    """That of the clusters' residual totals, less half a cluster; Newcombe's phi of single rows."""
    totals = [(side - side.mean()).groupby(clusters).sum() for side in (one, two)]
    norm = float(np.sqrt((totals[0] ** 2).sum() * (totals[1] ** 2).sum()))
    spread = clusters.nunique() * float(one.std(ddof=0) * two.std(ddof=0))
    if norm < 1e-12 or spread == 0:
        return 0.0
    found = float((totals[0] * totals[1]).sum()) / norm
    return max(found - 0.5 / spread, 0.0) if found > 0 else found


# Transitions


def counts(one: pd.Series, two: pd.Series) -> tuple[int, int, int, int]:
    """Pairs that both accept, the first alone, the second alone, neither."""
    pairs = [(1, 1), (1, 0), (0, 1), (0, 0)]
    both, first_only, second_only, neither = (int((one.eq(a) & two.eq(b)).sum()) for a, b in pairs)
    return both, first_only, second_only, neither


def states(one: pd.Series, two: pd.Series, clusters: pd.Series) -> Expected:
    """Pairs by their first and second state, INVALID among them."""
    both, to_incorrect, to_correct, neither = counts(one, two)
    return {
        **counted(one - two, clusters),
        "first_invalid": int((one.isna() & two.notna()).sum()),
        "second_invalid": int((one.notna() & two.isna()).sum()),
        "both_invalid": int((one.isna() & two.isna()).sum()),
        "accepted_first": both + to_incorrect,
        "rejected_first": neither + to_correct,
        "to_incorrect": to_incorrect,
        "to_correct": to_correct,
    }


def shifts(one: pd.Series, two: pd.Series, clusters: pd.Series, level: float) -> dict[str, Rate]:
    """Flips, those of each direction, and the net."""
    shift = one - two
    ways = {"to_incorrect_share": shift.clip(lower=0), "to_correct_share": -shift.clip(upper=0)}
    return {
        "flip_rate": rate(shift.abs(), clusters, level),
        **{name: rate(flips, clusters, level) for name, flips in ways.items()},
        "net": difference(one, two, clusters, level),
    }


def conditional(
    one: pd.Series, two: pd.Series, start: int, clusters: pd.Series, level: float
) -> Rate:
    """The share that flips among the pairs that start in one way."""
    found = rate((two[one == start] - start).abs(), clusters, level)
    least, most = conditional_bounds(one, two, start)
    note = f"no valid pair starts {start}" if found.value is None else found.note
    return replace(found, note=note, least=least, most=most)


def conditional_bounds(
    one: pd.Series, two: pd.Series, start: int
) -> tuple[float, float] | tuple[None, None]:
    """The extremes over ways to fill in: there, pairs that lack the same are filled in alike."""
    found = []
    for before_0, before_1, before, after, second in product((0.0, 1.0), repeat=5):
        first = np.select([one.notna(), two == 0, two == 1], [one, before_0, before_1], before)
        last = np.select([two.notna(), one.notna()], [two, second], after)
        if (first == start).any():
            found.append(float((last[first == start] != start).mean()))
    return (min(found), max(found)) if found else (None, None)


def mcnemar(one: pd.Series, two: pd.Series, clusters: pd.Series) -> float:
    """How many of all ways to sign the shifts of the clusters shift as much as was found."""
    totals = [int(total) for total in (one - two).groupby(clusters).sum() if total]
    ways = {0: 1}
    for total in totals:
        sums = {moved for found in ways for moved in (found - total, found + total)}
        ways = {each: ways.get(each - total, 0) + ways.get(each + total, 0) for each in sums}
    extreme = sum(n for found, n in ways.items() if abs(found) >= abs(sum(totals)))
    return float(extreme / 2 ** len(totals))


def holm(p: float, family: pd.Series) -> float | None:
    """Of the sorted p values the i-th (from 0) times (m - i), never less than the one before."""
    tested: list[float] = sorted(family.dropna())
    steps = [min((len(tested) - place) * each, 1.0) for place, each in enumerate(tested)]
    return max(steps[: tested.index(p) + 1]) if pd.notna(p) else None


# Resampling


def bootstrap(
    values: pd.Series, strata: pd.Series, groups: pd.Series, clusters: pd.Series, study: Study
) -> tuple[Between, Between] | tuple[None, None]:
    """Where the percentile limits of `standardised` over the study's resamples may lie."""
    labels = pd.concat([clusters, strata, groups], axis="columns")[values.notna()]
    labels = labels.astype("category").set_axis(["cluster", "stratum", "group"], axis="columns")
    by = [labels[name] for name in labels]
    cells = values.dropna().groupby(by, observed=False).agg(["sum", "count"])
    shape = tuple(len(label.cat.categories) for label in by)
    if shape[0] < 2:
        return None, None
    drawn = np.random.default_rng(SEED).multinomial(
        shape[0], np.full(shape[0], 1 / shape[0]), DRAWS
    )
    sums, sizes = (np.tensordot(drawn, cells[name].to_numpy().reshape(shape), 1) for name in cells)
    shares = sizes.sum(axis=2) / sizes.sum(axis=(1, 2))[:, None]
    means = (np.ma.divide(sums, sizes).mean(axis=2) * shares).sum(axis=1)
    return percentiles(np.asarray(means), study)


def percentiles(means: Floats, study: Study) -> tuple[Between, Between] | tuple[None, None]:
    if np.ptp(means) < 1e-12:
        return None, None
    assert study.sensitivity is not None
    tail = (1 - study.confidence) / 2
    off = ERRORS * np.sqrt(tail * (1 - tail) / study.sensitivity.resamples)
    low, high = (
        Between(*np.quantile(means, np.clip([at - off, at + off], 0, 1))) for at in (tail, 1 - tail)
    )
    return low, high


def standardised(values: pd.Series, strata: pd.Series, groups: pd.Series) -> float:
    """Groups weigh alike within a stratum, strata as they occur."""
    valid = values.dropna()
    means = valid.groupby([strata, groups]).mean().groupby(level=0).mean()
    shares = strata[valid.index].value_counts(normalize=True)
    return float((means * shares).sum())


# Agreement


def kappa_chance(first: float, second: float) -> float:
    """Disagreement by chance if each rater keeps its own share of 1."""
    return first * (1 - second) + second * (1 - first)


def ac1_chance(first: float, second: float) -> float:
    """Gwet's: one minus the agreement 2π(1 - π) by chance, π the mean share of 1."""
    mean = (first + second) / 2
    return 1 - 2 * mean * (1 - mean)


def agreement(one: pd.Series, two: pd.Series, clusters: pd.Series, level: float) -> dict[str, Rate]:
    """Raw agreement, kappa and AC1."""
    whole = one.notna() & two.notna()
    asked, invalid = len(one), int((~whole).sum())
    raw = rate(one.eq(two).astype(float).where(whole), clusters, level)
    one, two, clusters = one[whole], two[whole], clusters[whole]
    kappa, ac1 = (
        replace(coefficient_rate(one, two, clusters, level, chance), asked=asked, invalid=invalid)
        for chance in (kappa_chance, ac1_chance)
    )
    if kappa.value is not None and min(one.nunique(), two.nunique()) == 1:
        kappa = replace(kappa, note=CONSTANT_RATER)
    return {"agreement": raw, "kappa": kappa, "ac1": ac1}


def coefficient_rate(
    one: pd.Series, two: pd.Series, clusters: pd.Series, level: float, chance: Chance
) -> Rate:
    """A coefficient of agreement with its limits."""
    if one.empty:
        return Rate(note=NO_PAIRS)
    expected = chance(one.mean(), two.mean())
    if expected == 0:
        return Rate(note=ONE_CATEGORY)
    value = coefficient(np.array(counts(one, two), dtype=float), chance)
    if clusters.nunique() == 1:
        return Rate(value, note=ONE_CLUSTER)
    if one.equals(two):
        low = proportion(one * 0 + 1, clusters, level).low
        assert low is not None
        return Rate(1.0, max(1 - (1 - low) / expected, -1.0), 1.0, ALL_AGREE)
    low, high = fisher_limits(one, two, clusters, level, chance)
    return Rate(value, min(low, value), max(high, value))


def coefficient(cells: Floats, chance: Chance) -> float:
    """One minus observed over expected disagreement, from the numbers of 11, 10, 01 and 00."""
    shares = cells / cells.sum()
    expected = chance(shares[0] + shares[1], shares[0] + shares[2])
    return float(1 - (shares[1] + shares[2]) / expected)


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
    half = stats.t.ppf((1 + level) / 2, len(sizes) - 1) * np.sqrt(variance) / (1 - centre**2)
    low, high = np.tanh(np.arctanh(centre) + half * np.array([-1, 1]))
    return float(low), float(high)


# Regression


def fit(mine: pd.DataFrame, interaction: bool) -> Any:
    """A GEE with exchangeable correlation; with none where that is impossible or finds nothing."""
    largest = mine["cluster"].value_counts().max()
    for structure in (sm.cov_struct.Exchangeable(), sm.cov_struct.Independence()):
        model = smf.gee(
            formula(mine, interaction),
            "cluster",
            mine,
            family=sm.families.Binomial(),
            cov_struct=structure,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = model.fit(cov_type="bias_reduced")
        possible = -1 / (largest - 1) < (structure.dep_params or 0) < 1
        if fitted.converged and possible and not is_extreme(fitted):
            break
    return fitted


def formula(mine: pd.DataFrame, interaction: bool) -> str:
    """Condition and generator, which has no effect where there is but one."""
    generators = ("+", "*")[interaction] + "C(generator)"
    several = mine["generator"].nunique() > 1
    return f"accepted ~ C(condition, Treatment('NR')) {generators * several}"


def is_extreme(fitted: Any) -> bool:
    """Whether a fit ran away: no share of a few hundred rows is so near to 0 or 1."""
    shares = fitted.fittedvalues
    return bool(np.minimum(shares, 1 - shares).min() < EXTREME)


def method(fitted: Any) -> str:
    exchangeable = isinstance(fitted.cov_struct, sm.cov_struct.Exchangeable)
    structure = "exchangeable" if exchangeable else "working independence"
    return GEE.format(structure)


def odds_ratio(fitted: Any, condition: str, mine: pd.DataFrame, level: float) -> Expected:
    place = next(name for name in fitted.params.index if name.endswith(f"[T.{condition}]"))
    degrees = mine["cluster"].nunique() - len(fitted.params)
    half = stats.t.ppf((1 + level) / 2, degrees) * fitted.bse[place]
    low, value, high = np.exp(fitted.params[place] + np.array([-half, 0, half]))
    return {"odds_ratio": value, "odds_ratio_low": low, "odds_ratio_high": high}


def wald(fitted: Any, part: str, mine: pd.DataFrame) -> Expected:
    """F of the coefficients whose names hold this part."""
    names = [name for name in fitted.params.index if part in name]
    values = fitted.params[names].to_numpy()
    covariance = fitted.cov_params().loc[names, names].to_numpy()
    f = float(values @ linalg.inv(covariance) @ values) / len(names)
    degrees = mine["cluster"].nunique() - len(fitted.params)
    return {"f": f, "p": stats.f.sf(f, len(names), degrees)}


def is_separated(mine: pd.DataFrame, interaction: bool) -> bool:
    """Whether the likelihood has no maximum, for which a combination of levels must be constant."""
    shares = mine.pivot_table(values="accepted", index="generator", columns="condition")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.glm(formula(mine, interaction), mine, family=sm.families.Binomial())
        fitted = model.fit(tol=1e-14, maxiter=50)
    return bool(shares.isin([0, 1]).any(axis=None)) and is_extreme(fitted)
