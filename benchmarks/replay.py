"""Warm replay: 100,000 recorded replies are read into the table of judgments, as a notebook does.

The replies' texts are those that real judges gave in English, in turn; items and identities are
made up so that there are enough of them. Medians.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median

from clock import seconds
from judgeworthy import study as studies
from judgeworthy.judgments import SENSITIVITY, Item
from judgeworthy.models.record import Record
from judgeworthy.sections import calibration, verdicts
from judgeworthy.study import Study
from serving import scratch

SMALL = {"number": 200, "repeats": 1}


def measure(number: int = 100_000, repeats: int = 5) -> list[dict[str, object]]:
    """Return one row for reading the record, and one for the whole."""
    study = studies.load("en")
    judge = study.judges[0]
    alone = study.model_copy(update={"judges": (judge,)})
    given = zip(range(number), cycle(calibration.items(study)), strict=False)
    items = [replace(item, response=f"{item.response} {one}") for one, item in given]
    with scratch() as folder:
        record = Record(Path(folder))
        asyncio.run(fill(record, alone, items))

        def into_the_table() -> None:
            assert len(verdicts.replay(alone, items, record, SENSITIVITY)) == number

        return [
            row("read the record", number, repeats, lambda: record.read(judge)),
            row("read it into the table", number, repeats, into_the_table),
        ]


async def fill(record: Record, study: Study, items: list[Item]) -> None:
    """Record a real reply to each item."""
    (judge,) = study.judges
    real = cycle(Record.of(study.name).read(judge).values())
    asked = (verdicts.request(item, judge, study) for item in items)
    async with record.writer(judge) as writer:
        writer.append(replace(reply, id=one.id) for one, reply in zip(asked, real, strict=False))
    record.pack(judge)


def row(what: str, number: int, repeats: int, work: Callable[[], object]) -> dict[str, object]:
    """Return how long work takes."""
    took = seconds(work, repeats)
    return {"what": what, "replies": number, "seconds": median(took), "slowest": max(took)}
