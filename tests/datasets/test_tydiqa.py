"""TyDi QA in both formats. What is written here is a format fixture: its rows are our own."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from judgeworthy.datasets import tydiqa
from judgeworthy.errors import DataError

FACTS = [
    ("english", "Lima", "What is the capital of Peru?", ["Lima", " Lima ", "city of Lima"]),
    ("english", "Lima", "In what year was it founded?", ["1535"]),
    ("telugu", "లిమా", "పెరూ రాజధాని ఏది?", ["లిమా"]),
]


def hub_row(language: str, title: str, text: str, answers: list[str]) -> dict[str, Any]:
    return {
        "question_text": text,
        "document_title": title,
        "language": language,
        "annotations": {"answer_start": [0] * len(answers), "answer_text": answers},
        "document_plaintext": "-",
        "document_url": "-",
    }


HUB = [hub_row(*fact) for fact in FACTS] + [hub_row("english", "Lima", "Who built it?", [""])]


def squad(facts: list[tuple[str, str, str, list[str]]]) -> str:
    entries = [
        {
            "title": title,
            "paragraphs": [
                {
                    "context": "-",
                    "qas": [
                        {
                            "id": f"{language}-{number}-0",
                            "question": text,
                            "answers": [{"text": answer, "answer_start": 0} for answer in answers],
                        }
                    ],
                }
            ],
        }
        for number, (language, title, text, answers) in enumerate(facts)
    ]
    return json.dumps({"data": entries}, ensure_ascii=False)


def write(folder: Path, name: str) -> Path:
    file = folder / name
    if name.endswith(".parquet"):
        pd.DataFrame(HUB).to_parquet(file)
    elif name == "squad.json":
        file.write_text(squad(FACTS), encoding="utf-8")
    elif name == "array.json":
        file.write_text(json.dumps(HUB), encoding="utf-8")
    else:
        lines = [json.dumps(row, ensure_ascii=False) for row in HUB]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


FORMATS = ["hub.parquet", "hub.jsonl", "lines.json", "array.json", "squad.json"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_questions(tmp_path: Path, name: str) -> None:
    first, second = tydiqa.read(write(tmp_path, name), "en").questions
    assert (first.id, first.cluster, first.language) == ("en-dac8f97f14", "doc-aaf2d054", "en")
    assert first.text == "What is the capital of Peru?"
    assert first.references == ("Lima", "city of Lima")
    assert (first.answer_type, second.answer_type) == ("place", "date")
    assert second.cluster == first.cluster


@pytest.mark.parametrize(("name", "rows", "dropped"), [("hub.jsonl", 3, 1), ("squad.json", 2, 0)])
def test_a_reading_says_what_it_read_and_dropped(tmp_path, name, rows, dropped) -> None:
    reading = tydiqa.read(write(tmp_path, name), "en")
    assert (reading.rows_read, reading.rows_dropped, reading.rows_merged) == (rows, dropped, 0)
    assert reading.summary() == (
        f"{name} (en): {rows} rows read, {dropped} without an answer dropped, 0 repeated questions"
        " merged, 2 questions; the paper reports 445 of 990."
    )


def test_a_folder_is_read_whole_and_repeated_questions_are_merged(tmp_path: Path) -> None:
    write(tmp_path, "hub.jsonl")
    (tmp_path / "more.json").write_text(squad([(*FACTS[0][:3], ["Lima", "Ciudad de los Reyes"])]))
    (tmp_path / "other.json").write_text(squad(FACTS[2:]), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not read")
    reading = tydiqa.read(tmp_path, "en")
    assert reading.questions[0].references == ("Lima", "city of Lima", "Ciudad de los Reyes")
    assert (len(reading.questions), reading.rows_read, reading.rows_merged) == (2, 4, 1)
    assert reading.source == "hub.jsonl, more.json"


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    rows = [hub_row("english", "A\u2028B", "Where?", ["Lima"]), HUB[0]]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
    assert len(tydiqa.read(tmp_path / "a.jsonl", "en").questions) == 2


GOOD = json.dumps(HUB[0])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", "", "line 1: Expecting value"),
        ("a.jsonl", GOOD + '\n{"question', "line 2: Unterminated string"),
        ("a.json", '{\n"data": [\n', "line 3: Expecting value"),
        ("a.jsonl", GOOD + '\n{"question": "?"}', "row 2: no question_text, document_title"),
        ("a.jsonl", '{"question": "?"}', "found ['question']"),
        ("a.json", "[1]", "row 1: no question_text"),
        ("a.json", '{"data": 3}', "found ['data']"),
        ("a.json", '{"data": []}', "no answerable english row"),
        ("a.json", '{"data": [{"title": "Lima"}]}', "data[0]: title, paragraphs"),
        ("a.json", squad(FACTS).replace('"title"', '"name"'), "KeyError('title')"),
        ("a.jsonl", json.dumps({**HUB[0], "annotations": 5}), "answer_text"),
        ("a.jsonl", json.dumps({**HUB[0], "annotations": {"answer_text": "Lima"}}), "a list"),
        ("a.jsonl", json.dumps({**HUB[0], "question_text": None}), "question_text"),
        ("a.jsonl", json.dumps({**HUB[0], "language": None}), "language"),
        ("a.jsonl", json.dumps(HUB[2]), "no answerable english row; found ['te']"),
        ("a.jsonl", json.dumps(HUB[3]), "no answerable english row; found ['en']"),
        ("a.parquet", "PAR?", "not a Parquet file"),
    ],
)
def test_a_fault_names_file_place_and_remedy(tmp_path, name, content, said) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        tydiqa.read(file, "en")
    message = str(caught.value)
    assert str(file) in message
    assert said in message
    assert "judgeworthy data tydiqa" in message


def test_text_in_another_encoding_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes("é".encode("latin-1"))
    with pytest.raises(DataError, match=r"a\.json.*utf-8"):
        tydiqa.read(tmp_path / "a.json", "en")


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_missing_or_empty_folder_names_the_command(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="run `judgeworthy data tydiqa`"):
        tydiqa.read(tmp_path / name, "en")


def test_a_language_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'fr'.*\['en', 'ar', 'te'\]"):
        tydiqa.read(tmp_path, "fr")


def test_the_location_is_the_variable_or_the_cache(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGEWORTHY_TYDIQA", str(tmp_path))
    assert tydiqa.location() == tmp_path
    monkeypatch.delenv("JUDGEWORTHY_TYDIQA")
    assert tydiqa.location().parts[-2:] == ("judgeworthy", "tydiqa")


class Handler(BaseHTTPRequestHandler):
    """Serves the format fixture whole, cut off, or not at all."""

    def do_GET(self) -> None:
        body = squad(FACTS).encode()
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Length", str(len(body) * (2 if "cut" in self.path else 1)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Handler) as httpd:
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def test_a_download_can_be_read(tmp_path: Path, server: str) -> None:
    folder = tmp_path / "cache" / "tydiqa"
    assert tydiqa.download(folder, f"{server}/dev.json") == folder / "dev.json"
    assert len(tydiqa.read(folder, "te").questions) == 1
    assert [file.name for file in folder.iterdir()] == ["dev.json"]


@pytest.mark.parametrize("name", ["missing.json", "cut.json"])
def test_a_failed_download_names_the_address_and_leaves_no_file(tmp_path, server, name) -> None:
    with pytest.raises(DataError, match=rf"{server}/{name}.*JUDGEWORTHY_TYDIQA"):
        tydiqa.download(tmp_path, f"{server}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_nobody_at_the_address(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="check the network"):
        tydiqa.download(tmp_path, "http://127.0.0.1:1/dev.json")


@pytest.mark.parametrize(("language", "count"), [("en", 440), ("ar", 921), ("te", 669)])
def test_the_original_files(tydiqa_folder: Path, language: str, count: int) -> None:
    reading = tydiqa.read(tydiqa_folder, language)
    assert len({question.id for question in reading.questions}) == count
    assert (reading.rows_read, reading.rows_dropped, reading.rows_merged) == (count, 0, 0)
    assert all(question.references for question in reading.questions)


def test_one_file_with_all_languages_reads_as_the_three_do(tydiqa_folder, tmp_path) -> None:
    files = sorted(tydiqa_folder.glob("*.json"))
    entries = [entry for file in files for entry in json.loads(file.read_text("utf-8"))["data"]]
    (tmp_path / "dev.json").write_text(json.dumps({"data": entries}), encoding="utf-8")
    for language in tydiqa.LANGUAGES:
        one, three = tydiqa.read(tmp_path, language), tydiqa.read(tydiqa_folder, language)
        assert one.questions == three.questions
