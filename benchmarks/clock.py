"""How long work takes when it was done before."""

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], repeats: int) -> list[float]:
    """Do work once unseen, then time it as often as wanted."""
    work()
    took = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return took
