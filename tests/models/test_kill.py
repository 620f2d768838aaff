"""A recorder that is killed at any moment loses nothing that it counted, and the next goes on."""

from pathlib import Path

import pytest

from judgeworthy.models.record import Record
from models import recorder
from models.killing import kill_at_random, lines

KILLS = 20
REQUESTS = 400


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*torn or foreign line")
def test_killed_twenty_times_it_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    acknowledged = tmp_path / "acknowledged"
    record = Record(tmp_path / "replies")
    kill_at_random(record, acknowledged, KILLS, REQUESTS)
    counted = lines(acknowledged)
    assert len(counted) == len(set(counted))
    assert record.read("judge").keys() == {each.id for each in recorder.requests(REQUESTS)}
    # A write that a kill tore holds the beginning of a reply, which was asked for again: no reply.
    identities = [reply.id for _, _, reply in record.lines("judge") if reply is not None]
    assert len(identities) == len(set(identities))
