"""Requests per second against an endpoint of 50 ms latency, 50 in flight, interleaved.

Medians; a ratio is the median of those within each repeat. Ours records durably, parses and shows
progress; the loops of the libraries keep nothing. inspect_ai grades and logs, openevals judges,
deepeval scores with G-Eval, one call a case; lm-eval generates and matches, without a judge. `sent`
is what the endpoint was sent for each judgment, `in flight` the most that it had at a time.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from loops import LOOPS
from serving import HERE, counts, serving

REFERENCES = {
    "of AsyncOpenAI": "AsyncOpenAI, aiohttp transport",
    "of bare aiohttp": "bare aiohttp",
}
PEERS = ("inspect_ai", "openevals", "deepeval", "lm_eval")
ENVIRONMENTS = HERE.parent / ".venv-bench"
PATIENCE = 600  # seconds
SMALL = {"number": 20, "repeats": 1}

Row = dict[str, object]


@dataclass(frozen=True)
class Run:
    """One run: requests per second, of which version, and what the endpoint saw."""

    rate: float
    version: str
    sent: float
    in_flight: int


def measure(number: int = 2000, in_flight: int = 50, repeats: int = 5) -> list[Row]:
    """Return one row a loop or peer."""
    runs: dict[str, list[Run]] = {name: [] for name in (*LOOPS, *PEERS)}
    faults: dict[str, str] = {}
    with serving() as url:
        for _ in range(repeats):
            for name in [name for name in runs if name not in faults]:
                try:
                    runs[name].append(run(name, url, number, in_flight))
                except RuntimeError as fault:
                    if name in LOOPS:
                        raise
                    faults[name] = str(fault)
    return [faulty(name, faults[name]) if name in faults else row(name, runs) for name in runs]


def run(name: str, url: str, number: int, in_flight: int) -> Run:
    """Run a loop or peer once, in a process of its own."""
    command = [*_command(name), url, str(number), str(in_flight)]
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
        )
    except subprocess.CalledProcessError as fault:
        raise RuntimeError(f"fails: {fault.stderr.strip().splitlines()[-1]}") from None
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"does not end within {PATIENCE} s") from None
    told, counted = json.loads(done.stdout.splitlines()[-1]), counts(url)
    version = f"{told['package']} {told['version']}"
    return Run(number / told["seconds"], version, counted["came"] / number, counted["most"])


def installed(peer: str) -> bool:
    """Return whether `make bench-peers` has made a peer's environment."""
    return (ENVIRONMENTS / peer / ".ready").exists()


def _command(name: str) -> list[str]:
    if name in LOOPS:
        return [sys.executable, str(HERE / "loops.py"), name]
    if not installed(name):
        raise RuntimeError("not installed: make bench-peers")
    python = ENVIRONMENTS / name / "bin" / "python"
    return [str(python), str(HERE / "peers" / f"with_{name}.py")]


def row(name: str, runs: Mapping[str, list[Run]]) -> Row:
    """Return medians, and the ratios to the references within each repeat."""
    rates = [one.rate for one in runs[name]]
    return {
        "loop": name,
        "version": runs[name][0].version,
        "requests/s": median(rates),
        "lowest": min(rates),
        "highest": max(rates),
        **{title: ratio(rates, runs[whose]) for title, whose in REFERENCES.items()},
        "sent": max(one.sent for one in runs[name]),
        "in flight": max(one.in_flight for one in runs[name]),
    }


def ratio(rates: Sequence[float], reference: Sequence[Run]) -> float:
    """Return the median of the ratios within each repeat."""
    return median(rate / other.rate for rate, other in zip(rates, reference, strict=True))


def faulty(name: str, fault: str) -> Row:
    """Return a row that says why there are no numbers."""
    return {"loop": name, "version": fault}
