"""The request: everything that decides a reply, and the reply itself."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import orjson


@dataclass(frozen=True)
class Request:
    """What a model is asked.

    Endpoint, key, time-out and concurrency do not decide a reply and are not part of it.

    Attributes
    ----------
    model : str
        Name in ``params/models.yaml``.
    messages : tuple of dict
        Role and content, the constant part first.
    temperature : float
    max_tokens : int
        Limit on the tokens of the reply.
    seed : int or None
    schema : dict or None
        JSON schema of the reply; used to constrain it where the endpoint can.
    repeat : int
        Number of the repetition of an otherwise equal request.
    """

    model: str
    messages: tuple[dict[str, str], ...]
    temperature: float
    max_tokens: int
    seed: int | None = None
    schema: dict[str, Any] | None = None
    repeat: int = 0

    @cached_property
    def id(self) -> str:
        """The SHA-256 of the request's canonical JSON, as 64 hexadecimal digits."""
        decisive = {name: getattr(self, name) for name in _FIELDS}
        decisive["temperature"] = float(self.temperature)
        canonical = orjson.dumps(decisive, option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(canonical).hexdigest()

    def with_more_room(self) -> "Request":
        """Return the request to ask after a reply was cut off: twice the tokens, a new identity."""
        return replace(self, max_tokens=2 * self.max_tokens)


_FIELDS = tuple(field.name for field in fields(Request))

# What to ask: model → place in the study, in words → request, in the order of asking.
Requests = Mapping[str, Mapping[str, Request]]


@dataclass(frozen=True)
class Reply:
    """What a model sent back, recorded once and never edited.

    Attributes
    ----------
    id : str
        The request's identity.
    text : str
    finish_reason : str
        ``stop``, ``length``, ``content_filter``, … as the endpoint says.
    prompt_tokens, completion_tokens : int or None
        As the endpoint counts them.
    form : str
        What held the reply to JSON: ``schema``, ``json_object`` or ``instruction``.
    served : str
        The model's name as the endpoint reports it.
    server : str
        Build of the server, where known.
    file_sha256 : str
        Of the model's file, where it is local.
    seconds : float
        From asking to the whole reply.
    recorded : str
        UTC time, ISO 8601.
    """

    id: str
    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    form: str
    served: str
    server: str
    file_sha256: str
    seconds: float
    recorded: str

    @property
    def cut_off(self) -> bool:
        """Whether the reply hit its token limit."""
        return self.finish_reason == "length"
