"""The client: a request goes to an OpenAI-compatible endpoint and comes back as a reply."""

import os
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import openai
from dotenv import dotenv_values
from openai import AsyncOpenAI, DefaultAioHttpClient

from judgeworthy import project
from judgeworthy.errors import EndpointError
from judgeworthy.models import faults
from judgeworthy.models.catalog import Model
from judgeworthy.models.request import Reply, Request

# Half a pair, which small models write, fits into no file.
_SURROGATE = re.compile("[\ud800-\udfff]")


class Client:
    """Asks one model. Use as an asynchronous context manager.

    Parameters
    ----------
    model : Model
    endpoint : str
        Base URL, the model's own or that of a local server.
    server : str
        Build of the server, where known.

    Raises
    ------
    EndpointError
        If the model's key is not set.
    """

    def __init__(self, model: Model, endpoint: str, server: str = "") -> None:
        self.model = model
        self.endpoint = endpoint
        self.server = server
        self._api = AsyncOpenAI(
            base_url=endpoint,
            api_key=_key(model),
            timeout=model.wait,
            max_retries=0,  # what is asked again, and when, is decided for all requests together
            http_client=DefaultAioHttpClient(),
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._api.close()

    @property
    def api(self) -> AsyncOpenAI:
        """The client library, for what is not a request for one reply."""
        return self._api

    async def check(self) -> None:
        """Make sure that the endpoint is there and serves the model.

        Raises
        ------
        EndpointError
            If it does not answer, refuses the key, or lists other models only.
        """
        try:
            api = self._api.with_options(max_retries=2)
            served = [model.id async for model in api.models.list()]
        except openai.NotFoundError:
            return  # not every endpoint lists its models; the first request will tell
        except (openai.OpenAIError, AttributeError, ValueError) as error:
            raise EndpointError(self.explain(error)) from None
        if served and self.model.id not in {name.removeprefix("models/") for name in served}:
            raise EndpointError(
                f"{self.endpoint} does not serve '{self.model.id}' but "
                f"{', '.join(served[:5])}; correct the id of '{self.model.name}' "
                "in params/models.yaml."
            )

    async def ask(self, request: Request) -> Reply:
        """Send one request, once.

        Raises
        ------
        CallError
            If it brings no reply. A model that ends at once has replied, where no schema holds it
            to more.
        """
        started = time.monotonic()
        try:
            answer = await self._send(request)
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            raise faults.of_error(error, self.explain(error)) from None
        reply = self.read(request, answer)
        return replace(reply, seconds=round(time.monotonic() - started, 2))

    def read(self, request: Request, answer: Any) -> Reply:
        """Return the reply that the body of an answer holds.

        Raises
        ------
        CallError
            If it holds none.
        """
        choice = _choice(answer)
        text = self._text(choice)
        if _error(answer, choice) or (not text and not _said_nothing(request, choice)):
            reason = self._scrubbed(_reason(answer, choice))[:200]
            raise faults.of_body(answer, choice, reason)
        usage = faults.value(answer, "usage")
        return Reply(
            id=request.id,
            text=text,
            finish_reason=_word(choice, "finish_reason"),
            prompt_tokens=_count(usage, "prompt_tokens"),
            completion_tokens=_count(usage, "completion_tokens"),
            form=self._form(request),
            served=_word(answer, "model"),
            server=self.server or _word(answer, "system_fingerprint"),
            file_sha256=self.model.file.sha256 if self.model.file else "",
            seconds=0.0,
            recorded=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def explain(self, error: Exception) -> str:
        """Return one sentence on a failed call, with the remedy and without the key."""
        return self._scrubbed(_explain(self.model, self.endpoint, error))

    def _scrubbed(self, text: str) -> str:
        return text.replace(self._api.api_key, "…")

    async def _send(self, request: Request) -> Any:
        return await self._api.post(self.path, body=self.body(request), cast_to=object)

    @property
    def path(self) -> str:
        """Where requests go, below the endpoint."""
        return "/chat/completions" if self.model.chat else "/completions"

    def body(self, request: Request) -> dict[str, Any]:
        """Return what is sent."""
        return self._chat(request) if self.model.chat else self._completion(request)

    def _text(self, choice: Any) -> str:
        if not self.model.chat:
            return _word(choice, "text")
        message = faults.value(choice, "message")
        return _word(message, "content") or _word(message, "refusal")

    def _form(self, request: Request) -> str:
        if request.schema is None or self.model.form == "instruction":
            return "instruction"
        return "json_object" if self.model.form == "json_object" else "schema"

    def _common(self, request: Request) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "model": self.model.id,
            "temperature": request.temperature,
            self.model.max_tokens_field: request.max_tokens,
        }
        if request.seed is not None and self.model.seed:
            fields["seed"] = request.seed
        return fields

    def _chat(self, request: Request) -> dict[str, Any]:
        messages = list(request.messages)
        if not self.model.system_role and messages[0]["role"] == "system":
            text = "\n\n".join(message["content"] for message in messages)
            messages = [{"role": "user", "content": text}]
        fields = {**self._common(request), "messages": messages}
        if request.schema is not None and self.model.form != "instruction":
            fields["response_format"] = self._response_format(request.schema)
        return fields

    def _completion(self, request: Request) -> dict[str, Any]:
        prompt = "\n\n".join(message["content"] for message in request.messages)
        return {**self._common(request), "prompt": prompt, "stop": ["\n"]}

    def _response_format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self.model.form == "json_schema":
            wrapped = {"name": "reply", "strict": True, "schema": _without_lengths(schema)}
            return {"type": "json_schema", "json_schema": wrapped}
        if self.model.form == "json_object_schema":
            return {"type": "json_object", "schema": schema}
        return {"type": "json_object"}


def _without_lengths(schema: Any) -> Any:
    """Return a schema without bounds on lengths, which strict endpoints refuse."""
    if not isinstance(schema, dict):
        return schema
    return {key: _without_lengths(value) for key, value in schema.items() if key != "maxLength"}


def _key(model: Model) -> str:
    """Return the model's key from the environment or ``.env``, whichever folder we are in."""
    if model.key is None:
        return "no-key"
    stored = dotenv_values(project.root() / ".env")
    key = (os.environ.get(model.key) or stored.get(model.key) or "").strip()
    if not key:
        raise EndpointError(
            f"'{model.name}' needs a key: set {model.key} in the environment or in .env "
            "(copy .env.example)."
        )
    if not (key.isascii() and key.isprintable()):
        raise EndpointError(f"{model.key} holds a character that no key has; copy the key again.")
    return key


def _word(of: Any, name: str) -> str:
    """Return a text of a body, empty if there is none."""
    found = faults.value(of, name)
    return _SURROGATE.sub("\ufffd", found) if isinstance(found, str) else ""


def _count(of: Any, name: str) -> int | None:
    """Return a number of tokens, if a body counts them."""
    found = faults.value(of, name)
    return found if type(found) is int and 0 <= found < 2**31 else None


def _choice(answer: Any) -> Any:
    choices = faults.value(answer, "choices")
    return choices[0] if isinstance(choices, list) and choices else None


def _said_nothing(request: Request, choice: Any) -> bool:
    """Return whether a model that was free to say anything ended, or was kept from saying it."""
    ended = faults.value(choice, "finish_reason") in ("stop", "content_filter")
    return request.schema is None and ended


def _error(answer: Any, choice: Any) -> Any:
    """Return the error of an answer that came as HTTP 200, perhaps after a part of its text."""
    return faults.value(answer, "error") or faults.value(choice, "error")


def _reason(answer: Any, choice: Any) -> str:
    if error := _error(answer, choice):
        return f"error in the body: {error}"
    if not isinstance(answer, dict):
        return "the body is not JSON"
    if choice is None:
        return "no choices in the body"
    if faults.value(choice, "finish_reason") == "length":
        return "no text before the token limit; raise max_tokens in the parameter file"
    return f"no text in the content (finish_reason {faults.value(choice, 'finish_reason')})"


def _explain(model: Model, endpoint: str, error: Exception) -> str:
    if faults.is_unpaid(error):
        return f"{endpoint} has no credit left for '{model.name}'."
    if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
        where = model.key or "'key' in params/models.yaml"
        return f"{endpoint} refuses the key of '{model.name}'; check {where}."
    if isinstance(error, openai.APITimeoutError) and not faults.never_connected(error):
        return f"{endpoint} did not answer within {model.wait:g} s ('{model.name}')."
    if isinstance(error, openai.APIConnectionError):
        return f"{endpoint} refuses or breaks the connection ('{model.name}'); is it running?"
    if isinstance(error, openai.APIStatusError):
        said = " ".join(str(error.body or "").split())[:200]
        cause = f": {said}" if said else "."
        return f"{endpoint} answers HTTP {error.status_code} to '{model.name}'{cause}"
    if isinstance(error, AttributeError | ValueError):
        return (
            f"{endpoint} does not answer as an OpenAI-compatible endpoint; correct the endpoint of "
            f"'{model.name}' in params/models.yaml."
        )
    return f"{endpoint} failed for '{model.name}': {type(error).__name__}."
