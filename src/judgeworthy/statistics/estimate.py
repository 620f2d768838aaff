"""The result that every estimator returns: a value, its interval, and what it rests on."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval, or the reason why there is none.

    An undefined number is None, never 0, 1 or NaN, and `note` says why. A defined value may
    still have no interval: then `low` and `high` are None, and `note` says why.

    Attributes
    ----------
    value, low, high : float or None
        The estimate and its confidence limits, in the unit of the data.
    n : int
        Rows that the estimate rests on.
    clusters : int
        Independent units among those rows; equal to `n` where nothing is clustered.
    method : str
        How the interval was computed.
    note : str
        What a reader must know beside the number; empty where there is nothing to add.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str
    note: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    @property
    def has_interval(self) -> bool:
        """Whether there are confidence limits."""
        return self.low is not None and self.high is not None


def undefined(note: str, method: str, n: int = 0, clusters: int = 0) -> Estimate:
    """Say that there is no number, and why.

    Parameters
    ----------
    note : str
        The reason.
    method : str
        The estimator that was asked for.
    n, clusters : int
        Rows and independent units that were there all the same.
    """
    return Estimate(None, None, None, n, clusters, method, note)


def with_notes(estimate: Estimate, *notes: str) -> Estimate:
    """Add what must be known beside an estimate.

    Parameters
    ----------
    estimate : Estimate
    *notes : str
        An empty one adds nothing.
    """
    return replace(estimate, note="; ".join(note for note in (estimate.note, *notes) if note))


@dataclass(frozen=True)
class Bounds:
    """The smallest and largest value over every way to fill in what is missing.

    Attributes
    ----------
    low, high : float or None
        None where there are no rows at all.
    """

    low: float | None
    high: float | None
