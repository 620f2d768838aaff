"""The workers that simulate: the cores of this machine, or a Dask cluster."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

from judgeworthy.errors import ClusterError


@contextmanager
def workers(address: str = "") -> Iterator[Executor]:
    """Yield what runs functions elsewhere.

    Parameters
    ----------
    address : str
        Of a Dask scheduler; empty for a process a core here.

    Raises
    ------
    ClusterError
        If `distributed` is not installed, or no scheduler is at the address.
    """
    if not address:
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            yield pool
        return
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError("a cluster needs the extra 'scale'; see docs/recording.md.") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"{address}: no Dask scheduler answers there ({error}).") from None
    with client:
        yield client.get_executor(pure=False)
