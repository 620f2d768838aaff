"""A stand-in for an endpoint, where a fault must be forced: real HTTP on 127.0.0.1, no model.

A reply depends on the request alone. A script gives the requests that hold a marker other answers,
one after the other, before it falls back to the usual one.
"""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What goes back over HTTP: a status and a body, which is JSON unless it is text.

    ``lost`` is the number of bytes after which the connection breaks.
    """

    body: Any
    status: int = 200
    seconds: float = 0.0
    lost: int | None = None


@dataclass
class Endpoint:
    """The endpoint: what it lists, what it was asked, and what it is scripted to answer."""

    served: Any = field(default_factory=lambda: {"data": [{"id": "served-judge"}]})
    served_status: int = 200
    seconds: float = 0.0
    key: str | None = None
    asked: list[tuple[str, Body]] = field(default_factory=list)
    scripts: dict[str, Iterator[Answer]] = field(default_factory=dict)
    url: str = ""
    gone: bool = False

    def script(self, marker: str, answers: Iterable[Answer]) -> None:
        self.scripts[marker] = iter(answers)

    def answer(self, path: str, body: Body) -> Answer:
        self.asked.append((path, body))
        text = json.dumps(body, ensure_ascii=False)
        scripts = [script for marker, script in self.scripts.items() if marker in text]
        scripted = next(scripts[0], None) if scripts else None
        return scripted or chat(reply(body), seconds=self.seconds)


def reply(body: Body) -> str:
    """Return the text that answers a request: a verdict that depends on the request alone."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    verdict = "CORRECT" if int(digest, 16) % 2 else "INCORRECT"
    fields = {"extracted_answer": digest[:8], "explanation": "A stand-in.", "verdict": verdict}
    return json.dumps(fields)


def chat(content: Any, finish_reason: str = "stop", seconds: float = 0.0) -> Answer:
    """Return a chat completion, which is a text completion as well."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content},
        "text": content,
    }
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    body = {"id": "1", "model": "served-judge", "choices": [choice], "usage": usage}
    return Answer(body, seconds=seconds)


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[Endpoint]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        endpoint.gone = True
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(endpoint: Endpoint) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            listed = Answer(endpoint.served, endpoint.served_status, endpoint.seconds)
            self._send(listed)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(endpoint.answer(self.path, body))

        def _send(self, answer: Answer) -> None:
            if endpoint.gone:
                self.close_connection = True
                return
            if endpoint.key and self.headers["Authorization"] != f"Bearer {endpoint.key}":
                answer = Answer({"error": self.headers["Authorization"]}, status=401)
            time.sleep(answer.seconds)
            text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            self.close_connection = answer.lost is not None
            with suppress(ConnectionError):  # who hung up gets nothing
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text.encode())))
                self.send_header("retry-after-ms", "1")
                self.end_headers()
                self.wfile.write(text.encode()[: answer.lost])

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler
