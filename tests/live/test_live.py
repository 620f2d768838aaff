"""The smallest real model, through the real server, client and record: three verdicts, a resume."""

import asyncio
import os
from pathlib import Path

import pytest

from judgeworthy import study
from judgeworthy.models import catalog, local
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from judgeworthy.parsing import parse_verdict
from judgeworthy.sections import calibration, verdicts

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        os.environ.get("JUDGEWORTHY_LIVE") != "1",
        reason="takes a real model: run 'make test-live'",
    ),
]

JUDGE = "smollm2-135m"
PLAIN = """
import os, runpy, sys, threading
place = sys.argv.index("--sequences")
del sys.argv[place : place + 2]
threading.Thread(target=lambda: (os.read(0, 1), os._exit(0)), daemon=True).start()
runpy.run_module("llama_cpp.server", run_name="__main__")
"""


def asked(number: int) -> list[Request]:
    (stage,) = calibration.stages(study.load("en"))
    return list(stage[JUDGE].values())[:number]


def test_a_resume_records_the_verdict_that_is_missing_and_then_asks_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = asked(3)
    model = catalog.load()[JUDGE]
    assert model.file is not None
    record = Record(tmp_path)

    def run(number: int) -> Outcome:
        asked = {JUDGE: requests[:number]}
        return asyncio.run(collect(asked, {JUDGE: model}, record, verdicts.invalid))

    assert run(2) == Outcome(recorded=2)
    first = record.read(JUDGE)
    assert run(3) == Outcome(recorded=1, already=2)
    replies = record.read(JUDGE)
    assert list(replies) == [request.id for request in requests]
    assert replies.items() >= first.items()
    for reply in replies.values():
        assert parse_verdict(reply.text, reply.finish_reason).verdict in {"CORRECT", "INCORRECT"}
        assert (reply.form, reply.served) == ("schema", JUDGE)
        assert reply.server.startswith("llama-cpp-python ")
        assert reply.file_sha256 == model.file.sha256
        assert reply.completion_tokens
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", str(tmp_path / "no interpreter"))
    assert run(3) == Outcome(already=3)
    assert record.read(JUDGE) == replies


def test_one_sequence_replies_as_the_stock_server_to_the_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def texts(folder: Path) -> list[str]:
        record = Record(folder)
        models = {JUDGE: catalog.load()[JUDGE].model_copy(update={"concurrency": 1})}
        asyncio.run(collect({JUDGE: asked(5)}, models, record, verdicts.invalid))
        return [reply.text for reply in record.read(JUDGE).values()]

    ours = texts(tmp_path / "ours")
    plain = tmp_path / "plain.py"
    plain.write_text(PLAIN, encoding="utf-8")
    monkeypatch.setattr(local, "_SERVER", plain)
    assert texts(tmp_path / "plain") == ours
    assert len(ours) == 5
