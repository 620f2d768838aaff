"""The command line, as its users type it."""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from judgeworthy import judgments, study
from judgeworthy.cli import main
from judgeworthy.errors import MissingRepliesError
from judgeworthy.models.asking import TRIES
from judgeworthy.models.record import Record
from judgeworthy.sections import calibration, kept
from judgeworthy.sections.sensitivity import asked
from models.server import Answer, Endpoint, chat, serving

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)


@pytest.fixture
def endpoint(project: Path) -> Iterator[Endpoint]:
    """An endpoint that serves the project's one judge."""
    with serving(Endpoint()) as served:
        models = project / "params" / "models.yaml"
        models.write_text(models.read_text().replace("http://127.0.0.1:9/v1", served.url))
        yield served


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def requests(endpoint: Endpoint) -> int:
    return len(endpoint.asked)


def test_help_lists_the_commands() -> None:
    done = run("--help")
    assert done.exit_code == 0
    for command in ("data", "models", "record"):
        assert command in done.output


def test_record_asks_packs_and_then_has_nothing_to_ask(endpoint: Endpoint, project: Path) -> None:
    done = run("record", "x")
    assert (done.exit_code, requests(endpoint)) == (0, 8), done.output
    assert "8 recorded, 0 already there" in done.output
    assert [path.name for path in (project / "data/replies/x").glob("*.jsonl*")] == [
        "judge.jsonl.gz"
    ]
    assert len(calibration.load(study.load("x"))) == 8
    again = run("record", "x")
    assert "0 recorded, 8 already there" in again.output
    assert requests(endpoint) == 8


def test_deleted_replies_are_asked_again_and_no_others(endpoint: Endpoint, project: Path) -> None:
    run("record", "x")
    before = calibration.load(study.load("x"))
    packed = project / "data/replies/x/judge.jsonl.gz"
    lines = gzip.decompress(packed.read_bytes()).splitlines(keepends=True)
    packed.write_bytes(gzip.compress(b"".join(lines[3:])))
    done = run("record", "x")
    assert "3 recorded, 5 already there" in done.output
    assert requests(endpoint) == 11
    assert calibration.load(study.load("x")).equals(before)


def test_a_budget_stops_the_command_and_the_next_one_goes_on(endpoint: Endpoint) -> None:
    stopped = run("record", "x", "--max-requests", "3")
    assert stopped.exit_code == 1
    assert "3 recorded, 0 already there" in stopped.output
    assert "3 requests are spent; what was recorded is kept" in stopped.output
    assert "5 recorded, 3 already there" in run("record", "x").output


def test_money_is_limited_only_where_there_are_prices(endpoint: Endpoint) -> None:
    refused = run("record", "x", "--max-usd", "1")
    assert refused.exit_code == 1
    assert "'judge' has no price" in refused.output
    assert requests(endpoint) == 0


def test_what_was_cut_off_is_asked_again_with_more_room(endpoint: Endpoint, project: Path) -> None:
    shown = calibration.items(study.load("x"))[0].question.text
    endpoint.script(shown, [chat('{"extracted_answer": "Par', "length")])
    run("record", "x")
    assert (calibration.load(study.load("x"))["reason"] == "truncated").sum() == 1
    done = run("record", "x", "--more-room")
    assert "1 recorded" in done.output
    assert endpoint.asked[-1][1]["max_tokens"] == 200
    assert not (calibration.load(study.load("x"))["reason"] == "truncated").any()
    lines = gzip.decompress((project / "data/replies/x/judge.jsonl.gz").read_bytes()).splitlines()
    assert len(lines) == 9, "both replies are kept"


def test_a_row_that_always_fails_is_listed_and_the_exit_code_says_so(endpoint: Endpoint) -> None:
    shown = calibration.items(study.load("x"))[0].question.text
    endpoint.script(shown, (Answer({"error": "no such luck"}) for _ in range(99)))
    done = run("record", "x")
    assert done.exit_code == 1
    assert "no reply from judge to C1 p" in done.output
    assert "Traceback" not in done.output


def test_a_dead_endpoint_is_told_in_one_line(project: Path) -> None:
    done = run("record", "x")
    assert done.exit_code == 1
    assert "http://127.0.0.1:9/v1" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("words", [("record", "y"), ("models", "y")])
def test_an_unknown_study_names_the_known_ones(words: tuple[str, ...], project: Path) -> None:
    done = run(*words)
    assert done.exit_code == 1
    assert "y.yaml: no such parameter file. There are: x" in done.output


def test_a_study_without_committed_text_keeps_its_judgments(
    endpoint: Endpoint, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text().replace("parallel", "tydiqa"))
    rows = [
        {"title": f"T{n}", "paragraphs": [{"context": "", "qas": [qa]}]}
        for n in range(6)
        for qa in [
            {"id": f"english-{n}", "question": f"Who is {n}?", "answers": [{"text": f"N{n}x"}]}
        ]
    ]
    source = project / "tydiqa.json"
    source.write_text(json.dumps({"data": rows}))
    monkeypatch.setenv("JUDGEWORTHY_TYDIQA", str(source))
    done = run("record", "x")
    assert done.exit_code == 0, done.output
    assert (
        len(judgments.read(project / "data/judgments/x/calibration.csv", judgments.CALIBRATION))
        == 8
    )
    assert "6 rows read" in kept.origin(study.load("x"), "calibration")
    assert len(calibration.load(study.load("x"))) == 8
    parameters.write_text(parameters.read_text().replace("max_tokens: 100", "max_tokens: 200"))
    with pytest.raises(MissingRepliesError, match="other parameters or prompts"):
        calibration.load(study.load("x"))
    assert run("data", "tydiqa").output.startswith("tydiqa: ")


def test_a_local_model_without_its_server_has_an_exit_code_of_its_own(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "params/models.yaml").write_text((ROOT / "params/models.yaml").read_text())
    parameters = project / "params/x.yaml"
    parameters.write_text(parameters.read_text().replace("- judge", "- smollm2-135m"))
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", sys.executable)
    done = run("record", "x")
    assert done.exit_code == 3
    assert "make env-local" in done.output


def test_with_nothing_to_ask_no_server_is_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", str(tmp_path / "no interpreter"))
    done = run("record", "te")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("0 recorded, ")


BLOCK = """\
sensitivity:
  generators:
    - judge
  max_tokens: 20
"""


def generation() -> str:
    """What the first generation request holds, and no other request."""
    (message,) = next(
        iter(next(asked.stages(study.load("x"), Record.of("x")))["judge"].values())
    ).messages
    return json.dumps(message["content"], ensure_ascii=False)


def test_generators_are_asked_first_then_the_judges(endpoint: Endpoint, project: Path) -> None:
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text() + BLOCK)
    done = run("record", "x")
    assert done.exit_code == 0, done.output
    kinds = ["response_format" in body for _, body in endpoint.asked]
    assert kinds == [True] * 8 + [False] * 4 + [True] * 12
    assert len(asked.load(study.load("x"))) == 12


def test_one_model_alone_can_be_recorded(endpoint: Endpoint, project: Path) -> None:
    done = run("record", "x", "--model", "judge")
    assert "8 recorded" in done.output
    done = run("record", "x", "--model", "jugde")
    assert done.exit_code == 1
    assert "Study 'x' asks no model 'jugde'. Did you mean 'judge'?" in done.output


def test_a_generator_that_gives_nothing_leaves_the_judges_unasked(
    endpoint: Endpoint, project: Path
) -> None:
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text() + BLOCK)
    endpoint.script(generation(), (Answer({"error": "no such luck"}) for _ in range(99)))
    done = run("record", "x")
    assert done.exit_code == 1
    assert "no reply from judge to response p" in done.output
    assert "1 replies are not recorded" in done.output
    assert requests(endpoint) == 8 + 3 + 2 * TRIES


def test_a_response_of_no_words_is_recorded_as_such(endpoint: Endpoint, project: Path) -> None:
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text() + BLOCK)
    endpoint.script(generation(), [chat("", "stop")])
    assert run("record", "x").exit_code == 0
    states = asked.load(study.load("x")).drop_duplicates("question_id")["response_state"]
    assert states.tolist() == ["empty", "complete", "complete", "complete"]
