"""Batches bring the replies that the loop would, once, whenever the recorder is stopped."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgeworthy import recording, study
from judgeworthy.errors import ParameterError, RecordError
from judgeworthy.models import batch
from judgeworthy.models.budget import Budget, Limits
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
from models import recorder
from models.server import Answer, Body, Endpoint, chat, serving

NUMBER = 12


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)
    monkeypatch.setattr(batch, "POLL", 0.01)
    with serving(Endpoint()) as served:
        yield served


def run(
    endpoint: Endpoint,
    folder: Path,
    limits: Limits | None = None,
    as_batch: bool = True,
    **prices: float,
) -> Outcome:
    fields = {"batch": True, **prices}
    models = {"judge": recorder.model(endpoint.url).model_copy(update=fields)}
    asked = {"judge": recorder.requests(NUMBER)}
    budget = Budget(limits or Limits())
    recording = collect(asked, models, Record(folder), lambda *_: False, budget, batch=as_batch)
    return asyncio.run(recording)


def texts(folder: Path) -> set[tuple[str, str]]:
    return {(id_, reply.text) for id_, reply in Record(folder).read("judge").items()}


def lines(folder: Path) -> int:
    return len(Record(folder).growing("judge").read_text(encoding="utf-8").splitlines())


def state(folder: Path) -> Path:
    return folder / "judge.batches.json"


def test_a_batch_brings_what_the_loop_brings(endpoint: Endpoint, tmp_path: Path) -> None:
    assert run(endpoint, tmp_path / "batch") == Outcome(recorded=NUMBER)
    assert run(endpoint, tmp_path / "loop", as_batch=False) == Outcome(recorded=NUMBER)
    assert texts(tmp_path / "batch") == texts(tmp_path / "loop")
    assert len(endpoint.batches) == 1
    assert not state(tmp_path / "batch").exists()


def test_what_a_batch_does_not_answer_is_asked_for_one_by_one(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.script("item 0003.", [Answer({"error": "expired"}, status=500)])
    assert run(endpoint, tmp_path) == Outcome(recorded=NUMBER)
    assert len(endpoint.asked) == NUMBER + 1


@pytest.mark.parametrize("at", ["before it is made", "when it is made", "later", "at its end"])
def test_a_recorder_that_is_stopped_goes_on_and_pays_once(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    class KilledError(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    made = batch.Batches._made

    async def then_killed(self: batch.Batches, *arguments: object) -> str:
        await made(self, *arguments)  # type: ignore[arg-type]
        raise KilledError

    with monkeypatch.context() as patch:
        match at:
            case "before it is made":
                patch.setattr("openai.resources.batches.AsyncBatches.create", killed)
            case "when it is made":
                patch.setattr(batch.Batches, "_made", then_killed)
            case "later":
                patch.setattr(batch.Batches, "_look", killed)
            case _:
                patch.setattr("judgeworthy.models.record.Writer.append", killed)
        with pytest.raises(BaseException) as caught:
            run(endpoint, tmp_path)
        assert "KilledError" in repr(caught.value)
    assert state(tmp_path).exists()
    assert run(endpoint, tmp_path).recorded == NUMBER
    assert len(endpoint.batches) == 1
    assert len(endpoint.asked) == NUMBER
    assert lines(tmp_path) == NUMBER
    assert not state(tmp_path).exists()


def test_lines_that_are_broken_are_left_to_the_loop_and_a_separator_in_a_text_breaks_none(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = Endpoint.finish

    def spoil(self: Endpoint, found: Body) -> None:
        finish(self, found)
        lines = self.files[found["output_file_id"]].splitlines()
        unescaped = [json.dumps(json.loads(line), ensure_ascii=False) for line in lines[3:]]
        broken = ['{"custom_id": ["7"]}', "[]", '{"custom_id": "', *unescaped]
        self.files[found["output_file_id"]] = "\n".join(broken).encode()

    monkeypatch.setattr(Endpoint, "finish", spoil)
    endpoint.script("item 0003.", [chat("one line\u2028of a text")])
    assert run(endpoint, tmp_path) == Outcome(recorded=NUMBER)
    assert len(endpoint.asked) == NUMBER + 3
    asked = recorder.requests(NUMBER)
    assert Record(tmp_path).read("judge")[asked[3].id].text == "one line\u2028of a text"


def test_a_batch_that_failed_is_replaced_by_the_loop(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Endpoint, found: Body) -> None:
        found.update(status="failed")

    monkeypatch.setattr(Endpoint, "finish", fail)
    assert run(endpoint, tmp_path) == Outcome(recorded=NUMBER)
    assert len(endpoint.asked) == NUMBER


def test_large_batches_are_sent_in_parts(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "_MOST_REQUESTS", 5)
    assert run(endpoint, tmp_path) == Outcome(recorded=NUMBER)
    sizes = [len(endpoint.files[one["input_file_id"]].splitlines()) for one in endpoint.batches]
    assert sizes == [5, 5, 2]


def test_a_budget_holds_for_batches(endpoint: Endpoint, tmp_path: Path) -> None:
    outcome = run(endpoint, tmp_path, Limits(requests=7))
    assert outcome.recorded == 7
    assert "7 requests are spent" in outcome.halted


def test_money_buys_twice_as_much_in_batches(
    endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = Limits(money=0.00031)  # of requests that cost 0.0001 at most, and half of it so
    outcome = run(endpoint, tmp_path, limits, price_prompt=0.0, price_completion=2.0)
    assert outcome == Outcome(recorded=6, halted="0.00031 USD are spent; what was recorded is kept")
    assert len(endpoint.asked) == 6
    assert "USD=0.0000" in capsys.readouterr().err, "6 replies of 5 tokens, at 1 USD a million"


def test_an_endpoint_that_refuses_batches_stops_the_model(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = Answer({"error": "no batches here"}, 400)
    monkeypatch.setattr(Endpoint, "upload", lambda *_: refusal)
    (said,) = run(endpoint, tmp_path).stopped
    assert "no batches here" in said


def test_a_broken_file_of_batches_is_named(endpoint: Endpoint, tmp_path: Path) -> None:
    state(tmp_path).write_text(json.dumps({"batches": 1}), encoding="utf-8")
    with pytest.raises(RecordError, match=r"judge\.batches\.json: broken"):
        run(endpoint, tmp_path)


def test_batches_need_a_model_that_has_them(project: Path) -> None:
    with pytest.raises(ParameterError, match="no model of study 'x' has 'batch: true'"):
        list(recording.record(study.load("x"), recording.Way(batch=True)))


def test_a_batch_holds_what_the_loop_would_send(endpoint: Endpoint, tmp_path: Path) -> None:
    run(endpoint, tmp_path / "batch")
    (sent,) = (endpoint.files[one["input_file_id"]] for one in endpoint.batches)
    in_batch = [json.loads(line) for line in sent.splitlines()]
    assert [one["custom_id"] for one in in_batch] == [one.id for one in recorder.requests(NUMBER)]
    assert {one["url"] for one in in_batch} == {"/v1/chat/completions"}
    endpoint.asked.clear()
    run(endpoint, tmp_path / "loop", as_batch=False)
    assert [one["body"] for one in in_batch] == [body for _, body in endpoint.asked]
