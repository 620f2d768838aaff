"""A loopback endpoint in a process of its own: chat completions after a fixed latency.

``--faults`` is the share of requests that meet a fault instead: HTTP 429, HTTP 500 or no answer at
all, in turn, drawn with a fixed seed. ``/counts`` says how many requests came, how many met a
fault, and how many were in flight at most. The model ``score`` answers with a score, for a peer
that asks for one; every other one with a verdict that repeats the number in the answer.
"""

import argparse
import asyncio
import json
import random
import re
import sys
from typing import Any

from aiohttp import web

SCORE = json.dumps({"score": 10, "reason": "The answer names Paris, the capital of France."})
NEVER = 3600.0


class Endpoint:
    """Counts requests and answers them."""

    def __init__(self, latency: float, faults: float) -> None:
        self.latency, self.faults = latency, faults
        self.chance = random.Random(20261130)
        self.came = self.failed = self.now = self.most = 0

    async def complete(self, request: web.Request) -> web.Response:
        """Answer with a verdict, or with a fault."""
        body = await request.json()
        self.came += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            if self.chance.random() < self.faults:
                return await self._fail()
            await asyncio.sleep(self.latency)
            return web.json_response(completion(body))
        finally:
            self.now -= 1

    async def _fail(self) -> web.Response:
        self.failed += 1
        kind = self.failed % 3
        if kind == 0:
            await asyncio.sleep(NEVER)
        status, headers = ((429, {"retry-after-ms": "100"}), (500, {}))[kind == 1]
        return web.json_response({"error": {"message": "a fault"}}, status=status, headers=headers)

    async def models(self, _: web.Request) -> web.Response:
        """List the models."""
        listed = [{"id": name, "object": "model"} for name in ("judge", "score")]
        return web.json_response({"object": "list", "data": listed})

    async def counts(self, _: web.Request) -> web.Response:
        """Say what came, and count anew."""
        counted = {"came": self.came, "failed": self.failed, "most": self.most}
        self.came = self.failed = self.most = 0
        return web.json_response(counted)


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return the completion that answers a request."""
    text = SCORE if body["model"] == "score" else verdict(str(body["messages"]))
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340},
    }


def verdict(asked: str) -> str:
    """Return the verdict on the answer that was asked about."""
    found = re.search(r"Paris, or \d+", asked)
    extracted = found.group() if found else ""
    explanation = "It names Paris, which is the capital of France."
    fields = {"extracted_answer": extracted, "explanation": explanation, "verdict": "CORRECT"}
    return json.dumps(fields)


def main() -> None:
    """Serve on a free port, which is the first line that is printed, until stdin is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--faults", type=float, default=0.0)
    given = parser.parse_args()
    endpoint = Endpoint(given.latency, given.faults)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.complete)
    app.router.add_get("/v1/models", endpoint.models)
    app.router.add_get("/counts", endpoint.counts)
    asyncio.run(_serve(app))


async def _serve(app: web.Application) -> None:
    # Who hangs up is no longer in flight; what is never answered ends with the server.
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    main()
