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
    turn: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""
    gone: bool = False
    polls: int = 1
    files: dict[str, bytes] = field(default_factory=dict)
    batches: list[Body] = field(default_factory=list)

    def script(self, marker: str, answers: Iterable[Answer]) -> None:
        self.scripts[marker] = iter(answers)

    def answer(self, path: str, body: Body) -> Answer:
        self.asked.append((path, body))
        text = json.dumps(body, ensure_ascii=False)
        scripts = [script for marker, script in self.scripts.items() if marker in text]
        with self.turn:
            scripted = next(scripts[0], None) if scripts else None
        return scripted or chat(reply(body), seconds=self.seconds)

    def upload(self, form: bytes) -> Answer:
        """Take the one file of a multipart form."""
        boundary = form.split(b"\r\n", 1)[0]
        parts = [part for part in form.split(boundary) if b'name="file"' in part]
        name = f"file-{len(self.files)}"
        self.files[name] = parts[0].split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n")
        return Answer({"id": name, "object": "file", "purpose": "batch"})

    def make_batch(self, body: Body) -> Answer:
        fields = {"id": f"batch-{len(self.batches)}", "object": "batch", "status": "in_progress"}
        self.batches.append({**body, **fields, "polled": 0, "created_at": 0})
        return Answer(self.batches[-1])

    def look(self, path: str) -> Answer:
        """Return a batch, which is done after some looks, all batches, or a file."""
        name = path.split("/")[3] if path.count("/") > 2 else ""
        if "/files/" in path:
            return Answer(self.files[name].decode())
        if not name:
            return Answer({"object": "list", "data": self.batches[::-1], "has_more": False})
        (batch,) = (one for one in self.batches if one["id"] == name)
        batch["polled"] += 1
        if batch["polled"] > self.polls and batch["status"] == "in_progress":
            self.finish(batch)
        return Answer(batch)

    def finish(self, batch: Body) -> None:
        """Answer the requests of a batch, in another order."""
        lines = []
        for line in self.files[batch["input_file_id"]].splitlines():
            asked = json.loads(line)
            answer = self.answer(asked["url"], asked["body"])
            response = {"status_code": answer.status, "body": answer.body}
            lines.append({"custom_id": asked["custom_id"], "response": response, "error": None})
        name = f"file-{len(self.files)}"
        self.files[name] = "\n".join(json.dumps(line) for line in lines[::-1]).encode()
        batch.update(status="completed", output_file_id=name)


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
            path = self.path.split("?")[0]
            if path.startswith(("/v1/batches", "/v1/files")):
                self._send(endpoint.look(path))
            else:
                self._send(Answer(endpoint.served, endpoint.served_status, endpoint.seconds))

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/files":
                self._send(endpoint.upload(sent))
            elif self.path == "/v1/batches":
                self._send(endpoint.make_batch(json.loads(sent)))
            else:
                self._send(endpoint.answer(self.path, json.loads(sent)))

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
