"""Asking: what may pass is asked again, and one fault does not stop the rest."""

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import pytest

from judgeworthy.models.asking import BUSY_TRIES, TRIES
from judgeworthy.models.collect import Outcome
from models import recorder
from models.recording import Recording, items, other
from models.server import Answer, Endpoint, chat, serving

PASSING = {
    "an error in HTTP 200": Answer({"error": {"message": "overloaded"}}),
    "empty content": chat(""),
    "no content": chat(None),
    "no choices": Answer({"choices": []}),
    "a web page": Answer("<html>"),
    "HTTP 500": Answer({}, status=500),
    "HTTP 429": Answer({}, status=429),
    "a lost connection": Answer("x" * 100, lost=10),
    "a hang": Answer({}, seconds=0.8),
}
FINAL = {"HTTP 400": Answer({}, status=400)}
REASONS = {
    "an error in HTTP 200": "error in the body: {'message': 'overloaded'}",
    "empty content": "no text in the content (finish_reason stop)",
    "no content": "no text in the content (finish_reason stop)",
    "no choices": "no choices in the body",
    "a web page": "the body is not JSON",
    "HTTP 500": "answers HTTP 500 to 'judge'.",
    "HTTP 429": "answers HTTP 429 to 'judge'.",
    "a lost connection": "refuses or breaks the connection ('judge'); is it running?",
    "HTTP 400": "answers HTTP 400 to 'judge'.",
    "a hang": "did not answer within 0.3 s ('judge').",
}


@pytest.mark.parametrize("kind", PASSING)
def test_a_fault_that_passes_is_asked_again_and_never_recorded(
    recording: Recording, kind: str
) -> None:
    recording.change("judge", timeout=0.3 if kind == "a hang" else 30.0)
    recording.endpoint.script("item 0001.", [PASSING[kind]])
    assert recording.run() == Outcome(recorded=4)
    assert recording.asked() == items(0, 1, 1, 2, 3)
    assert all("verdict" in reply.text for reply in recording.record.read("judge").values())


@pytest.mark.parametrize("kind", [*PASSING, *FINAL])
def test_a_row_that_always_fails_is_listed_and_does_not_stop_the_run(
    recording: Recording, kind: str
) -> None:
    recording.change("judge", timeout=0.3 if kind == "a hang" else 30.0)
    recording.endpoint.script("item 0001.", repeat({**PASSING, **FINAL}[kind]))
    outcome = recording.run()
    (failure,) = outcome.failures
    assert (outcome.recorded, outcome.stopped) == (3, [])
    assert failure.request == recorder.requests(4)[1]
    assert REASONS[kind] in failure.reason
    tries = 1 if kind in FINAL else 2 * (BUSY_TRIES if kind == "HTTP 429" else TRIES)
    assert recording.asked().count("item 0001.") == tries


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reply_that_was_stopped_is_recorded_as_it_is(recording: Recording, reason: str) -> None:
    recording.endpoint.script("item 0001.", [chat("half a", reason)])
    recording.run()
    replies = recording.record.read("judge")
    assert replies[recorder.requests(4)[1].id].finish_reason == reason


def test_an_endpoint_that_is_down_does_not_stop_the_others(recording: Recording) -> None:
    outcome = other(recording, endpoint="http://127.0.0.1:9/v1").run()
    assert outcome.recorded == 4
    assert outcome.stopped == [
        "http://127.0.0.1:9/v1 refuses or breaks the connection ('other'); is it running?"
    ]
    assert len(recording.record.read("judge")) == 4
    assert recording.record.read("other") == {}


def test_an_endpoint_that_serves_another_model_is_not_asked(recording: Recording) -> None:
    outcome = other(recording, id="model-b").run()
    assert outcome.recorded == 4
    (reason,) = outcome.stopped
    assert "does not serve 'model-b' but served-judge; correct the id of 'other'" in reason


def test_a_missing_key_does_not_stop_the_others(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAKE_KEY", raising=False)
    outcome = other(recording, key="FAKE_KEY").run()
    assert outcome.recorded == 4
    assert "set FAKE_KEY in the environment or in .env" in outcome.stopped[0]


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_refused_key_stops_the_model_once_and_keeps_what_was_recorded(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, status: int, concurrency: int
) -> None:
    monkeypatch.setenv("FAKE_KEY", "sk-a-key-that-is-none")
    recording.change("judge", concurrency=concurrency, key="FAKE_KEY")
    for item in items(*range(3, 40)):
        recording.endpoint.script(item, repeat(Answer({}, status=status)))
    outcome = recording.run(recorder.requests(40))
    assert outcome.stopped == [
        f"{recording.endpoint.url} refuses the key of 'judge'; check FAKE_KEY."
    ]
    # A filter may refuse some with 403 while others pass, so it takes a few to stop.
    assert len(outcome.failures) <= (0 if status == 401 else 4 + concurrency)
    assert len(recording.record.read("judge")) == outcome.recorded <= 3


def test_an_endpoint_that_goes_away_stops_the_model(tmp_path: Path) -> None:
    with serving(Endpoint(seconds=0.05)) as endpoint:
        recording = Recording(endpoint, tmp_path, {"judge": recorder.model(endpoint.url)})
        outcomes: list[Outcome] = []
        thread = threading.Thread(
            target=lambda: outcomes.append(recording.run(recorder.requests(500)))
        )
        thread.start()
        while len(endpoint.asked) < 3:
            thread.join(0.01)
    thread.join(60)
    (outcome,) = outcomes
    assert outcome.failures == []
    assert outcome.stopped == [
        f"{endpoint.url} refuses or breaks the connection ('judge'); is it running?"
    ]
    assert len(recording.record.read("judge")) == outcome.recorded < 500


def test_a_row_that_failed_is_asked_again_when_all_others_are_done(recording: Recording) -> None:
    recording.endpoint.script("item 0001.", [Answer({}, status=500)] * TRIES)
    assert recording.run() == Outcome(recorded=4)
    assert recording.asked() == items(0, *[1] * TRIES, 2, 3, 1)


@pytest.mark.parametrize("status", [500, 429, 503])
def test_an_endpoint_that_only_fails_is_given_up_with_one_message(
    recording: Recording, status: int
) -> None:
    recording.change("judge", concurrency=8)
    recording.endpoint.script("item", repeat(Answer({}, status=status)))
    outcome = recording.run(recorder.requests(1000))
    (said,) = outcome.stopped
    assert f"answers HTTP {status} to 'judge'. Nothing else came for 0.5 s" in said
    assert len(recording.asked()) < 1000


def test_a_request_that_is_never_accepted_is_not_sent_a_thousand_times(
    recording: Recording,
) -> None:
    recording.endpoint.script("item", repeat(Answer({"error": "no such field"}, status=400)))
    outcome = recording.run(recorder.requests(1000))
    (said,) = outcome.stopped
    assert "answers HTTP 400 to 'judge': no such field" in said
    assert len(recording.asked()) == 10


def test_one_fault_in_five_costs_the_calls_that_it_must(recording: Recording) -> None:
    number = 200
    chance = random.Random(20261130)
    faults = [Answer({}, status=500), Answer({}, status=429), Answer({"error": "overloaded"})]
    met: list[Answer] = []

    def failing() -> Iterator[Answer | None]:
        while True:
            if chance.random() < 0.2:
                met.append(chance.choice(faults))
                yield met[-1]
            else:
                yield None

    recording.endpoint.scripts["item"] = failing()  # type: ignore[assignment]
    recording.change("judge", concurrency=16)
    assert recording.run(recorder.requests(number)) == Outcome(recorded=number)
    replies = recording.record.read("judge")
    assert set(replies) == {request.id for request in recorder.requests(number)}
    assert len(met) > number / 10
    assert len(recording.asked()) == number + len(met)


@pytest.mark.parametrize("answer", [chat(""), chat(None, "content_filter")])
def test_a_model_that_is_free_to_say_anything_may_say_nothing(
    answer: Answer, recording: Recording
) -> None:
    recording.endpoint.script("item 0001.", repeat(answer))
    free = [replace(request, schema=None) for request in recorder.requests(3)]
    assert recording.run(free) == Outcome(recorded=3)
    replies = recording.record.read("judge")
    assert [replies[request.id].text == "" for request in free] == [False, True, False]
