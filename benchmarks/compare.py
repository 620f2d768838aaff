"""Compare the loops: interleaved, five repeats, medians and ratios.

``make bench`` prints the table as Markdown.
"""

import argparse
import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import pandas as pd
from loops import LOOPS

HERE = Path(__file__).parent
US, REFERENCE = "judgeworthy", "AsyncOpenAI, aiohttp transport"


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Start the endpoint in a process of its own and yield its address."""
    command = [sys.executable, str(HERE / "server.py"), *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.terminate()


def seconds(name: str, url: str, number: int, in_flight: int) -> float:
    """Run one loop in a process of its own and return how long it took."""
    command = [sys.executable, str(HERE / "loops.py"), name, url, str(number), str(in_flight)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measured(number: int, in_flight: int, repeats: int) -> pd.DataFrame:
    """Return requests a second: one row a repeat, one column a loop."""
    with serving() as url:
        rows = [
            {name: number / seconds(name, url, number, in_flight) for name in LOOPS}
            for _ in range(repeats)
        ]
    return pd.DataFrame(rows)


def summary(rates: pd.DataFrame) -> pd.DataFrame:
    """Return medians, ranges and ratios to the reference within each repeat."""
    ratios = rates.div(rates[REFERENCE], axis=0)
    return pd.DataFrame(
        {
            "requests/s": [f"{median(rates[name]):.0f}" for name in rates],
            "range": [f"{rates[name].min():.0f} to {rates[name].max():.0f}" for name in rates],
            "ratio": [f"{median(ratios[name]):.2f}" for name in rates],
        },
        index=pd.Index(rates.columns, name="loop"),
    ).reset_index()


def markdown(table: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    rows = [list(table.columns), ["---"] * len(table.columns), *table.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    rates = measured(given.requests, given.in_flight, given.repeats)
    print(markdown(summary(rates)))
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("openai", "aiohttp")]
    print(
        f"\n{given.requests} requests, {given.in_flight} in flight, 50 ms latency, "
        f"{given.repeats} repeats; ratio to {REFERENCE}. {', '.join(versions)}, "
        f"Python {platform.python_version()}, {datetime.now(UTC):%d %B %Y}."
    )


if __name__ == "__main__":
    main()
