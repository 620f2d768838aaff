"""The plan: what a recording will ask for, take and cost, before anything is spent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from judgeworthy import recording
from judgeworthy.models import catalog, cost
from judgeworthy.models.catalog import Model
from judgeworthy.models.cost import Tokens
from judgeworthy.models.record import Record, Replies, missing
from judgeworthy.models.request import Reply, Request
from judgeworthy.study import Study

_CHARACTERS = 4  # a token, by the rule of `cost`
_DAY = 86_400.0  # seconds, within which a batch is answered


@dataclass(frozen=True)
class Part:
    """What one model is asked in one stage of a section.

    Attributes
    ----------
    section, model : str
    stage : int
        From 1.
    requests, recorded, ask : int
        In all, those that have their reply, and those that are to be asked.
    tokens : Tokens
        That the latter are expected to cost.
    told : bool
        Whether replies to like requests told so; else it is by rule, completions at their limit.
    usd : float or None
        None where the model's prices are not known.
    seconds : float or None
        None where neither replies nor limits tell; for batches, within which they are answered.
    """

    section: str
    stage: int
    model: str
    requests: int
    recorded: int
    ask: int
    tokens: Tokens
    told: bool
    usd: float | None
    seconds: float | None


def parts(study: Study, batch: bool = False) -> Iterator[Part]:
    """Yield the parts of a recording, in its order.

    A stage that depends on replies which are missing is planned with such of the expected length.
    Ballots that turn out invalid, and are asked for again, are not foreseen.

    Parameters
    ----------
    study : Study
    batch : bool
        Whether requests are to go as batches where an endpoint has them.
    """
    record = _Imagined(Record.of(study.name))
    known = catalog.load()
    for section in recording.due(study):
        for number, stage in enumerate(section.stages(study, record), start=1):
            for name, asked in stage.items():
                requests = list({request.id: request for request in asked.values()}.values())
                in_batches = batch and known[name].batch
                model = cost.in_batches(known[name]) if in_batches else known[name]
                part = _part(section.SECTION, number, model, requests, record.real(name))
                if in_batches and part.ask:
                    part = replace(part, seconds=_DAY)
                record.imagine(name, requests, part)
                yield part


def _part(
    section: str, stage: int, model: Model, requests: list[Request], replies: Replies
) -> Part:
    ask = missing(requests, replies)
    tokens, told = cost.expected(ask, requests, replies)
    return Part(
        section,
        stage,
        model.name,
        len(requests),
        len(requests) - len(ask),
        len(ask),
        tokens,
        told,
        cost.money(model, tokens),
        _seconds(model, ask, tokens, [replies[r.id] for r in requests if r.id in replies]),
    )


def _seconds(
    model: Model, ask: list[Request], tokens: Tokens, answered: list[Reply]
) -> float | None:
    """Return the time that requests take: as others took, and at the endpoint's limits."""
    if not ask:
        return 0.0
    times = []
    if answered:
        times.append(len(ask) * _busy(answered) / len(answered))
    if model.requests_per_minute:
        times.append(len(ask) * 60 / model.requests_per_minute)
    if model.tokens_per_minute:
        times.append(tokens.total * 60 / model.tokens_per_minute)
    return max(times, default=None)


def _busy(answered: list[Reply]) -> float:
    """Return for how many seconds at least one of the replies was waited for.

    However many were in flight together, their number over this is the pace that they came at.
    """
    ends = (datetime.fromisoformat(reply.recorded).timestamp() for reply in answered)
    waits = [(end - reply.seconds, end) for reply, end in zip(answered, ends, strict=True)]
    busy, until = 0.0, float("-inf")
    for start, end in sorted(waits):
        busy += max(0.0, end - max(until, start))
        until = max(until, end)
    return busy


class _Imagined(Record):
    """A record in which each missing response of a planned stage is of the expected length."""

    def __init__(self, recorded: Record) -> None:
        super().__init__(recorded.folder, only_read=True)
        self._recorded = recorded
        self._real: dict[str, Replies] = {}
        self._made_up: dict[str, Replies] = {}

    def real(self, model: str) -> Replies:
        """Return the replies that are recorded."""
        if model not in self._real:
            self._real[model] = self._recorded.read(model)
        return self._real[model]

    def read(self, model: str) -> Replies:
        """Return the replies, recorded and made up."""
        return {**self._made_up.get(model, {}), **self.real(model)}

    def imagine(self, model: str, requests: list[Request], part: Part) -> None:
        """Make the missing responses up, each another one; nothing is asked about a verdict."""
        length = round(_CHARACTERS * part.tokens.completion / part.ask) if part.ask else 0
        made_up = self._made_up.setdefault(model, {})
        for request in missing(requests, self.real(model)):
            if request.schema is None:
                text = (request.id * (1 + length // len(request.id)))[:length]
                made_up[request.id] = Reply(
                    request.id, text, "stop", None, None, "", "", "", "", 0.0, ""
                )


def table(planned: Mapping[str, list[Part]]) -> pd.DataFrame:
    """Return the plan of several studies as a table to be shown, with a line of sums."""
    rows = [_row(study, part) for study, mine in planned.items() for part in mine if part.requests]
    everything = [part for mine in planned.values() for part in mine]
    prices = [part.usd for part in everything if part.ask]
    rows.append(
        {
            "study": "all",
            "requests": f"{sum(part.requests for part in everything):,}",
            "recorded": f"{sum(part.recorded for part in everything):,}",
            "to ask": f"{sum(part.ask for part in everything):,}",
            "prompt tokens": f"{sum(part.tokens.prompt for part in everything):,.0f}",
            "reply tokens": f"{sum(part.tokens.completion for part in everything):,.0f}",
            "USD": _usd(None if None in prices else sum(price or 0 for price in prices)),
        }
    )
    return pd.DataFrame(rows).fillna("")


def _row(study: str, part: Part) -> dict[str, str]:
    about = "" if part.told or not part.ask else "≤ "
    return {
        "study": study,
        "section": part.section,
        "stage": str(part.stage),
        "model": part.model,
        "requests": f"{part.requests:,}",
        "recorded": f"{part.recorded:,}",
        "to ask": f"{part.ask:,}",
        "prompt tokens": f"{part.tokens.prompt:,.0f}",
        "reply tokens": f"{about}{part.tokens.completion:,.0f}",
        "USD": _usd(part.usd),
        "time": _time(part.seconds),
    }


def _usd(usd: float | None) -> str:
    return "unknown" if usd is None else f"{usd:,.2f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
