"""What several tests share."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("judgeworthy", deadline=None)
settings.load_profile("judgeworthy")

ROOT = Path(__file__).parents[1]
# The project's own studies; a study that a user adds is the user's to test.
COMMITTED = ("en", "ar", "te", "tydiqa-en", "tydiqa-ar", "tydiqa-te")

MODELS = """\
models:
  judge:
    id: served-judge
    family: none
    endpoint: http://127.0.0.1:9/v1
    form: json_object
    seed: true
    system_role: true
"""

STUDY = """\
title: A small study
dataset: parallel
language: en
sample: 4
judges:
  - judge
seed: 1
max_tokens: 100
calibration:
  wrong_answers: same_type
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder of one study, of four of our questions, and one model; we are in it."""
    folder = tmp_path / "project"
    questions = folder / "data" / "questions" / "parallel.csv"
    questions.parent.mkdir(parents=True)
    shutil.copy(ROOT / "data" / "questions" / "parallel.csv", questions)
    (folder / "params").mkdir()
    (folder / "params" / "models.yaml").write_text(MODELS, encoding="utf-8")
    (folder / "params" / "x.yaml").write_text(STUDY, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder
