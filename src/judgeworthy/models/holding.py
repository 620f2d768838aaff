"""Holding: one recorder at a time has a model's record; another one is told that it waits."""

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import AsyncFileLock, Timeout
from tqdm import tqdm


@asynccontextmanager
async def held(path: Path, model: str) -> AsyncIterator[None]:
    """Hold a model's lock; while another recorder has it, say so once and wait.

    Parameters
    ----------
    path : Path
        Of the lock, in which its holder writes who it is.
    model : str
    """
    lock = AsyncFileLock(path)
    try:
        await lock.acquire(timeout=0)
    except Timeout:
        tqdm.write(
            f"{model}: {_holder(path)} is recording this model; this recorder waits, and then asks "
            "for what is still missing. Ctrl-C ends it; nothing is lost.",
            file=sys.stderr,
        )
        await lock.acquire()
    try:
        _sign(path)
        yield
    finally:
        await lock.release()


def _sign(path: Path) -> None:
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    signed = f"process {os.getpid()} on {socket.gethostname()} (since {since})"
    with suppress(OSError):  # a full disk is told of where a reply is to be written
        path.write_text(signed, encoding="utf-8")


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") or "another recorder"
    except (OSError, ValueError):  # Windows lets nobody read what is locked
        return "another recorder"
