"""Every command that a document shows is run, or stands below with the reason why it is not."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from datasets.tabular.sheets import ROWS, SOUND, write
from documents import ROOT, Command, commands
from judgeworthy.cli import main
from judgeworthy.models import batch
from models.server import Endpoint, serving

BIN = Path(sys.executable).parent
LOGS = ROOT / "tests" / "datasets" / "tabular" / "logs"
PIPELINE = "tests/test_pipeline.py makes the goal, on a study of one judge"
ENDLESS = "runs until it is stopped"
# Why a command is not run here; a test that is named runs it.
NOT_RUN: Mapping[str, str] = {
    "make reproduce": PIPELINE,
    "make reproduce STUDY=te": PIPELINE,
    'make reproduce STUDY="my-study-en my-study-ar my-study-te"': PIPELINE,
    "make verify": PIPELINE,
    "make accept": PIPELINE,
    "make accept STUDY=te": PIPELINE,
    "make accept STUDY=summary": PIPELINE,
    "make test": "is what runs this",
    ".venv/bin/python -m pytest -q tests/statistics/test_flips.py": "is what runs this",
    ".venv/bin/ruff check .": "make test runs it",
    ".venv/bin/ruff format .": "make test runs it with --check",
    ".venv/bin/mypy": "make test runs it",
    "make env": "downloads the environment; its goal is made before any test can run",
    "make lab": ENDLESS + "; tests/annotation/test_lab.py drives JupyterLab in a browser",
    "make notebooks": "tests/test_notebooks.py executes the notebooks, and compares their outputs",
    "make lock": "asks a package index for every version",
    "make validate": "takes an hour; tests/validation/test_judging.py simulates some cells",
    "make validate CLUSTER=tcp://127.0.0.1:8786": "takes an hour, and a cluster",
    "make reproduce CLUSTER=tcp://127.0.0.1:8786": "takes a cluster: tests/test_workers.py",
    "make bench": "takes an hour; tests/benchmarks/test_benchmarks.py runs each part, small",
    "make bench ONLY=loops": "takes minutes; tests/benchmarks/test_benchmarks.py runs it, small",
    "make test-live": "builds a server and asks a real model",
    "make test-faults": "forces faults for half an hour",
    "make BIN=$CONDA_PREFIX/bin reproduce": "takes an environment of conda",
    "make record": "does for every study what make record STUDY=te does for one",
    "make record STUDY=qa-eval": (
        "takes the data set; tests/sections/human_agreement/test_labelled.py brings a small one"
    ),
    "judgeworthy data tydiqa": "downloads; tests/datasets/test_tydiqa.py has a server of its own",
    "judgeworthy data qa-eval": "downloads; tests/datasets/test_qa_eval.py has a server of its own",
    "judgeworthy data prd": "downloads; tests/datasets/test_prd.py has a server of its own",
    ".venv/bin/judgeworthy record te --cluster tcp://127.0.0.1:8786": (
        "takes a cluster; tests/models/test_cluster.py starts one"
    ),
    ".venv/bin/uv pip install -e '.[scale]'": "asks a package index",
    ".venv/bin/dask scheduler --port 8786": ENDLESS,
    ".venv/bin/dask worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 1": ENDLESS,
}
MODELS = """\
models:
{entries}"""
ENTRY = """\
  {name}:
    id: served-judge
    family: {name}
    endpoint: {url}
    form: json_object
    seed: true
    system_role: true
    concurrency: 8
    batch: true
    price_prompt: 1
    price_completion: 1
"""
NAMES = ("smollm2-135m", "gemma3-270m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
STUDY = """\
title: A small study
dataset: parallel
language: {language}
sample: 3
judges: [smollm2-135m, qwen2.5-coder-0.5b]
seed: 1
max_tokens: 100
calibration: {{}}
sensitivity:
  generators: [gemma3-270m]
  max_tokens: 20
"""
SUMMARY = "judge_card:\n  repetitions: 50\n"
SHOWN = {each.text: each for each in commands("make", "judgeworthy")}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project of two small studies, recorded, and the files of a user, beside an endpoint."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "params").mkdir()
    with serving(Endpoint()) as endpoint:
        entries = "".join(ENTRY.format(name=name, url=endpoint.url) for name in NAMES)
        text = {"models": MODELS.format(entries=entries), "summary": SUMMARY}
        text |= {name: STUDY.format(language=name) for name in ("en", "te")}
        for name, content in text.items():
            (folder / "params" / f"{name}.yaml").write_text(content, encoding="utf-8")
        _files(folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for name in ("en", "te"):
                done = CliRunner().invoke(main, ["record", name])
                assert done.exit_code == 0, done.output
        yield folder


def _files(folder: Path) -> None:
    questions = folder / "data" / "questions"
    questions.mkdir(parents=True)
    shutil.copy(ROOT / "data" / "questions" / "parallel.csv", questions)
    for name in ("Makefile", "notebooks", "requirements.lock", "requirements-uv.lock"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("own_task.csv", "my.csv"):
        write(folder / name, SOUND)
    (folder / "logs").mkdir()
    _log(folder / "logs" / "one.eval", "mockllm/model")
    _log(folder / "logs" / "two.eval", "mockllm/other")
    shutil.copy(LOGS / "promptfoo.json", folder / "results.json")
    (folder / "org__model").mkdir()
    shutil.copy(
        LOGS / "dummy" / "samples_sums.jsonl", folder / "org__model/samples_task_time.jsonl"
    )


def _log(file: Path, model: str) -> None:
    """Write a log of Inspect of this model, as an archive."""
    text = (LOGS / "inspect_choice.json").read_text(encoding="utf-8")
    log = json.loads(text.replace("mockllm/model", model))
    samples = log.pop("samples")
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(log))
        for number, sample in enumerate(samples, start=1):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))


@pytest.fixture
def project(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that project, which a command may change; we are in it."""
    folder = tmp_path / "project"
    shutil.copytree(recorded, folder, symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)
    monkeypatch.setattr(batch, "POLL", 0.01)
    return folder


def ours(*words: str) -> None:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output


def faulty() -> None:
    write(Path("own_task.csv"), ROWS)


def begun() -> None:
    ours("init", "my-study", "--data", "own_task.csv", "--language", "en")


def begun_in_three() -> None:
    ours("init", "my-study", "--data", "own_task.csv")


def filled() -> None:
    """A sheet in which a person has labelled every response."""
    ours("annotate", "make", "en", "--others", "3")
    path = Path("build/en/annotation/en.csv")
    sheet = pd.read_csv(path, dtype="str", keep_default_na=False)
    sheet.assign(label="CORRECT").to_csv(path, index=False)


# What stands before a command in its document, or in the life of its user.
BEFORE: Mapping[str, Callable[[], None]] = {
    ".venv/bin/judgeworthy init my-study --data own_task.csv": faulty,
    ".venv/bin/judgeworthy init my-study --data own_task.csv --leave-out-faulty": faulty,
    ".venv/bin/judgeworthy card my-study-en": begun_in_three,
    ".venv/bin/judgeworthy record my-study --batch": begun,
    "judgeworthy plan my-study --batch": begun,
    'make plan STUDY="my-study-en my-study-ar my-study-te"': begun_in_three,
    'make record STUDY="my-study-en my-study-ar my-study-te"': begun_in_three,
    ".venv/bin/judgeworthy annotate read en build/en/annotation/en.csv --annotator anna": filled,
}
# The document says that the first look at a file with faults ends with a message.
REFUSED = {".venv/bin/judgeworthy init my-study --data own_task.csv": "8 rows are faulty"}


def make(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = str(ROOT / "src")
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "MAKEFLAGS": "",
        "CONDA_PREFIX": str(BIN.parent),
    }
    given = [] if any(word.startswith("BIN=") for word in words) else [f"BIN={BIN}"]
    return subprocess.run(
        ["make", *given, f"PYTHON={sys.executable}", *(os.path.expandvars(w) for w in words)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def run_by(program: str) -> list[Any]:
    return [
        pytest.param(shown, id=text)
        for text, shown in SHOWN.items()
        if shown.program == program and text not in NOT_RUN
    ]


@pytest.mark.parametrize("shown", run_by("judgeworthy"))
def test_a_command_of_ours_does_as_shown(shown: Command, project: Path) -> None:
    if prepare := BEFORE.get(shown.text):
        prepare()
    words = shown.words[1:]
    mentioned = not shown.block and words in ((), ("init",), ("annotate",))
    done = CliRunner().invoke(main, [*words, *(("--help",) if mentioned else ())])
    refused = REFUSED.get(shown.text)
    assert done.exit_code == (1 if refused else 0), done.output
    assert (refused or "") in done.output


@pytest.mark.parametrize("shown", run_by("make"))
def test_a_goal_of_make_does_as_shown(shown: Command, project: Path) -> None:
    if prepare := BEFORE.get(shown.text):
        prepare()
    done = make(*shown.words[1:], folder=project)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(shown, id=text)
        for text, shown in SHOWN.items()
        # Of a recipe that calls make, make runs the line although it was told to run none.
        if shown.program == "make" and text in NOT_RUN and "record" not in shown.words
    ],
)
def test_a_goal_that_is_not_run_here_could_be(shown: Command) -> None:
    words = [word for word in shown.words[1:] if "my-study" not in word]
    done = make("-n", *words, folder=ROOT)
    assert done.returncode == 0, done.stderr


def test_every_command_is_run_or_has_its_reason() -> None:
    odd = {text for text, each in SHOWN.items() if each.program not in ("make", "judgeworthy")}
    assert odd <= NOT_RUN.keys()
    assert NOT_RUN.keys() <= SHOWN.keys(), "no document shows it any more"
    assert BEFORE.keys() | REFUSED.keys() <= SHOWN.keys(), "no document shows it any more"


@pytest.mark.parametrize(("text", "reason"), NOT_RUN.items())
def test_a_reason_names_tests_and_goals_that_are_there(text: str, reason: str) -> None:
    for path in re.findall(r"tests/\S+?\.py", f"{text} {reason}"):
        assert (ROOT / path).is_file(), path
    if reason.startswith("make test runs it"):
        line = shlex.join(SHOWN[text].words).replace(".venv/bin", "$(BIN)")
        assert line in (ROOT / "Makefile").read_text(encoding="utf-8").replace("--check ", "")


def test_a_study_that_is_named_to_make_is_there() -> None:
    studies = {path.stem for path in (ROOT / "params").glob("*.yaml")} - {"models"}
    for shown in SHOWN.values():
        for word in shown.words if shown.program == "make" else ():
            if word.startswith("STUDY=") and "my-study" not in word:
                assert set(word.removeprefix("STUDY=").split()) <= studies, shown
