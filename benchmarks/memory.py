"""Peak memory of a process that records so many replies and packs them, as Linux counts it.

The endpoint answers without latency, so that the loop is what takes the time.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from judgeworthy.models.collect import collect
from judgeworthy.models.record import Record
from judgeworthy.sections import verdicts
from loops import model, requests
from serving import scratch, serving

SMALL = {"sizes": (50,)}


def measure(sizes: tuple[int, ...] = (87_000, 1_000_000)) -> list[dict[str, object]]:
    """Return one row a number of replies."""
    rows = []
    for number in sizes:
        with serving("--latency", "0") as url:
            command = [sys.executable, __file__, url, str(number)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        rows.append(json.loads(done.stdout))
    return rows


def record(url: str, number: int) -> dict[str, object]:
    """Record and pack so many replies, in this process, and say what it took."""
    asked = {"judge": requests(number)}, {"judge": model(url, 50)}
    with scratch() as folder:
        store = Record(Path(folder))
        started = time.perf_counter()
        outcome = asyncio.run(collect(*asked, store, verdicts.invalid))
        took = time.perf_counter() - started
        recording = peak()
        store.pack("judge")
    assert outcome.recorded == number
    return {
        "replies": number,
        "replies/s": number / took,
        "MiB, recording": recording,
        "MiB, with packing": peak(),
    }


def peak() -> float:
    """Return the most memory that this process had, in MiB."""
    status = Path("/proc", str(os.getpid()), "status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(record(sys.argv[1], int(sys.argv[2]))))
