"""Two ways to write one answer are equal; two answers are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from judgeworthy.text import matches_any, normalise, number_tokens, overlaps

WORDS = st.sampled_from(
    [
        "Paris",
        "the",
        "New",
        "7",
        "1947",
        "seven",
        "٧",
        "ఏడు",
        "لندن",
        "هند",
        "الهند",
        "12.5",
        "హైదరాబాదు",
        "హైదరాబాద్",
        "km",
        "a",
        "1,234",
        "!",
        "؟",
    ]
)
ANSWERS = st.lists(WORDS, max_size=4).map(" ".join)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("  The  Beatles ", "beatles"),
        ("Vitamin A", "vitamin a"),
        ("Café–Bar", "cafe bar"),
        ("ＣＯＲＲＥＣＴ", "correct"),
        ("\u200fParis\u200e", "paris"),
        ("مُحَمَّد", "محمد"),
        ("محـــمد", "محمد"),
        ("إربد", "اربد"),
        ("مصطفى", "مصطفي"),
        ("القاهرة", "القاهره"),
        ("హైదరాబాద్‌లో", "హైదరాబాద్లో"),
        ("٤٫٥", "4.5"),
        ("۱۲", "12"),
        ("౧౯౪౭", "1947"),
        ("1,234,567", "1234567"),
        ("١٬٢٣٤", "1234"),
        ("5,87,041", "587041"),
        ("15.8.1947", "15 8 1947"),
        ("1914–1918", "1914 1918"),
        ("5km", "5 km"),
        ("650 km²", "650 km2"),
        ("عام1947", "عام 1947"),
        ("20th century", "20 century"),
        ("14వ శతాబ్దం", "14 శతాబ్దం"),
        ("?!", ""),
    ],
)
def test_one_form_for_many_spellings(written: str, expected: str) -> None:
    assert normalise(written) == expected


@pytest.mark.parametrize("language", ["en", "ar", "te"])
@pytest.mark.parametrize("count", [*range(101), 300, 700, 900, 1000, 3000, 9000])
def test_the_numbers_num2words_writes_are_read(language: str, count: int) -> None:
    assert number_tokens(num2words(count, lang=language)) == {str(count)}


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("ఐదు", "5"),
        ("ఇద్దరు", "2"),
        ("ఇరవై ఐదు", "25"),
        ("పదిహేను", "15"),
        ("రెండు వందలు", "200"),
        ("వెయ్యి", "1000"),
        ("خمس", "5"),
        ("خمسة وعشرين", "25"),
        ("واحدًا وعشرين", "21"),
        ("خمس عشرة", "15"),
        ("إحدى عشرة", "11"),
        ("مئتين", "200"),
        ("ألفان", "2000"),
        ("twenty-one", "21"),
        ("007", "7"),
        ("3.50", "3.5"),
    ],
)
def test_spellings_that_num2words_lacks_are_read(written: str, count: str) -> None:
    assert number_tokens(written) == {count}


def test_words_that_only_look_like_numbers_are_not() -> None:
    assert number_tokens("Tennessee, ألفا, واحة, ఎన్నికల, km2") == frozenset()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("ఐదు", "5"),
        ("5", "five"),
        ("five", "خمسة"),
        ("خمسة", "ఐదు"),
        ("the Nile", "Nile"),
        ("1,000", "one thousand"),
        ("హైదరాబాదు", "హైదరాబాద్"),
        ("مكة", "مكه"),
    ],
)
def test_other_spellings_say_the_same_answer(a: str, b: str) -> None:
    assert matches_any(a, [b]) and matches_any(b, [a])
    assert overlaps(a, b)


@pytest.mark.parametrize(
    ("a", "b"), [("5", "6"), ("15", "5"), ("Nile", "Nil"), ("", ""), ("?", "!")]
)
def test_another_answer_is_not_the_same(a: str, b: str) -> None:
    assert not matches_any(a, [b])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1947", "15 August 1947"),
        ("5", "5 km"),
        ("5 km", "five kilometres"),
        ("ఇద్దరు", "2 children"),
        ("August", "15 August 1947"),
        ("Paris", "the city of Paris"),
        ("SriLanka", "Sri Lanka"),
        ("هند", "الهند"),
        ("హైదరాబాదు", "హైదరాబాద్‌లో"),
        ("2", "twenty-two or 2"),
        ("C", "vitamin C"),
    ],
)
def test_an_answer_overlaps_what_holds_it(a: str, b: str) -> None:
    assert overlaps(a, b)
    assert overlaps(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("7", "1947"),
        ("5 km", "15 km"),
        ("5", "1.5"),
        ("2", "twenty-two"),
        ("15 August 1947", "16 August 1947"),
        ("Paris", "Rome"),
        ("C", "Comic"),
        ("?", "Paris"),
        ("5", "D5 brane"),
    ],
)
def test_other_answers_do_not_overlap(a: str, b: str) -> None:
    assert not overlaps(a, b)
    assert not overlaps(b, a)


@pytest.mark.parametrize(
    ("text", "references", "said"),
    [
        ("It is the city of Paris.", ["Paris"], True),
        ("Comparison", ["Paris"], False),
        ("in August 1947", ["15 August 1947", "1947"], True),
        ("in 1947", ["7"], False),
        ("There are ఐదు oceans", ["five"], True),
        ("New England, York", ["New York"], False),
        ("anything", ["?", ""], False),
        ("anything", [], False),
    ],
)
def test_matches_any_looks_for_whole_words(text: str, references: list[str], said: bool) -> None:
    assert matches_any(text, references) is said


@given(ANSWERS, ANSWERS)
def test_overlap_is_symmetric(a: str, b: str) -> None:
    assert overlaps(a, b) == overlaps(b, a)


@given(ANSWERS, ANSWERS)
def test_a_text_overlaps_the_reference_that_it_says(text: str, reference: str) -> None:
    assert overlaps(text, reference) or not matches_any(text, [reference])


@given(st.integers(0, 10**9), st.sampled_from(["0٠౦", "0۰０"]))
def test_digits_of_any_script_are_one_number(count: int, zeros: str) -> None:
    for zero in zeros:
        written = "".join(chr(ord(zero) + int(digit)) for digit in str(count))
        assert number_tokens(written) == {str(count)}


@given(st.integers(0, 10**12))
def test_thousands_separators_do_not_matter(count: int) -> None:
    assert number_tokens(f"{count:,}") == {str(count)}


@given(st.text(), st.sampled_from("\u200b\u200c\u200d\u200e\u200f\u202b\u2069\ufeff"))
def test_invisible_marks_do_not_matter(text: str, mark: str) -> None:
    assert normalise(mark + text + mark) == normalise(text)
