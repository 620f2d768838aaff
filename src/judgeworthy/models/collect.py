"""The recording: asks models for what is missing, and for nothing else."""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import openai
from tqdm import tqdm

from judgeworthy.errors import EndpointError, RecordError
from judgeworthy.models import local
from judgeworthy.models.catalog import Model
from judgeworthy.models.client import Client, NoAnswerError
from judgeworthy.models.record import Record, Writer, missing
from judgeworthy.models.request import Reply, Request

Invalid = Callable[[Request, Reply], bool]

_ATTEMPTS = 3
# What no other request to the endpoint would mend.
_FATAL = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)


@dataclass(frozen=True)
class Failure:
    """A request that got no reply, and why."""

    request: Request
    reason: str


@dataclass
class Outcome:
    """What a recording did: counts, requests that always failed, endpoints that stopped it."""

    recorded: int = 0
    already: int = 0
    failures: list[Failure] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)


class Progress:
    """A bar a model: rate, time left, tokens and invalid replies."""

    def __init__(self, model: str, total: int, invalid: Invalid) -> None:
        self._bar = tqdm(total=total, desc=model, unit="reply", mininterval=1, dynamic_ncols=True)
        self._is_invalid = invalid
        self._tokens = 0
        self._invalid = 0

    def add(self, request: Request, reply: Reply) -> None:
        """Count one reply that is on disk."""
        self._tokens += reply.completion_tokens or 0
        self._invalid += self._is_invalid(request, reply)
        self._bar.set_postfix(tokens=self._tokens, invalid=self._invalid, refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Leave the bar as it stands."""
        self._bar.close()


async def collect(
    requests: Mapping[str, Sequence[Request]],
    models: Mapping[str, Model],
    record: Record,
    invalid: Invalid,
) -> Outcome:
    """Record the replies that are missing.

    Local models run side by side, one server a core, the largest first; models behind an endpoint
    run at the same time as those.

    Parameters
    ----------
    requests : mapping of model name to requests
        In the order in which they are to be asked: those with a common prefix together.
    models : mapping of model name to Model
    record : Record
    invalid : callable
        Whether a reply is invalid, for the progress bar.

    Returns
    -------
    Outcome
        Counts, and the requests that always failed with their reasons.

    Raises
    ------
    RecordError
        If the disk takes no more.
    """
    run = _Run(record, invalid, Outcome(), asyncio.Semaphore(os.cpu_count() or 1))
    try:
        async with asyncio.TaskGroup() as tasks:
            for name in sorted(requests, key=lambda name: -_packages(models[name])):
                tasks.create_task(run.guarded(models[name], requests[name]))
    except* RecordError as group:
        broken = next(_leaves(group))
    else:
        return run.outcome
    raise broken


@dataclass(frozen=True)
class _Run:
    """One recording: where replies go, what came of it, and the cores that local models share."""

    record: Record
    invalid: Invalid
    outcome: Outcome
    cores: asyncio.Semaphore

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
        async with self._client(model) as client, self.record.writer(model.name) as writer:
            wanted = missing(requests, self.record.read(model.name))
            self.outcome.already += len(requests) - len(wanted)
            progress = Progress(model.name, len(wanted), self.invalid)
            try:
                await self._ask_all(client, wanted, writer, progress)
            finally:
                progress.close()

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

    async def _ask_all(
        self, client: Client, wanted: Sequence[Request], writer: Writer, progress: Progress
    ) -> None:
        queue = iter(wanted)

        async def work() -> None:
            for request in queue:
                try:
                    reply = await _ask(client, request)
                except _RowError as error:
                    self.outcome.failures.append(Failure(request, str(error)))
                    continue
                writer.append(reply)
                progress.add(request, reply)
                self.outcome.recorded += 1

        async with asyncio.TaskGroup() as tasks:
            for _ in range(client.model.concurrency):
                tasks.create_task(work())


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


class _RowError(Exception):
    """This request gets no reply; others may."""


async def _ask(client: Client, request: Request) -> Reply:
    reason = ""
    for attempt in range(_ATTEMPTS):
        if attempt:
            await asyncio.sleep(2**attempt * random.uniform(0.5, 1.0))
        try:
            return await client.ask(request)
        except NoAnswerError as error:
            reason = str(error)
        except _FATAL as error:
            raise EndpointError(client.explain(error)) from None
        except openai.OpenAIError as error:
            if isinstance(error, openai.APIConnectionError):
                await client.check()  # an endpoint that is gone stops the model, not the row alone
            raise _RowError(client.explain(error)) from None
    raise _RowError(f"{reason}, {_ATTEMPTS} times")


def _packages(model: Model) -> int:
    return len(model.file.packages) if model.file else 0
