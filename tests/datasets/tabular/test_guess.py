"""Columns are known by their names, and by what is in them where names do not tell."""

from pathlib import Path

import pytest

from datasets.tabular.sheets import HEADING, SOUND, write
from judgeworthy.datasets.tabular import guess, table
from judgeworthy.datasets.tabular.table import Row, Table
from judgeworthy.errors import DataError
from judgeworthy.study.columns import Columns

QUESTIONS = ["What is the capital of Peru?", "Who wrote Emma?", "What do bees make?", "Why?"]
ANSWERS = ["Lima", "Jane Austen", "honey", "because"]
TEXTS = ["It is Lima.", "Jane Austen did.", "They make wax.", "Nobody knows."]
VALUES = {
    "id": ["a", "b", "c", "d"],
    "question": QUESTIONS,
    "answer": ANSWERS,
    "text": TEXTS,
    "other": TEXTS[::-1],
    "model": ["m1", "m1", "m2", "m2"],
    "label": ["1", "0", "1", "1"],
    "lang": ["en", "en", "de", "en"],
    "notes": ["easy", "hard", "easy", "a note on Lima"],
}


def columns(**kinds: str) -> Columns:
    """Guess the columns of a table whose columns hold values of these kinds."""
    names = [name.replace("__", " ") for name in kinds]
    values = zip(*(VALUES[kind] for kind in kinds.values()), strict=True)
    rows = [Row(str(n), dict(zip(names, row, strict=True))) for n, row in enumerate(values)]
    return guess.columns(Table(tuple(names), tuple(rows)))


def test_german_names_of_the_case(tmp_path: Path) -> None:
    taken = guess.columns(table.read([write(tmp_path / "own.csv", SOUND)]))
    assert (taken.id, taken.language, taken.question) == HEADING[:3]
    assert (taken.references, taken.separator) == ((HEADING[3],), "|")
    assert taken.responses == {HEADING[4]: HEADING[4]}


def test_answer_alone_is_the_right_one_and_beside_a_reference_the_models() -> None:
    assert columns(question="question", answer="answer").references == ("answer",)
    taken = columns(Frage="question", Referenz="answer", Antwort="text")
    assert (taken.references, taken.responses) == (("Referenz",), {"Antwort": "Antwort"})
    taken = columns(question="question", answer="answer", response="text")
    assert (taken.references, taken.responses) == (("answer",), {"response": "response"})


def test_several_responses_are_called_by_what_tells_them_apart() -> None:
    taken = columns(question="question", gold="answer", answer_gpt="text", answer_claude="other")
    assert taken.responses == {"gpt": "answer_gpt", "claude": "answer_claude"}


def test_responses_in_rows_have_a_model_and_a_label() -> None:
    taken = columns(
        qid="id", prompt="question", target="answer", model="model", output="text", correct="label"
    )
    assert (taken.response, taken.model, taken.label) == ("output", "model", "correct")
    assert taken.responses == {}


def test_a_label_belongs_to_the_response_that_it_names() -> None:
    taken = columns(
        question="question",
        expected="answer",
        response__gpt="text",
        response__llama="other",
        human__llama="label",
    )
    assert taken.labels == {"llama": "human llama"}


@pytest.mark.parametrize(
    ("question", "answer"), [("السؤال", "الإجابة"), ("ప్రశ్న", "జవాబు"), ("Pregunta", "Respuesta")]
)
def test_names_in_other_tongues(question: str, answer: str) -> None:
    taken = columns(**{question: "question", answer: "answer"})
    assert (taken.question, taken.references) == (question, (answer,))


def test_where_names_do_not_tell_the_content_does() -> None:
    taken = columns(A="id", B="lang", C="question", D="answer", E="text", Kommentar="notes")
    assert (taken.id, taken.language, taken.question) == ("A", "B", "C")
    assert (taken.references, taken.responses) == (("D",), {"E": "E"})


def test_what_the_user_says_comes_first() -> None:
    rows = table.Table(("q", "a", "b"), (Row("1", {"q": "Why?", "a": "x", "b": "y"}),))
    taken = guess.columns(rows, [("references", "b"), ("question", "a")])
    assert (taken.question, taken.references) == ("a", ("b",))


def test_a_table_without_questions_is_told_with_its_columns() -> None:
    rows = table.Table(("x", "y"), (Row("1", {"x": "1", "y": "2"}),))
    with pytest.raises(DataError, match=r"hold the question; say which with --column question="):
        guess.columns(rows)
