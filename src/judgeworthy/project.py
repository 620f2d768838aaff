"""Where the project is, whichever folder a command or a notebook was started in."""

import os
from pathlib import Path

_MARK = Path("params", "models.yaml")


def root() -> Path:
    """Return the project folder: the nearest above the working one, or this package's."""
    here = Path.cwd()
    candidates = [here, *here.parents, Path(__file__).resolve().parents[2]]
    return next((folder for folder in candidates if (folder / _MARK).is_file()), here)


def enter() -> Path:
    """Make the project folder the working directory, so that notebooks run alike anywhere."""
    folder = root()
    os.chdir(folder)
    return folder
