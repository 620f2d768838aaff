"""What is known of a judge, as arrays, and every measure estimated from it.

Recorded and simulated judges are laid out alike, so that what is simulated is what is decided.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgeworthy.statistics.agreement import agreement
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import clustered_proportion, paired_difference

Labels = NDArray[np.intp] | NDArray[np.str_]

NO_FLOOR = "no noise floor was measured: 0 is taken for it, so that flips rule nothing out"


@dataclass(frozen=True)
class Answers:
    """Answers whose truth is known, and what the judge said of them.

    Attributes
    ----------
    said : array of shape (n,)
        1 accepted, 0 rejected, NaN invalid.
    right : array of shape (n,)
        1 or 0.
    clusters : array of shape (n,)
        The question or document of each.
    """

    said: Floats
    right: Floats
    clusters: Labels

    def accepted(self, right: int) -> Floats:
        """Return what was said of the right or of the wrong answers; NaN for the others."""
        return np.where(self.right == right, self.said, np.nan)


@dataclass(frozen=True)
class Pairs:
    """Responses that were judged twice.

    Attributes
    ----------
    first, second : array of shape (n,)
        1 accepted, 0 rejected, NaN invalid.
    clusters : array of shape (n,)
        The question or document of each.
    """

    first: Floats
    second: Floats
    clusters: Labels

    @property
    def taken_back(self) -> Floats:
        """1 where the first verdict accepts and the second rejects, else 0; NaN if one is not."""
        whole = ~np.isnan(self.first + self.second)
        return np.where(whole, self.first > self.second, np.nan)


@dataclass(frozen=True)
class Evidence:
    """Everything that is known of a judge; None is not measured.

    Attributes
    ----------
    planted, controls : Answers or None
        Right and wrong answers, without the reference and with it compared.
    compared, again : Pairs or None
        Responses judged without and with the reference, and twice without it by other seeds.
    labelled, labelled_with : Answers or None
        Responses that people labelled, judged without the reference and with it.
    """

    planted: Answers | None = None
    controls: Answers | None = None
    compared: Pairs | None = None
    again: Pairs | None = None
    labelled: Answers | None = None
    labelled_with: Answers | None = None


def estimates(
    evidence: Evidence, confidence: float = 0.95, max_invalid: float = 0.2
) -> dict[str, Estimate]:
    """Estimate every measure that there is evidence for, by the name of its threshold.

    Parameters
    ----------
    evidence : Evidence
    confidence : float
        Level of the two-sided intervals.
    max_invalid : float
        Share of invalid replies above which a measure is undefined.

    Returns
    -------
    dict of str to Estimate
        Measures with the reference end in ``_reference``; ``controls`` is their gap.
    """
    found = dict(_measured(evidence, confidence))
    return {
        name: _left_out(estimate, said, max_invalid) if not name.startswith("invalid") else estimate
        for name, (estimate, said) in found.items()
    }


def _measured(evidence: Evidence, level: float) -> Iterator[tuple[str, tuple[Estimate, Floats]]]:
    """Yield each measure with what was said: NaN where that is no verdict."""
    planted, controls, compared = evidence.planted, evidence.controls, evidence.compared
    if planted is not None:
        for name, right in (("c1", 1), ("c2", 0)):
            asked = planted.said[planted.right == right]
            rate = clustered_proportion(planted.accepted(right), planted.clusters, level)
            yield name, (rate, asked)
        yield "cgp", (_gap(planted, level), planted.said)
    if compared is not None:
        yield "flips", (_excess(compared, evidence.again, level), compared.taken_back)
    if controls is not None:
        yield "controls", (_gap(controls, level), controls.said)
    for name, people in (("kappa", evidence.labelled), ("kappa_reference", evidence.labelled_with)):
        if people is not None:
            found = agreement(people.said, people.right, people.clusters, level)
            yield name, (found.kappa, people.said)
    yield from _invalid(evidence, level)


def _gap(answers: Answers, level: float) -> Estimate:
    """Return the share accepted of right answers minus that of wrong ones, by cluster."""
    right, wrong = answers.accepted(1), answers.accepted(0)
    found = paired_difference(right, wrong, answers.clusters, level)
    valid = ~np.isnan(answers.said)
    clusters = len(np.unique(answers.clusters[valid]))
    return replace(found, n=int(valid.sum()), clusters=clusters, note="")


def _excess(compared: Pairs, again: Pairs | None, level: float) -> Estimate:
    """Return the share of harmful flips minus that of the noise floor.

    Without a noise floor the excess lies between 0 and all harmful flips: so does its interval.
    """
    harmful = compared.taken_back
    if again is None:
        share = clustered_proportion(harmful, compared.clusters, level)
        return replace(share, low=None if share.low is None else 0.0, note=NO_FLOOR)
    empty = np.full(len(again.first), np.nan), np.full(len(harmful), np.nan)
    found = paired_difference(
        np.concatenate([harmful, empty[0]]),
        np.concatenate([empty[1], again.taken_back]),
        np.concatenate([compared.clusters, again.clusters]),
        level,
    )
    valid = ~np.isnan(harmful)
    clusters = len(np.unique(compared.clusters[valid]))
    return replace(found, n=int(valid.sum()), clusters=clusters, note="")


def _invalid(evidence: Evidence, level: float) -> Iterator[tuple[str, tuple[Estimate, Floats]]]:
    compared = evidence.compared
    pairs = (None, None) if compared is None else (compared.first, compared.second)
    for name, answers, people, said in (
        ("invalid", evidence.planted, evidence.labelled, pairs[0]),
        ("invalid_reference", evidence.controls, evidence.labelled_with, pairs[1]),
    ):
        parts = [] if answers is None else [(answers.said, answers.clusters)]
        if compared is not None and said is not None:
            parts.append((said, compared.clusters))
        elif people is not None:  # else they are among the responses that are compared
            parts.append((people.said, people.clusters))
        if parts:
            yield name, _share_invalid(parts, level)


def _share_invalid(parts: Sequence[tuple[Floats, Labels]], level: float) -> tuple[Estimate, Floats]:
    said = np.concatenate([part for part, _ in parts])
    clusters = np.concatenate([labels for _, labels in parts])
    return clustered_proportion(np.isnan(said).astype(np.float64), clusters, level), said


def _left_out(estimate: Estimate, said: Floats, max_invalid: float) -> Estimate:
    invalid = int(np.isnan(said).sum())
    if invalid <= max_invalid * len(said):
        return estimate
    note = f"not estimable: {invalid} of {len(said)} are invalid"
    return undefined(note, estimate.method, estimate.n, estimate.clusters)
