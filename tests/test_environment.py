"""The environment is said twice, for pip and for conda, and locked."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def name(requirement: str | Requirement) -> str:
    return canonicalize_name(Requirement(str(requirement)).name)


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
def test_every_requirement_is_locked_with_hashes_to_versions_that_it_allows(
    lock: str, requirements: list[str]
) -> None:
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text())
    assert all("--hash=sha256:" in entry for entry in entries)
    pins = [Requirement(entry.partition("\\")[0]) for entry in entries]
    for requirement in map(Requirement, requirements):
        versions = [
            each.version for pin in pins if pin.name == name(requirement) for each in pin.specifier
        ]
        assert versions, requirement
        assert all(version in requirement.specifier for version in versions), requirement


@pytest.mark.parametrize("lock", [*LOCKS, "requirements-uv.lock"])
def test_a_lock_names_no_host(lock: str) -> None:
    assert "://" not in (ROOT / lock).read_text()


def test_ci_on_github_does_what_ci_run_does() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    steps = workflow["jobs"]["test"]["steps"]
    assert steps[-1] == {"run": "bash .ci/run"}


def test_the_citation_is_valid_yaml_with_what_a_citation_needs() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == PROJECT["version"]
