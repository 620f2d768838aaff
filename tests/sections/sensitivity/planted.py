"""Judgments whose flips are known, because they are planted."""

from collections.abc import Mapping, Sequence

import pandas as pd

from judgeworthy import judgments
from judgeworthy.study import Study
from judgeworthy.study.blocks import Calibration, Sensitivity

VERDICTS = {"C": "CORRECT", "I": "INCORRECT", "x": "INVALID"}
GENERATORS = ("smollm2-135m", "gemma3-270m")


def study(
    judges: Sequence[str] = ("smollm2-135m",),
    generators: Sequence[str] = GENERATORS,
    max_invalid: float = 0.2,
) -> Study:
    return Study(
        name="planted",
        title="A planted study",
        dataset="parallel",
        language="en",
        judges=tuple(judges),
        seed=1,
        max_tokens=100,
        max_invalid=max_invalid,
        calibration=Calibration(),
        sensitivity=Sensitivity(generators=tuple(generators), max_tokens=10),
    )


def rows(
    judge: str,
    generator: str,
    paths: Sequence[str],
    conditions: Sequence[str] = ("NR", "RV", "RC"),
    **fields: Sequence[object],
) -> pd.DataFrame:
    """Return judgments from words: one question a word, a letter a condition.

    A condition may name a variant after a space. Further fields are given a question each.
    """
    blank = {name: "" for name, type_ in judgments.DTYPES.items() if type_ == "str"}
    made = []
    for number, path in enumerate(paths):
        given = {name: values[number] for name, values in fields.items()}
        for condition, letter in zip(conditions, path, strict=True):
            name, _, variant = condition.partition(" ")
            judged = {
                "question_id": f"q{number:03}",
                "cluster": f"q{number:03}",
                "answer_type": "thing",
                "condition": name,
                "variant": variant,
                "generator": generator,
                "response_state": "complete",
                "response_right": False,
                "judge": judge,
                "verdict": VERDICTS[letter],
                "extracted_matches_reference": False if letter != "x" else None,
            }
            made.append(blank | judged | given)
    return judgments.table(made)


def table(
    paths: Mapping[tuple[str, str], Sequence[str]], **fields: Sequence[object]
) -> pd.DataFrame:
    """Return the judgments of several judges and generators, as `rows` makes them."""
    parts = [rows(judge, generator, words, **fields) for (judge, generator), words in paths.items()]
    return pd.concat(parts, ignore_index=True)
