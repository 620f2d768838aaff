"""Points from pairs: a win earns one, a tie one half; and a bootstrap of prompts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgeworthy.sections.peer_ranking.arrays import codes
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.rankings.ballots import candidate_pairs, mean_of_valid, ratio

BOOTSTRAP = "percentile (prompt bootstrap)"
NO_VOTES, CONSTANT = "no votes", "the resamples do not vary: no interval"
LEVEL = "all candidates are level on one side"
EARNED = {"first": 1.0, "second": 0.0, "tie": 0.5}
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Duels:
    """Points of candidates against each other, by prompt.

    Attributes
    ----------
    earned : array of shape (n_prompts, n_candidates, n_candidates)
        What the row's candidate earned against the column's.
    votes : array of shape (n_prompts, n_candidates, n_candidates)
        The votes on the two.
    """

    earned: Floats
    votes: Floats

    @classmethod
    def of(cls, table: pd.DataFrame, names: Sequence[str], prompts: Sequence[str]) -> "Duels":
        """Count the votes of a table."""
        prompt = codes(prompts, table["question_id"])
        first, second = (codes(names, table[side]) for side in ("first", "second"))
        won = earned_by_first(table).to_numpy()
        earned, votes = np.zeros((2, len(prompts), len(names), len(names)))
        for one, two, part in ((first, second, won), (second, first, 1 - won)):
            np.add.at(earned, (prompt, one, two), part)
            np.add.at(votes, (prompt, one, two), 1)
        return cls(earned, votes)

    @property
    def whole(self) -> Floats:
        """The points of every candidate, over all prompts."""
        return points(self.earned.sum(axis=0), self.votes.sum(axis=0))

    @property
    def by_prompt(self) -> Floats:
        """The points of every candidate on every prompt."""
        return points(self.earned, self.votes)

    @property
    def majority(self) -> Floats:
        """Who has more votes on a prompt, as the sign of the row's candidate; NaN without votes."""
        return np.where(self.votes > 0, np.sign(np.round(2 * self.earned - self.votes, 6)), np.nan)

    def resampled(self, weights: Floats) -> Floats:
        """Return the points where each prompt counts so often: (n_resamples, n_candidates)."""
        drawn = (np.tensordot(weights, part, axes=1) for part in (self.earned, self.votes))
        return points(*drawn)


def earned_by_first(table: pd.DataFrame) -> pd.Series:
    """Return what the answer shown first earned in each vote."""
    return table["outcome"].map(EARNED).astype("float64")


def points(earned: Floats, votes: Floats) -> Floats:
    """Return 100 times the share earned against each of the others, averaged over them.

    The last two axes are candidates.
    """
    return 100 * mean_of_valid(ratio(earned, votes), axis=-1)


def percentiles(value: float, drawn: Floats, votes: int, prompts: int, level: float) -> Estimate:
    """Return a value with the percentile interval of its resamples."""
    if np.isnan(value):
        return undefined(NO_VOTES, BOOTSTRAP)
    kept = drawn[np.isfinite(drawn)]
    if np.ptp(kept) < _ROUNDING:
        return Estimate(float(value), None, None, votes, prompts, BOOTSTRAP, CONSTANT)
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(value), float(low), float(high), votes, prompts, BOOTSTRAP)


def tau_b(one: Floats, two: Floats) -> Floats:
    """Return Kendall's tau-b over the last axis; NaN where one side is level throughout.

    What is not a number on either side does not count.
    """
    first, second = candidate_pairs(one.shape[-1])
    signs: list[NDArray[np.float64]] = [
        np.sign(np.round(side[..., first] - side[..., second], 6)) for side in (one, two)
    ]
    seen = np.isfinite(signs[0]) & np.isfinite(signs[1])
    left, right = (np.where(seen, side, 0) for side in signs)
    products = np.abs(left).sum(axis=-1) * np.abs(right).sum(axis=-1)
    return ratio((left * right).sum(axis=-1), np.sqrt(products))
