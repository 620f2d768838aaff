"""A recording in which one request in five meets HTTP 429, HTTP 500 or no answer at all.

`least` is what has to be sent: each request once, and once more for each fault that was met. A
request hangs for the model's time-out, which is 2 s here. `wrongly final` counts replies that are
not the endpoint's answer to their request, and requests that were given up.
"""

import asyncio
import time
from pathlib import Path

from judgeworthy.models.collect import collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from judgeworthy.sections import verdicts
from loops import model, requests
from server import verdict
from serving import counts, scratch, serving

SMALL = {"number": 30, "timeout": 0.5}


def measure(number: int = 2000, timeout: float = 2.0) -> list[dict[str, object]]:
    """Return one row."""
    asked = requests(number)
    with serving("--faults", "0.2") as url, scratch() as folder:
        record = Record(Path(folder))
        models = {"judge": model(url, 50, timeout)}
        started = time.perf_counter()
        outcome = asyncio.run(collect({"judge": asked}, models, record, verdicts.invalid))
        took = time.perf_counter() - started
        counted = counts(url)
        kept = record.read("judge")
        lines = [reply for _, _, reply in record.lines("judge") if reply is not None]
    sound = [one for one in asked if one.id in kept and kept[one.id].text == right(one)]
    return [
        {
            "requests": number,
            "faults": counted["failed"],
            "done": len(sound),
            "lost": outcome.recorded - len(kept),
            "doubled": len(lines) - len(kept),
            "wrongly final": len(kept) - len(sound) + len(outcome.failures),
            "sent": counted["came"],
            "least": number + counted["failed"],
            "ratio": counted["came"] / (number + counted["failed"]),
            "seconds": took,
        }
    ]


def right(request: Request) -> str:
    """Return the endpoint's answer to a request."""
    return verdict(str(request.messages))
