"""Languages are told by code, tag or name."""

import pytest

from judgeworthy.datasets.tabular import language


@pytest.mark.parametrize(
    ("said", "code"),
    [
        *[("en", "en"), ("EN-us", "en"), ("en_GB", "en"), ("eng", "en"), ("English", "en")],
        *[("Englisch", "en"), ("tel", "te"), ("Telugu", "te"), ("తెలుగు", "te"), (" ar ", "ar")],
        *[("العربية", "ar"), ("Deutsch", "de"), ("ger", "de"), ("no", "no"), ("yue", "yue")],
        *[("aaq", "aaq"), ("xx", None), ("zz", None), ("", None), ("und", None), ("qaa", None)],
        *[("Klartext", None), ("12", None)],
    ],
)
def test_a_language_is_known_by_what_people_write(said: str, code: str | None) -> None:
    assert language.code(said) == code


def test_a_language_is_called_in_english_and_by_itself() -> None:
    assert language.name("te") == "Telugu (తెలుగు)"
    assert language.name("en") == "English"
    assert language.name("aaq") == "aaq"
