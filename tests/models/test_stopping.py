"""Stopping: Ctrl-C once keeps what is in flight, twice drops it."""

import os
import signal
import time
from pathlib import Path

from filelock import FileLock

from judgeworthy.models.record import Record
from models import recorder
from models.server import Endpoint, serving


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
