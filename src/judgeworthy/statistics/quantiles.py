"""Quantiles of two-sided intervals."""

from scipy.special import ndtri, stdtrit


def two_sided(confidence: float, degrees: int | None = None) -> float:
    """Return the quantile that leaves half of what is not covered above it.

    Parameters
    ----------
    confidence : float
        Nominal coverage, between 0 and 1.
    degrees : int, optional
        Degrees of freedom of t; without them the quantile is that of the normal distribution.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    tail = (1 + confidence) / 2
    return float(ndtri(tail) if degrees is None else stdtrit(degrees, tail))
