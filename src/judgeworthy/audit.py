"""The audit of a record: whether it holds the replies to what a study asks, each once."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from judgeworthy import recording
from judgeworthy.errors import MissingRepliesError
from judgeworthy.models.record import Record, Replies
from judgeworthy.models.request import Reply, Request
from judgeworthy.study import Study

_SHOWN = 5  # of each kind, in words


@dataclass(frozen=True)
class Finding:
    """What the record holds of one model.

    Attributes
    ----------
    model : str
    replies : int
        Distinct identities.
    missing : tuple of str
        Places in the study, in words, whose request has no reply.
    orphans : tuple of str
        Identities of replies that no request of the study asks for.
    doubled : tuple of str
        Identities with replies that differ.
    torn : tuple of str
        File and line of what is no reply.
    """

    model: str
    replies: int
    missing: tuple[str, ...]
    orphans: tuple[str, ...]
    doubled: tuple[str, ...]
    torn: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether there is nothing to find fault with."""
        return not (self.missing or self.orphans or self.doubled or self.torn)


def audit(study: Study) -> list[Finding]:
    """Compare the record of a study with its requests, whose identities are computed anew.

    Raises
    ------
    RecordError
        If a file is not readable or is broken.
    """
    record = Record(Record.of(study.name).folder, only_read=True)
    asked: dict[str, dict[str, str]] = {model: {} for model in study.models}
    for model, place, request in _requests(study, record):
        asked[model][request.id] = place
    return [_finding(model, record, places) for model, places in asked.items()]


def _requests(study: Study, record: Record) -> Iterator[tuple[str, str, Request]]:
    """Yield all that the study asks, as far as earlier replies tell, with the larger requests."""
    held = {model: _replies(record, model) for model in study.models}
    for section in recording.sections(study):
        try:
            for stage in section.stages(study, record):
                for model, requests in stage.items():
                    replies = held[model]
                    for place, request in requests.items():
                        yield from ((model, place, one) for one in _chain(request, replies))
        except MissingRepliesError:
            continue  # what is missing in the stage before is found there


def _chain(request: Request, replies: Replies) -> Iterator[Request]:
    """Yield a request and those that were sent with more room after it was cut off."""
    yield request
    while (reply := replies.get(request.id)) is not None and reply.cut_off:
        request = request.with_more_room()
        if request.id not in replies:
            return
        yield request


def _replies(record: Record, model: str) -> Replies:
    found = (reply for _, _, reply in record.lines(model))
    return {reply.id: reply for reply in found if reply is not None}


def _finding(model: str, record: Record, places: dict[str, str]) -> Finding:
    lines = list(record.lines(model))
    different: set[Reply] = {reply for _, _, reply in lines if reply is not None}
    held = Counter(reply.id for reply in different)
    return Finding(
        model,
        len(held),
        tuple(place for id_, place in places.items() if id_ not in held),
        tuple(id_ for id_ in held if id_ not in places),
        tuple(id_ for id_, number in held.items() if number > 1),
        tuple(f"{path}:{number}" for path, number, reply in lines if reply is None),
    )


def report(findings: list[Finding]) -> Iterator[str]:
    """Yield the findings in words: a line a model, and the first ones of each kind."""
    for found in findings:
        kinds = {
            "missing": found.missing,
            "that nothing asks for": found.orphans,
            "doubled": found.doubled,
            "torn": found.torn,
        }
        counts = ", ".join(f"{len(which):,} {kind}" for kind, which in kinds.items())
        yield f"{found.model}: {found.replies:,} replies, {counts}"
        for kind, which in kinds.items():
            yield from (f"  {kind}: {' '.join(one.split())}" for one in which[:_SHOWN])
            if len(which) > _SHOWN:
                yield f"  {kind}: and {len(which) - _SHOWN:,} more"
