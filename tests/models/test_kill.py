"""A recorder that is killed at any moment loses nothing that it counted, and the next goes on."""

import random
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from judgeworthy.models.record import Record
from models import recorder
from models.server import Endpoint, serving

KILLS = 20
REQUESTS = 400


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def wait(process: ForkServerProcess, acknowledged: Path, number: int) -> None:
    until = time.monotonic() + 30
    while process.is_alive() and len(lines(acknowledged)) < number:
        assert time.monotonic() < until, "the recorder does not record"
        time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*torn or foreign line")
def test_killed_twenty_times_it_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    chance = random.Random(20261130)
    acknowledged = tmp_path / "acknowledged"
    record = Record(tmp_path / "replies")
    with serving(Endpoint(seconds=0.002)) as endpoint:
        models = [recorder.model(endpoint.url, concurrency=2)]
        for _ in range(KILLS):
            process = recorder.start(record.folder, models, REQUESTS, acknowledged)
            wait(process, acknowledged, len(lines(acknowledged)) + chance.randint(0, 8))
            time.sleep(chance.uniform(0, 0.02))
            process.kill()
            process.join()
            assert process.exitcode == -9, "it was done before it was killed"
            assert set(lines(acknowledged)) <= set(record.read("judge"))
        process = recorder.start(record.folder, models, REQUESTS, acknowledged)
        process.join(60)
    counted = lines(acknowledged)
    assert process.exitcode == 0
    assert len(counted) == len(set(counted))
    assert record.read("judge").keys() == {each.id for each in recorder.requests(REQUESTS)}
    # A write that a kill tore holds the beginning of a reply, which was asked for again: no reply.
    identities = [reply.id for _, _, reply in record.lines("judge") if reply is not None]
    assert len(identities) == len(set(identities))
