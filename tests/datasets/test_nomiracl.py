"""NoMIRACL in both formats. What is written here is a format fixture: its rows are our own."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from judgeworthy.datasets import nomiracl
from judgeworthy.datasets.nomiracl import Reading, Reply
from judgeworthy.errors import DataError

SHARED = Path(__file__).parents[3] / "shared" / "data"
YES, NO = "Yes, answer is present.", "I don't know"


def row(query_id: str = "7#0", **replies: str | None) -> dict[str, Any]:
    """A row as the authors write it."""
    results = {"gpt": YES, "aya": "\nلا أعرف", **replies}
    return {
        "query_id": query_id,
        "docids": ["1#0"],
        "prompt": None,
        "template": "vanilla",
        "results": results,
    }


def extract_row(label: str = "relevant", query_id: str = "7#0", **changes: Any) -> dict[str, Any]:
    """A row of the extract."""
    replies = row(query_id)["results"]
    fields = {"query_id": query_id, "language": "ar", "human_label": label, "question": None}
    return {**fields, "verdicts": replies, **changes}


def write_lines(file: Path, *rows: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    file.write_text(lines + "\n", encoding="utf-8")


def write(folder: Path, relevant: list[object], non_relevant: list[object]) -> Path:
    write_lines(folder / "relevant" / "ar.test.vanilla_prompt.jsonl", *relevant)
    write_lines(folder / "non_relevant" / "ar.test.vanilla_prompt.jsonl", *non_relevant)
    return folder


def read(folder: Path, relevant: list[object], non_relevant: list[object]) -> Reading:
    return nomiracl.read(write(folder, relevant, non_relevant), "ar")


def read_extract(folder: Path, *rows: object) -> Reading:
    write_lines(folder / "nomiracl_verdicts.ar.jsonl", *rows)
    return nomiracl.read(folder, "ar")


def test_the_folder_of_a_row_is_its_answerability(tmp_path: Path) -> None:
    reading = read(tmp_path, [row()], [row("8", gpt=NO)])
    assert reading.replies == (
        Reply("7#0", "ar", "aya", "\nلا أعرف", answerable=True),
        Reply("7#0", "ar", "gpt", YES, answerable=True),
        Reply("8", "ar", "aya", "\nلا أعرف", answerable=False),
        Reply("8", "ar", "gpt", NO, answerable=False),
    )
    assert reading.models == ("aya", "gpt")


def test_the_extract_gives_the_same_replies(tmp_path: Path) -> None:
    original = read(tmp_path / "a", [row()], [row("8")])
    rows = extract_row("relevant"), extract_row("non_relevant", "8")
    extract = read_extract(tmp_path / "b", *rows)
    assert extract.replies == original.replies
    assert (original.extract, extract.extract) == (False, True)


def test_the_authors_files_come_before_the_extract(tmp_path: Path) -> None:
    write_lines(tmp_path / "nomiracl_verdicts.ar.jsonl", extract_row())
    reading = read(tmp_path, [row()], [row("8")])
    assert reading.source == (
        "relevant/ar.test.vanilla_prompt.jsonl, non_relevant/ar.test.vanilla_prompt.jsonl"
    )


def test_a_blank_reply_is_kept_and_a_missing_one_counted(tmp_path: Path) -> None:
    missing = row("9")
    del missing["results"]["aya"]
    reading = read(tmp_path, [row(gpt=" "), missing], [row("8", gpt=None)])
    assert [reply.text for reply in reading.replies if reply.model == "gpt"] == [" ", YES]
    assert reading.replies_missing == 2


def test_equal_rows_are_merged_and_rows_that_contradict_are_all_dropped(tmp_path: Path) -> None:
    relevant = [row(), row(), row("8"), row("9"), row("9", gpt=NO)]
    reading = read(tmp_path, relevant, [row("8")])
    assert {reply.query_id for reply in reading.replies} == {"7#0"}
    assert (reading.rows_read, reading.rows_merged, reading.rows_contradicting) == (6, 1, 4)


def test_a_reading_says_what_it_read(tmp_path: Path) -> None:
    broken, long = row("9", gpt="\ufffd" * 160), row("8", gpt=" ")
    assert read(tmp_path, [row(), broken], [long]).summary() == (
        "relevant/ar.test.vanilla_prompt.jsonl, non_relevant/ar.test.vanilla_prompt.jsonl (ar):"
        " 3 rows read, 0 repeated merged, 0 contradicting dropped; 3 questions, 2 answerable;"
        " 6 replies of 2 models, 0 missing, 1 blank, 1 with broken characters."
    )


def test_a_reading_of_the_extract_says_how_many_replies_it_cut(tmp_path: Path) -> None:
    long = {"gpt": YES * 7 + "end", "aya": YES}
    summary = read_extract(tmp_path, extract_row(verdicts=long)).summary()
    assert summary.endswith("0 with broken characters, 1 cut after 160 characters by the extract.")


GOOD = json.dumps(row())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: Expecting value"),
        (GOOD + '\n{"query_id', "line 2: Unterminated string"),
        ("[]", "no rows"),
        (GOOD + "\n3", "row 2: an object expected, found 3"),
        (GOOD + '\n{"query_id": "8"}', "row 2: no results; found query_id"),
        (json.dumps({"results": {}}), "row 1: no query_id; found results"),
        (json.dumps({**row(), "query_id": 7}), "row 1, query_id: text expected, found 7"),
        (json.dumps(row(" ")), "row 1, query_id: empty"),
        (json.dumps({**row(), "results": [YES]}), "row 1, results: an object expected"),
        (json.dumps({**row(), "results": {"gpt": 1}}), "row 1, results, gpt: text or null"),
    ],
)
def test_a_fault_names_file_place_and_remedy(tmp_path: Path, content: str, said: str) -> None:
    file = write(tmp_path, [row()], []) / "non_relevant" / "ar.test.vanilla_prompt.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        nomiracl.read(tmp_path, "ar")
    message = str(caught.value)
    assert str(file) in message
    assert said in message
    assert "judgeworthy data nomiracl" in message


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"human_label": "maybe"}, "row 2, human_label: relevant or non_relevant expected"),
        ({"human_label": None}, "row 2, human_label: text expected, found None"),
        ({"language": "te"}, "row 2, language: ar expected, found 'te'"),
        ({"verdicts": None}, "row 2, verdicts: an object expected, found None"),
    ],
)
def test_a_fault_in_the_extract_names_file_place_and_remedy(tmp_path, changes, said) -> None:
    with pytest.raises(DataError) as caught:
        read_extract(tmp_path, extract_row(), {**extract_row(), **changes})
    assert f"nomiracl_verdicts.ar.jsonl, {said}" in str(caught.value)
    assert "judgeworthy data nomiracl" in str(caught.value)


def test_text_in_another_encoding_is_a_fault(tmp_path: Path) -> None:
    file = write(tmp_path, [row()], []) / "non_relevant" / "ar.test.vanilla_prompt.jsonl"
    file.write_bytes("é".encode("latin-1"))
    with pytest.raises(DataError, match=r"non_relevant.*utf-8"):
        nomiracl.read(tmp_path, "ar")


@pytest.mark.parametrize("folder", ["relevant", "non_relevant"])
def test_one_label_alone_is_not_read(tmp_path: Path, folder: str) -> None:
    (write(tmp_path, [row()], [row("8")]) / folder / "ar.test.vanilla_prompt.jsonl").unlink()
    assert not nomiracl.present(tmp_path, "ar")
    with pytest.raises(DataError, match=rf"no {folder}/ar.*run `judgeworthy data nomiracl`"):
        nomiracl.read(tmp_path, "ar")


def test_presence_is_told_by_language(tmp_path: Path) -> None:
    write(tmp_path, [row()], [row("8")])
    write_lines(tmp_path / "nomiracl_verdicts.te.jsonl", extract_row())
    assert [nomiracl.present(tmp_path, code) for code in ("en", "ar", "te")] == [False, True, True]


def test_a_missing_folder_names_the_command_and_the_variable(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"judgeworthy data nomiracl.*JUDGEWORTHY_NOMIRACL"):
        nomiracl.read(tmp_path / "nowhere", "en")


def test_a_language_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'fr'.*\['en', 'ar', 'te'\]"):
        nomiracl.read(tmp_path, "fr")


def test_the_location_is_the_variable_or_the_cache(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUDGEWORTHY_NOMIRACL", str(tmp_path))
    assert nomiracl.location() == tmp_path
    monkeypatch.delenv("JUDGEWORTHY_NOMIRACL")
    assert nomiracl.location().parts[-2:] == ("judgeworthy", "nomiracl")


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with the authors' files, and the address under which it is served."""
    folder = tmp_path / "origin"
    for language in nomiracl.LANGUAGES:
        name = f"{language}.test.vanilla_prompt.jsonl"
        write_lines(folder / "relevant" / name, row())
        write_lines(folder / "non_relevant" / name, row("8"), row("9"))
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with HTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def test_a_download_can_be_read_in_every_language(tmp_path, origin) -> None:
    folder = tmp_path / "cache" / "nomiracl"
    assert nomiracl.download(folder, origin[1]) == folder
    for language in nomiracl.LANGUAGES:
        labels = Counter(reply.answerable for reply in nomiracl.read(folder, language).replies)
        assert labels == {True: 2, False: 4}
    assert len(list(folder.rglob("*.*"))) == 6


def test_a_failed_download_names_the_address_and_is_not_taken_for_whole(tmp_path, origin) -> None:
    name = "non_relevant/te.test.vanilla_prompt.jsonl"
    (origin[0] / name).unlink()
    with pytest.raises(DataError, match=rf"{origin[1]}/{name}.*JUDGEWORTHY_NOMIRACL"):
        nomiracl.download(tmp_path / "cache", origin[1])
    assert not nomiracl.present(tmp_path / "cache", "te")


def test_the_origin_is_pinned() -> None:
    assert nomiracl.URL == (
        "https://raw.githubusercontent.com/project-miracl/nomiracl/9c787da/results/baselines"
    )


@pytest.mark.parametrize(
    ("language", "blank", "cut"), [("en", 8, 711), ("ar", 58, 851), ("te", 37, 326)]
)
def test_the_extract_of_the_real_replies(language: str, blank: int, cut: int) -> None:
    if not nomiracl.present(SHARED, language):
        pytest.skip("NoMIRACL's replies are not at ../shared/data")
    reading = nomiracl.read(SHARED, language)
    assert (reading.rows_read, reading.rows_merged, reading.rows_contradicting) == (500, 0, 0)
    assert (len(reading.models), reading.replies_missing) == (11, 0)
    assert Counter(reply.answerable for reply in reading.replies) == {True: 2750, False: 2750}
    assert sum(not reply.text.strip() for reply in reading.replies) == blank
    assert sum(len(reply.text) == nomiracl.EXTRACT_LENGTH for reply in reading.replies) == cut
    assert max(len(reply.text) for reply in reading.replies) == nomiracl.EXTRACT_LENGTH
