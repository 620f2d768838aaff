"""Keeping: replies go to disk while others are asked for, as many at a time as have come."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from judgeworthy.errors import RecordError
from judgeworthy.models.record import Writer
from judgeworthy.models.request import Reply, Request

Answered = tuple[Request, Reply]


class Keeper:
    """Writes replies in a thread of its own, since waiting for the disk would hold up the calls.

    Parameters
    ----------
    writer : Writer
    count : callable
        Is told of replies that are on disk.
    """

    def __init__(self, writer: Writer, count: Callable[[Sequence[Answered]], None]) -> None:
        self._writer = writer
        self._count = count
        self._come: SimpleQueue[Answered | None] = SimpleQueue()
        self._kept: deque[Answered] = deque()

    def take(self, request: Request, reply: Reply) -> None:
        """Take a reply to be written."""
        self._come.put((request, reply))

    def end(self) -> None:
        """Tell that no more comes."""
        self._come.put(None)

    async def work(self) -> None:
        """Have everything written that comes, also what came before this is cancelled.

        Raises
        ------
        RecordError
            If the disk takes no more.
        """
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        thread = Thread(target=self._write, args=(loop, ended), daemon=True)
        thread.start()
        try:
            await ended
        finally:
            self.end()
            thread.join()
            self._tell()

    def _write(self, loop: asyncio.AbstractEventLoop, ended: "asyncio.Future[None]") -> None:
        error = None
        try:
            while some := self._some():
                self._writer.append([reply for _, reply in some])
                self._kept.extend(some)
                loop.call_soon_threadsafe(self._tell)
        except RecordError as found:
            error = found
        loop.call_soon_threadsafe(_settle, ended, error)

    def _some(self) -> list[Answered]:
        """Wait for a reply and return it with all that wait behind it; none at the end."""
        some = [self._come.get()]
        while some[-1] is not None:
            try:
                some.append(self._come.get_nowait())
            except Empty:
                break
        else:
            self._come.put(None)  # the end is met again when this is written
        return [answered for answered in some if answered is not None]

    def _tell(self) -> None:
        kept = [self._kept.popleft() for _ in range(len(self._kept))]
        if kept:
            self._count(kept)


def _settle(future: "asyncio.Future[None]", error: RecordError | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
