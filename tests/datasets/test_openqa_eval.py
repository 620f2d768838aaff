"""OpenQA-eval in its authors' format. What is written here is a format fixture: our own rows."""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from judgeworthy.datasets import openqa_eval
from judgeworthy.datasets.openqa_eval import GPT4, HUMAN, OUTPUTS, Answer, Reading
from judgeworthy.errors import DataError

SHARED = Path(__file__).parents[3] / "shared" / "data"
KEYS = ["id", "Question", "Model answer", "Acceptable?"]
CAPITAL, RIVER = "what is the capital of peru", "which is the longest river of peru"
HUMANS = [
    ["1", CAPITAL, "lima", "Yes", "Yes", "Yes", ""],
    ["1", CAPITAL, '"Cusco", of course', "No", "Yes", "No", "No"],
    ["2", RIVER, "Ucayali", "Yes", "Yes", "", "Yes"],
]
VERDICTS = [
    ["1", CAPITAL, "lima", "Yes", "Yes, it is."],
    ["1", CAPITAL, "Cusco, of course", "No", "No, it is Lima."],
    ["2", RIVER, "Ucayali", "", "I cannot determine that."],
]
OUTPUT = {"question": CAPITAL, "answer": ["Lima", "City of Lima"], "prediction": "Lima"}


def table(file: Path, columns: list[str], rows: list[list[str]]) -> None:
    lines = ["\t".join(cells) for cells in ([*KEYS, *columns], *rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write(folder: Path, humans: list[list[str]] = HUMANS, verdicts=VERDICTS) -> Path:
    table(folder / HUMAN, ["annotator1", "annotator2", "annotator3"], humans)
    table(folder / GPT4, ["gpt-4"], verdicts)
    return folder


def write_output(folder: Path, name: str, *records: object) -> None:
    (folder / "model_outputs").mkdir(exist_ok=True)
    lines = "\n".join(map(json.dumps, records))
    (folder / "model_outputs" / name).write_text(lines + "\n", encoding="utf-8")


def read(folder: Path, humans: list[list[str]] = HUMANS, verdicts=VERDICTS) -> Reading:
    return openqa_eval.read(write(folder, humans, verdicts))


def test_a_row_is_an_answer_with_its_labels(tmp_path: Path) -> None:
    first, second, third = read(tmp_path).answers
    assert first == Answer(
        id=f"nq301-1-{hashlib.sha256(b'lima').hexdigest()[:8]}",
        question_id="nq301-1",
        question=CAPITAL,
        text="lima",
        references=(),
        models=(),
        human=True,
        annotators=(True, True, None),
        gpt4=True,
    )
    assert (second.human, second.annotators, second.gpt4) == (False, (True, False, False), False)
    assert (third.human, third.annotators, third.gpt4) == (True, (True, None, True), None)


def test_quotation_marks_belong_to_an_answer_but_not_to_its_id(tmp_path: Path) -> None:
    quoted = read(tmp_path).answers[1]
    assert quoted.text == '"Cusco", of course'
    plain = read(tmp_path, [["1", CAPITAL, "Cusco, of course", *HUMANS[1][3:]]]).answers[0]
    assert quoted.id == plain.id


def test_the_outputs_of_the_systems_tell_references_and_systems(tmp_path: Path) -> None:
    river = {"question": RIVER + "?", "answer": ["Ucayali"], "prediction": ["Ucayali", "Amazon"]}
    write_output(tmp_path, "NQ_FiD.jsonl", OUTPUT, river)
    write_output(tmp_path, "NQ301_text-davinci-003_zeroshot.jsonl", OUTPUT)
    first, second, third = read(tmp_path).answers
    assert first.references == second.references == ("Lima", "City of Lima")
    assert first.models == ("text-davinci-003_zeroshot", "FiD")
    assert (second.models, third.models, third.references) == ((), ("FiD",), ("Ucayali",))


def test_equal_rows_are_merged_and_rows_that_contradict_are_all_dropped(tmp_path: Path) -> None:
    contradicting = [*HUMANS[2][:3], "No", "No", "No", ""]
    reading = read(tmp_path, [*HUMANS, HUMANS[0], contradicting])
    assert [answer.text for answer in reading.answers] == ["lima", '"Cusco", of course']
    assert (reading.rows_read, reading.rows_merged, reading.rows_contradicting) == (5, 1, 2)
    assert reading.verdicts_unmatched == 0


def test_verdicts_are_matched_by_answer_and_those_without_one_counted(tmp_path: Path) -> None:
    verdicts = [VERDICTS[2], ["1", CAPITAL, "3 May 1905", "No", "No."], VERDICTS[0]]
    reading = read(tmp_path, verdicts=verdicts)
    assert [answer.gpt4 for answer in reading.answers] == [True, None, None]
    assert (reading.verdicts_missing, reading.verdicts_blank) == (1, 1)
    assert reading.verdicts_unmatched == 1


def test_verdicts_that_contradict_one_another_are_none(tmp_path: Path) -> None:
    verdicts = [*VERDICTS, [*VERDICTS[0][:3], "No", "No."], VERDICTS[1]]
    reading = read(tmp_path, verdicts=verdicts)
    assert [answer.gpt4 for answer in reading.answers] == [None, False, None]
    assert (reading.verdicts_missing, reading.verdicts_unmatched) == (1, 0)


@pytest.mark.parametrize(
    ("verdict", "reply", "denied"),
    [
        ("Yes", "No, that is half of it.", 1),
        ("No", "yes", 1),
        ("Yes", "**Yes**.", 0),
        ("Yes", "That is half of it.", 0),
        ("No", "Nobody knows.", 0),
        ("", "No.", 0),
    ],
)
def test_a_verdict_that_its_reply_denies_is_kept_and_counted(
    tmp_path: Path, verdict: str, reply: str, denied: int
) -> None:
    reading = read(tmp_path, HUMANS[:1], [[*VERDICTS[0][:3], verdict, reply]])
    assert reading.answers[0].gpt4 == {"Yes": True, "No": False, "": None}[verdict]
    assert reading.verdicts_denied == denied


def test_a_reading_says_what_it_read_and_where_annotators_differ(tmp_path: Path) -> None:
    write_output(tmp_path, "NQ_FiD.jsonl", OUTPUT)
    reading = read(tmp_path)
    assert len(reading.labelled_by_both) == 2
    assert [answer.human for answer in reading.labelled_by_three] == [False]
    assert reading.summary() == (
        "NQ301_human.tsv, NQ301_gpt-4.tsv: 3 rows read, 0 repeated merged, 0 contradicting"
        " dropped; 3 answers to 2 questions, 1 with their systems; 1 questions with references;"
        " GPT-4's verdict blank for 1, missing for 0 (0 of its rows match no answer), denied by"
        " its own first word for 0; annotators 1 and 2 both labelled 2 and differ on 1; a third"
        " label on 1 of these, 1 of them where the first two differ."
    )


def fault(folder: Path) -> str:
    with pytest.raises(DataError) as caught:
        openqa_eval.read(folder)
    message = str(caught.value)
    assert str(folder) in message
    assert "judgeworthy data openqa-eval" in message
    return message


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["", *HUMANS[0][1:]], f"{HUMAN}, line 3, id: empty"),
        (["1", " ", *HUMANS[0][2:]], f"{HUMAN}, line 3, Question: empty"),
        (["1", CAPITAL, "", *HUMANS[0][3:]], f"{HUMAN}, line 3, Model answer: empty"),
        ([*HUMANS[0][:3], "Maybe", "", "", ""], f"{HUMAN}, line 3, Acceptable?: Yes, No or"),
        ([*HUMANS[0][:4], "Yes", "yes", ""], "line 3, annotator2: Yes, No or nothing expected"),
        (HUMANS[0][:5], f"{HUMAN}, line 3: not as many cells as columns"),
        ([*HUMANS[0], "Yes"], f"{HUMAN}, line 3: not as many cells as columns"),
    ],
)
def test_a_fault_in_a_row_names_file_line_and_field(tmp_path, cells, said) -> None:
    assert said in fault(write(tmp_path, [HUMANS[0], cells]))


def test_a_fault_in_gpt4s_table_names_its_file(tmp_path: Path) -> None:
    verdicts = [[*VERDICTS[0][:3], "Correct", ""]]
    assert f"{GPT4}, line 2, Acceptable?: Yes, No" in fault(write(tmp_path, HUMANS, verdicts))


@pytest.mark.parametrize(("name", "column"), [(HUMAN, "annotator3"), (GPT4, "gpt-4")])
def test_every_column_is_needed(tmp_path: Path, name: str, column: str) -> None:
    write(tmp_path)
    file = tmp_path / name
    file.write_text(file.read_text("utf-8").replace(column, "other"), encoding="utf-8")
    assert f"{name}, line 1: no column {column}; found id, Question" in fault(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "line 1: no column id"), ("\t".join(KEYS), "line 1: no column annotator1")],
)
def test_a_table_without_its_header(tmp_path: Path, content: str, said: str) -> None:
    (write(tmp_path) / HUMAN).write_text(content, encoding="utf-8")
    assert said in fault(tmp_path)


def test_a_table_without_rows_or_in_another_encoding(tmp_path: Path) -> None:
    assert f"{HUMAN}: no rows under the header" in fault(write(tmp_path, []))
    (write(tmp_path) / GPT4).write_bytes("é".encode("latin-1"))
    assert "utf-8" in fault(tmp_path)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({**OUTPUT, "question": None}, "row 2, question: text expected, found None"),
        ({**OUTPUT, "answer": None}, "row 2, answer: text or a list expected"),
        ({**OUTPUT, "prediction": [7]}, "row 2, prediction: a list of texts expected"),
        ({"question": CAPITAL}, "row 2: no answer; found question"),
        ([OUTPUT], "row 2: an object expected"),
    ],
)
def test_a_fault_in_a_systems_output_names_file_row_and_field(tmp_path, record, said) -> None:
    write_output(tmp_path, "NQ_FiD.jsonl", OUTPUT, record)
    message = fault(write(tmp_path))
    assert "NQ_FiD.jsonl" in message
    assert said in message


@pytest.mark.parametrize("left_out", [HUMAN, GPT4])
def test_a_missing_table_names_the_command(tmp_path: Path, left_out: str) -> None:
    (write(tmp_path) / left_out).unlink()
    assert not openqa_eval.present(tmp_path)
    assert "JUDGEWORTHY_OPENQA_EVAL" in fault(tmp_path)


def test_the_location_is_the_variable_or_the_cache(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGEWORTHY_OPENQA_EVAL", str(tmp_path))
    assert openqa_eval.location() == tmp_path
    monkeypatch.delenv("JUDGEWORTHY_OPENQA_EVAL")
    assert openqa_eval.location().parts[-2:] == ("judgeworthy", "openqa_eval")


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with the authors' files, and the address under which it is served."""
    folder = tmp_path / "origin"
    folder.mkdir()
    for name in OUTPUTS:
        write_output(folder, Path(name).name, OUTPUT)
    handler = partial(SimpleHTTPRequestHandler, directory=str(write(folder)))
    with HTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def test_a_download_can_be_read(tmp_path: Path, origin: tuple[Path, str]) -> None:
    folder = tmp_path / "cache" / "openqa_eval"
    assert openqa_eval.download(folder, origin[1]) == folder
    first = openqa_eval.read(folder).answers[0]
    assert first.references == ("Lima", "City of Lima")
    assert len(first.models) == len(OUTPUTS) == 12
    assert {file.suffix for file in folder.rglob("*.*")} == {".tsv", ".jsonl"}


@pytest.mark.parametrize("name", [OUTPUTS[0], GPT4, HUMAN])
def test_a_failed_download_names_the_address_and_is_not_taken_for_whole(
    tmp_path, origin, name
) -> None:
    (origin[0] / name).unlink()
    with pytest.raises(DataError, match=rf"{origin[1]}/{name}.*JUDGEWORTHY_OPENQA_EVAL"):
        openqa_eval.download(tmp_path / "cache", origin[1])
    assert not openqa_eval.present(tmp_path / "cache")


def test_the_origin_is_pinned() -> None:
    assert openqa_eval.URL == (
        "https://raw.githubusercontent.com/ehsk/OpenQA-eval/"
        "8b9317d0f0c92b52e1c71c0168dff74b5f76a5f4/data"
    )


@pytest.fixture(scope="module")
def original_folder() -> Path:
    folder = SHARED / "original" / "openqa_eval"
    if not folder.is_dir():
        pytest.skip("OpenQA-eval's original tables are not at ../shared/data/original/openqa_eval")
    return folder


@pytest.fixture(scope="module")
def original(original_folder: Path) -> Reading:
    return openqa_eval.read(original_folder)


def test_the_original_tables(original: Reading) -> None:
    assert (original.rows_read, original.rows_merged, original.rows_contradicting) == (1490, 1, 0)
    assert (original.verdicts_blank, original.verdicts_missing) == (2, 1)
    assert (original.verdicts_unmatched, original.verdicts_denied) == (1, 1)
    assert len({answer.id for answer in original.answers}) == 1489
    by_question = Counter(answer.question_id for answer in original.answers)
    assert (len(by_question), min(by_question.values()), max(by_question.values())) == (301, 2, 10)


def test_gpt4_against_the_final_label_of_the_original_tables(original: Reading) -> None:
    assert Counter((answer.human, answer.gpt4) for answer in original.answers) == {
        (True, True): 678,
        (True, False): 137,
        (False, True): 89,
        (False, False): 582,
        (False, None): 3,
    }


def test_annotator_1_against_2_in_the_original_tables(original: Reading) -> None:
    assert Counter(answer.annotators[:2] for answer in original.labelled_by_both) == {
        (True, True): 713,
        (True, False): 109,
        (False, True): 86,
        (False, False): 574,
    }


def test_the_third_annotator_mostly_settles_and_the_final_label_is_the_majority(original) -> None:
    settled = [a for a in original.labelled_by_three if a.annotators[0] != a.annotators[1]]
    assert (len(original.labelled_by_three), len(settled)) == (216, 195)
    differing = [a for a in original.labelled_by_both if a.annotators[0] != a.annotators[1]]
    assert settled == differing
    for answer in original.answers:
        given = [label for label in answer.annotators if label is not None]
        assert sum(label == answer.human for label in given) > len(given) / 2


def test_references_of_the_extract_find_their_questions(original_folder, tmp_path) -> None:
    extract = SHARED / "openqa_eval.nq301.jsonl"
    if not extract.is_file():
        pytest.skip("the extract of OpenQA-eval is not at ../shared/data")
    records = map(json.loads, extract.read_text("utf-8").splitlines())
    outputs = [
        {"question": r["question"], "answer": r["gold_answers"] or [], "prediction": r["answer"]}
        for r in records
    ]
    for name in (HUMAN, GPT4):
        (tmp_path / name).symlink_to(original_folder / name)
    write_output(tmp_path, "NQ_extract.jsonl", *outputs)
    answers = openqa_eval.read(tmp_path).answers
    assert len({answer.question_id for answer in answers if answer.references}) == 301
    # The extract lost the quotation marks around seven answers.
    assert sum(bool(answer.models) for answer in answers) == 1482
