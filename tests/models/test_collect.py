"""The recording: only what is missing is asked for, and each reply is kept once."""

import json
import threading
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock

from judgeworthy import study
from judgeworthy.cli import main
from judgeworthy.errors import RecordError
from judgeworthy.models.budget import Limits
from judgeworthy.models.collect import Outcome
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from judgeworthy.sections import calibration
from models import recorder
from models.recording import Recording, items, other, project_of
from models.server import Endpoint, chat, serving


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


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_budget_ends_the_run_cleanly_at_its_limit(recording: Recording, at_once: int) -> None:
    recording.change("judge", concurrency=at_once)
    outcome = recording.run(recorder.requests(20), Limits(requests=7))
    assert outcome == Outcome(recorded=7, halted="7 requests are spent; what was recorded is kept")
    assert len(recording.asked()) == 7
    assert recording.run(recorder.requests(20)) == Outcome(recorded=13, already=7)


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


def first_item() -> Request:
    (stage,) = calibration.stages(study.load("x"), Record.of("x"))
    return next(iter(stage["judge"].values()))


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
