"""A judge's reply: text in, verdict out, with the reason when there is none.

The reply should be one JSON object with the keys `extracted_answer`, `explanation` and `verdict`.
What arrives may hold more: reasoning, prose, a code fence, an example echoed from the prompt, or
the text under judgment, which may imitate a verdict. The rules:

1. Reasoning is left out; `objects` tells the objects apart from all that surrounds them.
2. The last object with all three keys decides; where none has all, the last with a verdict.
3. A reply that ends inside an object gives no verdict, even if a complete one stands before it.
4. An object that lacks only its closing brace gives its verdict, unless the endpoint says that it
   cut the reply off.
5. A verdict must be one of the spellings in a vocabulary; nothing is searched for inside it.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from types import MappingProxyType
from typing import Literal

from judgeworthy.objects import FoundObject, Reading, read_objects

KEYS = ("extracted_answer", "explanation", "verdict")
INVALID = "INVALID"

Reason = Literal[
    "",
    "empty",
    "truncated",
    "content_filter",
    "refusal",
    "no_object",
    "malformed",
    "no_verdict",
    "unknown_verdict",
    "no_phrase",
    "several_verdicts",
]

REASONS: Mapping[Reason, str] = MappingProxyType(
    {
        "empty": "the reply is blank",
        "truncated": "the reply was cut off before its verdict",
        "content_filter": "the endpoint's filter cut the reply off before its verdict",
        "refusal": "the judge refuses",
        "no_object": "no JSON object: most often the question is answered instead of judged",
        "malformed": "the JSON is broken and may be read in more than one way",
        "no_verdict": "a JSON object without a verdict",
        "unknown_verdict": "a verdict outside the vocabulary",
        "no_phrase": "the reply does not begin with one of the phrases that were asked for",
        "several_verdicts": "the reply holds the phrases of several verdicts",
    }
)

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "CORRECT",
        "true": "CORRECT",
        "incorrect": "INCORRECT",
        "not correct": "INCORRECT",
        "false": "INCORRECT",
    }
)
"""The default vocabulary: from spellings, as `normalise_verdict` writes them, to verdicts."""

ANSWERABLE: Mapping[str, str] = MappingProxyType(
    {"yes, answer is present": "ANSWERABLE", "i don't know": "UNANSWERABLE"}
)
"""The phrases of NoMIRACL's task, in which not to know is a verdict and no refusal."""

REFUSALS = (
    *("i cannot", "i can't", "i can not", "i won't", "i will not", "i must decline"),
    *("i am unable", "i'm unable", "i am not able", "i'm not able", "as an ai"),
    *("i'm sorry", "i am sorry", "sorry,", "i apologize", "i apologise"),
    *("عذرا", "آسف", "أنا آسف", "أعتذر", "لا أستطيع", "لا يمكنني"),
    *("క్షమించండి", "క్షమించాలి", "నన్ను క్షమించండి", "నేను చేయలేను"),
    *("నేను సహాయం చేయలేను", "నేను సమాధానం ఇవ్వలేను"),
)
"""How a refusal begins: English, Arabic without harakat, Telugu."""


@dataclass(frozen=True)
class ParsedVerdict:
    """What a reply says.

    Attributes
    ----------
    verdict : str
        A verdict of the vocabulary, or ``INVALID``.
    reason : str
        Why it is INVALID, a key of `REASONS`; empty for a verdict.
    extracted_answer, explanation : str
        The other fields of the object that decides; empty where there is none.
    flags : tuple of str
        Any of ``missing_field`` (no `extracted_answer` or no `explanation`),
        ``reasoning_block`` (one was left out), ``repaired`` (the object was not valid JSON) and
        ``several_objects`` (more than one has a verdict, or an unreadable one stood before), in
        this order.
    """

    verdict: str
    reason: Reason
    extracted_answer: str = ""
    explanation: str = ""
    flags: tuple[str, ...] = ()


def parse_verdict(
    text: str | None,
    finish_reason: str | None = None,
    vocabulary: Mapping[str, str] = VERDICTS,
) -> ParsedVerdict:
    """Read the verdict out of a judge's reply.

    Parameters
    ----------
    text : str or None
        The reply as it came.
    finish_reason : str, optional
        Why the endpoint stopped. After ``length`` and ``content_filter`` only a complete object
        counts, and its absence has that reason.
    vocabulary : mapping of str to str
        From spellings, as `normalise_verdict` writes them, to verdicts.

    Returns
    -------
    ParsedVerdict
        INVALID with its reason where there is no verdict. No text raises.
    """
    cut = _CUT.get(finish_reason or "")
    reading = read_objects(text or "", KEYS, mend=cut is None)
    judgments = [found for found in reading.objects if "verdict" in found.fields]
    whole = [found for found in judgments if found.fields.keys() >= _KEYS]
    if judgments and not reading.fault:
        decisive = (whole or judgments)[-1]
        return _judge(decisive, vocabulary, _flags(reading, len(judgments), decisive))
    reason = cut or reading.fault or _absence(reading)
    return ParsedVerdict(INVALID, reason, flags=_flags(reading, len(judgments)))


def parse_phrase(
    text: str | None, finish_reason: str | None, vocabulary: Mapping[str, str]
) -> ParsedVerdict:
    """Read the verdict out of a reply that should begin with one of some phrases.

    Parameters
    ----------
    text : str or None
        The reply as it came.
    finish_reason : str or None
        Why the endpoint stopped. A reply that was cut off after its phrase has its verdict.
    vocabulary : mapping of str to str
        From phrases, in lower case without marks around them, to verdicts.

    Returns
    -------
    ParsedVerdict
        INVALID with its reason where the reply begins with no phrase, or holds phrases of several
        verdicts. A phrase goes before a refusal: in its task, not to know may be a verdict.
    """
    plain = _plain(text or "").lstrip(_WRAPPING)
    said = {verdict for phrase, verdict in vocabulary.items() if phrase in plain}
    begun = {verdict for phrase, verdict in vocabulary.items() if plain.startswith(phrase)}
    if begun and len(said) == 1:
        return ParsedVerdict(begun.pop(), "")
    if begun:
        return ParsedVerdict(INVALID, "several_verdicts")
    if plain.startswith(REFUSALS):
        return ParsedVerdict(INVALID, "refusal")
    if not plain:
        return ParsedVerdict(INVALID, "empty")
    return ParsedVerdict(INVALID, _CUT.get(finish_reason or "", "no_phrase"))


@lru_cache(maxsize=1024)
def normalise_verdict(text: str) -> str:
    """Write a verdict plainly, so that its spellings compare equal.

    Compatibility forms become plain (NFKC), case is folded, and invisible marks go. Quotes,
    brackets and markdown are stripped from both ends, and stops from the end; a question mark
    stays, for it is doubt. ``_``, ``-`` and blanks between words become one space.

    Parameters
    ----------
    text : str
        A verdict as a judge wrote it.
    """
    bare = _plain(text).lstrip(_WRAPPING).rstrip(_WRAPPING + _STOPS)
    return re.sub(r"[\s_-]+", " ", bare)


def _judge(
    decisive: FoundObject, vocabulary: Mapping[str, str], flags: tuple[str, ...]
) -> ParsedVerdict:
    fields = decisive.fields
    answer, explanation = _text(fields.get("extracted_answer")), _text(fields.get("explanation"))
    spelling = normalise_verdict(_text(fields["verdict"]))
    verdict = vocabulary.get(spelling)
    if verdict is not None and not isinstance(fields["verdict"], list):
        return ParsedVerdict(verdict, "", answer, explanation, flags)
    reason: Reason = "unknown_verdict" if spelling else "no_verdict"
    return ParsedVerdict(INVALID, reason, answer, explanation, flags)


def _flags(
    reading: Reading, judgments: int, decisive: FoundObject | None = None
) -> tuple[str, ...]:
    raised = (
        decisive is not None and not decisive.fields.keys() >= _KEYS,
        reading.reasoning,
        decisive is not None and decisive.mended,
        judgments + reading.abandoned > 1,
    )
    return tuple(compress(_FLAGS, raised))


def _absence(reading: Reading) -> Reason:
    if reading.objects:
        return "no_verdict"
    beginning = _plain(reading.answer[:_BEGINNING]).lstrip(_WRAPPING)
    if beginning.startswith(REFUSALS):
        return "refusal"
    return "no_object" if beginning else "empty"


def _text(value: object) -> str:
    if isinstance(value, str):
        # Half a surrogate pair, which small models write, fits into no file.
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _HARAKAT.sub("", "".join(c for c in folded if unicodedata.category(c) != "Cf"))


_KEYS = frozenset(KEYS)
_FLAGS = ("missing_field", "reasoning_block", "repaired", "several_objects")
_CUT: Mapping[str, Reason] = MappingProxyType(
    {"length": "truncated", "content_filter": "content_filter"}
)
_WRAPPING = " \t\r\n\"'`´“”„‘’«»‹›*_~#<>()[]{}|-"
_STOPS = ".!,;:…。،؛۔।"
_BEGINNING = 200
_HARAKAT = re.compile("[\u064b-\u0652]")
_SURROGATE = re.compile("[\ud800-\udfff]")
