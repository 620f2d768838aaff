"""Valid rows and the clusters they share: what every clustered estimator starts from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """The valid rows of a sample.

    Attributes
    ----------
    values : array of shape (n,)
        Without missing rows.
    labels : array of shape (n,)
        The position of each row's cluster among all clusters of the sample.
    sizes : array of shape (n_clusters,)
        Valid rows of each cluster; 0 for one that has none.
    """

    values: Floats
    labels: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @property
    def n(self) -> int:
        """Number of valid rows."""
        return len(self.values)

    @property
    def clusters(self) -> int:
        """Number of clusters with a valid row."""
        return int(np.count_nonzero(self.sizes))

    @property
    def mean(self) -> float:
        """Mean of the valid rows."""
        return float(self.values.mean())

    def residual_totals(self) -> Floats:
        """Sum of the residuals from the mean in each cluster; 0 for a cluster without rows."""
        totals = np.bincount(self.labels, self.values, minlength=len(self.sizes))
        # In this order whole numbers stay exact, and a total that is 0 comes out as 0.
        residuals: Floats = (self.n * totals - self.sizes * totals.sum()) / self.n
        return residuals


def read_rows(values: ArrayLike, clusters: ArrayLike | None = None) -> Rows:
    """Drop missing rows and number the clusters.

    Parameters
    ----------
    values : array_like of shape (n_rows,)
        Numbers; NaN is missing.
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.

    Raises
    ------
    ValueError
        If `values` is not one-dimensional or not finite, or if the shapes differ.
    """
    numbers = np.asarray(values, dtype=np.float64)
    names = np.arange(numbers.size) if clusters is None else np.asarray(clusters)
    if numbers.ndim != 1 or names.shape != numbers.shape:
        raise ValueError(f"values and clusters differ in shape: {numbers.shape}, {names.shape}")
    if np.isinf(numbers).any():
        raise ValueError("values must be finite, or NaN for a missing row")
    labels = np.unique(names, return_inverse=True)[1]
    valid = ~np.isnan(numbers)
    sizes = np.bincount(labels[valid], minlength=labels.max(initial=-1) + 1)
    return Rows(numbers[valid], labels[valid], sizes)


def read_binary_rows(values: ArrayLike, clusters: ArrayLike | None = None) -> Rows:
    """Read rows as `read_rows` does, where each must be 0, 1 or missing.

    Parameters
    ----------
    values : array_like of shape (n_rows,)
        0, 1 or NaN (missing).
    clusters : array_like of shape (n_rows,), optional
        A label per row; without it every row is its own cluster.

    Raises
    ------
    ValueError
        If a value is not 0, 1 or NaN, if `values` is not one-dimensional, or if the shapes differ.
    """
    rows = read_rows(values, clusters)
    if not np.isin(rows.values, (0.0, 1.0)).all():
        raise ValueError("values must be 0, 1 or NaN")
    return rows


def refuse_infinite(ratings: Floats) -> None:
    """Refuse ratings that are infinite.

    Parameters
    ----------
    ratings : array of any shape
        NaN is missing.

    Raises
    ------
    ValueError
        If one is.
    """
    if np.isinf(ratings).any():
        raise ValueError("ratings must be finite, or NaN where there is none")
