"""The loops of ours and of the libraries below: each asks the same requests, as many in flight.

``python benchmarks/loops.py NAME URL REQUESTS IN_FLIGHT`` prints how many seconds one takes, from
the first request to the last reply; start-up and imports are not counted.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
from openai import AsyncOpenAI, DefaultAioHttpClient

from asked import SCHEMA, messages, report
from judgeworthy.models.catalog import Model
from judgeworthy.models.collect import collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from judgeworthy.sections import verdicts
from serving import scratch


def body(number: int) -> dict[str, Any]:
    """Return what goes over the wire."""
    form = {"type": "json_object", "schema": SCHEMA}
    fields = {"temperature": 0.0, "max_tokens": 200, "seed": 0, "response_format": form}
    return {"model": "judge", "messages": messages(number), **fields}


def model(url: str, in_flight: int, timeout: float = 600.0) -> Model:
    """Return the endpoint as our loop knows it."""
    return Model(
        name="judge",
        id="judge",
        family="none",
        endpoint=url,
        form="json_object_schema",
        seed=True,
        system_role=True,
        concurrency=in_flight,
        timeout=timeout,
    )


def requests(number: int) -> list[Request]:
    """Return the requests as our loop takes them."""
    return [
        Request("judge", tuple(messages(one)), 0.0, 200, seed=0, schema=SCHEMA)
        for one in range(number)
    ]


async def judgeworthy(url: str, number: int, in_flight: int) -> float:
    """Our loop: with its durable record, parsing and progress."""
    wanted = requests(number)
    with scratch() as folder:
        started = time.perf_counter()
        record = Record(Path(folder))
        asked = {"judge": wanted}, {"judge": model(url, in_flight)}
        outcome = await collect(*asked, record, verdicts.invalid)
        took = time.perf_counter() - started
        assert outcome.recorded == len(record.read("judge")) == number
    return took


async def in_parallel(ask: Callable[[int], Awaitable[str]], number: int, in_flight: int) -> float:
    """Ask for all with so many workers and return how long it took."""
    numbers = iter(range(number))
    texts: list[str] = []

    async def work() -> None:
        for one in numbers:
            texts.append(await ask(one))

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(in_flight)))
    took = time.perf_counter() - started
    assert len(texts) == number and all("CORRECT" in text for text in texts)
    return took


async def openai_default(url: str, number: int, in_flight: int) -> float:
    """AsyncOpenAI as it comes, nothing kept."""
    async with AsyncOpenAI(base_url=url, api_key="none") as api:
        return await _openai(api, number, in_flight)


async def openai_aiohttp(url: str, number: int, in_flight: int) -> float:
    """AsyncOpenAI with its aiohttp transport, nothing kept."""
    async with AsyncOpenAI(base_url=url, api_key="none", http_client=DefaultAioHttpClient()) as api:
        return await _openai(api, number, in_flight)


async def _openai(api: AsyncOpenAI, number: int, in_flight: int) -> float:
    async def ask(one: int) -> str:
        answer = await api.chat.completions.create(**body(one))
        return answer.choices[0].message.content or ""

    return await in_parallel(ask, number, in_flight)


async def bare_aiohttp(url: str, number: int, in_flight: int) -> float:
    """Bare aiohttp, nothing kept."""
    connector = aiohttp.TCPConnector(limit=in_flight)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(one: int) -> str:
            async with session.post(f"{url}/chat/completions", json=body(one)) as response:
                answer = await response.json()
                text: str = answer["choices"][0]["message"]["content"]
                return text

        return await in_parallel(ask, number, in_flight)


LOOPS = {
    "judgeworthy": (judgeworthy, "judgeworthy"),
    "AsyncOpenAI, default transport": (openai_default, "openai"),
    "AsyncOpenAI, aiohttp transport": (openai_aiohttp, "openai"),
    "bare aiohttp": (bare_aiohttp, "aiohttp"),
}

if __name__ == "__main__":
    name, url, number, in_flight = sys.argv[1:]
    loop, package = LOOPS[name]
    report(package, asyncio.run(loop(url, int(number), int(in_flight))))
