"""EVOUNA in its authors' format. What is written here is a format fixture: its rows are our own."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.datasets import qa_eval
from judgeworthy.datasets.qa_eval import split_references
from judgeworthy.errors import DataError

SHARED = Path(__file__).parents[3] / "shared" / "data"


def row(**changes: Any) -> dict[str, Any]:
    answers = {f"answer_{model}": f"Lima, says {model}." for model in qa_eval.MODELS}
    labels = {f"judge_{model}": True for model in qa_eval.MODELS}
    question = {"question": "what is the capital of peru", "golden_answer": "Lima/City of Lima"}
    return {**question, **answers, **labels, "improper": False, **changes}


RIVER = row(question="which is the longest river of peru", golden_answer="Ucayali")


def read(folder: Path, *rows: dict[str, Any]) -> qa_eval.Reading:
    (folder / "NQ.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return qa_eval.read(folder)


def test_a_row_is_one_question_and_an_answer_of_each_model(tmp_path: Path) -> None:
    reading = read(tmp_path, row(judge_gpt4=False, answer_gpt4="\n\nCusco. "))
    (question,) = reading.questions
    assert (question.id, question.cluster, question.language) == ("nq-818a9b9c3f",) * 2 + ("en",)
    assert question.references == ("Lima", "City of Lima")
    assert question.answer_type == "place"
    assert [answer.model for answer in reading.answers] == [*qa_eval.MODELS]
    assert {answer.question_id for answer in reading.answers} == {question.id}
    assert reading.answers[3] == qa_eval.Answer(
        question.id, "gpt4", "Cusco.", correct=False, improper=False, damaged=False
    )


def test_an_id_depends_on_the_question_alone(tmp_path: Path) -> None:
    first = read(tmp_path, row(), RIVER).questions
    second = read(tmp_path, RIVER, row(golden_answer="Lima", answer_fid="Cusco")).questions
    assert [question.id for question in first] == [question.id for question in second][::-1]


@pytest.mark.parametrize(
    ("joined", "references"),
    [
        ("Lima", ["Lima"]),
        ("Lima/City of Lima", ["Lima", "City of Lima"]),
        ("Lima /City of Lima/ Lima/", ["Lima", "City of Lima"]),
        ("14/30", ["14", "30"]),
        ("1998/1999", ["1998", "1999"]),
        ("1998/98", ["1998", "98"]),
        ("May 1998/99 to 120", ["May 1998", "99 to 120"]),
        ("May 1998/99\u00a0June", ["May 1998", "99\u00a0June"]),
        ("24 May 2017/8 June 2017", ["24 May 2017", "8 June 2017"]),
        ("12,500/1", ["12,500", "1"]),
        ("10 m/ten metres", ["10 m", "ten metres"]),
        ("", []),
        ("/", []),
        ("N/A", []),
    ],
)
def test_a_slash_separates_references(joined: str, references: list[str]) -> None:
    assert split_references(joined) == (tuple(references), 0)


@pytest.mark.parametrize(
    ("joined", "references"),
    [
        ("12 / 40/12", ["12 / 40", "12"]),
        ("4/7/1998/4 July 1998", ["4/7/1998", "4 July 1998"]),
        ("1998/07/04", ["1998/07/04"]),
        ("1998/99/since 1998/99", ["1998/99", "since 1998/99"]),
        ("1997/1998/99", ["1997", "1998/99"]),
        ("1999/00 season", ["1999/00 season"]),
        ("432/1 BC", ["432/1 BC"]),
        ("90\u00a0km/h/25 m/s", ["90\u00a0km/h", "25 m/s"]),
        ("AC/DC/the band AC/DC", ["AC/DC", "the band AC/DC"]),
        ("salt and/or sugar/salt", ["salt and/or sugar", "salt"]),
    ],
)
def test_a_slash_inside_a_reference_is_kept_and_counted(joined, references) -> None:
    kept = sum(reference.count("/") for reference in references)
    assert split_references(joined) == (tuple(references), kept)


WORDS = st.text("abcdé ü'-.", min_size=1).filter(str.strip)


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_words_that_are_joined_come_apart_again_each_once(words: list[str]) -> None:
    stripped = [word.strip() for word in words]
    assert split_references("/".join(stripped)) == (tuple(dict.fromkeys(stripped)), 0)


@given(st.text("/1239ab ", max_size=20))
def test_no_reference_is_empty_or_invented(joined: str) -> None:
    references, kept = split_references(joined)
    assert all(reference.strip() and reference in joined for reference in references)
    assert kept <= joined.count("/")


def test_a_missing_label_is_kept_as_none_and_an_improper_question_is_marked(tmp_path) -> None:
    rows = row(judge_fid=None), {**RIVER, "improper": True, "judge_fid": None}
    reading = read(tmp_path, *rows)
    assert Counter((a.correct, a.improper) for a in reading.answers) == {
        (None, False): 1,
        (True, False): 4,
        (None, True): 1,
        (True, True): 4,
    }
    assert [answer.model for answer in reading.comparable] == [*qa_eval.MODELS[1:]]


def test_an_empty_answer_is_dropped_even_if_it_has_a_label(tmp_path: Path) -> None:
    empty = {"answer_fid": None, "answer_gpt35": "", "answer_gpt4": "    ", "judge_fid": None}
    reading = read(tmp_path, row(**empty))
    assert [answer.model for answer in reading.answers] == ["chatgpt", "newbing"]
    assert (reading.answers_empty, reading.answers_empty_labelled) == (3, 2)


@pytest.mark.parametrize("golden", [None, "", " ", "/", "N/A"])
def test_a_question_without_a_reference_is_dropped(tmp_path: Path, golden: str | None) -> None:
    reading = read(tmp_path, row(golden_answer=golden), RIVER)
    assert [question.references for question in reading.questions] == [("Ucayali",)]
    assert (reading.rows_read, reading.rows_without_reference) == (2, 1)
    assert len(reading.answers) == 5


def test_equal_rows_are_merged_and_rows_that_contradict_are_all_dropped(tmp_path: Path) -> None:
    reading = read(tmp_path, row(), row(), RIVER, {**RIVER, "golden_answer": "Amazon"})
    assert [question.references[0] for question in reading.questions] == ["Lima"]
    assert (reading.rows_merged, reading.rows_contradicting) == (1, 2)
    assert len(reading.answers) == 5


@pytest.mark.parametrize(
    ("text", "damaged"),
    [
        ("finullcial", True),
        ("Nullcy", True),
        ("Hermullo and Fernullda", True),
        ("the null hypothesis", False),
        ("annulled, nullified", False),
    ],
)
def test_letters_that_the_file_lost_are_marked(tmp_path: Path, text: str, damaged: bool) -> None:
    answers = read(tmp_path, row(answer_fid=text)).answers
    assert [answer.damaged for answer in answers] == [damaged, False, False, False, False]
    for field in ("question", "golden_answer"):
        answers = read(tmp_path, row(**{field: text})).answers
        assert {answer.damaged for answer in answers} == {damaged}


def test_a_reading_says_what_it_read_and_dropped(tmp_path: Path) -> None:
    rows = [
        row(answer_fid=None, judge_gpt4=None, answer_newbing="Fernulla"),
        {**RIVER, "improper": True, "golden_answer": "Ucayali / Amazon"},
        row(question="who", golden_answer=None),
    ]
    assert read(tmp_path, *rows).summary() == (
        "NQ.json: 3 questions with 5 answers each read; 1 without a reference and 0 that stand"
        " twice and differ dropped, 0 repeated merged; 1 empty answers dropped (1 of them"
        " labelled); 9 answers to 2 questions, 1 without a human label, 5 to improper questions,"
        " 3 labelled and proper; 1 with letters lost; 0 questions of which all 5 answers are"
        " sound; 1 questions with several references, 1 slashes kept inside one."
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: Expecting value"),
        ('[\n{"question": "who"', "line 2: Expecting ',' delimiter"),
        ("{}", "a list of questions expected"),
        ("[]", "a list of questions expected"),
        ("[3]", "row 1: an object expected, found 3"),
        (json.dumps([RIVER, {"question": "who"}]), "row 2: no golden_answer; found question"),
        (json.dumps([row(question=" ")]), "row 1, question: empty"),
        (json.dumps([row(question=None)]), "row 1, question: text expected, found None"),
        (json.dumps([row(golden_answer=7)]), "row 1, golden_answer: text or null expected"),
        (json.dumps([row(answer_gpt4=["Lima"])]), "row 1, answer_gpt4: text or null expected"),
        (json.dumps([row(judge_gpt4="yes")]), "row 1, judge_gpt4: true or false or null expected"),
        (json.dumps([row(improper=None)]), "row 1, improper: true or false expected"),
    ],
)
def test_a_fault_names_file_place_and_field(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "NQ.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        qa_eval.read(file)
    message = str(caught.value)
    assert f"{file}" in message
    assert said in message
    assert "judgeworthy data qa-eval" in message


def test_text_in_another_encoding_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "NQ.json").write_bytes("é".encode("latin-1"))
    with pytest.raises(DataError, match=r"NQ\.json.*utf-8"):
        qa_eval.read(tmp_path)


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_missing_or_empty_folder_names_the_command(tmp_path: Path, name: str) -> None:
    assert not qa_eval.present(tmp_path / name)
    with pytest.raises(DataError, match=r"run `judgeworthy data qa-eval`.*JUDGEWORTHY_QA_EVAL"):
        qa_eval.read(tmp_path / name)


def test_the_file_itself_or_its_folder_is_read(tmp_path: Path) -> None:
    read(tmp_path, row())
    for path in (tmp_path, tmp_path / "NQ.json"):
        assert qa_eval.present(path)
        assert len(qa_eval.read(path).questions) == 1


def test_the_location_is_the_variable_or_the_cache(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGEWORTHY_QA_EVAL", str(tmp_path))
    assert qa_eval.location() == tmp_path
    monkeypatch.delenv("JUDGEWORTHY_QA_EVAL")
    assert qa_eval.location().parts[-2:] == ("judgeworthy", "qa_eval")


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address under which it is served."""
    folder = tmp_path / "origin"
    folder.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with HTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def test_a_download_can_be_read(tmp_path: Path, origin: tuple[Path, str]) -> None:
    served, url = origin
    read(served, row(), RIVER)
    folder = tmp_path / "cache" / "qa_eval"
    assert qa_eval.download(folder, f"{url}/NQ.json") == folder / "NQ.json"
    assert len(qa_eval.read(folder).questions) == 2
    assert [file.name for file in folder.iterdir()] == ["NQ.json"]


def test_a_failed_download_names_the_address_and_leaves_no_file(tmp_path, origin) -> None:
    folder = tmp_path / "cache"
    with pytest.raises(DataError, match=rf"{origin[1]}/NQ\.json.*JUDGEWORTHY_QA_EVAL"):
        qa_eval.download(folder, f"{origin[1]}/NQ.json")
    assert not qa_eval.present(folder)
    assert list(folder.iterdir()) == []


def test_the_origin_is_pinned() -> None:
    assert qa_eval.URL.split("/")[2:6] == [
        "raw.githubusercontent.com",
        "wangcunxiang",
        "QA-Eval",
        "90007d3",
    ]


@pytest.fixture(scope="module")
def original() -> qa_eval.Reading:
    folder = SHARED / "original" / "qa_eval"
    if not folder.is_dir():
        pytest.skip("EVOUNA's original file is not at ../shared/data/original/qa_eval")
    return qa_eval.read(folder)


def test_the_original_file(original: qa_eval.Reading) -> None:
    assert (original.rows_read, original.rows_merged) == (3610, 0)
    assert (original.rows_without_reference, original.rows_contradicting) == (1, 2)
    assert (original.answers_empty, original.answers_empty_labelled) == (507, 6)
    assert (original.references_joined, original.slashes_kept) == (1539, 16)
    assert len({question.id for question in original.questions}) == 3607
    assert max(len(question.references) for question in original.questions) == 23


def test_the_labels_of_the_original_file(original: qa_eval.Reading) -> None:
    answers = original.answers
    assert len(answers) == 17528
    assert sum(answer.correct is None for answer in answers) == 2110
    assert sum(answer.improper for answer in answers) == 2444
    assert sum(answer.damaged for answer in answers) == 353
    assert Counter(answer.model for answer in original.comparable) == {
        "fid": 3016,
        "gpt35": 3018,
        "chatgpt": 3018,
        "gpt4": 3018,
        "newbing": 3014,
    }


def test_references_come_apart_as_another_copy_of_the_questions_has_them(original) -> None:
    extract = SHARED / "openqa_eval.nq301.jsonl"
    if not extract.is_file():
        pytest.skip("the extract of OpenQA-eval is not at ../shared/data")
    records = map(json.loads, extract.read_text("utf-8").splitlines())
    apart = {r["question"]: r["gold_answers"] for r in records if r["gold_answers"]}
    shared = [question for question in original.questions if question.text in apart]
    assert len(shared) == 299
    assert sum(len(question.references) > 1 for question in shared) == 137
    for question in shared:
        assert len(question.references) == len(apart[question.text]), question.id
