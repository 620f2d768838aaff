"""Batches: requests that are sent as a file and answered within a day, for half the price.

``data/replies/<study>/<model>.batches.json`` names the batches that are under way. It is written
before a batch is made, and the batch carries its name, so that a recorder which was killed in
between finds it at the endpoint and does not pay twice.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import openai
from openai.types import Batch
from tqdm import tqdm

from judgeworthy.errors import EndpointError, RecordError
from judgeworthy.models import cost, faults
from judgeworthy.models.budget import Budget
from judgeworthy.models.client import Client
from judgeworthy.models.faults import CallError
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.models.stopping import Stop

POLL = 30.0  # seconds
_MOST_REQUESTS, _MOST_BYTES = 50_000, 100_000_000  # of a file; OpenAI's are 50,000 and 200 MB
_MARK = "judgeworthy"
_ENDED = {"completed", "failed", "expired", "cancelled"}

Answered = tuple[Request, Reply]


@dataclass(frozen=True)
class Shard:
    """Requests that go into one batch.

    Attributes
    ----------
    name : str
        A hash of the requests' identities, which the batch carries.
    ids : tuple of str
        Those identities.
    batch : str
        The endpoint's name of the batch, once it is known.
    """

    name: str
    ids: tuple[str, ...]
    batch: str = ""


class Batches:
    """The batches of one model that are under way.

    Parameters
    ----------
    client : Client
    record : Record
    keep : callable
        Writes replies; they are on disk when it returns.
    stop : Stop
        Ends the waiting; the batches go on at the endpoint.
    """

    def __init__(
        self,
        client: Client,
        record: Record,
        keep: Callable[[Sequence[Answered]], None],
        stop: Stop,
    ) -> None:
        self._client = client
        self._api = client.api.with_options(max_retries=5)
        self._path = record.folder / f"{client.model.name}.batches.json"
        self._keep = keep
        self._stop = stop

    async def work(self, wanted: Sequence[Request], budget: Budget) -> None:
        """Send what is not under way yet, and wait until all that is has ended.

        What an ended batch did not answer is not asked for again here.

        Raises
        ------
        EndpointError
            If the endpoint has no batches, or refuses them.
        RecordError
            If the file of batches cannot be read or written.
        """
        known = {request.id: request for request in wanted}
        under_way = _read(self._path)
        sent = {id_ for shard in under_way for id_ in shard.ids}
        new = [one for one in wanted if one.id not in sent]
        fresh, _ = budget.affordable(cost.in_batches(self._client.model), new)
        shards = [*under_way, *_shards(fresh, self._line)]
        _write(self._path, shards)
        try:
            for shard in shards:
                await self._take_up(shard, known)
            while shards := _read(self._path):
                await self._look(shards, known)
        except openai.OpenAIError as error:
            raise EndpointError(self._client.explain(error)) from None

    async def _take_up(self, shard: Shard, known: Mapping[str, Request]) -> None:
        """Make the batch of a shard, unless it is there or nothing of it is wanted any more."""
        if shard.batch:
            return
        batch = await self._found(shard)
        if not batch and any(id_ in known for id_ in shard.ids):
            batch = await self._made(shard, known)
        others = [one for one in _read(self._path) if one != shard]
        _write(self._path, [*others, *([replace(shard, batch=batch)] if batch else [])])

    async def _found(self, shard: Shard) -> str:
        async for batch in self._api.batches.list():
            if (batch.metadata or {}).get(_MARK) == shard.name:
                return batch.id
        return ""

    async def _made(self, shard: Shard, known: Mapping[str, Request]) -> str:
        lines = b"".join(self._line(known[id_]) for id_ in shard.ids if id_ in known)
        file = await self._api.files.create(file=("requests.jsonl", lines), purpose="batch")
        path: Any = "/v1" + self._client.path
        batch = await self._api.batches.create(
            input_file_id=file.id,
            endpoint=path,
            completion_window="24h",
            metadata={_MARK: shard.name},
        )
        return batch.id

    def _line(self, request: Request) -> bytes:
        line = {
            "custom_id": request.id,
            "method": "POST",
            "url": "/v1" + self._client.path,
            "body": self._client.body(request),
        }
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

    async def _look(self, shards: Sequence[Shard], known: Mapping[str, Request]) -> None:
        """Look at all batches once, keep what ended ones hold, and wait if none has ended."""
        found = {shard: await self._api.batches.retrieve(shard.batch) for shard in shards}
        ended = [shard for shard, batch in found.items() if batch.status in _ENDED]
        for shard in ended:
            self._keep([answered async for answered in self._answers(found[shard], known)])
            _write(self._path, [one for one in _read(self._path) if one != shard])
        if not ended:
            tqdm.write(_progress(self._client.model.name, list(found.values())))
            with self._stop.idle():
                await asyncio.sleep(POLL)

    async def _answers(self, batch: Batch, known: Mapping[str, Request]) -> Any:
        """Yield the replies that a batch holds; what failed in it is left out."""
        if batch.output_file_id is None:
            return
        content = await self._api.files.content(batch.output_file_id)
        for line in content.content.split(b"\n"):
            with suppress(CallError, ValueError):
                answer = json.loads(line)
                request = known.get(str(faults.value(answer, "custom_id")))
                body = faults.value(faults.value(answer, "response"), "body")
                if request is not None:
                    yield request, self._client.read(request, body)


def _progress(model: str, batches: Sequence[Batch]) -> str:
    counts = [batch.request_counts for batch in batches]
    done = sum(count.completed + count.failed for count in counts if count)
    total = sum(count.total for count in counts if count)
    states = ", ".join(sorted({batch.status for batch in batches}))
    return f"{model}: {len(batches)} batches, {done:,} of {total:,} requests done ({states})"


def _shards(requests: Sequence[Request], line: Callable[[Request], bytes]) -> Iterator[Shard]:
    taken: list[str] = []
    size = 0
    for request in requests:
        length = len(line(request))
        if taken and (len(taken) == _MOST_REQUESTS or size + length > _MOST_BYTES):
            yield _shard(taken)
            taken, size = [], 0
        taken.append(request.id)
        size += length
    if taken:
        yield _shard(taken)


def _shard(ids: Sequence[str]) -> Shard:
    return Shard(hashlib.sha256("\n".join(ids).encode()).hexdigest(), tuple(ids))


def _read(path: Path) -> list[Shard]:
    if not path.is_file():
        return []
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return [Shard(one["name"], tuple(one["ids"]), one["batch"]) for one in found]
    except (ValueError, KeyError, TypeError):
        raise RecordError(
            f"{path}: broken; the batches that it named are at the endpoint. Move it away to send "
            "what is missing as new ones."
        ) from None


def _write(path: Path, shards: Sequence[Shard]) -> None:
    if not shards:
        path.unlink(missing_ok=True)
        return
    partial = path.with_suffix(".partial")
    try:
        partial.write_text(json.dumps([asdict(one) for one in shards]), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise RecordError(f"{path}: cannot be written ({error.strerror}); make room.") from None
