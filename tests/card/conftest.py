"""Studies small enough to reason about, as their notebooks leave them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

from judgeworthy import judgments, study, tables

TWO_STAGES = """\
title: A study
dataset: parallel
language: en
judges:
  - judge
seed: 1
max_tokens: 100
calibration:
  wrong_answers: same_type
sensitivity:
  generators:
    - judge
  max_tokens: 50
"""
Said = Mapping[str, Sequence[int | None]]
VERDICTS = {1: "CORRECT", 0: "INCORRECT", None: "INVALID"}


@pytest.fixture
def two_stages(project: Path) -> study.Study:
    """A study with calibration and sensitivity, of one judge."""
    (project / "params/x.yaml").write_text(TWO_STAGES, encoding="utf-8")
    return study.load("x")


@pytest.fixture
def built(project: Path) -> Callable[..., None]:
    """Write a study's tables of judgments: what each judge said under each condition."""

    def write(study: str, section: str, said: Mapping[str, Said]) -> None:
        columns = {
            "calibration": judgments.CALIBRATION,
            "sensitivity": judgments.SENSITIVITY,
        }[section]
        blank = {name: "" for name in columns if judgments.DTYPES[name] == "str"}
        rows = [
            blank
            | {
                "question_id": f"p{place:02}",
                "cluster": f"p{place:02}",
                "condition": condition.split()[0],
                "judge": judge,
                "verdict": VERDICTS[value],
                **({} if section == "calibration" else _place(condition)),
            }
            for judge, conditions in said.items()
            for condition, values in conditions.items()
            for place, value in enumerate(values)
        ]
        folder = project / "build" / study / "figures"
        frame: pd.DataFrame = judgments.table(rows, columns)
        tables.save(folder, **{f"{section}_judgments": frame})

    return write


def _place(condition: str) -> dict[str, str]:
    variant = condition.partition(" ")[2]
    return {"variant": variant, "generator": "" if variant in ("right", "wrong") else "model"}
