"""A cluster: the loop of `collect`, on shards of the requests, on the workers of a Dask cluster.

The replies of a shard come back when it is done and go into the one record here. Where a worker is
lost, Dask gives its shards to another one; since a reply is written here alone, and by its
identity once, nothing is doubled. Workers take keys from their own environment.
"""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgeworthy.models.budget import Budget
from judgeworthy.models.catalog import Model
from judgeworthy.models.collect import Outcome
from judgeworthy.models.collect import collect as collect_here
from judgeworthy.models.progress import Invalid, Progress
from judgeworthy.models.record import Record, missing
from judgeworthy.models.request import Reply, Request
from judgeworthy.workers import connect

_ROUNDS = 4  # of requests in flight that make a shard


@dataclass(frozen=True)
class _Done:
    """What a worker made of a shard."""

    replies: tuple[Reply, ...]
    outcome: Outcome


async def collect(
    requests: Mapping[str, Sequence[Request]],
    models: Mapping[str, Model],
    record: Record,
    invalid: Invalid,
    budget: Budget,
    address: str,
) -> Outcome:
    """Record the replies that are missing, with the workers of a cluster.

    Parameters
    ----------
    requests, models, record, invalid
        As in `judgeworthy.models.collect.collect`.
    budget : Budget
        A request counts with its most.
    address : str
        Of the Dask scheduler, such as ``tcp://10.0.0.1:8786``.

    Returns
    -------
    Outcome
        Of all shards together.

    Raises
    ------
    ClusterError
        If `distributed` is not installed, or no scheduler with workers is at the address.
    RecordError
        If the disk takes no more.
    ParameterError
        If money is limited and a model has no price.
    """
    outcome = Outcome()
    for name in requests:
        budget.check(models[name])
    async with await connect(address) as cluster:
        for name, mine in requests.items():
            await _model(cluster, models[name], mine, record, invalid, budget, outcome)
    return outcome


async def _model(
    cluster: Any,
    model: Model,
    requests: Sequence[Request],
    record: Record,
    invalid: Invalid,
    budget: Budget,
    outcome: Outcome,
) -> None:
    from distributed import as_completed

    async with record.writer(model.name) as writer:
        wanted = missing(requests, record.read(model.name))
        outcome.already += len(requests) - len(wanted)
        affordable, outcome.halted = budget.affordable(model, wanted)
        asked = {request.id: request for request in affordable}
        shards = list(_shards(affordable, model.concurrency * _ROUNDS))
        futures = cluster.map(answer, shards, model=model, pure=False, retries=1)
        with Progress(model, len(affordable), invalid) as progress:
            async for future in as_completed(futures):
                done = await _done(future)
                replies = [reply for reply in done.replies if reply.id in asked]
                writer.append(replies)
                progress.add([(asked.pop(reply.id), reply) for reply in replies])
                _sum_up(outcome, done, len(replies))


async def _done(future: Any) -> _Done:
    """Return what came of a shard; one that brought down each worker that took it has nothing."""
    if future.status == "finished":
        done: _Done = await future.result()
        return done
    error = await future.exception()
    said = f"a part of the requests was given up: {type(error).__name__}: {error}"
    return _Done((), Outcome(stopped=[said]))


def answer(shard: Sequence[Request], model: Model) -> _Done:
    """Answer a shard, on a worker: the loop, with a record of its own that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        record = Record(Path(folder))
        asked, models = {model.name: list(shard)}, {model.name: model}
        outcome = asyncio.run(collect_here(asked, models, record, _never))
        return _Done(tuple(record.read(model.name).values()), outcome)


def _never(_: Request, __: Reply) -> bool:
    return False


def _shards(requests: Sequence[Request], size: int) -> Iterator[list[Request]]:
    for start in range(0, len(requests), size):
        yield list(requests[start : start + size])


def _sum_up(outcome: Outcome, done: _Done, recorded: int) -> None:
    outcome.recorded += recorded
    outcome.failures.extend(done.outcome.failures)
    outcome.stopped.extend(one for one in done.outcome.stopped if one not in outcome.stopped)
