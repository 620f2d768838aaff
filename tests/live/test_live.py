"""The smallest real model, through the real server, client and record: three verdicts, a resume."""

import asyncio
import os
from pathlib import Path

import pytest

from judgeworthy import study
from judgeworthy.models import catalog
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
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


def test_three_verdicts_are_recorded_and_a_resume_asks_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = {JUDGE: calibration.requests(study.load("en"))[JUDGE][:3]}
    model = catalog.load()[JUDGE]
    assert model.file is not None
    record = Record(tmp_path)

    def run() -> Outcome:
        return asyncio.run(collect(requests, {JUDGE: model}, record, verdicts.invalid))

    assert run() == Outcome(recorded=3)
    replies = record.read(JUDGE)
    assert list(replies) == [request.id for request in requests[JUDGE]]
    for reply in replies.values():
        assert parse_verdict(reply.text, reply.finish_reason).verdict in {"CORRECT", "INCORRECT"}
        assert (reply.form, reply.served) == ("schema", JUDGE)
        assert reply.server.startswith("llama-cpp-python ")
        assert reply.file_sha256 == model.file.sha256
        assert reply.completion_tokens
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", str(tmp_path / "no interpreter"))
    assert run() == Outcome(already=3)
    assert record.read(JUDGE) == replies
