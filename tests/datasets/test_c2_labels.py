"""Every wrong answer that a judge was shown was looked at: it really is wrong."""

import pandas as pd
import pytest

from conftest import COMMITTED, ROOT

CHECKED = pd.read_csv(ROOT / "data" / "labels" / "c2_checked.csv", dtype=str)
# Two of TyDi QA's could be defended; the data card says so.
UNSURE = {("tydiqa-en", "en-5081eba44f"), ("tydiqa-ar", "ar-28951efc96")}


@pytest.mark.parametrize("name", COMMITTED)
def test_each_wrong_answer_that_was_shown_was_looked_at(name: str) -> None:
    table = pd.read_csv(ROOT / "figures" / name / "calibration_judgments.csv", dtype=str)
    shown = table[table["condition"] == "C2"]
    mine = CHECKED[CHECKED["study"] == name]
    looked_at = set(zip(mine["question_id"], mine["donor_id"], strict=True))
    assert len(shown) > 0
    assert set(zip(shown["question_id"], shown["donor_id"], strict=True)) == looked_at


def test_none_is_right_and_the_unsure_ones_are_known() -> None:
    assert set(CHECKED["label"]) == {"wrong", "unsure"}
    unsure = CHECKED[CHECKED["label"] == "unsure"]
    assert set(zip(unsure["study"], unsure["question_id"], strict=True)) == UNSURE
