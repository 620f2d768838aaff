"""A recorder that is killed again and again, until one is let be."""

import random
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from judgeworthy.models.record import Record
from models import recorder
from models.server import Endpoint, serving


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def kill_at_random(record: Record, acknowledged: Path, kills: int, number: int) -> None:
    """Record requests, with so many kills at random moments; what was counted is always there."""
    chance = random.Random(20261130)
    with serving(Endpoint(seconds=0.002)) as endpoint:
        models = [recorder.model(endpoint.url, concurrency=2)]
        for _ in range(kills):
            process = recorder.start(record.folder, models, number, acknowledged)
            _wait(process, acknowledged, len(lines(acknowledged)) + chance.randint(0, 8))
            time.sleep(chance.uniform(0, 0.02))
            process.kill()
            process.join()
            assert process.exitcode == -9, "it was done before it was killed"
            assert set(lines(acknowledged)) <= set(record.read("judge"))
        process = recorder.start(record.folder, models, number, acknowledged)
        process.join(600)
        assert process.exitcode == 0


def _wait(process: ForkServerProcess, acknowledged: Path, number: int) -> None:
    until = time.monotonic() + 300
    while process.is_alive() and len(lines(acknowledged)) < number:
        assert time.monotonic() < until, "the recorder does not record"
        time.sleep(0.002)
