"""The rule for answer types: on questions of our own, and against the types given by hand."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from judgeworthy.datasets import answer_types, tydiqa
from judgeworthy.datasets.answer_types import answer_type
from judgeworthy.text import fold

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "data" / "labels" / "tydiqa_answer_types.csv"


def labels() -> list[dict[str, str]]:
    with LABELS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("When did the bridge open?", "1932", "date"),
        ("In what year was the bridge opened?", "1932", "date"),
        ("How tall is the tower?", "330 m", "number"),
        ("What is the population of the largest city in Peru?", "10 million", "number"),
        ("How long did the siege last?", "ten days", "number"),
        ("How long did the siege last?", "3–9 May 1871", "date"),
        ("How long did the dynasty last?", "1368–1644", "date"),
        ("How many people live there?", "600,123 in December 2018", "number"),
        ("How is glass made?", "by melting sand", "thing"),
        ("How old was she when she died?", "78", "number"),
        ("Who painted it?", "Frida Kahlo", "person"),
        ("Who is Frida Kahlo?", "a Mexican painter", "thing"),
        ("Who was the first king of Norway?", "Harald Fairhair", "person"),
        ("Where is the tower?", "Paris", "place"),
        ("What is the official language of the largest country?", "Russian", "thing"),
        ("Which country has the most islands?", "Sweden", "place"),
        ("What is a salt lake?", "a lake without outflow", "thing"),
        ("What was the first prime number found by hand above a million?", "1000003", "number"),
    ],
)
def test_english(question: str, answer: str, expected: str) -> None:
    assert answer_type(question, [answer], "en") == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("متى افتتح الجسر؟", "1932", "date"),
        ("في أي عام افتتح الجسر؟", "1932", "date"),
        ("أين يقع البرج؟", "باريس", "place"),
        ("في أي مدينة يقع البرج؟", "باريس", "place"),
        ("ما هي عاصمة بيرو؟", "ليما", "place"),
        ("ما هي أكبر مدينة في بيرو؟", "ليما", "place"),
        ("كم عدد أضلاع المكعب؟", "12", "number"),
        ("ماهو تعداد سكان بيرو؟", "33 مليون", "number"),
        ("كم دامت الحرب؟", "1870-1871", "date"),
        ("من رسم اللوحة؟", "بابلو بيكاسو", "person"),
        ("من هو مؤلف الكتاب؟", "طه حسين", "person"),
        ("من هو طه حسين؟", "أديب مصري", "thing"),
        ("من أي مادة يصنع الزجاج؟", "الرمل", "thing"),
        ("ما هو الزجاج؟", "مادة شفافة", "thing"),
    ],
)
def test_arabic(question: str, answer: str, expected: str) -> None:
    assert answer_type(question, [answer], "ar") == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("వంతెన ఎప్పుడు ప్రారంభమైంది?", "1932", "date"),
        ("వంతెన ఏ సంవత్సరంలో ప్రారంభమైంది?", "1932", "date"),
        ("వారానికి ఎన్ని రోజులు?", "ఏడు", "number"),
        ("అమరావతి పిన్ కోడ్ ఏంటి?", "522020", "number"),
        ("ఎన్నికల సంఘం ఏమి చేస్తుంది?", "ఎన్నికలు జరుపుతుంది", "thing"),
        ("గీతాంజలి ఎవరు రాశారు?", "రవీంద్రనాథ్ ఠాగూర్", "person"),
        ("ఆమె తండ్రి పేరేమిటి?", "రామయ్య", "person"),
        ("తాజ్ మహల్ ఎక్కడ ఉంది?", "ఆగ్రా", "place"),
        ("చార్మినార్ ఏ నగరంలో ఉంది?", "హైదరాబాదు", "place"),
        ("జపాన్ రాజధాని ఏది?", "టోక్యో", "place"),
        ("జపాన్ కరెన్సీ ఏంటి?", "యెన్", "thing"),
    ],
)
def test_telugu(question: str, answer: str, expected: str) -> None:
    assert answer_type(question, [answer], "te") == expected


def test_a_language_without_a_table_has_only_the_shape() -> None:
    assert answer_type("Wer war das?", ["Karl"], "de") == "thing"
    assert answer_type("Wie viele?", ["12"], "de") == "number"


@pytest.mark.parametrize("language", ["en", "ar", "te"])
def test_the_tables_are_written_as_folded_text(language: str) -> None:
    patterns = " ".join(pattern for _, pattern in answer_types._ASKED[language])
    words = re.split(r"[^\w\u0c00-\u0c7f]+", patterns.replace(r"\S", " "))
    assert [word for word in words if fold(word) != word] == []


def test_the_rule_was_checked_by_hand_on_17_questions_a_language() -> None:
    assert Counter(row["language"] for row in labels()) == {"en": 17, "ar": 17, "te": 17}


def test_the_rule_agrees_with_the_hand_on_49_of_51() -> None:
    agreed = Counter(row["language"] for row in labels() if row["by_rule"] == row["by_hand"])
    assert agreed == {"en": 16, "ar": 17, "te": 16}


@pytest.mark.parametrize("language", ["en", "ar", "te"])
def test_the_rule_still_says_what_was_checked(tydiqa_folder, language: str) -> None:
    types = {q.id: q.answer_type for q in tydiqa.read(tydiqa_folder, language).questions}
    checked = [row for row in labels() if row["language"] == language]
    assert [types[row["question_id"]] for row in checked] == [row["by_rule"] for row in checked]
