"""A loopback endpoint in a process of its own: chat completions after a fixed latency.

``--faults`` is the share of requests that meet a fault instead: HTTP 429, HTTP 500 or a hang, drawn
with a fixed seed. ``/counts`` says how many requests came, and how many met a fault.
"""

import argparse
import asyncio
import json
import random
import sys

from aiohttp import web

VERDICT = json.dumps(
    {"extracted_answer": "Paris", "explanation": "It is the capital.", "verdict": "CORRECT"}
)


class Endpoint:
    """Counts requests and answers them."""

    def __init__(self, latency: float, faults: float, hang: float) -> None:
        self.latency, self.faults, self.hang = latency, faults, hang
        self.chance = random.Random(20261130)
        self.came = 0
        self.failed = 0

    async def complete(self, request: web.Request) -> web.Response:
        """Answer with a verdict, or with a fault."""
        body = await request.json()
        self.came += 1
        if self.chance.random() < self.faults:
            return await self._fail()
        await asyncio.sleep(self.latency)
        message = {"role": "assistant", "content": VERDICT}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return web.json_response({**answer, "choices": [choice], "usage": usage})

    async def _fail(self) -> web.Response:
        self.failed += 1
        kind = self.failed % 3
        if kind == 0:
            await asyncio.sleep(self.hang)
        status, headers = ((429, {"retry-after-ms": "100"}), (500, {}))[kind == 1]
        return web.json_response({"error": {"message": "a fault"}}, status=status, headers=headers)

    async def models(self, _: web.Request) -> web.Response:
        """List the one model."""
        return web.json_response({"object": "list", "data": [{"id": "judge", "object": "model"}]})

    async def counts(self, _: web.Request) -> web.Response:
        """Say how many requests came and how many met a fault, and count anew."""
        counted = {"came": self.came, "failed": self.failed}
        self.came = self.failed = 0
        return web.json_response(counted)


def main() -> None:
    """Serve on a free port, which is the first line that is printed, until stdin is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--faults", type=float, default=0.0)
    parser.add_argument("--hang", type=float, default=2.0)
    given = parser.parse_args()
    endpoint = Endpoint(given.latency, given.faults, given.hang)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.complete)
    app.router.add_get("/v1/models", endpoint.models)
    app.router.add_get("/counts", endpoint.counts)
    asyncio.run(_serve(app))


async def _serve(app: web.Application) -> None:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    main()
