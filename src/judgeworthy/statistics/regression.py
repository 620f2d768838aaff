"""Regression of clustered binary outcomes on two factors, by generalised estimating equations.

References
----------
.. [1] K.-Y. Liang, S. L. Zeger (1986). Longitudinal data analysis using generalized linear models.
   Biometrika 73, 13-22.
.. [2] L. A. Mancl, T. A. DeRouen (2001). A covariance estimator for GEE with improved
   small-sample properties. Biometrics 57, 126-134.
.. [3] K. Konis (2007). Linear programming algorithms for detecting separated data in binary
   logistic regression models. DPhil thesis, University of Oxford.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import statsmodels.api as sm
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.special import fdtrc

from judgeworthy.statistics.clusters import Floats, Rows, read_binary_rows
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.quantiles import two_sided

GEE = "GEE (logit, exchangeable, bias-reduced error, t)"
INDEPENDENT = "GEE (logit, working independence, bias-reduced error, t)"
SEPARATED = "separated: a combination of levels has one outcome only, so the odds have no estimate"
# Variances of log odds below this are rounding.
NO_VARIANCE = 1e-10
# Log odds beyond this are those of a fit that ran away.
EXTREME = 20.0
# Above what the linear programme allows its constraints to be missed by.
SOLVER_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Wald:
    """A joint test that several coefficients are 0.

    Attributes
    ----------
    statistic : float or None
        F with `degrees` and (clusters - coefficients) degrees of freedom.
    degrees : int
    p : float or None
    note : str
        Why there is no test.
    method : str
        How the model was fitted.
    """

    statistic: float | None
    degrees: int
    p: float | None
    note: str = ""
    method: str = GEE


@dataclass(frozen=True)
class TwoFactors:
    """Effects of one factor, adjusted for another, and whether they depend on it.

    Attributes
    ----------
    odds_ratios : dict of str to Estimate
        Each level of the factor against its first, from the model without interaction.
    effect : Wald
        Whether the factor matters at all, in that model.
    interaction : Wald
        Whether its effect differs between the levels of the other.
    """

    odds_ratios: dict[str, Estimate]
    effect: Wald
    interaction: Wald


def two_factors(
    outcome: ArrayLike,
    factor: Sequence[str],
    other: Sequence[str],
    clusters: ArrayLike,
    confidence: float = 0.95,
) -> TwoFactors:
    """Regress a binary outcome on two factors, with an exchangeable correlation in clusters [1]_.

    The error is bias-reduced [2]_, with the quantiles of t and F at (clusters - coefficients)
    degrees of freedom. Separation, under which a fit converges to nonsense, is detected by linear
    programming [3]_ before anything is fitted. The working correlation is 0 where the clusters hold
    no more pairs of rows than there are coefficients, where it comes out as one that the rows of a
    cluster cannot have, and where the fit with it does not converge to finite odds; the error
    allows for clusters all the same.

    Parameters
    ----------
    outcome : array_like of shape (n_rows,)
        0, 1 or NaN (missing; left out).
    factor, other : sequence of str of length n_rows
        Levels; the first that occurs, be its outcome missing or not, is the baseline.
    clusters : array_like of shape (n_rows,)
        A label per row.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    TwoFactors
        Where a model is separated or cannot be fitted, its numbers are undefined and say so. That
        includes a level without valid rows, and one that occurs in a single cluster.

    Raises
    ------
    ValueError
        If an outcome is not 0, 1 or NaN, if the shapes differ, or if `confidence` is not between
        0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    rows = read_binary_rows(outcome, clusters)
    kept = ~np.isnan(np.asarray(outcome, dtype=np.float64))
    columns, levels = _dummies(factor, kept)
    others, _ = _dummies(other, kept)
    additive = np.column_stack([np.ones(rows.n), columns, others])
    full = np.column_stack([additive, *(a * b for a in columns.T for b in others.T)])
    fitted = _fit(rows, additive)
    tested = list(range(1, 1 + len(levels)))
    added = list(range(additive.shape[1], full.shape[1]))
    ratios = {
        level: _odds_ratio(fitted, place, rows, confidence)
        for place, level in enumerate(levels, start=1)
    }
    return TwoFactors(ratios, _wald(fitted, tested), _wald(_fit(rows, full), added))


def separated(outcome: ArrayLike, design: ArrayLike) -> bool:
    """Return whether a hyperplane parts the outcomes, completely or nearly [3]_.

    Parameters
    ----------
    outcome : array_like of shape (n_rows,)
        0 or 1.
    design : array_like of shape (n_rows, n_coefficients)
        Of full rank, with a column of ones.

    Returns
    -------
    bool
        False without rows.
    """
    signed = np.asarray(design) * np.where(np.asarray(outcome) == 1, 1.0, -1.0)[:, None]
    signed = np.unique(signed, axis=0)
    found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1, 1))
    return bool(-found.fun > SOLVER_TOLERANCE)


@dataclass(frozen=True)
class _Fit:
    coefficients: Floats
    covariance: Floats
    degrees: int
    method: str


def _fit(rows: Rows, design: Floats) -> _Fit | str:
    """Return the fit, or why there is none."""
    reason = _obstacle(rows, design)
    if reason:
        return reason
    result, method = _gee(rows, design)
    if not (result.converged and np.isfinite(result.cov_params()).all()):
        return "the fit did not converge"
    degrees = rows.clusters - design.shape[1]
    return _Fit(result.params, result.cov_params(), degrees, method)


def _obstacle(rows: Rows, design: Floats) -> str:
    coefficients = design.shape[1]
    if rows.clusters <= coefficients:
        return f"clusters are too few: {rows.clusters}, with {coefficients} coefficients"
    if np.linalg.matrix_rank(design) < coefficients:
        return "too few combinations of levels have valid rows to tell the effects apart"
    if separated(rows.values, design):
        return SEPARATED
    if _rests_on_one_cluster(rows, design):
        return "an effect rests on one cluster alone, so it has no error"
    return ""


def _rests_on_one_cluster(rows: Rows, design: Floats) -> bool:
    """Return whether the design loses a coefficient without one of the clusters.

    Such a cluster is fitted exactly; its leverage is 1, and the bias-reduced error divides by 0.
    """
    products = np.zeros((len(rows.sizes), design.shape[1], design.shape[1]))
    np.add.at(products, rows.labels, design[:, :, None] * design[:, None, :])
    rest = products.sum(axis=0) - products
    return bool((np.linalg.matrix_rank(rest, hermitian=True) < design.shape[1]).any())


def _gee(rows: Rows, design: Floats) -> tuple[Any, str]:
    """Return the result with an exchangeable correlation, or else with none, and its name."""
    if (rows.sizes * (rows.sizes - 1)).sum() // 2 > design.shape[1]:
        result = _solved(rows, design, sm.cov_struct.Exchangeable())
        if _sound(result, design, int(rows.sizes.max())):
            return result, GEE
    return _solved(rows, design, sm.cov_struct.Independence()), INDEPENDENT


def _sound(result: Any, design: Floats, largest: int) -> bool:
    # Outside these limits it is no correlation matrix for the largest cluster.
    possible = -1 / (largest - 1) < result.cov_struct.dep_params < 1
    bounded = np.abs(design @ result.params).max() < EXTREME
    return bool(result.converged and possible and bounded)


def _solved(rows: Rows, design: Floats, correlation: Any) -> Any:
    order = np.argsort(rows.labels, kind="stable")
    model = sm.GEE(
        rows.values[order],
        design[order],
        groups=rows.labels[order],
        family=sm.families.Binomial(),
        cov_struct=correlation,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of is read from the result
        return model.fit(cov_type="bias_reduced")


def _odds_ratio(fitted: _Fit | str, place: int, rows: Rows, confidence: float) -> Estimate:
    if isinstance(fitted, str):
        return undefined(fitted, GEE, rows.n, rows.clusters)
    value, variance = float(fitted.coefficients[place]), float(fitted.covariance[place, place])
    if variance < NO_VARIANCE:
        note = "the error is 0: no interval"
        return Estimate(
            float(np.exp(value)), None, None, rows.n, rows.clusters, fitted.method, note
        )
    half = two_sided(confidence, fitted.degrees) * variance**0.5
    ratio, low, high = (float(np.exp(value + step)) for step in (0.0, -half, half))
    return Estimate(ratio, low, high, rows.n, rows.clusters, fitted.method)


def _wald(fitted: _Fit | str, places: list[int]) -> Wald:
    degrees = len(places)
    if isinstance(fitted, str):
        return Wald(None, degrees, None, fitted)
    if degrees == 0:
        return Wald(None, 0, None, "nothing to test: a factor has one level")
    part, covariance = fitted.coefficients[places], fitted.covariance[np.ix_(places, places)]
    if np.linalg.eigvalsh(covariance)[0] < NO_VARIANCE:
        return Wald(None, degrees, None, "the error is 0: no test")
    statistic = float(part @ np.linalg.solve(covariance, part)) / degrees
    p = float(fdtrc(degrees, fitted.degrees, statistic))
    return Wald(statistic, degrees, p, method=fitted.method)


def _dummies(levels: Sequence[str], kept: NDArray[np.bool_]) -> tuple[Floats, list[str]]:
    """Return a column a level but the first, over the kept rows, and the names of these levels."""
    labels = np.asarray(levels)
    if labels.shape != kept.shape:
        raise ValueError(f"outcome and levels differ in shape: {kept.shape}, {labels.shape}")
    names = list(dict.fromkeys(labels.tolist()))[1:]
    columns = np.array([labels[kept] == name for name in names], dtype=np.float64)
    return columns.reshape(len(names), int(kept.sum())).T, names
