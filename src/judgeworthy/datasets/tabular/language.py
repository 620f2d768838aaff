"""Languages as people write them: codes of ISO 639, tags such as en-US, names.

Names are those of CLDR: of every language in English and in German, of `_COMMON` in their own.
"""

from functools import cache

import langcodes
from babel import Locale, UnknownLocaleError

_NONE = ("und", "zxx", "mul", "mis")
_COMMON = (
    *("ar", "bn", "de", "es", "fa", "fr", "hi", "id", "it", "ja", "ko", "mr", "nl", "pl", "pt"),
    *("ru", "sw", "ta", "te", "th", "tr", "uk", "ur", "vi", "zh"),
)


@cache
def code(said: str) -> str | None:
    """Return the code of a language, of ISO 639-1 where it has one; None for no language.

    Parameters
    ----------
    said : str
        ``te``, ``tel``, ``te-IN``, ``Telugu`` or ``తెలుగు``, in small letters or large.
    """
    text = said.strip()
    tag = text.replace("_", "-")
    if tag and tag.isascii() and langcodes.tag_is_valid(tag):
        found = langcodes.get(tag).language
        return None if found is None or found in _NONE or _is_private(found) else found
    return _names().get(text.casefold()) or _own_names().get(text.casefold())


def name(code: str) -> str:
    """Return a language's English name, with its own in brackets where it has another."""
    english = Locale("en").languages.get(code, code)
    own = _own_name(code)
    return english if own in ("", english) else f"{english} ({own})"


@cache
def _names() -> dict[str, str]:
    return {
        called.casefold(): known
        for locale in ("de", "en")
        for known, called in Locale(locale).languages.items()
        if len(known) <= 3
    }


@cache
def _own_names() -> dict[str, str]:
    return {_own_name(known).casefold(): known for known in _COMMON}


def _own_name(code: str) -> str:
    try:
        return str(Locale.parse(code).languages.get(code, ""))
    except (UnknownLocaleError, ValueError):
        return ""


def _is_private(code: str) -> bool:
    return "qaa" <= code <= "qtz" and len(code) == 3
