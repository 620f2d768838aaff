"""The notebooks are thin, are stored with their outputs, and give them again from any folder."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

ROOT = Path(__file__).parents[1]


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


# The notebooks that make runs.
SECTIONS = re.search(r"^SECTIONS := (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
assert SECTIONS is not None
NOTEBOOKS = [ROOT / "notebooks" / f"{name}.ipynb" for name in SECTIONS[1].split()]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return nbformat.read(request.param, as_version=4)


def test_a_notebook_is_thin(notebook: Any) -> None:
    source = "\n".join(cell.source for cell in code(notebook))
    lines = [line for line in source.splitlines() if line.strip()]
    assert len(lines) <= 60
    assert "def " not in source
    assert "for " not in source


def test_the_parameters_are_the_study_and_the_output_folder(notebook: Any) -> None:
    (cell,) = [cell for cell in code(notebook) if "parameters" in cell.metadata.get("tags", [])]
    names = [line.split(" = ")[0] for line in cell.source.splitlines()]
    assert names == ["study", "output"]


def test_the_default_study_has_the_block_of_the_section(
    notebook: Any, request: pytest.FixtureRequest
) -> None:
    name = code(notebook)[0].source.splitlines()[0].split('"')[1]
    blocks = yaml.safe_load((ROOT / "params" / f"{name}.yaml").read_text(encoding="utf-8"))
    section = request.node.callspec.params["notebook"].stem.partition("_")[2]
    assert section in blocks


def test_outputs_are_stored_without_timing(notebook: Any) -> None:
    for cell in code(notebook)[1:]:
        assert cell.outputs, cell.source
        assert "execution" not in cell.metadata


def test_the_kernel_is_the_one_that_everybody_has(notebook: Any) -> None:
    assert notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize(
    ("folder", "notebooks"),
    [(Path("/"), NOTEBOOKS), (ROOT, NOTEBOOKS[:1]), (ROOT / "notebooks", NOTEBOOKS[:1])],
    ids=["anywhere", "the root", "notebooks"],
)
def test_stored_outputs_come_again_from_any_folder(folder: Path, notebooks: list[Path]) -> None:
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", str(ROOT), *map(str, notebooks)],
        cwd=folder,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
