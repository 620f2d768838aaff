"""Starts the endpoint and asks it what it saw."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

HERE = Path(__file__).parent


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


def counts(url: str) -> dict[str, int]:
    """Return what came since this was last asked."""
    with urlopen(f"{url.removesuffix('/v1')}/counts") as answer:
        counted: dict[str, int] = json.load(answer)
    return counted


def scratch() -> TemporaryDirectory[str]:
    """Return a folder on the project's disk, gone afterwards; git ignores what a stop leaves."""
    place = HERE.parent / "build"
    place.mkdir(exist_ok=True)
    return TemporaryDirectory(dir=place)
