"""Stopping: Ctrl-C once lets what is in flight end, twice does not."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tqdm import tqdm


class Stop:
    """Whether no more requests are to be sent, and why."""

    def __init__(self) -> None:
        self.reason = ""
        self._idle: set[asyncio.Task[None]] = set()

    def __bool__(self) -> bool:
        return bool(self.reason)

    def ask(self, reason: str) -> None:
        """Stop: tasks that only wait for their turn end at once, the others after their request."""
        self.reason = self.reason or reason
        for task in self._idle:
            task.cancel()

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Mark the time in which the running task only waits."""
        task = asyncio.current_task()
        assert task is not None
        self._idle.add(task)
        try:
            yield
        finally:
            self._idle.discard(task)


@contextmanager
def on_interrupt(stop: Stop) -> Iterator[None]:
    """Let the first Ctrl-C stop a recording cleanly, and the second one break it off."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if stop:
            raise KeyboardInterrupt
        tqdm.write("stopping; what is in flight is waited for, Ctrl-C again drops it")
        stop.ask("stopped by Ctrl-C; the same command goes on")

    try:
        loop.add_signal_handler(signal.SIGINT, interrupted)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        yield
        return
    try:
        yield
    finally:
        with suppress(ValueError):
            loop.remove_signal_handler(signal.SIGINT)
