"""Workers: the cores of this machine, or those of a Dask cluster."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from judgeworthy.errors import ClusterError

VARIABLE = "JUDGEWORTHY_CLUSTER"
"""The environment variable that names the scheduler of what is computed, not recorded."""

_TIMEOUT = 10.0  # seconds to find the scheduler

T = TypeVar("T")
R = TypeVar("R")


async def connect(address: str) -> Any:
    """Return an asynchronous client of a Dask scheduler.

    Raises
    ------
    ClusterError
        If `distributed` is not installed, or no scheduler with workers is at the address.
    """
    with _told(address) as client:
        cluster = await client(address, asynchronous=True, timeout=_TIMEOUT)
    if not (await cluster.scheduler.identity())["workers"]:
        await cluster.close()
        raise _idle(address)
    return cluster


@contextmanager
def workers() -> Iterator[Executor]:
    """Yield what runs functions elsewhere: on the cluster that `VARIABLE` names, or else here.

    Raises
    ------
    ClusterError
        As `connect` does.
    """
    if address := os.environ.get(VARIABLE):
        yield _joined(address)
        return
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield pool


def spread(function: Callable[[T], R], shards: Sequence[T]) -> list[R]:
    """Apply a function to shards: on the cluster that `VARIABLE` names, or else one by one here.

    A single shard is not sent anywhere.

    Raises
    ------
    ClusterError
        As `connect` does.
    """
    address = os.environ.get(VARIABLE)
    if not address or len(shards) < 2:
        return list(map(function, shards))
    return list(_joined(address).map(function, shards))


@cache
def _joined(address: str) -> Executor:
    """Connect to a scheduler for as long as this process lives."""
    with _told(address) as client:
        cluster = client(address, timeout=_TIMEOUT)
    if not cluster.scheduler_info()["workers"]:
        cluster.close()
        raise _idle(address)
    executor: Executor = cluster.get_executor(pure=False)
    return executor


@contextmanager
def _told(address: str) -> Iterator[Any]:
    """Yield the client of `distributed`; say in words what keeps it from connecting."""
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "a cluster needs the extra 'scale': .venv/bin/uv pip install -e '.[scale]'"
        ) from None
    try:
        yield Client
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"{address}: no Dask scheduler answers there ({error}).") from None


def _idle(address: str) -> ClusterError:
    return ClusterError(f"{address}: the scheduler has no workers; start some: dask worker …")
