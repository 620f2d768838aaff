"""A judge's ballot: text in, strict order out, with the reason when there is none.

The reply should be one JSON object whose key `ranking` lists all labels, the best first. A label
is "Answer 3" as it was shown, or its number alone, as text or as a number; letters and anything
else were not shown and are unknown. Only one strict order of all candidates is a ballot: a label
that is missing, stands twice or is unknown, and a tie, make it INVALID.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from judgeworthy.objects import read_objects
from judgeworthy.parsing import REFUSALS, normalise_verdict

KEYS = ("ranking",)

Reason = Literal[
    "",
    "empty",
    "truncated",
    "content_filter",
    "refusal",
    "no_object",
    "malformed",
    "no_ranking",
    "tie",
    "unknown_label",
    "repeated_label",
    "missing_label",
]

REASONS: Mapping[Reason, str] = MappingProxyType(
    {
        "empty": "the reply is blank",
        "truncated": "the reply was cut off before its end",
        "content_filter": "the endpoint's filter cut the reply off",
        "refusal": "the judge refuses",
        "no_object": "no JSON object",
        "malformed": "the JSON is broken and may be read in more than one way",
        "no_ranking": "a JSON object without a list of labels",
        "tie": "two answers share a place",
        "unknown_label": "a label that was not shown",
        "repeated_label": "a label stands twice",
        "missing_label": "a label is missing",
    }
)

_LABEL = re.compile(r"(?:answer )?(\d+)")
_CUT: Mapping[str, Reason] = MappingProxyType(
    {"length": "truncated", "content_filter": "content_filter"}
)


@dataclass(frozen=True)
class ParsedBallot:
    """What a judge's reply ranks.

    Attributes
    ----------
    order : tuple of int
        The numbers of the answers, 1 to n, the best first; empty if the ballot is INVALID.
    reason : str
        Why it is INVALID, a key of `REASONS`; empty if it is not.
    """

    order: tuple[int, ...]
    reason: Reason

    @property
    def valid(self) -> bool:
        """Whether it is a strict order of all candidates."""
        return not self.reason


def parse_ballot(
    text: str | None, candidates: int, finish_reason: str | None = None
) -> ParsedBallot:
    """Read the ranking out of a judge's reply.

    Parameters
    ----------
    text : str or None
        The reply as it came.
    candidates : int
        How many answers were shown, labelled 1 to this number.
    finish_reason : str, optional
        Why the endpoint stopped.

    Returns
    -------
    ParsedBallot
        INVALID with its reason where there is no strict order. No text raises.
    """
    cut = _CUT.get(finish_reason or "")
    reading = read_objects(text or "", KEYS, mend=cut is None)
    ranked = [found.fields["ranking"] for found in reading.objects if "ranking" in found.fields]
    if ranked and not reading.fault:
        return _read(ranked[-1], candidates)
    if reason := cut or reading.fault:
        return ParsedBallot((), reason)
    if reading.objects:
        return ParsedBallot((), "no_ranking")
    beginning = normalise_verdict(reading.answer[:200])
    if beginning.startswith(REFUSALS):
        return ParsedBallot((), "refusal")
    return ParsedBallot((), "no_object" if beginning else "empty")


def _read(ranking: Any, candidates: int) -> ParsedBallot:
    if not isinstance(ranking, list) or not ranking:
        return ParsedBallot((), "no_ranking")
    if any(isinstance(entry, list) for entry in ranking):
        return ParsedBallot((), "tie")
    order = [_number(entry) for entry in ranking]
    reason = _fault(order, candidates)
    return ParsedBallot((), reason) if reason else ParsedBallot(tuple(map(int, order)), "")


def _fault(order: Sequence[int], candidates: int) -> Reason:
    shown = range(1, candidates + 1)
    if any(number not in shown for number in order):
        return "unknown_label"
    if len(set(order)) < len(order):
        return "repeated_label"
    return "missing_label" if len(order) < candidates else ""


def _number(entry: Any) -> int:
    """Return the number of a label, 0 for one that was not shown."""
    if isinstance(entry, bool) or not isinstance(entry, int | str):
        return 0
    found = _LABEL.fullmatch(normalise_verdict(str(entry)))
    return int(found[1]) if found else 0
