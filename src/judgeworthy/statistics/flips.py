"""Flips: how paired decisions change.

References
----------
.. [1] Q. McNemar (1947). Note on the sampling error of the difference between correlated
   proportions or percentages. Psychometrika 12, 153-157.
.. [2] M. W. Fagerland, S. Lydersen, P. Laake (2013). The McNemar test for binary matched-pairs
   data: mid-p and asymptotic are better than exact conditional. BMC Medical Research Methodology
   13, 91.
"""

from dataclasses import dataclass
from math import comb

from scipy.special import bdtr


@dataclass(frozen=True)
class McNemar:
    """The test of the net shift between paired decisions.

    It does not test how much flips: 20 flips one way and 20 the other give p = 1.

    Attributes
    ----------
    first_only, second_only : int
        Discordant pairs: accepted by the first alone, and by the second alone.
    p, mid_p : float
        Exact conditional two-sided p, and its mid-p form; both 1 without discordant pairs.
    """

    first_only: int
    second_only: int
    p: float
    mid_p: float


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test whether flips go one way more often than the other [1]_.

    The exact p is that of a binomial test with probability 1/2. The mid-p takes off the
    probability of the observed table, or half of it where both counts are equal [2]_.

    Parameters
    ----------
    first_only, second_only : int
        Discordant pairs: accepted by the first alone, and by the second alone.

    Raises
    ------
    ValueError
        If a count is negative.
    """
    if min(first_only, second_only) < 0:
        raise ValueError(f"counts must not be negative: {first_only}, {second_only}")
    discordant = first_only + second_only
    if discordant == 0:
        return McNemar(0, 0, 1.0, 1.0)
    fewer = min(first_only, second_only)
    p = min(1.0, 2 * float(bdtr(fewer, discordant, 0.5)))
    observed = comb(discordant, fewer) / 2**discordant
    mid_p = p - (observed / 2 if first_only == second_only else observed)
    return McNemar(first_only, second_only, p, mid_p)
