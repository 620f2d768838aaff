"""A key stands in the environment or in .env, and nowhere else."""

import logging
import os
import subprocess
import sys
from itertools import repeat
from pathlib import Path

import pytest

from judgeworthy.models import local
from models.recording import Recording, project_of
from models.server import Answer

KEY = "sk-a-key-that-is-none"
SOURCE = str(Path(local.__file__).parents[2])


SHOWS_THE_KEY = {
    "refused": Answer({"error": {"message": f"no such key: {KEY}"}}, status=401),
    "forbidden": Answer({"error": {"message": f"not allowed: {KEY}"}}, status=403),
    "bad request": Answer({"error": {"message": f"Bearer {KEY}"}}, status=400),
    "an error in HTTP 200": Answer({"error": {"message": f"no such key: {KEY}"}}),
    "a long error": Answer({"error": "x" * 170 + KEY}),
}


@pytest.mark.parametrize("kind", SHOWS_THE_KEY)
def test_a_key_that_the_endpoint_repeats_is_in_no_outcome_log_or_record(
    recording: Recording,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    monkeypatch.setenv("FAKE_KEY", KEY)
    for name in (None, "openai", "httpx2", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    recording.endpoint.key = KEY
    recording.change("judge", key="FAKE_KEY")
    recording.endpoint.script("item 0002.", repeat(SHOWS_THE_KEY[kind]))
    outcome = recording.run()
    assert len(outcome.failures) + len(outcome.stopped) == 1
    record = recording.record.growing("judge").read_text(encoding="utf-8")
    for text in (str(outcome), caplog.text, record, *capfd.readouterr()):
        assert KEY[:10] not in text
    assert "openai" in caplog.text


@pytest.mark.parametrize("accepted", [True, False])
def test_a_key_in_the_env_file_is_nowhere_else_even_when_all_libraries_log_all(
    project: Path, recording: Recording, accepted: bool
) -> None:
    project_of(project, recording.endpoint, "    key: FAKE_KEY\n")
    (project / ".env").write_text(f"FAKE_KEY={KEY}\n", encoding="utf-8")
    recording.endpoint.key = KEY if accepted else "sk-another"
    recording.endpoint.script("Generated", [Answer({"error": KEY}), Answer({}, status=500)])
    environment = {**os.environ, "OPENAI_LOG": "debug", "PYTHONPATH": SOURCE}
    environment.pop("FAKE_KEY", None)
    code = (
        "import logging; logging.basicConfig(level=logging.DEBUG)\n"
        "from judgeworthy.cli import main; main()"
    )
    command = [sys.executable, "-X", "dev", "-c", code]
    done = subprocess.run(
        [*command, "record", "x"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == (0 if accepted else 1), done.stderr
    assert ("refuses the key of 'judge'; check FAKE_KEY" in done.stdout) is not accepted
    assert "DEBUG:openai" in done.stderr
    assert KEY[:10] not in done.stdout + done.stderr
    for path in project.rglob("*"):
        if path.is_file() and path.name != ".env":
            assert KEY.encode() not in path.read_bytes(), path
