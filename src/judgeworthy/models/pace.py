"""The pace of a model: how many requests are in flight, and when the next one may start.

What is in flight grows by one with each reply until the endpoint says that it is busy; then it is
halved, and grows by one with each round of replies: additive increase, multiplicative decrease
(D.-M. Chiu and R. Jain, 1989, Computer Networks and ISDN Systems 17).
"""

import asyncio
import random
from collections import deque

from aiolimiter import AsyncLimiter

from judgeworthy.models.catalog import Model

_FIRST = 8  # requests that an endpoint of unknown strength is sent at once
_SHORTEST, _LONGEST = 0.5, 60.0  # seconds of rest, where the endpoint does not say how many
_WINDOW = 5.0  # seconds over which a rate of tokens is kept


class Pace:
    """Lets requests to one model start.

    Parameters
    ----------
    model : Model
        Its ``concurrency`` is the most that is in flight; its rates are kept.
    """

    def __init__(self, model: Model) -> None:
        self.most = model.concurrency
        self.limit = float(self.most if model.local else min(self.most, _FIRST))
        self.in_flight = 0
        self._growing = True
        self._cut = -1.0
        self._cuts = 0
        self._rest_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = _limiter(model.requests_per_minute, 1.0)
        self._tokens = _limiter(model.tokens_per_minute, _WINDOW)

    async def enter(self, tokens: int) -> float:
        """Wait for a request's turn and return the time at which it starts.

        Parameters
        ----------
        tokens : int
            That the request may cost, for the rate.
        """
        await self._place()
        try:
            await self._rest()
            if self._requests:
                await self._requests.acquire()
            if self._tokens:
                await self._tokens.acquire(min(tokens, self._tokens.max_rate))
        except BaseException:
            self.leave()
            raise
        return asyncio.get_running_loop().time()

    def leave(self) -> None:
        """Tell that a request is in flight no more."""
        self.in_flight -= 1
        self._wake()

    def replied(self) -> None:
        """Tell that the endpoint replied."""
        self._cuts = 0
        self.limit = min(self.most, self.limit + (1.0 if self._growing else 1.0 / self.limit))
        self._wake()

    def was_busy(self, started: float, wait: float | None) -> None:
        """Tell that the endpoint was busy for a request that started at a time.

        Those that started together count as one: they met the same crowd.
        """
        now = asyncio.get_running_loop().time()
        if started > self._cut:
            self._cut, self._growing = now, False
            self._cuts += 1
            self.limit = max(1.0, self.limit / 2)
        if wait is None:
            wait = min(_LONGEST, _SHORTEST * 2**self._cuts) * random.uniform(0.5, 1.0)
        self._rest_until = max(self._rest_until, now + wait)

    async def _place(self) -> None:
        while self.in_flight >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # the next one may go in this one's stead
                raise
        self.in_flight += 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self.in_flight < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return

    async def _rest(self) -> None:
        loop = asyncio.get_running_loop()
        while (left := self._rest_until - loop.time()) > 0:
            await asyncio.sleep(left)


def _limiter(per_minute: int | None, window: float) -> AsyncLimiter | None:
    """Return what keeps a rate over a window of seconds, or over what one unit takes."""
    if per_minute is None:
        return None
    window = max(window, 60 / per_minute)
    return AsyncLimiter(per_minute * window / 60, window)
