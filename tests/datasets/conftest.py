"""The real files, where they are."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tydiqa_folder() -> Path:
    folder = ROOT.parent / "shared" / "data" / "original" / "tydiqa"
    if not folder.is_dir():
        pytest.skip("TyDi QA's original files are not at ../shared/data/original/tydiqa")
    return folder
