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


def test_a_resume_records_the_verdict_that_is_missing_and_then_asks_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = calibration.requests(study.load("en"))[JUDGE][:3]
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
