"""What several tests of recording share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from models import recorder
from models.recording import Recording
from models.server import Endpoint, serving


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)  # no waiting between attempts
    with serving(Endpoint()) as endpoint:
        models = {"judge": recorder.model(endpoint.url)}
        yield Recording(endpoint, tmp_path / "replies", models)
