"""PRD in its authors' format and as an extract. What is written here is our own."""

import io
import json
import tarfile
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from judgeworthy.datasets import prd
from judgeworthy.datasets.prd import EXTRACT, HUMAN, MODELS, Reading, Vote
from judgeworthy.errors import DataError
from judgeworthy.sections.peer_ranking import pairs, voted

SHARED = Path(__file__).parents[3] / "shared" / "data"
Scores = list[tuple[int, int]]


def row(judge: str, prompt: int, first: str, second: str, winner: str) -> dict[str, Any]:
    named = {"first": first, "second": second, "winner": winner}
    return {"judge": judge, "question_id": prompt, **named}


def extract(folder: Path, *rows: object) -> Reading:
    lines = "\n".join(map(json.dumps, rows))
    (folder / EXTRACT).write_text(lines + "\n", encoding="utf-8")
    return prd.read(folder)


def rate(folder: Path, judge: str, first: str, second: str, scores: Scores, **odd: object) -> Path:
    """Write a file as the authors do: an entry a prompt, with its score."""
    ending = "" if judge == "vicuna-13b" else "_threeclass"
    name = f"answer_{first}-vs-answer_{second}-{judge}-reviewer{ending}.jsonl"
    entries = [
        {"question_id": prompt, "text": "better.", "score": score} | odd for prompt, score in scores
    ]
    file = folder / f"ratings-{judge}" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(map(json.dumps, entries)) + "\n", encoding="utf-8")
    return file


def originals(folder: Path) -> Path:
    for judge in (*MODELS, HUMAN):
        rate(folder, judge, "bard", "gpt4", [(1, 1), (2, 3)])
    rate(folder, "vicuna-13b", "vicuna-13b", "claude", [(1, 2)])
    rate(folder, HUMAN, "guanaco-7b", "vicuna-13b", [(1, 1)])
    rate(folder, HUMAN, "gpt4", "bard", [(1, 1), (1, 2), (1, 1)])
    (folder / "prompt").mkdir()
    question = {"question_id": 1, "text": "How are you?", "category": "generic"}
    (folder / "prompt" / "vicuna_questions.jsonl").write_text(json.dumps(question), "utf-8")
    return folder


def test_a_row_of_the_extract_is_a_vote(tmp_path: Path) -> None:
    reading = extract(tmp_path, row("gpt4", 7, "bard", "claude", "claude"))
    assert reading.votes == (Vote(7, "gpt4", 1, "bard", "claude", "claude"),)
    assert reading.by_models == reading.votes and not reading.by_people
    assert reading.categories == {} and reading.source == EXTRACT


def test_a_score_of_the_authors_files_is_a_vote_and_the_name_says_on_whom(tmp_path: Path) -> None:
    reading = prd.read(originals(tmp_path))
    of_vicuna = [vote for vote in reading.by_models if vote.judge == "vicuna-13b"]
    assert of_vicuna == [
        Vote(1, "vicuna-13b", 1, "bard", "gpt4", "bard"),
        Vote(2, "vicuna-13b", 1, "bard", "gpt4", "tie"),
        Vote(1, "vicuna-13b", 1, "vicuna-13b", "claude", "claude"),
    ]
    assert reading.categories == {1: "generic"}
    assert (reading.rows_of_others, reading.source) == (1, "ratings-*")


def test_an_older_spelling_of_the_authors_names_is_read_too(tmp_path: Path) -> None:
    file = rate(originals(tmp_path), "gpt35", "gpt35", "gpt4", [(1, 2)])
    file.rename(file.with_name("answer-gpt35-vs-answer-gpt4-gpt35-reviewer-threeclass.jsonl"))
    assert Vote(1, "gpt35", 1, "gpt35", "gpt4", "gpt4") in prd.read(tmp_path).by_models


def test_a_models_equal_rows_are_one_vote_and_its_contradicting_rows_none(tmp_path: Path) -> None:
    reading = extract(
        tmp_path,
        row("gpt35", 1, "bard", "gpt4", "bard"),
        row("gpt35", 1, "bard", "gpt4", "bard"),
        row("gpt35", 2, "bard", "gpt4", "bard"),
        row("gpt35", 2, "bard", "gpt4", "tie"),
        row("gpt35", 2, "gpt4", "bard", "gpt4"),
    )
    assert [(vote.prompt, vote.first) for vote in reading.votes] == [(1, "bard"), (2, "gpt4")]
    assert (reading.models_merged, reading.models_dropped) == (1, 2)
    assert (reading.rows_repeated, reading.comparisons_contradicting) == (2, 1)


def test_every_row_of_people_is_a_vote_with_its_number(tmp_path: Path) -> None:
    rows = [row(HUMAN, 1, "bard", "gpt4", winner) for winner in ("bard", "gpt4", "bard")]
    reading = extract(tmp_path, *rows, row("gpt4", 1, "bard", "gpt4", "tie"))
    assert [(vote.number, vote.winner) for vote in reading.by_people] == [
        (1, "bard"),
        (2, "gpt4"),
        (3, "bard"),
    ]
    assert (reading.people_repeated, reading.people_contradicting) == (2, 1)
    assert (reading.models_merged, reading.models_dropped) == (0, 0)


def test_the_summary_states_the_rule_and_the_counts(tmp_path: Path) -> None:
    text = prd.read(originals(tmp_path)).summary()
    assert "16 rows read, 1 of other models left out; 2 prompts, 5 models" in text
    assert "2 rows repeat a comparison and 1 comparisons have rows that contradict" in text
    assert "of people every row is a vote (2 repeat a comparison" in text
    assert "11 votes of models, 5 of them ties; 5 votes of people, kept apart." in text


def fault(folder: Path) -> str:
    with pytest.raises(DataError) as caught:
        prd.read(folder)
    assert str(folder) in str(caught.value) and "judgeworthy data prd" in str(caught.value)
    return str(caught.value)


GOOD = row("gpt4", 1, "bard", "claude", "tie")


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({**GOOD, "question_id": "1"}, "row 2, question_id: a number expected, found '1'"),
        ({**GOOD, "question_id": True}, "row 2, question_id: a number expected"),
        ({**GOOD, "judge": "me"}, "row 2, judge: one of bard, claude"),
        ({**GOOD, "winner": "gpt4"}, "row 2: two models and one of them or tie"),
        ({**GOOD, "second": "bard", "winner": "bard"}, "row 2: two models and one of them"),
        ({**GOOD, "first": None}, "row 2, first: text expected"),
        ({"judge": "gpt4"}, "row 2: no first; found judge"),
        ([1], "row 2: an object expected"),
    ],
)
def test_a_fault_in_the_extract_names_file_row_and_field(
    odd: object, said: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError):
        extract(tmp_path, GOOD, odd)
    assert said in fault(tmp_path)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"score": 4}, "row 1, score: 1, 2 or 3 expected, found 4"),
        ({"score": "1"}, "row 1, score: a number expected"),
        ({"question_id": None}, "row 1, question_id: a number expected"),
    ],
)
def test_a_fault_in_the_authors_files_names_file_row_and_field(
    odd: dict[str, object], said: str, tmp_path: Path
) -> None:
    rate(originals(tmp_path), "gpt4", "claude", "bard", [(1, 1)], **odd)
    message = fault(tmp_path)
    assert "answer_claude-vs-answer_bard-gpt4-reviewer" in message and said in message


def test_a_file_whose_name_says_nothing_is_refused(tmp_path: Path) -> None:
    (originals(tmp_path) / "ratings-gpt4" / "all.jsonl").write_text("{}", encoding="utf-8")
    assert "all.jsonl: its name does not say who is compared" in fault(tmp_path)


def test_a_missing_folder_names_the_command_and_a_judge_that_is_missing_counts_as_that(
    tmp_path: Path,
) -> None:
    assert "no folder ratings-<judge>" in fault(tmp_path)
    for file in (originals(tmp_path) / "ratings-human").iterdir():
        file.unlink()
    assert not prd.present(tmp_path)
    assert prd.VARIABLE in fault(tmp_path)


def test_the_location_is_the_variable_or_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUDGEWORTHY_PRD", str(tmp_path))
    assert prd.location() == tmp_path
    monkeypatch.delenv("JUDGEWORTHY_PRD")
    assert prd.location().parts[-2:] == ("judgeworthy", "prd")


def test_the_origin_is_pinned() -> None:
    assert prd.URL == "https://github.com/bcdnlp/PRD/archive/35fb99e.tar.gz"


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder with an archive like the authors' repository, and the address of the folder."""
    folder = tmp_path / "origin"
    folder.mkdir()
    packed = originals(tmp_path / "source")
    with tarfile.open(folder / "PRD.tar.gz", "w:gz") as archive:
        archive.add(packed, "PRD-35fb99e/data/vicuna80")
        for name in ("PRD-35fb99e/README.md", "../outside/data/vicuna80/ratings-gpt4/x.jsonl"):
            entry = tarfile.TarInfo(name)
            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"no\n"))
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with HTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}/PRD.tar.gz"
        httpd.shutdown()


def test_a_download_can_be_read_and_holds_the_votes_alone(
    tmp_path: Path, origin: tuple[Path, str]
) -> None:
    folder = tmp_path / "cache" / "prd"
    assert prd.download(folder, origin[1]) == folder
    assert prd.read(folder) == prd.read(tmp_path / "source")
    assert {path.name for path in folder.parent.iterdir()} == {"prd"}
    kept = {path.parent.name.partition("-")[0] for path in folder.rglob("*.jsonl")}
    assert kept == {"ratings", "prompt"}


def test_a_failed_download_names_the_address_and_leaves_nothing(
    tmp_path: Path, origin: tuple[Path, str]
) -> None:
    archive = origin[0] / "PRD.tar.gz"
    whole = archive.read_bytes()
    for broken in (whole[: len(whole) // 2], b"no archive"):
        archive.write_bytes(broken)
        with pytest.raises(DataError, match=r"could not be unpacked.*JUDGEWORTHY_PRD"):
            prd.download(tmp_path / "cache" / "prd", origin[1])
        assert not list((tmp_path / "cache").iterdir())
    with tarfile.open(archive, "w:gz"):
        pass
    with pytest.raises(DataError, match="it holds no data/vicuna80"):
        prd.download(tmp_path / "cache" / "prd", origin[1])
    archive.unlink()
    with pytest.raises(DataError, match="could not be fetched"):
        prd.download(tmp_path / "cache" / "prd", origin[1])


@pytest.fixture(scope="module")
def original() -> Reading:
    if not (SHARED / EXTRACT).is_file():
        pytest.skip("the extract of PRD is not at ../shared/data")
    return prd.read(SHARED)


def test_the_counts_of_the_extract(original: Reading) -> None:
    assert (original.rows_read, original.rows_of_others) == (9920, 0)
    assert (original.rows_repeated, original.comparisons_contradicting) == (1120, 342)
    assert (original.models_merged, original.models_dropped) == (133, 54)
    assert (original.people_repeated, original.people_contradicting) == (960, 315)
    assert (len(original.by_models), len(original.by_people)) == (7973, 1760)
    assert len(original.categories) == len({vote.prompt for vote in original.votes}) == 80
    assert Counter(vote.judge for vote in original.by_models) == {
        **dict.fromkeys(MODELS, 1600),
        "gpt35": 1573,
    }


def test_every_model_judged_every_pair_in_both_orders_and_people_voted_three_times_or_once(
    original: Reading,
) -> None:
    orders = {(vote.first, vote.second) for vote in original.by_models}
    assert len(orders) == 20
    by_comparison = Counter(
        (vote.prompt, vote.first, vote.second) for vote in original.by_people
    ).values()
    assert Counter(by_comparison) == {3: 480, 1: 320}


def test_the_rankings_that_are_derived_are_those_of_the_extract(original: Reading) -> None:
    path = SHARED / "prd_rankings_derived.jsonl"
    published = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    strict = {
        (given["judge"], given["question_id"]): [name for (name,) in given["ranking"]]
        for given in published
        if all(len(place) == 1 for place in given["ranking"])
    }
    assert len(published) - len(strict) == 255
    table = voted.table(original)
    ours: dict[tuple[str, int], list[str]] = {}
    for entry in pairs.rankings(table).sort_values("rank").to_dict("records"):
        place = str(entry["judge"]), int(str(entry["prompt_id"]).removeprefix("prd-"))
        ours.setdefault(place, []).append(str(entry["candidate"]))
    assert all(strict[place] == order for place, order in ours.items())
    counted = pairs.derived(table).set_index("judge")
    assert counted["incomplete"].to_dict() == {**dict.fromkeys(MODELS, 0), "gpt35": 23}
    assert len(strict) - len(ours) <= 23
