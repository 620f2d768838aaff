"""The recording: only what is missing is asked for, and one fault does not stop the rest."""

import asyncio
import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock

from conftest import MODELS
from judgeworthy import study
from judgeworthy.cli import main
from judgeworthy.errors import RecordError
from judgeworthy.models import local
from judgeworthy.models.asking import BUSY_TRIES, TRIES
from judgeworthy.models.budget import Budget, Limits
from judgeworthy.models.catalog import Model
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from judgeworthy.sections import calibration
from models import recorder
from models.server import Answer, Endpoint, chat, serving

UNLIMITED = Limits()
KEY = "sk-a-key-that-is-none"
SOURCE = str(Path(local.__file__).parents[2])


@dataclass
class Recording:
    """A record, and models that are behind one endpoint."""

    endpoint: Endpoint
    folder: Path
    models: dict[str, Model] = field(default_factory=dict)

    @property
    def record(self) -> Record:
        return Record(self.folder)

    def run(self, requests: list[Request] | None = None, limits: Limits = UNLIMITED) -> Outcome:
        asked = {name: recorder.requests(4, name) for name in self.models}
        asked = asked if requests is None else {"judge": requests}
        budget = Budget(limits)
        return asyncio.run(
            collect(asked, self.models, self.record, lambda request, reply: False, budget)
        )

    def change(self, name: str, **fields: object) -> None:
        self.models[name] = self.models[name].model_copy(update=fields)

    def asked(self) -> list[str]:
        """Return the user's texts of the calls so far, and forget them."""
        texts = [body["messages"][-1]["content"] for _, body in self.endpoint.asked]
        self.endpoint.asked.clear()
        return texts


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)  # no waiting between attempts
    with serving(Endpoint()) as endpoint:
        models = {"judge": recorder.model(endpoint.url)}
        yield Recording(endpoint, tmp_path / "replies", models)


def items(*numbers: int) -> list[str]:
    return [f"item {number:04}." for number in numbers]


def test_every_request_gets_its_reply_in_order(recording: Recording) -> None:
    outcome = recording.run()
    assert outcome == Outcome(recorded=4)
    assert recording.asked() == items(0, 1, 2, 3)
    assert list(recording.record.read("judge")) == [each.id for each in recorder.requests(4)]


def test_nothing_is_asked_when_nothing_is_missing(recording: Recording) -> None:
    recording.run()
    recording.asked()
    recording.endpoint.served = {"data": [{"id": "another model by now"}]}
    assert recording.run() == Outcome(already=4)
    assert recording.asked() == []


def test_ten_deleted_replies_are_ten_calls(recording: Recording) -> None:
    asked = recorder.requests(40)
    recording.run(asked)
    recording.asked()
    before = recording.record.read("judge")
    path = recording.record.growing("judge")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:7] + lines[17:]), encoding="utf-8")
    assert recording.run(asked) == Outcome(recorded=10, already=30)
    assert recording.asked() == items(*range(7, 17))
    after = recording.record.read("judge")
    assert {id_: reply.text for id_, reply in after.items()} == {
        id_: reply.text for id_, reply in before.items()
    }


def test_a_packed_reply_is_not_asked_for_again(recording: Recording) -> None:
    recording.run(recorder.requests(2))
    recording.record.pack("judge")
    assert recording.run(recorder.requests(3)) == Outcome(recorded=1, already=2)


def test_an_equal_request_is_asked_once(recording: Recording) -> None:
    recording.run(recorder.requests(2) * 3)
    assert recording.asked() == items(0, 1)


def test_another_endpoint_of_the_same_model_is_not_asked_again(recording: Recording) -> None:
    recording.run()
    recording.change("judge", endpoint="http://127.0.0.1:9/v1", timeout=1.0, concurrency=7, key="K")
    assert recording.run() == Outcome(already=4)


def test_another_temperature_or_repeat_is_asked(recording: Recording) -> None:
    (request,) = recorder.requests(1)
    asked = [request, replace(request, temperature=0.3), replace(request, repeat=1)]
    assert recording.run(asked).recorded == 3


PASSING = {
    "an error in HTTP 200": Answer({"error": {"message": "overloaded"}}),
    "empty content": chat(""),
    "no content": chat(None),
    "no choices": Answer({"choices": []}),
    "a web page": Answer("<html>"),
    "HTTP 500": Answer({}, status=500),
    "HTTP 429": Answer({}, status=429),
    "a lost connection": Answer("x" * 100, lost=10),
    "a hang": Answer({}, seconds=0.8),
}
FINAL = {"HTTP 400": Answer({}, status=400)}
REASONS = {
    "an error in HTTP 200": "error in the body: {'message': 'overloaded'}",
    "empty content": "no text in the content (finish_reason stop)",
    "no content": "no text in the content (finish_reason stop)",
    "no choices": "no choices in the body",
    "a web page": "the body is not JSON",
    "HTTP 500": "answers HTTP 500 to 'judge'.",
    "HTTP 429": "answers HTTP 429 to 'judge'.",
    "a lost connection": "refuses or breaks the connection ('judge'); is it running?",
    "HTTP 400": "answers HTTP 400 to 'judge'.",
    "a hang": "did not answer within 0.3 s ('judge').",
}


@pytest.mark.parametrize("kind", PASSING)
def test_a_fault_that_passes_is_asked_again_and_never_recorded(
    recording: Recording, kind: str
) -> None:
    recording.change("judge", timeout=0.3 if kind == "a hang" else 30.0)
    recording.endpoint.script("item 0001.", [PASSING[kind]])
    assert recording.run() == Outcome(recorded=4)
    assert recording.asked() == items(0, 1, 1, 2, 3)
    assert all("verdict" in reply.text for reply in recording.record.read("judge").values())


@pytest.mark.parametrize("kind", [*PASSING, *FINAL])
def test_a_row_that_always_fails_is_listed_and_does_not_stop_the_run(
    recording: Recording, kind: str
) -> None:
    recording.change("judge", timeout=0.3 if kind == "a hang" else 30.0)
    recording.endpoint.script("item 0001.", repeat({**PASSING, **FINAL}[kind]))
    outcome = recording.run()
    (failure,) = outcome.failures
    assert (outcome.recorded, outcome.stopped) == (3, [])
    assert failure.request == recorder.requests(4)[1]
    assert REASONS[kind] in failure.reason
    tries = 1 if kind in FINAL else 2 * (BUSY_TRIES if kind == "HTTP 429" else TRIES)
    assert recording.asked().count("item 0001.") == tries


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reply_that_was_stopped_is_recorded_as_it_is(recording: Recording, reason: str) -> None:
    recording.endpoint.script("item 0001.", [chat("half a", reason)])
    recording.run()
    replies = recording.record.read("judge")
    assert replies[recorder.requests(4)[1].id].finish_reason == reason


def other(recording: Recording, **fields: object) -> Recording:
    """Add a model to the recording, which would be asked the same."""
    recording.models["other"] = recorder.model(recording.endpoint.url, "other")
    recording.change("other", **fields)
    return recording


def test_an_endpoint_that_is_down_does_not_stop_the_others(recording: Recording) -> None:
    outcome = other(recording, endpoint="http://127.0.0.1:9/v1").run()
    assert outcome.recorded == 4
    assert outcome.stopped == [
        "http://127.0.0.1:9/v1 refuses or breaks the connection ('other'); is it running?"
    ]
    assert len(recording.record.read("judge")) == 4
    assert recording.record.read("other") == {}


def test_an_endpoint_that_serves_another_model_is_not_asked(recording: Recording) -> None:
    outcome = other(recording, id="model-b").run()
    assert outcome.recorded == 4
    (reason,) = outcome.stopped
    assert "does not serve 'model-b' but served-judge; correct the id of 'other'" in reason


def test_a_missing_key_does_not_stop_the_others(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAKE_KEY", raising=False)
    outcome = other(recording, key="FAKE_KEY").run()
    assert outcome.recorded == 4
    assert "set FAKE_KEY in the environment or in .env" in outcome.stopped[0]


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_refused_key_stops_the_model_once_and_keeps_what_was_recorded(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, status: int, concurrency: int
) -> None:
    monkeypatch.setenv("FAKE_KEY", KEY)
    recording.change("judge", concurrency=concurrency, key="FAKE_KEY")
    for item in items(*range(3, 40)):
        recording.endpoint.script(item, repeat(Answer({}, status=status)))
    outcome = recording.run(recorder.requests(40))
    assert outcome.stopped == [
        f"{recording.endpoint.url} refuses the key of 'judge'; check FAKE_KEY."
    ]
    # A filter may refuse some with 403 while others pass, so it takes a few to stop.
    assert len(outcome.failures) <= (0 if status == 401 else 4 + concurrency)
    assert len(recording.record.read("judge")) == outcome.recorded <= 3


def test_an_endpoint_that_goes_away_stops_the_model(tmp_path: Path) -> None:
    with serving(Endpoint(seconds=0.05)) as endpoint:
        recording = Recording(endpoint, tmp_path, {"judge": recorder.model(endpoint.url)})
        outcomes: list[Outcome] = []
        thread = threading.Thread(
            target=lambda: outcomes.append(recording.run(recorder.requests(500)))
        )
        thread.start()
        while len(endpoint.asked) < 3:
            thread.join(0.01)
    thread.join(60)
    (outcome,) = outcomes
    assert outcome.failures == []
    assert outcome.stopped == [
        f"{endpoint.url} refuses or breaks the connection ('judge'); is it running?"
    ]
    assert len(recording.record.read("judge")) == outcome.recorded < 500


def test_a_row_that_failed_is_asked_again_when_all_others_are_done(recording: Recording) -> None:
    recording.endpoint.script("item 0001.", [Answer({}, status=500)] * TRIES)
    assert recording.run() == Outcome(recorded=4)
    assert recording.asked() == items(0, *[1] * TRIES, 2, 3, 1)


@pytest.mark.parametrize("status", [500, 429, 503])
def test_an_endpoint_that_only_fails_is_given_up_with_one_message(
    recording: Recording, status: int
) -> None:
    recording.change("judge", concurrency=8)
    recording.endpoint.script("item", repeat(Answer({}, status=status)))
    outcome = recording.run(recorder.requests(1000))
    (said,) = outcome.stopped
    assert f"answers HTTP {status} to 'judge'. Nothing else came for 0.5 s" in said
    assert len(recording.asked()) < 1000


def test_a_request_that_is_never_accepted_is_not_sent_a_thousand_times(
    recording: Recording,
) -> None:
    recording.endpoint.script("item", repeat(Answer({"error": "no such field"}, status=400)))
    outcome = recording.run(recorder.requests(1000))
    (said,) = outcome.stopped
    assert "answers HTTP 400 to 'judge': no such field" in said
    assert len(recording.asked()) == 10


def test_one_fault_in_five_costs_the_calls_that_it_must(recording: Recording) -> None:
    number = 200
    chance = random.Random(20261130)
    faults = [Answer({}, status=500), Answer({}, status=429), Answer({"error": "overloaded"})]
    met: list[Answer] = []

    def failing() -> Iterator[Answer | None]:
        while True:
            if chance.random() < 0.2:
                met.append(chance.choice(faults))
                yield met[-1]
            else:
                yield None

    recording.endpoint.scripts["item"] = failing()  # type: ignore[assignment]
    recording.change("judge", concurrency=16)
    assert recording.run(recorder.requests(number)) == Outcome(recorded=number)
    replies = recording.record.read("judge")
    assert set(replies) == {request.id for request in recorder.requests(number)}
    assert len(met) > number / 10
    assert len(recording.asked()) == number + len(met)


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_budget_ends_the_run_cleanly_at_its_limit(recording: Recording, at_once: int) -> None:
    recording.change("judge", concurrency=at_once)
    outcome = recording.run(recorder.requests(20), Limits(requests=7))
    assert outcome == Outcome(recorded=7, halted="7 requests are spent; what was recorded is kept")
    assert len(recording.asked()) == 7
    assert recording.run(recorder.requests(20)) == Outcome(recorded=13, already=7)


def test_ctrl_c_once_keeps_what_is_in_flight(tmp_path: Path) -> None:
    with serving(Endpoint(seconds=0.4)) as endpoint:
        models = [recorder.model(endpoint.url, concurrency=6)]
        process = recorder.start(tmp_path / "replies", models, 60, tmp_path / "acknowledged")
        while len(endpoint.asked) < 6:
            process.join(0.01)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join(30)
        assert process.exitcode == 0
    assert len(Record(tmp_path / "replies").read("judge")) == len(endpoint.asked) < 60


def test_ctrl_c_ends_a_recorder_that_waits_for_another(tmp_path: Path) -> None:
    folder = tmp_path / "replies"
    folder.mkdir()
    with serving(Endpoint()) as endpoint, FileLock(folder / ".judge.lock"):
        process = recorder.start(
            folder, [recorder.model(endpoint.url)], 5, tmp_path / "acknowledged"
        )
        while not (tmp_path / "acknowledged").exists():
            process.join(0.01)
        time.sleep(1)  # it has begun to wait by then, or is stopped before it does
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join(30)
        assert process.exitcode is not None
        assert endpoint.asked == []


def test_ctrl_c_twice_drops_what_is_in_flight(tmp_path: Path) -> None:
    with serving(Endpoint(seconds=6.0)) as endpoint:
        models = [recorder.model(endpoint.url, concurrency=6, timeout=60.0)]
        process = recorder.start(tmp_path / "replies", models, 60, tmp_path / "acknowledged")
        while len(endpoint.asked) < 6:
            process.join(0.01)
        assert process.pid is not None
        until = time.monotonic() + 15
        while process.is_alive() and time.monotonic() < until:
            os.kill(process.pid, signal.SIGINT)
            process.join(0.3)
        assert process.exitcode not in (0, None)
    assert Record(tmp_path / "replies").read("judge") == {}


@pytest.mark.parametrize("broken", ["pack", "disk"])
def test_a_record_that_cannot_be_used_is_one_error(recording: Recording, broken: str) -> None:
    recording.folder.mkdir()
    if broken == "pack":
        recording.record.packed("judge").write_bytes(b"no gzip")
    elif Path("/dev/full").exists():
        recording.record.growing("judge").symlink_to("/dev/full")
    else:
        pytest.skip("this system has no /dev/full")
    with pytest.raises(RecordError, match=r"judge\.jsonl"):
        recording.run()


def test_two_recorders_at_once_finish_with_nothing_doubled(tmp_path: Path) -> None:
    folder, number = tmp_path / "replies", 30
    with serving(Endpoint(seconds=0.005)) as endpoint:
        models = [recorder.model(endpoint.url, name, concurrency=2) for name in ("a", "b")]
        both = [
            recorder.start(folder, order, number, tmp_path / f"acknowledged {index}")
            for index, order in enumerate((models, models[::-1]))
        ]
        for process in both:
            process.join(120)
        assert [process.exitcode for process in both] == [0, 0]
        assert len(endpoint.asked) == 2 * number
    for name in ("a", "b"):
        lines = Record(folder).growing(name).read_text(encoding="utf-8").splitlines()
        assert len(lines) == number
        assert set(Record(folder).read(name)) == {
            request.id for request in recorder.requests(number, name)
        }


def test_a_model_that_another_recorder_holds_does_not_hold_up_the_others(
    recording: Recording,
) -> None:
    other(recording)
    recording.folder.mkdir()
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(recording.run()))
    with FileLock(recording.folder / ".judge.lock"):
        thread.start()
        for _ in range(1000):
            if len(recording.record.read("other")) == 4:
                break
            thread.join(0.02)
        assert len(recording.record.read("other")) == 4
        assert not recording.record.read("judge")
    thread.join(30)
    assert outcomes == [Outcome(recorded=8)]


SHOWS_THE_KEY = {
    "refused": Answer({"error": {"message": f"no such key: {KEY}"}}, status=401),
    "forbidden": Answer({"error": {"message": f"not allowed: {KEY}"}}, status=403),
    "bad request": Answer({"error": {"message": f"Bearer {KEY}"}}, status=400),
    "an error in HTTP 200": Answer({"error": {"message": f"no such key: {KEY}"}}),
    "a long error": Answer({"error": "x" * 170 + KEY}),
}


@pytest.mark.parametrize("kind", SHOWS_THE_KEY)
def test_a_key_that_the_endpoint_repeats_is_in_no_outcome_log_or_record(
    recording: Recording,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    monkeypatch.setenv("FAKE_KEY", KEY)
    for name in (None, "openai", "httpx2", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    recording.endpoint.key = KEY
    recording.change("judge", key="FAKE_KEY")
    recording.endpoint.script("item 0002.", repeat(SHOWS_THE_KEY[kind]))
    outcome = recording.run()
    assert len(outcome.failures) + len(outcome.stopped) == 1
    record = recording.record.growing("judge").read_text(encoding="utf-8")
    for text in (str(outcome), caplog.text, record, *capfd.readouterr()):
        assert KEY[:10] not in text
    assert "openai" in caplog.text


def project_of(project: Path, endpoint: Endpoint, key: str = "") -> None:
    text = MODELS.replace("http://127.0.0.1:9/v1", endpoint.url) + key
    (project / "params" / "models.yaml").write_text(text, encoding="utf-8")


def first_item() -> Request:
    (stage,) = calibration.stages(study.load("x"), Record.of("x"))
    return next(iter(stage["judge"].values()))


@pytest.mark.parametrize("answer", [chat(""), chat(None, "content_filter")])
def test_a_model_that_is_free_to_say_anything_may_say_nothing(
    answer: Answer, recording: Recording
) -> None:
    recording.endpoint.script("item 0001.", repeat(answer))
    free = [replace(request, schema=None) for request in recorder.requests(3)]
    assert recording.run(free) == Outcome(recorded=3)
    replies = recording.record.read("judge")
    assert [replies[request.id].text == "" for request in free] == [False, True, False]


def test_the_command_says_why_a_row_failed_and_the_next_one_asks_for_it_alone(
    project: Path, recording: Recording
) -> None:
    project_of(project, recording.endpoint)
    failing = first_item().messages[-1]["content"]
    recording.endpoint.script(json.dumps(failing, ensure_ascii=False), repeat(chat("")))
    failed = CliRunner().invoke(main, ["record", "x"])
    assert "7 recorded, 0 already there" in failed.output
    assert failed.output.count("no reply") == 1
    assert "no text in the content (finish_reason stop)" in failed.output
    recording.endpoint.scripts.clear()
    recording.asked()
    again = CliRunner().invoke(main, ["record", "x"])
    assert again.exit_code == 0, again.output
    assert "1 recorded, 7 already there" in again.output
    assert recording.asked() == [failing]


def test_a_key_in_the_env_file_is_nowhere_else_even_when_the_library_logs_all(
    project: Path, recording: Recording
) -> None:
    project_of(project, recording.endpoint, "    key: FAKE_KEY\n")
    (project / ".env").write_text(f"FAKE_KEY={KEY}\n", encoding="utf-8")
    recording.endpoint.key = KEY
    recording.endpoint.script("Generated", [Answer({"error": KEY}), Answer({}, status=500)])
    environment = {**os.environ, "OPENAI_LOG": "debug", "PYTHONPATH": SOURCE}
    environment.pop("FAKE_KEY", None)
    command = [sys.executable, "-X", "dev", "-c", "from judgeworthy.cli import main; main()"]
    done = subprocess.run(
        [*command, "record", "x"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "DEBUG" in done.stderr
    assert KEY[:10] not in done.stdout + done.stderr
    for path in project.rglob("*"):
        if path.is_file() and path.name != ".env":
            assert KEY.encode() not in path.read_bytes(), path
