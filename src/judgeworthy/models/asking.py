"""Asking: one request, at its model's pace, again where that can help, until it has its reply."""

import asyncio
import random
import time
from itertools import count

from judgeworthy.errors import EndpointError
from judgeworthy.models.budget import Budget
from judgeworthy.models.client import Client
from judgeworthy.models.cost import by_rule
from judgeworthy.models.faults import (
    BusyError,
    CallError,
    ClosedError,
    PassingError,
    RefusedError,
    RowError,
    UnreachableError,
)
from judgeworthy.models.pace import Pace
from judgeworthy.models.request import Reply, Request
from judgeworthy.models.stopping import Stop

TRIES = 4  # of a request that fails for itself
BUSY_TRIES = 12  # of a request whose endpoint is busy
_ROWS = 3  # that fail without a reply between them, before the endpoint is to blame
_NEVER = 10  # that are not accepted before anything is
_SHORTEST, _LONGEST = 0.5, 30.0  # seconds before another try


class Breaker:
    """Tells an endpoint that fails from requests that fail.

    Parameters
    ----------
    patience : float
        Seconds for which an endpoint may fail.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._served = False
        self._since = 0.0
        self._failed: set[str] = set()

    @property
    def lasts(self) -> bool:
        """Whether there was no reply for longer than one has patience."""
        return bool(self._failed) and time.monotonic() - self._since > self._patience

    @property
    def open(self) -> bool:
        """Whether several requests have failed, and none has had its reply, for that long."""
        return self.silent and self.lasts

    @property
    def silent(self) -> bool:
        """Whether several requests have failed, and none has had its reply since."""
        return len(self._failed) >= _ROWS

    def refuses(self, fault: CallError) -> bool:
        """Return whether a fault of one request is likely to be one of all."""
        if isinstance(fault, RefusedError):
            return not self._served or self.silent
        return isinstance(fault, RowError) and not self._served and len(self._failed) >= _NEVER

    def replied(self) -> None:
        """Tell that the endpoint replied."""
        self._served = True
        self._failed.clear()

    def failed(self, request: Request) -> None:
        """Tell that it did not reply to a request."""
        if not self._failed:
            self._since = time.monotonic()
        self._failed.add(request.id)


class Asker:
    """Asks one model.

    Attributes
    ----------
    pace : Pace
    again : int
        How often a request was sent anew.
    """

    def __init__(self, client: Client, budget: Budget, stop: Stop) -> None:
        self.pace = Pace(client.model)
        self.again = 0
        self._client = client
        self._model = client.model
        self._budget = budget
        self._stop = stop
        self._breaker = Breaker(client.model.patience)

    async def ask(self, request: Request) -> Reply:
        """Return the reply to a request.

        Raises
        ------
        CallError
            If the request gets no reply: a `PassingError` where it may get one later.
        EndpointError
            If no request to the endpoint gets one.
        SpentError
            If the budget is spent.
        """
        for number in count(1):
            held, started = await self._begin(request)
            outcome: Reply | CallError | None = None
            try:
                outcome = await self._client.ask(request)
            except CallError as fault:
                outcome = fault
            finally:
                self.pace.leave()
                reply = outcome if isinstance(outcome, Reply) else None
                self._budget.settle(held, self._model, request, reply)
            if isinstance(outcome, Reply):
                self._breaker.replied()
                self.pace.replied()
                return outcome
            await self._after(outcome, request, started, number)
            self.again += 1
        raise AssertionError

    async def _begin(self, request: Request) -> tuple[int, float]:
        """Wait until the budget and the pace allow the request."""
        with self._stop.idle():
            held = await self._budget.take(self._model, request)
            try:
                return held, await self.pace.enter(round(by_rule(request).total))
            except BaseException:
                self._budget.settle(held, self._model, request, None)
                raise

    async def _after(self, fault: CallError, request: Request, started: float, number: int) -> None:
        """Wait before the next try, or raise what ends the request, or all of them."""
        self._breaker.failed(request)
        await self._stop_where_useless(fault)
        if not isinstance(fault, PassingError):
            raise fault
        busy = isinstance(fault, BusyError)
        if isinstance(fault, BusyError):
            self.pace.was_busy(started, fault.wait)
        elif self._breaker.silent:
            self.pace.was_busy(started, None)
        if number >= (BUSY_TRIES if busy else TRIES):
            raise fault
        if not busy:
            longest = min(_LONGEST, _SHORTEST * 2 ** (number - 1))
            with self._stop.idle():
                await asyncio.sleep(longest * random.uniform(0.5, 1.0))

    async def _stop_where_useless(self, fault: CallError) -> None:
        """Raise if no request to the endpoint is likely to get a reply."""
        if isinstance(fault, UnreachableError) and (self._model.local or self._breaker.lasts):
            await self._client.check()
        if isinstance(fault, ClosedError) or self._breaker.refuses(fault):
            raise EndpointError(str(fault))
        if isinstance(fault, PassingError) and self._breaker.open:
            await self._client.check()
            raise EndpointError(
                f"{fault} Nothing else came for {self._model.patience:g} s; what was recorded is "
                "kept, the same command goes on."
            )
