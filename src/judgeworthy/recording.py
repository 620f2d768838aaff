"""Recording a study: section by section, stage by stage, what is not recorded yet."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType

from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog, local
from judgeworthy.models import cluster as on_cluster
from judgeworthy.models.budget import Budget, Limits
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record, missing, with_more_room
from judgeworthy.models.request import Reply, Request, Requests
from judgeworthy.sections import calibration, harder, kept, responses, verdicts
from judgeworthy.sections.human_agreement import labelled as human_agreement
from judgeworthy.sections.peer_ranking import asked as peer_ranking
from judgeworthy.sections.peer_ranking import judging, voted
from judgeworthy.sections.sensitivity import asked as sensitivity
from judgeworthy.study import Study

_SECTIONS: dict[str, ModuleType] = {
    "calibration": calibration,
    "harder": harder,
    "sensitivity": sensitivity,
    "human_agreement": human_agreement,
    "peer_ranking": peer_ranking,
}


def sections(study: Study) -> Iterator[ModuleType]:
    """Yield the sections whose block stands in the study's parameter file."""
    for name, section in _SECTIONS.items():
        if getattr(study, name) is not None:
            yield section


@dataclass(frozen=True)
class Way:
    """How a study is recorded.

    Attributes
    ----------
    only : frozenset of str
        The models to ask; all if it is empty.
    more_room : bool
        Whether verdicts that were cut off are asked again with twice the tokens.
    limits : Limits
        What all stages together may spend.
    batch : bool
        Whether requests go as batches where an endpoint has them.
    cluster : str
        Address of the Dask scheduler whose workers ask; empty to ask from here.
    """

    only: frozenset[str] = frozenset()
    more_room: bool = False
    limits: Limits = field(default_factory=Limits)
    batch: bool = False
    cluster: str = ""


def record(study: Study, way: Way) -> Iterator[tuple[Outcome, Requests]]:
    """Ask for what is missing, stage after stage, until one is halted.

    Yields
    ------
    outcome : Outcome
        Of one stage.
    requests : Requests
        What it asked for.

    Raises
    ------
    ParameterError
        If there are to be batches and no model has them.
    MissingRepliesError
        If a stage needs replies of an earlier one that could not be recorded.
    ServerMissingError
        If a local model is to be asked and its server is not installed.
    """
    known = catalog.load()
    if way.batch and not any(known[name].batch for name in way.only or study.models):
        raise ParameterError(
            f"params/models.yaml: no model of study '{study.name}' has 'batch: true'; add it to "
            "those whose endpoint has OpenAI's batches, or record without --batch."
        )
    budget = Budget(way.limits)
    for section in due(study):
        for stage in section.stages(study, Record.of(study.name)):
            wanted = {name: stage[name] for name in stage if not way.only or name in way.only}
            outcome = _stage(study, wanted, way, budget)
            yield outcome, wanted
            if outcome.halted:
                return


def _stage(study: Study, stage: Requests, way: Way, budget: Budget) -> Outcome:
    store = Record.of(study.name)
    known = catalog.load().models
    asked = {
        model: _asked(store, model, list(stage[model].values()), way.more_room) for model in stage
    }
    if way.cluster:
        work = on_cluster.collect(asked, known, store, _invalid, budget, way.cluster)
        return asyncio.run(work)
    if any(known[model].local and missing(asked[model], store.read(model)) for model in asked):
        local.installed_build()
    return asyncio.run(collect(asked, known, store, _invalid, budget, way.batch))


def _invalid(request: Request, reply: Reply) -> bool:
    """Return whether a reply is not what its request is for: a text, a verdict or a ballot."""
    if request.schema is None:
        return responses.invalid(request, reply)
    if "ranking" in request.schema["properties"]:
        return judging.invalid(request, reply)
    return verdicts.invalid(request, reply)


def _asked(store: Record, model: str, requests: list[Request], more_room: bool) -> list[Request]:
    if not more_room:
        return requests
    judging = [request for request in requests if request.schema]  # a response stays as it is
    return with_more_room(judging, store.read(model))


def pack(study: Study, only: frozenset[str]) -> None:
    """Compress the replies that may be committed: those of a study whose text is ours."""
    if study.own_text:
        for model in only or study.models:
            Record.of(study.name).pack(model)


def keep(study: Study) -> None:
    """Write the judgments of a study whose replies may not be committed.

    Raises
    ------
    MissingRepliesError
        If a reply is missing.
    """
    if voted.paired(study) and not voted.holds(study):
        voted.keep(study)
    for section in due(study):
        if not study.own_text:
            kept.keep(study, section.SECTION, section.replay(study))


def due(study: Study) -> Iterator[ModuleType]:
    """Yield the sections whose judgments are not kept, where models are asked for them."""
    if voted.paired(study):
        return
    for section in sections(study):
        if study.own_text or not kept.holds(study, section.SECTION, section.COLUMNS):
            yield section
