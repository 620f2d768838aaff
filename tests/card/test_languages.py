"""The same judge in two languages, fact by fact."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import STUDY
from judgeworthy import study
from judgeworthy.card import languages
from judgeworthy.statistics.flips import mcnemar

Built = Callable[..., None]


@pytest.fixture
def both(project: Path, built: Built) -> Path:
    """A judge that loses in Telugu what it knows in English: 10 facts."""
    for name in ("en", "te"):
        text = STUDY.replace("language: en", f"language: {name}")
        (project / f"params/{name}.yaml").write_text(text, encoding="utf-8")
    (project / "params/x.yaml").unlink()
    built("en", "calibration", {"judge": {"C1": [1] * 10, "C2": [0] * 10}})
    told = {"C1": [1] * 10, "C2": [1] * 6 + [0] * 3 + [None]}
    built("te", "calibration", {"judge": told})
    return project


def test_the_drop_is_paired_by_fact_and_leaves_out_what_is_invalid(both: Path) -> None:
    found = languages.drops([study.load("te"), study.load("en")]).set_index("measure")
    assert (found["first"] == "en").all(), "English stands first"
    assert found.loc["CGP", "n"] == 9 and found.loc["CGP", "left_out"] == 1
    assert found.loc["C1", "drop"] == 0
    assert found.loc["C2", "drop"] == pytest.approx(-6 / 9)
    assert found.loc["CGP", "drop"] == pytest.approx(6 / 9)
    assert found.loc["CGP", "drop_low"] > 0


def test_where_one_arm_alone_differs_the_test_is_mcnemars(both: Path) -> None:
    found = languages.drops([study.load("en"), study.load("te")]).set_index("measure")
    assert found.loc["CGP", "p"] == pytest.approx(mcnemar(6, 0).p)
    assert found.loc["CGP", "p_holm"] == found.loc["CGP", "p"], "a family of one test"
    assert found.loc["C1":"C2", "p"].isna().all()


def test_a_gain_of_right_answers_offsets_a_gain_of_wrong_ones(both: Path, built: Built) -> None:
    built("te", "calibration", {"judge": {"C1": [1] * 10, "C2": [1] * 10}})
    built("en", "calibration", {"judge": {"C1": [0] * 10, "C2": [0] * 10}})
    found = languages.drops([study.load("en"), study.load("te")]).set_index("measure")
    assert found.loc["CGP", "drop"] == 0
    assert found.loc["CGP", "p"] == 1


def test_other_questions_are_not_compared(both: Path) -> None:
    assert languages.drops([study.load("en")]).empty
