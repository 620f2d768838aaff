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
# The server with a witness: each token is also taken by the stock sampler from the same logits, and
# each eighth of a sequence's logits are also computed by a context that holds this sequence alone.
WITNESSED = """
import runpy, sys
import llama_cpp, numpy
scope = runpy.run_path({served!r}, run_name="served")
alone = llama_cpp.Llama(sys.argv[sys.argv.index("--model") + 1], n_ctx=2048, verbose=False)

class Witnessed(scope["GreedyFirst"]):
    def sample(self, context, index):
        stock = llama_cpp.llama_sampler_clone(self.sampler)
        expected = llama_cpp.llama_sampler_sample(stock, context.ctx, index)
        llama_cpp.llama_sampler_free(stock)
        return noted(token=super().sample(context, index), expected=expected)

class One(scope["One"]):
    def sample(self, *_, **__):
        if self.n_tokens % 8 == 0:
            with self._together.context_lock:
                together = scope["_logits"](self._ctx.ctx, self._row)
                alone.reset()
                alone.eval(self.input_ids[: self.n_tokens].tolist())
                apart = scope["_logits"](alone.ctx, -1)
                noted(likeness=float(numpy.corrcoef(together, apart)[0, 1]))
        return super().sample()

def noted(**what):
    with open({notes!r}, "a") as notes:
        print(*what.values(), file=notes)
    return what.get("token")

scope["main"].__globals__.update(GreedyFirst=Witnessed, One=One)
scope["main"]()
"""


def asked(number: int) -> list[Request]:
    (stage,) = calibration.stages(study.load("en"), Record.of("en"))
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


def test_each_token_is_the_stock_samplers_and_the_logits_are_those_of_the_sequence_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, witnessed = tmp_path / "notes", tmp_path / "witnessed.py"
    served = str(Path(local.__file__).with_name("served.py"))
    witnessed.write_text(WITNESSED.format(served=served, notes=str(notes)), encoding="utf-8")
    monkeypatch.setattr(local, "_SERVER", witnessed)
    record = Record(tmp_path / "record")
    model = catalog.load()[JUDGE].model_copy(update={"concurrency": 4})
    asyncio.run(collect({JUDGE: asked(6)}, {JUDGE: model}, record, verdicts.invalid))
    lines = [line.split() for line in notes.read_text(encoding="utf-8").splitlines()]
    tokens = [line for line in lines if len(line) == 2]
    likeness = [float(line[0]) for line in lines if len(line) == 1]
    assert [token for token, expected in tokens if token != expected] == []
    assert len(tokens) > sum(len(reply.text) for reply in record.read(JUDGE).values()) / 10
    assert len(likeness) > 10
    assert min(likeness) > 0.99
