"""The planted Arabic study, for every test of annotation."""

from pathlib import Path

import pytest

from annotation import arabic
from judgeworthy.study import Study


@pytest.fixture
def study(project: Path) -> Study:
    return arabic.write(project)
