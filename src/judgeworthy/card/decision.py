"""The decision: what a judge may be used for, from the bounds of its intervals.

A judge is trusted without a reference where *every* measure has its whole interval on the right
side of its threshold. That is an intersection-union test [1]_: the null hypothesis is the union
"some measure is on the wrong side", it is rejected where each part is rejected, and its error is
at most that of the part that is tested worst. With two-sided intervals at 95 % that is 2.5 %, as
far as each holds its level (`validation` measures it), and needs no correction for the number of
measures [2]_. The same holds for use with the reference.

To rule a use out, one measure on the wrong side is enough: a union of k tests, which is wrong in
up to k times 2.5 % of the studies of a judge that stands exactly at all its thresholds. That error
leaves a judge unused; it never trusts one.

A measure that is missing is on no side. Two lines of evidence can each be complete: answers of
known truth with the flips and the controls that say what flips are worth, or people's labels. What
a study has of either must be on the right side, and one of them must be whole.

References
----------
.. [1] R. L. Berger (1982). Multiparameter hypothesis testing and acceptance sampling.
   Technometrics 24, 295-300.
.. [2] R. L. Berger, J. C. Hsu (1996). Bioequivalence trials, intersection-union tests and
   equivalence confidence sets. Statistical Science 11, 283-319.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judgeworthy.card.thresholds import Thresholds
from judgeworthy.statistics.estimate import Estimate, undefined


class Verdict(StrEnum):
    """What a judge may be used for."""

    TRUST = "trust without reference"
    WITH_REFERENCE = "only with reference"
    DO_NOT_USE = "do not use"
    NOT_ENOUGH = "not enough data"


class State(StrEnum):
    """On which side of its threshold a measure is, or a use as a whole."""

    MET = "met"
    FAILED = "failed"
    OPEN = "open"
    MISSING = "missing"


@dataclass(frozen=True)
class Criterion:
    """A measure, in words, and how it is held against its threshold.

    Attributes
    ----------
    name : str
        As `evidence.estimates` calls it.
    label : str
        The measure in words.
    threshold : str
        The field of `Thresholds` that holds its threshold.
    at_least : bool
        Whether the threshold is the least that is asked; else it is the most.
    """

    name: str
    label: str
    threshold: str
    at_least: bool


CRITERIA = {
    each.name: each
    for each in (
        Criterion("c1", "C1: right answers accepted", "c1", True),
        Criterion("c2", "C2: wrong answers accepted", "c2", False),
        Criterion("cgp", "CGP = C1 − C2", "cgp", True),
        Criterion("flips", "harmful flips above the noise floor", "flips", False),
        Criterion("controls", "gap with the reference (controls)", "controls", True),
        Criterion("kappa", "kappa with people", "kappa", True),
        Criterion("invalid", "invalid replies", "invalid", False),
        Criterion("kappa_reference", "kappa with people, with the reference", "kappa", True),
        Criterion("invalid_reference", "invalid replies, with the reference", "invalid", False),
    )
}
# The lines of evidence for each use; what is invalid is asked of both.
WITHOUT = (("c1", "c2", "cgp", "flips", "controls"), ("kappa",)), "invalid"
WITH = (("controls",), ("kappa_reference",)), "invalid_reference"
Use = tuple[tuple[tuple[str, ...], ...], str]


@dataclass(frozen=True)
class Finding:
    """A measure beside its threshold.

    Attributes
    ----------
    criterion : Criterion
    estimate : Estimate
    threshold : float
    state : State
    distance : float or None
        From the threshold to the bound that decides, in the unit of the measure: positive where
        the whole interval is on the right side, by so much; negative where the whole interval is
        on the wrong side, or where so much is lacking. None where the measure is missing.
    """

    criterion: Criterion
    estimate: Estimate
    threshold: float
    state: State
    distance: float | None


@dataclass(frozen=True)
class Decision:
    """What a judge may be used for, and why.

    Attributes
    ----------
    verdict : Verdict
    findings : tuple of Finding
        Every measure, also the missing ones, in the order of `CRITERIA`.
    decided_by : Finding
        Where every measure had to be on the right side, the one nearest to its threshold; where
        one was enough, the one farthest on the wrong side; else the one that is missing or lacks
        most. Of use with the reference alone it is what keeps the judge from the other use, or,
        where nothing of that is measured, the nearest of those that allow this one.
    without, with_reference : State
        Of each use; ``missing`` where no line of evidence is whole.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    decided_by: Finding
    without: State
    with_reference: State


def find(name: str, estimate: Estimate | None, thresholds: Thresholds) -> Finding:
    """Hold a measure against its threshold."""
    criterion = CRITERIA[name]
    threshold: float = getattr(thresholds, criterion.threshold)
    if estimate is None:
        estimate = undefined("not measured in this study", "")
    if estimate.low is None or estimate.high is None:
        return Finding(criterion, estimate, threshold, State.MISSING, None)
    sign = 1 if criterion.at_least else -1
    near, far = sorted((sign * (estimate.low - threshold), sign * (estimate.high - threshold)))
    if near >= 0:
        return Finding(criterion, estimate, threshold, State.MET, near)
    if far < 0:
        return Finding(criterion, estimate, threshold, State.FAILED, far)
    return Finding(criterion, estimate, threshold, State.OPEN, near)


def decide(
    measured: Mapping[str, Estimate], thresholds: Thresholds, reference_exists: bool = True
) -> Decision:
    """Decide what a judge may be used for.

    Parameters
    ----------
    measured : mapping of str to Estimate
        As `evidence.estimates` gives them.
    thresholds : Thresholds
    reference_exists : bool
        Whether the task has reference answers at all; else use with one is no way out.
    """
    found = {name: find(name, measured.get(name), thresholds) for name in CRITERIA}
    without, with_reference = (_state(use, found) for use in (WITHOUT, WITH))
    verdict = _verdict(without, with_reference, reference_exists)
    by = _decided_by(verdict, found, without, with_reference)
    return Decision(verdict, tuple(found.values()), by, without, with_reference)


def _verdict(without: State, with_reference: State, reference_exists: bool) -> Verdict:
    if without is State.MET:
        return Verdict.TRUST
    if without is State.OPEN:
        return Verdict.NOT_ENOUGH
    if with_reference is State.MET:
        return Verdict.WITH_REFERENCE
    beyond_help = with_reference is State.FAILED or not reference_exists
    return Verdict.DO_NOT_USE if without is State.FAILED and beyond_help else Verdict.NOT_ENOUGH


def _state(use: Use, found: Mapping[str, Finding]) -> State:
    lines, invalid = use
    states = {name: found[name].state for line in (*lines, (invalid,)) for name in line}
    if State.FAILED in states.values():
        return State.FAILED
    whole = any(all(states[name] is not State.MISSING for name in line) for line in lines)
    if not whole:
        return State.MISSING
    return State.OPEN if State.OPEN in states.values() else State.MET


def _decided_by(
    verdict: Verdict, found: Mapping[str, Finding], without: State, with_reference: State
) -> Finding:
    one, other = (_of(use, found) for use in (WITHOUT, WITH))
    if verdict is Verdict.TRUST:
        return _worst(_in(State.MET, one))
    unmeasured = all(finding.state is State.MISSING for finding in one)
    if verdict is Verdict.WITH_REFERENCE and unmeasured:
        return _worst(_in(State.MET, other))
    if verdict is Verdict.DO_NOT_USE and with_reference is State.FAILED:
        return _worst(_in(State.FAILED, other))
    if verdict is Verdict.NOT_ENOUGH and without is State.FAILED:
        return _deciding(other, with_reference)
    return _deciding(one, without)


def _deciding(findings: Sequence[Finding], state: State) -> Finding:
    """Return the worst measure of a use's state, or the first that is missing."""
    return _worst(_in(state, findings)) if state is not State.MISSING else _in(state, findings)[0]


def _of(use: Use, found: Mapping[str, Finding]) -> list[Finding]:
    lines, invalid = use
    return [found[name] for line in (*lines, (invalid,)) for name in line]


def _in(state: State, findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.state is state]


def _worst(findings: Sequence[Finding]) -> Finding:
    return min(findings, key=lambda finding: finding.distance or 0.0)
