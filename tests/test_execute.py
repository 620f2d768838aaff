"""An executed notebook is made again when what it was made from changes."""

import os
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from judgeworthy import execute

MAKEFILE = """\
build/n.ipynb:
\t@touch $@; echo made
-include build/n.d
"""


def test_a_users_file_is_a_prerequisite_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = Path("my #1: $x 50% data.csv")
    data.write_text("q;a")
    Path("build").mkdir()
    Path("Makefile").write_text(MAKEFILE)
    nbformat.write(new_notebook(cells=[new_code_cell("import json")]), "n.ipynb")
    execute.dependencies(Path("n.ipynb"), Path("build/n.ipynb"), [data])

    def make() -> str:
        done = subprocess.run(["make", "build/n.ipynb"], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert make() == "made"
    assert "up to date" in make()
    later = Path("build/n.ipynb").stat().st_mtime_ns + 10**9
    os.utime(data, ns=(later, later))
    assert make() == "made"
    data.unlink()
    assert make() == "made"
