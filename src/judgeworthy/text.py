"""Text made comparable: one form for the many ways to write the same answer.

Arabic letters are unified as in Lucene's ``ArabicNormalizer`` (alef, ya and ta marbuta to one form
each, tatweel and vowel signs removed) and English articles are dropped as in SQuAD's evaluation
script. Number words are those of num2words, with the spellings it lacks listed here.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache, lru_cache

from num2words import num2words

_LETTERS = str.maketrans(
    {"ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ٱ": "ا", "ـ": "", "٬": ",", "،": ","}
)
_MARKS = re.compile("[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]")
_POINT = "٫"  # stands for a decimal point while punctuation is removed
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{2,3})*,\d{3}(?!,?\d)")
_DECIMAL = re.compile(r"(?<![\d.])(\d+)\.(?=\d+(?!\.?\d))")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DIGIT = re.compile(r"\d")
# "5km" and "عام1947" are two words each, "km2" is one.
_SEAM = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\s\d.])(?=\d{2})")
_ORDINAL = re.compile(r"(?<=\d) (?:st|nd|rd|th|వ)(?= |$)")
_ARTICLE = re.compile(r"(?<!\S)(?:an?|the) (?=\S)")
# Telugu ends a borrowed or Sanskrit word in a virama or in u, as the writer likes.
_TELUGU_ENDING = re.compile("(?<=[\u0c00-\u0c7f]{2})[\u0c4d\u0c41](?= |$)")

_ARABIC_SPELLINGS = {
    0: "صفرا", 1: "واحدة واحدا أحد إحدى", 2: "اثنين اثنتان اثنتين اثنا اثني اثنتا اثنتي",
    3: "ثلاث", 4: "أربع", 5: "خمس", 6: "ست", 7: "سبع", 8: "ثمان ثماني", 9: "تسع", 10: "عشر",
    20: "عشرين", 30: "ثلاثين", 40: "أربعين", 50: "خمسين", 60: "ستين", 70: "سبعين",
    80: "ثمانين", 90: "تسعين", 100: "مئة", 200: "مائتان مائتين مئتان مئتين", 2000: "ألفان ألفين",
}  # fmt: skip
_TELUGU_SPELLINGS = {
    0: "సున్నా", 1: "ఒక ఒక్క ఒకరు ఒక్కరు", 2: "ఇద్దరు రెండూ", 3: "ముగ్గురు", 4: "నలుగురు",
    5: "ఐదు ఐదుగురు అయిదుగురు", 6: "ఆరుగురు", 7: "ఏడుగురు", 8: "ఎనమిది ఎనిమిదిమంది",
    9: "తొమ్మిదిమంది", 10: "పదిమంది", 14: "పద్నాలుగు పదునాలుగు", 15: "పదిహేను", 17: "పదిహేడు",
    18: "పద్దెనిమిది", 19: "పంతొమ్మిది", 50: "యాభై", 90: "తొంబై", 100: "వంద వందల వందలు నూరు",
    1000: "వేయి వెయ్యి వేల వేలు",
}  # fmt: skip
# num2words writes these two as they stand before a noun, where 2000 reads like "alpha".
_CONSTRUCT = (200, 2000)
_COUNTS = (*range(101), *range(200, 1000, 100), *range(1000, 10_000, 1000))


class _Translation(dict[int, str]):
    """A table for `str.translate` that is filled in as characters are met."""

    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__()
        self._change = change

    def __missing__(self, code: int) -> str:
        self[code] = self._change(chr(code))
        return self[code]


def _plainly(character: str) -> str:
    """Return a digit in ASCII, and nothing for an invisible mark."""
    visible = unicodedata.category(character) != "Cf"
    return str(unicodedata.decimal(character, character)) if visible else ""


def _spaced(character: str) -> str:
    """Return a space for punctuation, symbols, spacing and control characters."""
    separates = character != _POINT and unicodedata.category(character)[0] in "PSZC"
    return " " if separates else character


_PLAIN = _Translation(_plainly)
_SPACED = _Translation(_spaced)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Write text without its accidents: case, marks, digits' script, punctuation, spacing.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Words separated by single spaces, in NFKC; numbers in ASCII digits without separators.
    """
    if text.isascii():
        return _separated(text.lower())
    text = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
    text = unicodedata.normalize("NFKC", _MARKS.sub("", text))
    return _TELUGU_ENDING.sub("", _separated(text.translate(_PLAIN)))


def _separated(text: str) -> str:
    """Write words apart and numbers in one way."""
    if _DIGIT.search(text) is None:
        return " ".join(text.translate(_SPACED).replace(_POINT, ".").split())
    text = _GROUPED.sub(lambda number: number[0].replace(",", ""), text)
    text = _DECIMAL.sub(rf"\1{_POINT}", text)
    text = text.translate(_SPACED).replace(_POINT, ".")
    return _ORDINAL.sub("", " ".join(_SEAM.sub(" ", text).split()))


def normalise(text: str) -> str:
    """Fold text and drop the English articles before a word.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The form in which two ways to write the same words are equal.
    """
    return _ARTICLE.sub("", fold(text))


def number_tokens(text: str) -> frozenset[str]:
    """Find the numbers in a text, in digits or in English, Arabic or Telugu words.

    Words are known for 0 to 100, the round hundreds and the round thousands up to 9,000; longer
    names are read in parts.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    frozenset of str
        Each number in ASCII digits, without leading zeros and separators.
    """
    return frozenset(token for token in _tokens(text) if _NUMBER.fullmatch(token))


def overlaps(a: str, b: str) -> bool:
    """Whether one answer equals, contains or is contained in the other.

    Two answers with numbers overlap if all numbers of one are among those of the other: units,
    months and eras are written in too many ways to tell them apart. Other answers overlap if the
    characters of one are part of the other's, spaces aside; a single character must be a word.

    Parameters
    ----------
    a, b : str
        Answers, in any order.

    Returns
    -------
    bool
        False also where an answer has neither letter nor digit.
    """
    first, second = sorted((_tokens(a), _tokens(b)), key=lambda tokens: len("".join(tokens)))
    if not first:
        return False
    numbers = number_tokens(a), number_tokens(b)
    if all(numbers):
        return numbers[0] <= numbers[1] or numbers[1] <= numbers[0]
    part = "".join(first)
    if len(part) == 1 or (any(numbers) and _NUMBER.fullmatch(part)):
        return part in second
    return part in "".join(second)


def matches_any(text: str, references: Iterable[str]) -> bool:
    """Whether a text says one of the references as whole words.

    Parameters
    ----------
    text : str
        An answer of any length.
    references : iterable of str
        The acceptable answers.

    Returns
    -------
    bool
        True where a reference's words stand in the text next to one another, in order.
    """
    said = _said(text)
    return any(sought in said for sought in map(_said, references) if sought)


def _tokens(text: str) -> list[str]:
    return _said(text).split()


@lru_cache(maxsize=65536)
def _said(text: str) -> str:
    """Normalised words with every number, in words or digits, in one form; a space around each."""
    words = [_standard_word(word) for word in normalise(text).split()]
    phrases = _phrases()
    tokens: list[str] = []
    place = 0
    while place < len(words):
        known = phrases.get(words[place], ())
        found = (named for named in known if words[place : place + len(named[0])] == named[0])
        phrase, token = next(found, ([words[place]], _plain(words[place])))
        tokens.append(token)
        place += len(phrase)
    return f" {' '.join(tokens)} " if tokens else ""


def _plain(word: str) -> str:
    return format(Decimal(word).normalize(), "f") if _NUMBER.fullmatch(word) else word


def _standard_word(word: str) -> str:
    standard = _standard_words()
    if word not in standard and word.startswith("و") and word[1:] in standard:
        return "و" + standard[word[1:]]
    return standard.get(word, word)


@cache
def _names() -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Every known name of a number, as normalised words; num2words' own come first."""
    names = [
        (count, str(num2words(count, lang=language)))
        for language in ("en", "ar", "te")
        for count in _COUNTS
        if not (language == "ar" and count in _CONSTRUCT)
    ]
    for table in (_ARABIC_SPELLINGS, _TELUGU_SPELLINGS):
        names += [(count, word) for count, words in table.items() for word in words.split()]
    return tuple((count, tuple(normalise(name).split())) for count, name in names)


@cache
def _standard_words() -> dict[str, str]:
    """Each one-word name of a number, with the one that stands for all in its script."""
    first: dict[tuple[str, int], str] = {}
    return {
        words[0]: first.setdefault((unicodedata.name(words[0][0]).split()[0], count), words[0])
        for count, words in _names()
        if len(words) == 1
    }


@cache
def _phrases() -> dict[str, list[tuple[list[str], str]]]:
    """Each name of a number, as standard words, with its digits: by first word, longest first."""
    phrases = {tuple(map(_standard_word, words)): str(count) for count, words in _names()}
    joined = {
        tuple(" ".join(words).replace(" و ", " و").split()): n for words, n in phrases.items()
    }
    by_first: dict[str, list[tuple[list[str], str]]] = {}
    for words, number in sorted((phrases | joined).items(), key=lambda each: -len(each[0])):
        by_first.setdefault(words[0], []).append((list(words), number))
    return by_first
