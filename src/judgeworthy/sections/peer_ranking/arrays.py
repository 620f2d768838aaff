"""From the table of ballots to the arrays that the estimators of rankings read."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgeworthy.sections.peer_ranking.blinding import WITHOUT_OWN
from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.statistics.clusters import Floats
from judgeworthy.study import Study

Bools = NDArray[np.bool_]
_PAPER = ["prompt_id", "judge", "run", "session"]


@dataclass(frozen=True)
class Ballots:
    """Ballots of one kind, as arrays.

    Attributes
    ----------
    prompts, judges, candidates : tuple of str
        What the axes run over; the third runs over repetitions: runs, sessions, or both.
    domains : array of shape (n_prompts,)
    own : array of shape (n_judges,)
        Which candidate each judge is, -1 for none.
    asked : array of shape (n_prompts, n_judges, n_repetitions)
        Whether the ballot was asked for.
    ranks, places, characters : array of shape (n_prompts, n_judges, n_repetitions, n_candidates)
        NaN where an answer is not on a ballot; ranks also where the ballot is INVALID.
    """

    prompts: tuple[str, ...]
    judges: tuple[str, ...]
    candidates: tuple[str, ...]
    domains: NDArray[np.str_]
    own: NDArray[np.intp]
    asked: Bools
    ranks: Floats
    places: Floats
    characters: Floats

    @property
    def invalid(self) -> Bools:
        """Whether a ballot that was asked for is INVALID: (n_prompts, n_judges, n_repetitions)."""
        invalid: Bools = self.asked & np.isnan(self.ranks).all(axis=-1)
        return invalid

    @property
    def papers(self) -> Floats:
        """The ranks without what was not asked: a row a prompt and repetition, one ballot a judge.

        Of the shape (n_rows, n_judges, 1, n_candidates), for what counts invalid ballots and not
        prompts.
        """
        flat = np.moveaxis(self.ranks, 2, 1)
        shown: Floats = flat[np.moveaxis(self.asked, 2, 1).any(axis=-1)][:, :, np.newaxis]
        return shown

    def of_domain(self, domain: str) -> "Ballots":
        """Return the ballots on the prompts of a domain."""
        kept = self.domains == domain
        return replace(
            self,
            prompts=tuple(np.array(self.prompts, dtype=str)[kept].tolist()),
            domains=self.domains[kept],
            **{name: getattr(self, name)[kept] for name in ("asked", *_VALUES)},
        )

    def of_judges(self, kept: Bools) -> "Ballots":
        """Return the ballots of some judges."""
        return replace(
            self,
            judges=tuple(np.array(self.judges, dtype=str)[kept].tolist()),
            own=self.own[kept],
            **{name: getattr(self, name)[:, kept] for name in ("asked", *_VALUES)},
        )


_VALUES = ("ranks", "places", "characters")


def _names(column: pd.Series, study: Study) -> tuple[str, ...]:
    """Return the study's models, in its order, and whoever else the ballots name."""
    return tuple(dict.fromkeys((*settings(study).models, *column.unique())))


def main(table: pd.DataFrame, study: Study) -> Ballots:
    """Return the first reading of each run, with every answer on the paper; over runs."""
    return _arrays(table[_whole(table) & table["session"].eq(1)], "run", table, study)


def self_excluded(table: pd.DataFrame, study: Study) -> Ballots:
    """Return the ballots of judges that were not shown their own answer; over runs."""
    return _arrays(table[table["variant"].eq(WITHOUT_OWN)], "run", table, study)


def sessions(table: pd.DataFrame, study: Study) -> Ballots:
    """Return all readings of the run that was read most often: the same answers; over sessions."""
    whole = table[_whole(table)]
    readings = whole.groupby("run")["session"].nunique()
    run = int(np.argmax(readings)) if len(readings) else 0
    most = whole[whole["run"].isin(readings.index[run : run + 1])]
    return _arrays(most, "session", table, study)


def readings(table: pd.DataFrame, study: Study) -> Ballots:
    """Return every ballot with every answer on the paper; over runs and sessions."""
    whole = table[_whole(table)]
    numbered = whole.assign(reading=whole["run"] * 1000 + whole["session"])
    return _arrays(numbered, "reading", table, study)


def codes(names: Iterable[Any], column: pd.Series) -> NDArray[np.intp]:
    """Return the number of each entry of a column among names."""
    numbers: NDArray[np.intp] = pd.Index(list(names)).get_indexer(pd.Index(column))
    return numbers


def _whole(table: pd.DataFrame) -> pd.Series:
    return table["variant"].eq("")


def _arrays(rows: pd.DataFrame, repetition: str, table: pd.DataFrame, study: Study) -> Ballots:
    judges, candidates = (_names(table[name], study) for name in ("judge", "candidate"))
    prompts = table.drop_duplicates("prompt_id")
    repetitions = sorted(rows[repetition].unique()) or [1]
    shape = len(prompts), len(judges), len(repetitions)
    where = (
        codes(prompts["prompt_id"], rows["prompt_id"]),
        codes(judges, rows["judge"]),
        codes(repetitions, rows[repetition]),
    )
    asked = np.zeros(shape, dtype=np.bool_)
    asked[where] = True
    found = {name: np.full((*shape, len(candidates)), np.nan) for name in _VALUES}
    ranked = codes(candidates, rows["candidate"])
    for name, column in zip(_VALUES, ("rank", "place", "characters"), strict=True):
        found[name][(*where, ranked)] = rows[column].to_numpy(dtype=np.float64)
    return Ballots(
        prompts=tuple(prompts["prompt_id"]),
        judges=judges,
        candidates=candidates,
        domains=prompts["domain"].to_numpy(dtype=str),
        own=codes(candidates, pd.Series(judges)),
        asked=asked,
        **found,
    )


def ballots(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row a ballot, without the candidates.

    ``invalid`` says whether no strict order could be read.
    """
    first = table.drop_duplicates([*_PAPER, "variant"])
    kept = [*_PAPER, "variant", "domain", "reason", "attempts"]
    return first[kept].assign(invalid=first["rank"].isna())
