"""Faults of a call: what another try may mend, and what it may not."""

import json
from typing import Any

import openai

# Where an endpoint says so, the model is asked for less at a time.
_BUSY = {429, 503, 529}
_AGAIN = {408, 409, 425}
_CLOSED = {401, 402, 404}
_UNPAID = "insufficient_quota"


class CallError(Exception):
    """A call that brought no reply; the text says why, without the key."""


class PassingError(CallError):
    """Another try may bring the reply."""


class UnreachableError(PassingError):
    """The connection is refused or broken."""


class BusyError(PassingError):
    """The endpoint is asked for too much at a time.

    Parameters
    ----------
    reason : str
    wait : float or None
        Seconds after which it wants to be asked again, where it says so.
    """

    def __init__(self, reason: str, wait: float | None) -> None:
        super().__init__(reason)
        self.wait = wait


class RowError(CallError):
    """This request gets no reply however often it is asked; others may."""


class ClosedError(CallError):
    """No request to this endpoint gets a reply: the key, the credit or the address is refused."""


class RefusedError(RowError):
    """HTTP 403: the key is refused, or, where it served before, this request alone."""


def of_error(error: Exception, reason: str) -> CallError:
    """Return the fault that an error of the client library stands for."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
        return PassingError("the body is not JSON")
    if isinstance(error, openai.APIStatusError):
        return _of_status(error.status_code, _code(error), reason, _wait(error))
    if isinstance(error, openai.APITimeoutError) and not never_connected(error):
        return PassingError(reason)
    if isinstance(error, openai.APIConnectionError):
        return UnreachableError(reason)
    return RowError(reason)


def of_body(answer: Any, choice: Any, reason: str) -> CallError:
    """Return the fault of a body that came as HTTP 200 without an answer."""
    error = value(answer, "error") or value(choice, "error")
    if error:
        code = value(error, "code")
        return _of_status(code if isinstance(code, int) else 500, code, reason, None)
    if value(choice, "finish_reason") in ("length", "content_filter"):
        return RowError(reason)
    return PassingError(reason)


def _of_status(status: int, code: Any, reason: str, wait: float | None) -> CallError:
    if status in _CLOSED or code == _UNPAID:
        return ClosedError(reason)
    if status == 403:
        return RefusedError(reason)
    if status in _BUSY:
        return BusyError(reason, wait)
    return PassingError(reason) if status >= 500 or status in _AGAIN else RowError(reason)


def is_unpaid(error: Exception) -> bool:
    """Return whether an endpoint wants to be paid first."""
    if not isinstance(error, openai.APIStatusError):
        return False
    return error.status_code == 402 or _code(error) == _UNPAID


def never_connected(error: Exception) -> bool:
    """Return whether a time-out is none: the aiohttp transport calls a refused connection one."""
    return type(error.__cause__).__name__ == "ConnectTimeout"


def _code(error: openai.APIStatusError) -> Any:
    return value(error.body, "code")


def _wait(error: openai.APIStatusError) -> float | None:
    """Return how long the endpoint asks to wait: seconds, or milliseconds where it gives those."""
    headers = error.response.headers
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    return None


def value(of: Any, name: str) -> Any:
    """Return a field of a body, if the body has fields and this is one."""
    return of.get(name) if isinstance(of, dict) else None
