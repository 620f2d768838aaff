"""From parameters to verified tables, through make, on a study of one judge."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from judgeworthy import study
from judgeworthy.models.record import Record
from judgeworthy.models.request import Request
from judgeworthy.sections import calibration

ROOT = Path(__file__).parents[1]
JUDGE = "qwen2.5-coder-0.5b"
STUDY = f"""\
title: Telugu (తెలుగు), a small study
dataset: parallel
language: te
sample: 12
judges:
  - {JUDGE}
seed: 20261130
max_tokens: 1024
calibration:
  wrong_answers: same_type
"""
EXECUTED = Path("build/small/01_calibration.ipynb")
PARTIAL = EXECUTED.with_name(".01_calibration.partial.ipynb")
FAKE_KEY = "sk-this-key-is-not-real-4711"

Make = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A copy of the project with one small study, and its make."""
    for name in ("Makefile", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("src", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "params").mkdir()
    shutil.copy(ROOT / "params/models.yaml", tmp_path / "params")
    (tmp_path / "params/small.yaml").write_text(STUDY, encoding="utf-8")
    shutil.copytree(ROOT / "data/questions", tmp_path / "data/questions")
    (tmp_path / "data/replies/small").mkdir(parents=True)
    shutil.copy(ROOT / f"data/replies/te/{JUDGE}.jsonl.gz", tmp_path / "data/replies/small")
    monkeypatch.chdir(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "MAKEFLAGS": ""}

    def run(*goals: str) -> subprocess.CompletedProcess[str]:
        command = ["make", f"BIN={Path(sys.executable).parent}", f"PYTHON={sys.executable}"]
        return subprocess.run(
            [*command, *goals], env=environment, capture_output=True, text=True, check=False
        )

    return run


def change(edit: Callable[[list[dict[str, object]]], list[dict[str, object]]]) -> None:
    """Rewrite the recorded replies."""
    path = Path(f"data/replies/small/{JUDGE}.jsonl.gz")
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    replies = edit([json.loads(line) for line in lines])
    path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in replies).encode()))


def requests(chosen: study.Study) -> list[Request]:
    (stage,) = calibration.stages(chosen, Record.of(chosen.name))
    return list(stage[JUDGE].values())


def contents(*folders: str) -> dict[Path, bytes]:
    paths = [path for folder in folders for path in Path(folder).rglob("*")]
    return {path: path.read_bytes() for path in paths if path.is_file()}


def test_reproduce_then_nothing_then_only_what_changed(make: Make) -> None:
    Path(".env").write_text(f"OPENAI_API_KEY={FAKE_KEY}\n")
    first = make("reproduce")
    assert first.returncode == 0, first.stdout + first.stderr
    for path, content in contents("build", "figures").items():
        assert FAKE_KEY.encode() not in content, path
    published = {path.name for path in Path("figures/small").iterdir()}
    kinds = ("csv", "tex", "png", "svg")
    assert published == {
        f"{name}{end}"
        for name in ("calibration", "harder")
        for end in ("_judgments.csv", *(f".{kind}" for kind in kinds))
    }
    executed = EXECUTED.stat().st_mtime_ns
    front = Path("build/report/index.html")
    assert "Telugu (తెలుగు), a small study" in front.read_text(encoding="utf-8")
    reported = front.stat().st_mtime_ns
    made = contents("build/small/figures", "figures")

    second = make("reproduce")
    assert second.returncode == 0
    assert "0 differ" in second.stdout
    assert EXECUTED.stat().st_mtime_ns == executed
    assert front.stat().st_mtime_ns == reported
    assert second.stderr == ""

    Path("params/small.yaml").touch()
    shutil.rmtree("build/small/figures")
    assert make("reproduce").returncode == 0
    assert EXECUTED.stat().st_mtime_ns > executed
    assert contents("build/small/figures", "figures") == made


@pytest.mark.parametrize("added", ["labels/small/anna.csv", "maps/small.csv"])
def test_what_a_person_or_a_recorder_adds_runs_the_page_again(make: Make, added: str) -> None:
    assert make("reproduce").returncode == 0
    executed, manifest = EXECUTED.stat().st_mtime_ns, Path("figures/manifest.json").read_text()
    path = Path("data", added)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("id,label,comment\n", encoding="utf-8")
    assert make("reproduce").returncode == 0
    assert EXECUTED.stat().st_mtime_ns > executed
    assert Path("figures/manifest.json").read_text() != manifest


def test_one_changed_verdict_in_a_reply_is_named_with_the_cells_it_moves(make: Make) -> None:
    assert make("reproduce").returncode == 0
    shown = Path("figures/small/calibration_judgments.csv").read_text().splitlines()[1].split(",")
    header = Path("figures/small/calibration_judgments.csv").read_text().splitlines()[0].split(",")
    judged = dict(zip(header, shown, strict=True))
    other = "INCORRECT" if judged["verdict"] == "CORRECT" else "CORRECT"

    def flip(replies: list[dict[str, object]]) -> list[dict[str, object]]:
        for reply in replies:
            if reply["id"] == judged["request_id"]:
                text = str(reply["text"])
                reply["text"] = text.replace(f'"{judged["verdict"]}"', f'"{other}"')
        return replies

    change(flip)
    done = make("verify")
    assert done.returncode != 0
    key = f"question_id={judged['question_id']}, condition={judged['condition']}, judge={JUDGE}"
    assert f"{key}: verdict was {judged['verdict']}, is {other} now" in done.stdout
    assert "from data/replies/small" in done.stdout
    assert f"figures/small/calibration.csv: judge={JUDGE}: c1 was" in done.stdout


def test_ten_missing_replies_are_named_with_the_command_that_records_them(make: Make) -> None:
    chosen = study.load("small")
    asked = zip(calibration.items(chosen), requests(chosen), strict=True)
    missing = list(asked)[7:17]
    assert {item.condition for item, _ in missing} == {"C1", "C2"}
    gone = {request.id for _, request in missing}
    change(lambda replies: [reply for reply in replies if reply["id"] not in gone])
    done = make("reproduce")
    assert done.returncode != 0
    assert "10 replies are not recorded in data/replies/small" in done.stderr
    named = re.findall(r"^  (\S+)  (\S+)  (\S+)$", done.stderr, re.MULTILINE)
    assert named == [(JUDGE, item.condition, item.question.id) for item, _ in missing]
    assert "make record STUDY=small" in done.stderr
    assert "Traceback" not in done.stderr
    assert not EXECUTED.exists()


def test_a_cell_that_failed_once_is_run_again(make: Make) -> None:
    notebook = Path("notebooks/01_calibration.ipynb")
    text = notebook.read_text(encoding="utf-8")
    notebook.write_text(text.replace("project.enter()", "1 / 0", 1), encoding="utf-8")
    failed = make("reproduce")
    assert failed.returncode != 0
    assert "ZeroDivisionError" in failed.stderr
    assert not EXECUTED.exists()
    notebook.write_text(text.replace('"name": "python3"', '"name": "my-conda-env"'))
    mended = make("reproduce")
    assert mended.returncode == 0, "the kernel's name in the notebook is somebody else's"
    assert EXECUTED.exists()


def test_a_run_that_was_stopped_is_run_again(make: Make) -> None:
    command = [sys.executable, "-m", "judgeworthy.execute", "notebooks/01_calibration.ipynb"]
    environment = {**os.environ, "PYTHONPATH": str(Path("src").resolve())}
    running = subprocess.Popen(
        [*command, "small"],
        env=environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Tests that run in the background of a shell are started deaf to it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not PARTIAL.exists():
        assert running.poll() is None
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode != 0
    assert not EXECUTED.exists()
    assert b"Traceback" not in said
    assert make("reproduce").returncode == 0
    assert EXECUTED.exists()


def test_a_wrong_parameter_is_told_without_a_traceback(make: Make) -> None:
    parameters = Path("params/small.yaml")
    parameters.write_text(STUDY.replace("seed:", "sede:"), encoding="utf-8")
    done = make("reproduce")
    assert done.returncode != 0
    assert "params/small.yaml:7: unknown key 'sede'. Did you mean 'seed'?" in done.stderr
    assert "Traceback" not in done.stderr
