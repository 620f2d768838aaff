"""What is committed of a data set that is not ours: labels and hashes, no sentence of it."""

import re
from pathlib import Path

import pandas as pd
import pytest

from conftest import COMMITTED
from judgeworthy.judgments import VARIANTS
from sections.test_calibration import TEXTLESS

ROOT = Path(__file__).parents[3]
MODELS = r"smollm2-135m|gemma3-270m|qwen2\.5-coder-(0\.5b|1\.5b)"
SENSITIVITY = TEXTLESS | {
    "condition": "NR|RV|RC",
    "variant": "|".join(VARIANTS),
    "generator": MODELS,
    "response_state": "complete|cut_off|empty",
    "response_right": "True|False",
    "extracted": "[0-9]*",
}
TYDIQA = [name for name in COMMITTED if name.startswith("tydiqa-")]


@pytest.mark.parametrize(
    "path", ["data/judgments/{}/sensitivity.csv", "figures/{}/sensitivity_judgments.csv"]
)
@pytest.mark.parametrize("name", TYDIQA)
def test_the_text_of_tydiqa_is_not_in_the_judgments(name: str, path: str) -> None:
    file = ROOT / path.format(name)
    if not file.is_file():
        pytest.skip(f"no sensitivity judgments of {name} yet")
    table = pd.read_csv(file, keep_default_na=False, dtype=str)
    assert set(table.columns) == SENSITIVITY.keys()
    for column, pattern in SENSITIVITY.items():
        odd = {value for value in table[column] if not re.fullmatch(pattern, value)}
        assert not odd, column


@pytest.mark.parametrize("name", TYDIQA)
def test_no_figure_shows_items_of_tydiqa(name: str) -> None:
    picture = ROOT / "figures" / name / "items.svg"
    if not picture.is_file():
        pytest.skip(f"no sensitivity figures of {name} yet")
    assert "no item can be shown" in picture.read_text(encoding="utf-8")
