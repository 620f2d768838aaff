"""Multiplicity: what p values are worth in a family of tests.

References
----------
.. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
   Journal of Statistics 6, 65-70.
"""

from collections.abc import Sequence

from statsmodels.stats.multitest import multipletests


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust the p values of one family so that the chance of any false alarm is kept [1]_.

    Parameters
    ----------
    p_values : sequence of float or None
        None where there was no test; it is not part of the family.

    Returns
    -------
    list of float or None
        Adjusted values in the same order.

    Raises
    ------
    ValueError
        If a p value is not between 0 and 1.
    """
    tested = [p for p in p_values if p is not None]
    if not all(0 <= p <= 1 for p in tested):
        raise ValueError(f"p values must lie between 0 and 1, got {tested}")
    adjusted = iter(multipletests(tested, method="holm")[1] if tested else [])
    return [None if p is None else float(next(adjusted)) for p in p_values]
