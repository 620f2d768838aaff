"""A cluster of two workers brings the replies that the loop would, also when one is lost."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from distributed import LocalCluster

from judgeworthy import workers as at_work
from judgeworthy.errors import ClusterError
from judgeworthy.models import cluster
from judgeworthy.models.budget import Budget, Limits
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from models import recorder
from models.server import Answer, Endpoint, serving

NUMBER = 60


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as two:
        yield two


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint(seconds=0.02)) as served:
        yield served


def run(
    endpoint: Endpoint,
    folder: Path,
    address: str,
    requests: list[Request] | None = None,
    limits: Limits | None = None,
) -> Outcome:
    models = {"judge": recorder.model(endpoint.url, concurrency=2)}
    asked = {"judge": requests or recorder.requests(NUMBER)}
    budget = Budget(limits or Limits())
    record = Record(folder)
    if not address:
        return asyncio.run(collect(asked, models, record, lambda *_: False, budget))
    work = cluster.collect(asked, models, record, lambda *_: False, budget, address)
    return asyncio.run(work)


def texts(folder: Path) -> list[tuple[str, str]]:
    path = Record(folder).growing("judge")
    replies = [reply for _, _, reply in Record(folder).lines("judge")]
    assert len(replies) == len(path.read_text(encoding="utf-8").splitlines())
    return sorted((reply.id, reply.text) for reply in replies if reply is not None)


@pytest.mark.slow
def test_two_workers_bring_what_the_loop_brings(
    endpoint: Endpoint, workers: LocalCluster, tmp_path: Path
) -> None:
    address = workers.scheduler_address
    assert run(endpoint, tmp_path / "loop", "") == Outcome(recorded=NUMBER)
    assert run(endpoint, tmp_path / "cluster", address) == Outcome(recorded=NUMBER)
    assert texts(tmp_path / "cluster") == texts(tmp_path / "loop")
    assert run(endpoint, tmp_path / "cluster", address) == Outcome(already=NUMBER)


def asking(cluster: LocalCluster, endpoint: Endpoint) -> int:
    """Wait until a worker has requests in flight, and return its process."""
    port = int(endpoint.url.split(":")[2].split("/")[0])
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for worker in cluster.workers.values():
            connections = psutil.Process(worker.pid).net_connections("tcp")
            if sum(one.raddr[1:] == (port,) for one in connections) == 2:  # both of its concurrency
                return int(worker.pid)
    raise AssertionError("the workers do not ask")


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_and_doubles_nothing(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as two:
        outcomes: list[Outcome] = []
        thread = threading.Thread(
            target=lambda: outcomes.append(run(endpoint, tmp_path, two.scheduler_address))
        )
        thread.start()
        os.kill(asking(two, endpoint), signal.SIGKILL)
        thread.join(120)
    assert outcomes == [Outcome(recorded=NUMBER)]
    assert len(endpoint.asked) > NUMBER, "the lost worker's shard was done again"
    replies = texts(tmp_path)
    assert [id_ for id_, _ in replies] == sorted(one.id for one in recorder.requests(NUMBER))


@pytest.mark.slow
def test_what_fails_on_a_worker_is_told_here(
    endpoint: Endpoint, workers: LocalCluster, tmp_path: Path
) -> None:
    endpoint.script("item 0003.", [Answer({"error": "no such field"}, status=400)])
    outcome = run(endpoint, tmp_path, workers.scheduler_address)
    (failure,) = outcome.failures
    assert failure.request == recorder.requests(4)[3]
    assert "no such field" in failure.reason
    assert outcome.recorded == NUMBER - 1


@pytest.mark.slow
def test_a_budget_holds_for_all_workers_together(
    endpoint: Endpoint, workers: LocalCluster, tmp_path: Path
) -> None:
    outcome = run(endpoint, tmp_path, workers.scheduler_address, limits=Limits(requests=9))
    assert (outcome.recorded, len(endpoint.asked)) == (9, 9)
    assert outcome.halted == "9 requests are spent; what was recorded is kept"


def test_an_address_without_a_scheduler_is_an_error_that_names_it(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_work, "_TIMEOUT", 0.5)
    with pytest.raises(ClusterError, match=r"tcp://127\.0\.0\.1:9: no Dask scheduler answers"):
        run(endpoint, tmp_path, "tcp://127.0.0.1:9")


def test_without_the_extra_the_remedy_is_named(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"needs the extra 'scale'"):
        run(endpoint, tmp_path, "tcp://127.0.0.1:9")
