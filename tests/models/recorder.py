"""A recorder in a process of its own, for the tests that stop one or run two at once."""

import asyncio
import multiprocessing
import os
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from judgeworthy.models.catalog import Model
from judgeworthy.models.collect import collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request


def model(url: str, name: str = "judge", concurrency: int = 1, timeout: float = 5.0) -> Model:
    return Model(
        name=name,
        id="served-judge",
        family="none",
        endpoint=url,
        form="json_object",
        seed=True,
        system_role=True,
        concurrency=concurrency,
        timeout=timeout,
        patience=0.5,
    )


def requests(number: int, name: str = "judge") -> list[Request]:
    return [
        Request(
            name,
            ({"role": "user", "content": f"item {index:04}."},),
            temperature=0.0,
            max_tokens=50,
            seed=0,
            schema={"type": "object"},
        )
        for index in range(number)
    ]


def start(
    folder: Path, models: Sequence[Model], number: int, acknowledged: Path
) -> ForkServerProcess:
    """Start a recorder that writes down the identity of each reply that it counts as recorded."""
    context = multiprocessing.get_context("forkserver")
    # What takes long to import; this module is not on the path of the server that forks.
    context.set_forkserver_preload(["judgeworthy.models.collect", "openai.resources.models"])
    process = context.Process(target=_record, args=(folder, models, number, acknowledged))
    process.start()
    return process


def _record(folder: Path, models: Sequence[Model], number: int, acknowledged: Path) -> None:
    descriptor = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def count(
        _: Request, reply: Reply
    ) -> bool:  # the progress bar asks this of each reply that is on disk
        os.write(descriptor, f"{reply.id}\n".encode())
        return False

    asked = {each.name: requests(number, each.name) for each in models}
    asyncio.run(collect(asked, {each.name: each for each in models}, Record(folder), count))
