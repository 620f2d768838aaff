"""openevals: its LLM as a judge, over an OpenAI client, which it calls with a schema."""

import asyncio
import os
import sys
import time

os.environ["LANGSMITH_TRACING"] = "false"

from openai import AsyncOpenAI
from openevals.llm import create_async_llm_as_judge

from asked import PROMPT, QUESTION, SCHEMA, answer, report

TEMPLATE = PROMPT + "\nQuestion: {inputs}\nGenerated answer: {outputs}"


async def run(url: str, number: int, in_flight: int) -> float:
    """Judge all with so many workers and return how long it took."""
    async with AsyncOpenAI(base_url=url, api_key="none") as api:
        judge = create_async_llm_as_judge(
            prompt=TEMPLATE, judge=api, model="judge", output_schema=SCHEMA
        )
        numbers = iter(range(number))
        judged = []

        async def work() -> None:
            for one in numbers:
                judged.append(await judge(inputs=QUESTION, outputs=answer(one)))

        started = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(in_flight)))
        took = time.perf_counter() - started
    assert [one["verdict"] for one in judged] == ["CORRECT"] * number
    return took


if __name__ == "__main__":
    report("openevals", asyncio.run(run(sys.argv[1], *map(int, sys.argv[2:]))))
