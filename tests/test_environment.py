"""The environment is said twice, for pip and for conda, and locked."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
BASE = PROJECT["dependencies"]
LOCKS = {
    "requirements.lock": BASE + EXTRAS["dev"],
    "requirements-local.lock": BASE + EXTRAS["local"],
    "requirements-scale.lock": BASE + EXTRAS["scale"],
}
REQUIRED = {
    "jupyterlab",
    "papermill",
    "pandas",
    "seaborn",
    "statsmodels",
    "openai",
    "python-dotenv",
    "nbval",
}


def name(requirement: str) -> str:
    return re.split(r"[\[<>=]", requirement)[0].lower()


def test_conda_and_pip_ask_for_the_same() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (by_pip,) = (entry["pip"] for entry in environment if isinstance(entry, dict))
    by_conda = [entry for entry in environment if isinstance(entry, str)]
    assert set(by_conda) - {"pip"} | set(by_pip) - {"-e ."} == {
        f"python{PROJECT['requires-python']}",
        *BASE,
        *EXTRAS["dev"],
    }


def test_the_packages_that_the_project_promises_are_there() -> None:
    assert {name(requirement) for requirement in BASE} >= REQUIRED


@pytest.mark.parametrize(("lock", "requirements"), LOCKS.items())
def test_every_requirement_is_locked_with_hashes(lock: str, requirements: list[str]) -> None:
    text = (ROOT / lock).read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text)
    pinned = {name(entry) for entry in entries if "==" in entry}
    assert {name(requirement) for requirement in requirements} <= pinned
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize("lock", [*LOCKS, "requirements-uv.lock"])
def test_a_lock_names_no_host(lock: str) -> None:
    assert "://" not in (ROOT / lock).read_text()


def test_ci_on_github_does_what_ci_run_does() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    steps = workflow["jobs"]["test"]["steps"]
    assert steps[-1] == {"run": "bash .ci/run"}


def test_keys_have_a_line_in_the_example() -> None:
    models = yaml.safe_load((ROOT / "params/models.yaml").read_text())["models"]
    keys = {model["key"] for model in models.values() if "key" in model}
    example = (ROOT / ".env.example").read_text()
    assert keys == set(re.findall(r"^([A-Z_]+)=$", example, re.MULTILINE))


def test_the_citation_is_valid_yaml_with_what_a_citation_needs() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == PROJECT["version"]
