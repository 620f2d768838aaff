"""What a recording lost, doubled or took for final though it was not."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from judgeworthy.models.catalog import Model
from judgeworthy.models.client import Client
from judgeworthy.models.collect import Failure
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from models.server import reply


@dataclass(frozen=True)
class Counts:
    """Of the replies to some requests.

    Attributes
    ----------
    replies : int
        That are recorded.
    lost : int
        Requests without a reply in the end, and replies that were counted and are not there.
    doubled : int
        Replies to an identity that has one already.
    wrongly_final : int
        Replies that are not what the endpoint says to their request, and requests that were given
        up though it would have answered them.
    """

    replies: int
    lost: int
    doubled: int
    wrongly_final: int


def count(
    record: Record,
    model: Model,
    requests: Iterable[Request],
    acknowledged: Iterable[str] = (),
    failures: Iterable[Failure] = (),
) -> Counts:
    said = asyncio.run(_said(model, requests))
    recorded = [found for _, _, found in record.lines(model.name) if found is not None]
    held = Counter(found.id for found in recorded)
    return Counts(
        len(held),
        len((said.keys() | set(acknowledged)) - held.keys()),
        held.total() - len(held),
        sum(said.get(found.id) != found.text for found in recorded) + len(list(failures)),
    )


async def _said(model: Model, requests: Iterable[Request]) -> dict[str, str]:
    """Return what the endpoint says to each request."""
    async with Client(model, str(model.endpoint)) as client:
        return {request.id: reply(client.body(request)) for request in requests}
