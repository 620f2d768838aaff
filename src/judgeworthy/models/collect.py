"""The recording: asks models for what is missing, and for nothing else."""

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from judgeworthy.errors import EndpointError, JudgeworthyError
from judgeworthy.models import cost, local
from judgeworthy.models.asking import Asker
from judgeworthy.models.batch import Batches
from judgeworthy.models.budget import Budget, Limits, SpentError
from judgeworthy.models.catalog import Model
from judgeworthy.models.client import Client
from judgeworthy.models.faults import CallError, PassingError
from judgeworthy.models.keeping import Answered, Keeper
from judgeworthy.models.progress import Invalid, Progress
from judgeworthy.models.record import Record, Writer, missing
from judgeworthy.models.request import Request
from judgeworthy.models.stopping import Stop, on_interrupt


@dataclass(frozen=True)
class Failure:
    """A request that got no reply.

    Attributes
    ----------
    request : Request
    reason : str
        Why, in words.
    """

    request: Request
    reason: str


@dataclass
class Outcome:
    """What a recording did.

    Attributes
    ----------
    recorded, already : int
        Replies that are new, and that were there.
    failures : list of Failure
        Requests that always failed.
    stopped : list of str
        Why models were given up.
    halted : str
        Why the whole was ended early: by Ctrl-C, or the budget.
    """

    recorded: int = 0
    already: int = 0
    failures: list[Failure] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    halted: str = ""


async def collect(
    requests: Mapping[str, Sequence[Request]],
    models: Mapping[str, Model],
    record: Record,
    invalid: Invalid,
    budget: Budget | None = None,
    batch: bool = False,
) -> Outcome:
    """Record the replies that are missing.

    Local models run side by side, one server a core, the largest first; models behind an endpoint
    run at the same time as those. Ctrl-C once lets the requests in flight end.

    Parameters
    ----------
    requests : mapping of model name to requests
        In the order in which they are to be asked.
    models : mapping of model name to Model
    record : Record
    invalid : callable
        Whether a reply is invalid, for the progress bar.
    budget : Budget or None
        What may be spent; none means no limit.
    batch : bool
        Whether requests go as batches to the models whose endpoints have them; what these do not
        answer is asked for one by one.

    Returns
    -------
    Outcome
        Counts, and the requests that always failed with their reasons.

    Raises
    ------
    RecordError
        If the disk takes no more.
    ParameterError
        If money is limited and a model has no price.
    """
    budget = budget or Budget(Limits())
    for name in requests:
        budget.check(models[name])
    cores = asyncio.Semaphore(os.cpu_count() or 1)
    run = _Run(record, invalid, budget, batch, Outcome(), cores, Stop())
    try:
        with on_interrupt(run.stop):
            async with asyncio.TaskGroup() as tasks:
                for name in sorted(requests, key=lambda name: -_packages(models[name])):
                    tasks.create_task(run.guarded(models[name], requests[name]))
    except* JudgeworthyError as group:
        broken = next(_leaves(group))
    else:
        run.outcome.halted = run.stop.reason
        return run.outcome
    raise broken


@dataclass(frozen=True)
class _Run:
    """One recording: where replies go, what came of it, and the cores that local models share."""

    record: Record
    invalid: Invalid
    budget: Budget
    batch: bool
    outcome: Outcome
    cores: asyncio.Semaphore
    stop: Stop

    async def guarded(self, model: Model, requests: Sequence[Request]) -> None:
        """Record one model; an endpoint that stops it does not stop the others."""
        try:
            await self._model(model, requests)
        except* EndpointError as group:
            self.outcome.stopped.extend(dict.fromkeys(str(error) for error in _leaves(group)))

    async def _model(self, model: Model, requests: Sequence[Request]) -> None:
        if not missing(requests, self.record.read(model.name)):
            self.outcome.already += len(requests)
            return
        async with AsyncExitStack() as stack:
            with self.stop.idle():
                writer = await stack.enter_async_context(self.record.writer(model.name))
                wanted = missing(requests, self.record.read(model.name))
                self.outcome.already += len(requests) - len(wanted)
                if not wanted:  # another recorder was at work, and has recorded them
                    return
                client = await stack.enter_async_context(self._client(model))
            if self.batch and model.batch:
                await self._in_batches(client, writer, wanted)
                wanted = missing(wanted, self.record.read(model.name))
            if wanted:
                await self._one_by_one(client, writer, wanted)

    async def _in_batches(self, client: Client, writer: Writer, wanted: Sequence[Request]) -> None:
        with Progress(cost.in_batches(client.model), len(wanted), self.invalid) as progress:

            def keep(answered: Sequence[Answered]) -> None:
                writer.append(reply for _, reply in answered)
                self._count(progress, answered)

            await Batches(client, self.record, keep, self.stop).work(wanted, self.budget)

    async def _one_by_one(self, client: Client, writer: Writer, wanted: Sequence[Request]) -> None:
        asker = Asker(client, self.budget, self.stop)
        with Progress(client.model, len(wanted), self.invalid, asker) as progress:
            keeper = Keeper(writer, partial(self._count, progress))
            line = _Line(asker, wanted, keeper, self.outcome, self.stop)
            await line.work(client.model.concurrency)

    def _count(self, progress: Progress, answered: Sequence[Answered]) -> None:
        self.outcome.recorded += len(answered)
        progress.add(answered)

    @asynccontextmanager
    async def _client(self, model: Model) -> AsyncIterator[Client]:
        if not model.local:
            async with Client(model, str(model.endpoint)) as client:
                await client.check()
                yield client
            return
        async with (
            self.cores,
            local.serve(model) as (endpoint, build),
            Client(model, endpoint, build) as client,
        ):
            await client.check()
            yield client


class _Line:
    """The requests to one model that wait for their turn."""

    def __init__(
        self, asker: Asker, wanted: Sequence[Request], keeper: Keeper, outcome: Outcome, stop: Stop
    ) -> None:
        self._asker = asker
        self._waiting = deque(wanted)
        self._aside: set[str] = set()
        self._keeper = keeper
        self._outcome = outcome
        self._stop = stop

    async def work(self, at_once: int) -> None:
        """Ask until each request has its reply, or has failed for good."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keeper.work())
            async with asyncio.TaskGroup() as askers:
                for _ in range(at_once):
                    askers.create_task(self._ask())
            self._keeper.end()

    async def _ask(self) -> None:
        while self._waiting and not self._stop:
            request = self._waiting.popleft()
            try:
                reply = await self._asker.ask(request)
            except CallError as fault:
                self._set_aside(request, fault)
            except SpentError as spent:
                self._stop.ask(f"{spent} are spent; what was recorded is kept")
            else:
                self._keeper.take(request, reply)

    def _set_aside(self, request: Request, fault: CallError) -> None:
        """Let a request that failed wait until all others are done, once, if it may still do."""
        if isinstance(fault, PassingError) and request.id not in self._aside:
            self._aside.add(request.id)
            self._waiting.append(request)
        else:
            self._outcome.failures.append(Failure(request, str(fault)))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _packages(model: Model) -> int:
    return len(model.file.packages) if model.file else 0
