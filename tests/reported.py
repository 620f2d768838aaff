"""A project whose notebooks were executed, as its report needs it."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).parents[1]
STUDIES = ("en", "ar", "te", "qa-eval", "peer-prd", "summary", "models")

Open = Callable[..., Page]


def place(folder: Path, studies: tuple[str, ...]) -> None:
    """Lay a project out whose notebooks were executed: those that are stored, with outputs."""
    (folder / "params").mkdir(parents=True)
    for name in studies:
        shutil.copy(ROOT / "params" / f"{name}.yaml", folder / "params")
    for name in ("data", "figures"):
        (folder / name).symlink_to(ROOT / name)
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells)
        study = re.search(r'^study = "(.*)"', code, re.M)
        assert study is not None
        if study[1] in studies:
            (folder / "build" / study[1]).mkdir(parents=True, exist_ok=True)
            shutil.copy(notebook, folder / "build" / study[1])
