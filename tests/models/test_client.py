"""The client: a request becomes a call as the model accepts it, and an answer becomes a reply."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from judgeworthy.errors import EndpointError
from judgeworthy.models.catalog import Model, ModelFile
from judgeworthy.models.client import Client
from judgeworthy.models.faults import (
    BusyError,
    CallError,
    ClosedError,
    PassingError,
    RefusedError,
    RowError,
    UnreachableError,
)
from judgeworthy.models.request import Reply, Request
from models.server import Answer, Body, Endpoint, chat, reply, serving

T = TypeVar("T")

KEY = "sk-a-key-that-is-none"
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}}
MESSAGES = ({"role": "system", "content": "You judge."}, {"role": "user", "content": "An item."})
REQUEST = Request("judge", MESSAGES, 0.3, 50, seed=4, schema=SCHEMA)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint()) as found:
        yield found


@pytest.fixture(autouse=True)
def _no_key(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAKE_KEY", raising=False)


def model(endpoint: Endpoint, **fields: Any) -> Model:
    given = {
        "name": "judge",
        "id": "served-judge",
        "family": "none",
        "endpoint": endpoint.url,
        "form": "json_schema",
        "seed": True,
        "system_role": True,
        "timeout": 5.0,
    }
    return Model.model_validate({**given, **fields})


def call(served: Model, action: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        async with Client(served, str(served.endpoint), "a build") as client:
            return await action(client)

    return asyncio.run(run())


def ask(served: Model, request: Request = REQUEST) -> Reply:
    return call(served, lambda client: client.ask(request))


def check(served: Model) -> None:
    call(served, lambda client: client.check())


def sent(endpoint: Endpoint, served: Model, request: Request = REQUEST) -> Body:
    ask(served, request)
    return endpoint.asked[-1][1]


def test_the_call_holds_what_the_request_says(endpoint: Endpoint) -> None:
    assert sent(endpoint, model(endpoint)) == {
        "model": "served-judge",
        "messages": list(MESSAGES),
        "temperature": 0.3,
        "max_tokens": 50,
        "seed": 4,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
        },
    }


@pytest.mark.parametrize(
    ("form", "response_format", "recorded"),
    [
        (
            "json_schema",
            {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
            },
            "schema",
        ),
        ("json_object_schema", {"type": "json_object", "schema": SCHEMA}, "schema"),
        ("json_object", {"type": "json_object"}, "json_object"),
        ("instruction", None, "instruction"),
    ],
)
def test_a_reply_is_held_to_json_as_the_model_can_be(
    endpoint: Endpoint, form: str, response_format: Body | None, recorded: str
) -> None:
    answer = ask(model(endpoint, form=form))
    assert endpoint.asked[-1][1].get("response_format") == response_format
    assert answer.form == recorded


def test_a_request_without_a_schema_is_free_text(endpoint: Endpoint) -> None:
    free = Request("judge", MESSAGES, 0.0, 50)
    assert "response_format" not in sent(endpoint, model(endpoint), free)
    assert ask(model(endpoint), free).form == "instruction"


def test_a_seed_goes_only_to_a_model_that_accepts_one(endpoint: Endpoint) -> None:
    assert "seed" not in sent(endpoint, model(endpoint, seed=False))
    unseeded = Request("judge", MESSAGES, 0.0, 50)
    assert "seed" not in sent(endpoint, model(endpoint), unseeded)


def test_a_model_without_a_system_role_gets_one_message(endpoint: Endpoint) -> None:
    body = sent(endpoint, model(endpoint, system_role=False))
    assert body["messages"] == [{"role": "user", "content": "You judge.\n\nAn item."}]


def test_the_token_limit_has_the_name_that_the_endpoint_knows(endpoint: Endpoint) -> None:
    body = sent(endpoint, model(endpoint, max_tokens_field="max_completion_tokens"))
    assert body["max_completion_tokens"] == 50
    assert "max_tokens" not in body


def test_a_base_model_completes_a_text(endpoint: Endpoint) -> None:
    request = Request("judge", ({"role": "completion", "content": "Q: Who?\nA:"},), 0.0, 50)
    answer = ask(model(endpoint, chat=False, form="instruction"), request)
    path, body = endpoint.asked[-1]
    assert path == "/v1/completions"
    assert (body["prompt"], body["stop"]) == ("Q: Who?\nA:", ["\n"])
    assert (answer.text, answer.form) == (reply(body), "instruction")


def test_a_reply_says_what_was_answered_and_by_what(endpoint: Endpoint) -> None:
    file = ModelFile(name="m", sha256="a" * 64, packages=("m==1",), member="*")
    local = model(endpoint).model_copy(update={"file": file})
    answer = ask(local)
    assert answer.text == reply(endpoint.asked[-1][1])
    assert (answer.id, answer.finish_reason) == (REQUEST.id, "stop")
    assert (answer.prompt_tokens, answer.completion_tokens) == (7, 5)
    assert (answer.served, answer.server) == ("served-judge", "a build")
    assert answer.file_sha256 == "a" * 64
    assert answer.recorded.endswith("+00:00")


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reply_that_was_stopped_is_a_reply_and_says_so(endpoint: Endpoint, reason: str) -> None:
    endpoint.script("An item", [chat('{"verdict": "COR', reason)])
    answer = ask(model(endpoint))
    assert (answer.text, answer.finish_reason) == ('{"verdict": "COR', reason)
    assert answer.cut_off == (reason == "length")


def test_a_blank_reply_is_a_reply(endpoint: Endpoint) -> None:
    endpoint.script("An item", [chat(" \n")])
    assert ask(model(endpoint)).text == " \n"


@pytest.mark.parametrize("usage", [None, {}, {"total_tokens": 3}])
def test_an_endpoint_need_not_count_tokens(endpoint: Endpoint, usage: Body | None) -> None:
    endpoint.script("An item", [Answer({**chat("yes").body, "usage": usage})])
    answer = ask(model(endpoint))
    assert (answer.prompt_tokens, answer.completion_tokens) == (None, None)


def without(key: str) -> Body:
    return {name: value for name, value in chat("x").body.items() if name != key}


@pytest.mark.parametrize("count", ["7", 7.5, -1, True, 10**30, [7]])
def test_what_is_no_number_of_tokens_is_not_recorded_as_one(
    endpoint: Endpoint, count: object
) -> None:
    body = {**chat("x").body, "usage": {"prompt_tokens": count, "completion_tokens": 5}}
    endpoint.script("An item", [Answer(body)])
    found = ask(model(endpoint))
    assert (found.prompt_tokens, found.completion_tokens) == (None, 5)


def test_fields_of_another_kind_are_left_out(endpoint: Endpoint) -> None:
    body = {**chat("x", finish_reason=[]).body, "usage": [1], "model": 7}  # type: ignore[arg-type]
    endpoint.script("An item", [Answer(body)])
    found = ask(model(endpoint))
    assert (found.text, found.finish_reason, found.served) == ("x", "", "")
    assert (found.prompt_tokens, found.completion_tokens) == (None, None)


def test_half_a_surrogate_pair_which_fits_into_no_file_is_replaced(endpoint: Endpoint) -> None:
    endpoint.script("An item", [chat("Par\ud83dis \U0001f600")])
    assert ask(model(endpoint)).text == "Par\ufffdis \U0001f600"


NO_ANSWERS = {
    "an error": Answer({"error": {"code": 503, "message": "overloaded"}}),
    "an error in words": Answer({"error": "overloaded"}),
    "an error beside an answer": Answer({**chat("CORR").body, "error": {"code": 502}}),
    "an error within the choice": Answer(
        {"choices": [{**chat("CORR", "error").body["choices"][0], "error": {"code": 502}}]}
    ),
    "empty content": chat(""),
    "no content": chat(None),
    "all tokens thought away": chat("", "length"),
    "filtered": chat(None, "content_filter"),
    "content that is no text": chat([{"type": "text", "text": "CORRECT"}]),
    "no message": Answer({"choices": [{"index": 0, "finish_reason": "stop", "message": None}]}),
    "no choices": Answer({**chat("x").body, "choices": []}),
    "null choices": Answer({**chat("x").body, "choices": None}),
    "a null choice": Answer({**chat("x").body, "choices": [None]}),
    "a choice that is none": Answer({**chat("x").body, "choices": ["CORRECT"]}),
    "choices that are no list": Answer({**chat("x").body, "choices": {"0": "CORRECT"}}),
    "no field choices": Answer(without("choices")),
    "an empty object": Answer({}),
    "null": Answer(None),
    "a list": Answer([]),
    "a text": Answer('"CORRECT"'),
    "an empty body": Answer(""),
    "bytes that are no text": Answer("\x00\x01\x02"),
    "a body without end": Answer("[" * 100_000),
    "a web page": Answer("<html>Sign in</html>"),
    "a body that is cut off": Answer('{"choices": [{"message": {"content": "CORR'),
}


@pytest.mark.parametrize("chats", [True, False], ids=["chat", "completion"])
@pytest.mark.parametrize("kind", NO_ANSWERS)
def test_http_200_without_an_answer_is_no_reply(endpoint: Endpoint, kind: str, chats: bool) -> None:
    endpoint.script("An item", [NO_ANSWERS[kind]])
    with pytest.raises(CallError) as caught:
        ask(model(endpoint, chat=chats))
    assert 0 < len(str(caught.value)) <= 200


QUOTA = {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota."}}
FAULTS = {
    "an internal error": (Answer({}, status=500), PassingError, "answers HTTP 500"),
    "a proxy's time-out": (Answer({}, status=408), PassingError, "answers HTTP 408"),
    "too many requests": (Answer({}, status=429), BusyError, "answers HTTP 429"),
    "an overload": (Answer({}, status=529), BusyError, "answers HTTP 529"),
    "too many, in HTTP 200": (Answer({"error": {"code": 429}}), BusyError, "error in the body"),
    "an error in HTTP 200": (Answer({"error": "overloaded"}), PassingError, "error in the body"),
    "bytes that are no text": (Answer("\x00\x01\x02"), PassingError, "is not JSON"),
    "a body without end": (Answer("[" * 100_000), PassingError, "is not JSON"),
    "a lost connection": (Answer("x" * 90, lost=9), UnreachableError, "breaks the connection"),
    "a hang": (Answer({}, seconds=1.5), PassingError, "did not answer within 1 s"),
    "no text at all": (chat(""), PassingError, "no text in the content"),
    "the token limit": (chat("", "length"), RowError, "raise max_tokens"),
    "a filter": (chat(None, "content_filter"), RowError, "finish_reason content_filter"),
    "a bad request": (Answer({}, status=400), RowError, "answers HTTP 400"),
    "a refusal": (Answer({}, status=403), RefusedError, "refuses the key"),
    "a wrong key": (Answer({}, status=401), ClosedError, "refuses the key"),
    "a wrong address": (Answer({}, status=404), ClosedError, "answers HTTP 404"),
    "an unpaid bill": (Answer({}, status=402), ClosedError, "has no credit left"),
    "a quota that is used up": (Answer(QUOTA, status=429), ClosedError, "has no credit left"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_says_whether_another_try_may_help(endpoint: Endpoint, kind: str) -> None:
    answer, expected, said = FAULTS[kind]
    endpoint.script("An item", [answer])
    with pytest.raises(CallError) as caught:
        ask(model(endpoint, timeout=1.0))
    assert type(caught.value) is expected
    assert said in str(caught.value)
    assert len(endpoint.asked) == 1


def test_an_endpoint_that_is_busy_says_how_long(endpoint: Endpoint) -> None:
    endpoint.script("An item", [Answer({}, status=429)])
    with pytest.raises(BusyError) as caught:
        ask(model(endpoint))
    assert caught.value.wait == 0.001


def test_the_endpoint_is_there_and_serves_the_model(endpoint: Endpoint) -> None:
    check(model(endpoint))
    endpoint.served = {"data": [{"id": "models/served-judge"}]}
    check(model(endpoint))


def stopped(served: Model) -> str:
    with pytest.raises(EndpointError) as caught:
        check(served)
    return str(caught.value)


def test_an_endpoint_that_serves_another_model_is_refused(endpoint: Endpoint) -> None:
    endpoint.served = {"data": [{"id": "llama"}, {"id": "other"}]}
    said = stopped(model(endpoint))
    assert said == (
        f"{endpoint.url} does not serve 'served-judge' but llama, other; "
        "correct the id of 'judge' in params/models.yaml."
    )


@pytest.mark.parametrize("page", ["<html>Welcome</html>", "Ollama is running", "null", "[]", ""])
def test_an_address_of_something_else_is_refused(endpoint: Endpoint, page: str) -> None:
    endpoint.served = page
    assert "correct the endpoint of 'judge' in params/models.yaml" in stopped(model(endpoint))


def test_an_endpoint_that_is_not_there_is_named(endpoint: Endpoint) -> None:
    url = "http://127.0.0.1:9/v1"
    said = stopped(model(Endpoint(url=url)))
    assert said == f"{url} refuses or breaks the connection ('judge'); is it running?"


def test_an_endpoint_that_does_not_answer_in_time_is_named(endpoint: Endpoint) -> None:
    endpoint.seconds = 1.0
    said = stopped(model(endpoint, timeout=0.1))
    assert said == f"{endpoint.url} did not answer within 0.1 s ('judge')."


def test_a_missing_key_is_named_before_anything_is_asked(endpoint: Endpoint) -> None:
    said = stopped(model(endpoint, key="FAKE_KEY"))
    assert said == (
        "'judge' needs a key: set FAKE_KEY in the environment or in .env (copy .env.example)."
    )
    assert not endpoint.asked


def test_a_key_of_the_environment_comes_before_one_of_the_file(
    endpoint: Endpoint, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.key = KEY
    (project / ".env").write_text(f"FAKE_KEY={KEY}\n", encoding="utf-8")
    (project / "notebooks").mkdir()
    monkeypatch.chdir(project / "notebooks")
    check(model(endpoint, key="FAKE_KEY"))
    monkeypatch.setenv("FAKE_KEY", "another")
    assert "refuses the key of 'judge'; check FAKE_KEY." in stopped(model(endpoint, key="FAKE_KEY"))
    (project / ".env").write_text("FAKE_KEY=another\n", encoding="utf-8")
    monkeypatch.setenv("FAKE_KEY", KEY)
    check(model(endpoint, key="FAKE_KEY"))


def test_a_key_left_empty_is_missing(
    endpoint: Endpoint, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".env").write_text("FAKE_KEY=\n", encoding="utf-8")
    monkeypatch.setenv("FAKE_KEY", "")
    assert "needs a key" in stopped(model(endpoint, key="FAKE_KEY"))


def test_a_line_end_is_no_part_of_a_key(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.key = KEY
    monkeypatch.setenv("FAKE_KEY", f"{KEY}\r\n")
    check(model(endpoint, key="FAKE_KEY"))


def test_a_key_with_a_foreign_character_is_refused_without_showing_it(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_KEY", f"{KEY}\u200b")
    said = stopped(model(endpoint, key="FAKE_KEY"))
    assert "FAKE_KEY holds a character that no key has" in said
    assert KEY not in said


def test_a_refusal_without_a_key_says_where_to_name_one(endpoint: Endpoint) -> None:
    endpoint.key = KEY
    assert "check 'key' in params/models.yaml" in stopped(model(endpoint))


def test_a_refusal_in_a_field_of_its_own_is_the_reply(endpoint: Endpoint) -> None:
    answer = chat(None)
    answer.body["choices"][0]["message"]["refusal"] = "I cannot judge this."
    endpoint.script("", [answer])
    assert ask(model(endpoint), REQUEST).text == "I cannot judge this."


def test_a_strict_schema_has_no_bounds_on_lengths_and_others_keep_them(endpoint: Endpoint) -> None:
    bounded = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}
    request = replace(REQUEST, schema=bounded)
    strict = sent(endpoint, model(endpoint), request)["response_format"]["json_schema"]["schema"]
    assert strict == {"type": "object", "properties": {"a": {"type": "string"}}}
    loose = sent(endpoint, model(endpoint, form="json_object_schema"), request)
    assert loose["response_format"]["schema"] == bounded


def test_an_endpoint_that_lists_no_models_may_be_asked(endpoint: Endpoint) -> None:
    endpoint.served = "nothing here"
    endpoint.served_status = 404
    check(model(endpoint))


def test_what_an_endpoint_says_of_a_failure_is_told_without_the_key(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "sk-not-a-real-key-0815")
    body = {"error": {"message": "no schema for sk-not-a-real-key-0815"}}
    endpoint.script("", [Answer(body, status=400)])
    with pytest.raises(RowError) as raised:
        ask(model(endpoint, key="A_KEY"))
    assert "answers HTTP 400" in str(raised.value)
    assert "no schema for …" in str(raised.value)
