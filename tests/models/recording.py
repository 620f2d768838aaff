"""A record, and models that are behind one endpoint, for the tests that record."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from conftest import MODELS
from judgeworthy.models.budget import Budget, Limits
from judgeworthy.models.catalog import Model
from judgeworthy.models.collect import Outcome, collect
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from models import recorder
from models.server import Endpoint

UNLIMITED = Limits()


@dataclass
class Recording:
    """A record, and models that are behind one endpoint."""

    endpoint: Endpoint
    folder: Path
    models: dict[str, Model] = field(default_factory=dict)

    @property
    def record(self) -> Record:
        return Record(self.folder)

    def run(self, requests: list[Request] | None = None, limits: Limits = UNLIMITED) -> Outcome:
        asked = {name: recorder.requests(4, name) for name in self.models}
        asked = asked if requests is None else {"judge": requests}
        budget = Budget(limits)
        return asyncio.run(
            collect(asked, self.models, self.record, lambda request, reply: False, budget)
        )

    def change(self, name: str, **fields: object) -> None:
        self.models[name] = self.models[name].model_copy(update=fields)

    def asked(self) -> list[str]:
        """Return the user's texts of the calls so far, and forget them."""
        texts = [body["messages"][-1]["content"] for _, body in self.endpoint.asked]
        self.endpoint.asked.clear()
        return texts


def items(*numbers: int) -> list[str]:
    return [f"item {number:04}." for number in numbers]


def other(recording: Recording, **fields: object) -> Recording:
    """Add a model to the recording, which would be asked the same."""
    recording.models["other"] = recorder.model(recording.endpoint.url, "other")
    recording.change("other", **fields)
    return recording


def project_of(project: Path, endpoint: Endpoint, key: str = "") -> None:
    text = MODELS.replace("http://127.0.0.1:9/v1", endpoint.url) + key
    (project / "params" / "models.yaml").write_text(text, encoding="utf-8")
