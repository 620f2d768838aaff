"""The faults of endpoints, disks and machines, at length: nothing lost, doubled or wrongly final.

``make test-faults`` runs them and prints the counts.
"""

import asyncio
import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from endurance.counting import Counts, count
from judgeworthy.errors import RecordError
from judgeworthy.models.catalog import Model
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from models import recorder
from models.killing import kill_at_random, lines
from models.server import Answer, Endpoint, chat, serving

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(
        os.environ.get("JUDGEWORTHY_FAULTS") != "1", reason="takes long: run 'make test-faults'"
    ),
    pytest.mark.filterwarnings("ignore:.*torn or foreign line"),
]

KILLS, REQUESTS = 200, 400
SEED = 20261201


@dataclass
class Run:
    """A recording of one model that may be begun anew, and what it counted as recorded."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    number: int = REQUESTS

    def __post_init__(self) -> None:
        self.requests = recorder.requests(self.number)
        self.acknowledged: list[str] = []

    @property
    def record(self) -> Record:
        return Record(self.folder)

    def collect(self, model: Model) -> Outcome:
        def invalid(_: Request, reply: Reply) -> bool:  # is asked of each reply that is on disk
            self.acknowledged.append(reply.id)
            return False

        return asyncio.run(
            collect({"judge": self.requests}, {"judge": model}, self.record, invalid)
        )

    def ends_well(self, fault: str, model: Model, outcome: Outcome | None = None) -> None:
        """Print the counts; all must be 0 and every request have its reply."""
        failures = outcome.failures if outcome else []
        found = count(self.record, model, self.requests, self.acknowledged, failures)
        with self.capsys.disabled():
            print(
                f"\n{fault}: {found.replies} replies, {found.lost} lost, {found.doubled} doubled, "
                f"{found.wrongly_final} wrongly final"
            )
        assert found == Counts(self.number, 0, 0, 0)
        assert len(self.acknowledged) == len(set(self.acknowledged))


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(tmp_path / "replies", capsys)


def mixed(fault: Answer, share: float) -> Iterator[Answer | None]:
    """Answer a share of all calls, at random, with a fault."""
    chance = random.Random(SEED)
    while True:
        yield fault if chance.random() < share else None


def judge(endpoint: Endpoint, **fields: object) -> Model:
    given = {"concurrency": 16, "patience": 60.0, **fields}
    return recorder.model(endpoint.url).model_copy(update=given)


def test_kill_at_random_moments(run: Run, tmp_path: Path) -> None:
    run.number = 25 * KILLS
    run.requests = recorder.requests(run.number)
    acknowledged = tmp_path / "acknowledged"
    kill_at_random(run.record, acknowledged, KILLS, run.number)
    run.acknowledged = lines(acknowledged)
    run.ends_well(f"killed {KILLS} times", recorder.model("http://127.0.0.1:9/v1"))


@pytest.fixture
def small_disk(run: Run) -> Iterator[Path]:
    run.folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(run.folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small file system can be mounted by root on Linux alone")
    try:
        yield run.folder
    finally:
        subprocess.run(["umount", str(run.folder)], check=True)


def test_a_disk_that_is_full(run: Run, small_disk: Path) -> None:
    with serving(Endpoint()) as endpoint:
        for _ in range(3):  # the same command, before there is room
            with pytest.raises(RecordError, match=r"judge\.jsonl: cannot write .*Make room"):
                run.collect(judge(endpoint))
            assert set(run.acknowledged) <= set(run.record.read("judge"))
        assert 0 < len(run.acknowledged) < run.number
        subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
        run.ends_well("full disk", judge(endpoint), run.collect(judge(endpoint)))


def test_two_recorders_on_one_store(run: Run, tmp_path: Path) -> None:
    with serving(Endpoint(seconds=0.002)) as endpoint:
        models = [judge(endpoint)]
        both = [
            recorder.start(run.folder, models, run.number, tmp_path / f"acknowledged {number}")
            for number in range(2)
        ]
        for process in both:
            process.join(600)
        assert [process.exitcode for process in both] == [0, 0]
        assert len(endpoint.asked) == run.number
        run.acknowledged = [id_ for n in range(2) for id_ in lines(tmp_path / f"acknowledged {n}")]
        run.ends_well("two recorders", models[0])


def storm() -> Iterator[Answer | None]:
    """Answer in turn: a hundred calls well, and thirty with 429."""
    while True:
        yield from [None] * 100
        yield from [Answer({}, status=429)] * 30


def test_a_storm_of_429(run: Run) -> None:
    with serving(Endpoint()) as endpoint:
        endpoint.scripts["item"] = storm()  # type: ignore[assignment]
        run.ends_well("429 storm", judge(endpoint), run.collect(judge(endpoint)))


def test_sockets_that_hang(run: Run) -> None:
    with serving(Endpoint()) as endpoint:
        hang = Answer({}, seconds=4.0)
        endpoint.scripts["item"] = mixed(hang, 0.1)  # type: ignore[assignment]
        model = judge(endpoint, timeout=2.0)
        run.ends_well("hung sockets", model, run.collect(model))


def test_a_server_that_dies_again_and_again(run: Run) -> None:
    outcome = Outcome(stopped=["not begun"])
    deaths = 0
    while outcome.stopped:
        with serving(Endpoint()) as endpoint:
            broken = Answer("x" * 100, lost=10)
            endpoint.scripts["item"] = _dies(endpoint, broken)  # type: ignore[assignment]
            model = judge(endpoint, patience=0.5)
            outcome = run.collect(model)
            deaths += bool(outcome.stopped)
            assert outcome.failures == []
    assert deaths > 1
    run.ends_well(f"server died {deaths} times", model, outcome)


def _dies(endpoint: Endpoint, broken: Answer) -> Iterator[Answer | None]:
    """Answer a hundred and fifty calls, and then nobody any more."""
    yield from [None] * 150
    endpoint.gone = True
    while True:
        yield broken


def test_a_wrong_key(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_KEY", "sk-wrong")
    with serving(Endpoint(key="sk-right")) as endpoint:
        model = judge(endpoint, key="FAKE_KEY")
        outcome = run.collect(model)
        assert (outcome.recorded, len(outcome.stopped), outcome.failures) == (0, 1, [])
        assert endpoint.asked == [], "one call tells that the key is wrong"
        monkeypatch.setenv("FAKE_KEY", "sk-right")
        run.ends_well("wrong key", model, run.collect(model))


WHOLE = chat('{"verdict": "CORRECT"}').body
GARBAGE = [
    Answer("<html>502</html>"),
    Answer(""),
    Answer('{"choices": [{"message": {"content": "{'),
    Answer("\x00\x01\x02"),
    Answer("[" * 100_000),
    *(Answer(body) for body in (None, [], 7, "text", {}, {"choices": None}, {"choices": [5]})),
    *(Answer({"choices": [choice]}) for choice in ({}, {"message": 5}, {"message": {}})),
    Answer({"choices": [{"message": {"content": {"verdict": "CORRECT"}}}]}),
    Answer({**WHOLE, "error": {"code": "x", "message": ["?"]}}),
]


def test_garbage_in_the_bodies(run: Run) -> None:
    chance = random.Random(SEED)

    def garbage() -> Iterator[Answer | None]:
        while True:
            yield chance.choice(GARBAGE) if chance.random() < 0.2 else None

    with serving(Endpoint()) as endpoint:
        endpoint.scripts["item"] = garbage()  # type: ignore[assignment]
        run.ends_well("garbage bodies", judge(endpoint), run.collect(judge(endpoint)))
