"""The JSON objects in a model's reply, told apart from reasoning, prose and quoted text.

A reply is walked through once, from left to right. An object that can be decoded is taken whole,
so that nothing inside its strings is ever read as an object. One that cannot be decoded is *open*:
what follows belongs to it, unless it was closed, or the next object begins a line of its own
outside any string. An object that is still open at the end is mended or is the reply's fault.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import json_repair

Fault = Literal["", "truncated", "malformed"]


@dataclass(frozen=True)
class FoundObject:
    """One object of a reply.

    Attributes
    ----------
    fields : mapping of str to Any
        Values by key; keys in lower case, without blanks around them. A key that comes twice
        with different values holds the list of them.
    mended : bool
        Whether it was not valid JSON.
    """

    fields: Mapping[str, Any]
    mended: bool


@dataclass(frozen=True)
class Reading:
    """What a reply holds.

    Attributes
    ----------
    objects : tuple of FoundObject
        Outermost objects outside reasoning, in their order.
    fault : str
        ``truncated`` if the reply ends inside an object or inside its reasoning, ``malformed``
        if what it holds is open to more than one reading, else empty.
    abandoned : bool
        Whether an object that could not be read stood before another, as an echoed template.
    reasoning : bool
        Whether a reasoning block was left out.
    answer : str
        The reply without the reasoning before it.
    """

    objects: tuple[FoundObject, ...]
    fault: Fault
    abandoned: bool
    reasoning: bool
    answer: str


def read_objects(text: str, keys: tuple[str, ...], mend: bool = True) -> Reading:
    """Find the objects of a reply.

    Control characters in strings, such as raw line breaks, are accepted in any object. An
    object that is broken otherwise is mended (by `json_repair`) only if it ends in its last key
    with a complete value, if the mended object holds that same value, and if no other value of
    that key stands beside it. Its closing brace may be missing, if no key is.

    Parameters
    ----------
    text : str
        The reply.
    keys : tuple of str
        The keys of the object that was asked for, in their order and in lower case.
    mend : bool
        Whether to mend an object that is open at the end of the reply.

    Returns
    -------
    Reading
        No text raises.
    """
    if text.startswith("{") and (decoded := _decode(text, 0)) and not text[decoded[1] :].strip():
        return Reading((decoded[0],), "", False, False, text)  # most replies, so without a walk
    walk = _Walk(text, keys)
    walk.read()
    if mend and walk.open is not None:
        walk.mend(walk.open)
    answer = text[walk.answer :]
    return Reading(tuple(walk.objects), walk.fault(), walk.abandoned, walk.reasoning, answer)


@dataclass(frozen=True)
class _Open:
    """An object that could not be decoded."""

    start: int
    quote: str


class _Walk:
    """One walk through a reply."""

    def __init__(self, text: str, keys: tuple[str, ...]) -> None:
        self.text = text
        self.keys = keys
        self.key = keys[-1]
        self.objects: list[FoundObject] = []
        self.open: _Open | None = None
        self.quoted: list[tuple[int, int]] = []
        self.abandoned = False
        self.cut = False
        self.reasoning = False
        self.answer = 0
        self.end = 0

    def read(self) -> None:
        position = 0
        while (mark := _MARK.search(self.text, position)) is not None:
            if mark.group() == "{":
                position = self._read_brace(mark.start())
            else:
                position = self._read_tag(mark)

    def mend(self, broken: _Open) -> None:
        """Take the open object if it can be read in one way only."""
        text = self._escape_quoted(broken.start)
        pairs = list(_pair_pattern(self.key, broken.quote).finditer(text))
        ending = _ENDING.fullmatch(text, pairs[-1].end()) if pairs else None
        if ending is None or broken.quote in ending.group():
            return
        fields = _repair(text[: ending.start()] + "}")
        complete = ending["brace"] is not None or fields.keys() >= set(self.keys)
        values = {_bare(pair["value"]) for pair in pairs}
        if complete and values == {_bare(str(fields.get(self.key)))}:
            self.objects.append(FoundObject(fields, mended=True))
            self.open, self.end = None, len(self.text)

    def fault(self) -> Fault:
        if self.open is not None:
            return "malformed" if self._closed(self.open, len(self.text)) else "truncated"
        if self.cut:
            return "truncated"
        return "malformed" if self._ends_outside() else ""

    def _read_brace(self, start: int) -> int:
        decoded = _decode(self.text, start)
        inside = self._inside(start)
        if decoded is None:
            opening = _OBJECT_START.match(self.text, start)
            if opening is not None and not inside:
                self._abandon()
                self.open = _Open(start, opening["quote"] or '"')
            return start + 1
        found, self.end = decoded
        if inside:
            self.quoted.append((start, self.end))
        else:
            self._abandon()
            self.objects.append(found)
        return self.end

    def _read_tag(self, mark: re.Match[str]) -> int:
        if self._inside(mark.start()):
            return mark.end()
        closing = mark if mark["close"] else _CLOSE.search(self.text, mark.end())
        self.reasoning = True
        if mark["close"]:
            # Reasoning whose opening tag stood in the prompt: all before it was reasoning.
            self.objects.clear()
            self.open, self.abandoned = None, False
        self.cut = closing is None
        self.answer = self.end = len(self.text) if closing is None else closing.end()
        return self.answer

    def _ends_outside(self) -> bool:
        """Whether an object ends after the last one: then that one was a part of it."""
        rest = self.text[self.end :]
        pairs = _pair_pattern(self.key, '"').finditer(rest)
        return any(_BRACE.match(rest, pair.end()) for pair in pairs)

    def _inside(self, position: int) -> bool:
        """Whether what stands at `position` belongs to the open object."""
        if self.open is None or self._closed(self.open, position):
            return False
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        alone = _LINE_START.fullmatch(line) is not None
        return not alone or self._in_string(self.open, position)

    def _closed(self, broken: _Open, position: int) -> bool:
        outside = self._outside_strings(broken, position)
        return broken.quote not in outside and outside.count("{") <= outside.count("}")

    def _in_string(self, broken: _Open, position: int) -> bool:
        return broken.quote in self._outside_strings(broken, position)

    def _outside_strings(self, broken: _Open, position: int) -> str:
        """Drop the open object's strings; one that has not ended leaves its quote."""
        return _string_pattern(broken.quote).sub("", self.text[broken.start : position])

    def _abandon(self) -> None:
        self.abandoned = self.abandoned or self.open is not None
        self.open, self.quoted = None, []

    def _escape_quoted(self, start: int) -> str:
        """Turn the objects quoted in the open one into string content."""
        parts = []
        for first, last in self.quoted:
            parts += [self.text[start:first], _escape(self.text[first:last])]
            start = last
        return "".join([*parts, self.text[start:]])


def _decode(text: str, start: int) -> tuple[FoundObject, int] | None:
    for decoder in (_STRICT, _LENIENT):
        try:
            fields, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        return FoundObject(fields, mended=decoder is _LENIENT), end
    return None


def _repair(text: str) -> dict[str, Any]:
    try:
        repaired = json_repair.loads(text)
    except RecursionError:
        return {}
    return _fields(list(repaired.items())) if isinstance(repaired, dict) else {}


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = [(key.strip().casefold(), value) for key, value in pairs]
    fields = dict(plain)
    for key in fields if len(fields) < len(plain) else ():
        values = [value for name, value in plain if name == key]
        if any(value != values[0] for value in values):
            fields[key] = values
    return fields


def _escape(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _bare(value: str) -> str:
    return value.strip(" \"'").casefold()


_STRICT = json.JSONDecoder(object_pairs_hook=_fields)
_LENIENT = json.JSONDecoder(object_pairs_hook=_fields, strict=False)

# Reasoning as open models mark it: <think>, <seed:think>, [THINK], ◁think▷,
# <|begin_of_thought|>, and the channels of gpt-oss.
_WORDS = "think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad"
_OPEN_TAG = (
    rf"<(?:\w+:)?(?:{_WORDS})>|\[think\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary)"
)
_CLOSE_TAG = (
    rf"</(?:\w+:)?(?:{_WORDS})>|\[/think\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>final"
)
_CLOSE = re.compile(_CLOSE_TAG, re.IGNORECASE)
_MARK = re.compile(rf"\{{|{_OPEN_TAG}|(?P<close>{_CLOSE_TAG})", re.IGNORECASE)

# An object begins with a quoted key, or is cut off before one.
_OBJECT_START = re.compile(r"\{\s*(?:(?P<quote>[\"'])(?:\w|\Z)|\Z)")
_ENDING = re.compile(r"\s*(?:,?\s*(?P<brace>\})[^{}]*|[\s`]*)")
_BRACE = re.compile(r"\s*,?\s*\}")
_LINE_START = re.compile(r"[\s`]*(?:json)?[\s`]*", re.IGNORECASE)


@lru_cache
def _string_pattern(quote: str) -> re.Pattern[str]:
    return re.compile(rf"{quote}(?:[^{quote}\\]|\\.)*{quote}", re.DOTALL)


@lru_cache
def _pair_pattern(key: str, quote: str) -> re.Pattern[str]:
    # After a brace only if it is the object's own: any other is quoted text.
    value = rf"{quote}[^{quote}{{}}]*{quote}|true|false"
    name = f"{quote}{re.escape(key)}{quote}"
    return re.compile(rf"(?:\A\{{|[^\s{{])\s*{name}\s*:\s*(?P<value>{value})", re.IGNORECASE)
