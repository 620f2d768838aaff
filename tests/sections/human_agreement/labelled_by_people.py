"""Judgments beside human labels, as they are planted."""

from collections.abc import Mapping, Sequence

import pandas as pd

from judgeworthy import judgments
from judgeworthy.study import Study
from judgeworthy.study.blocks import HumanAgreement

VERDICTS = {"C": "CORRECT", "I": "INCORRECT", "x": "INVALID"}
LABELS = {"C": True, "I": False, "-": None}


def study(labels: int = 20, sizes: Sequence[int] = (20,), max_invalid: float = 0.2) -> Study:
    return Study(
        name="planted",
        title="A planted study",
        dataset="openqa-eval",
        language="en",
        seed=1,
        max_invalid=max_invalid,
        human_agreement=HumanAgreement(labels=labels, sizes=tuple(sizes), subsamples=100),
    )


def table(
    said: Mapping[tuple[str, str], str], human: str, per_question: int = 1, **annotators: str
) -> pd.DataFrame:
    """Return judgments: a letter a response, by judge and condition, beside what people say."""
    blank = {name: "" for name, type_ in judgments.DTYPES.items() if type_ == "str"}
    rows = [
        {
            **blank,
            "question_id": f"q{place // per_question:04}",
            "cluster": f"q{place // per_question:04}",
            "generator": f"model-{place % per_question}",
            "condition": condition,
            "judge": judge,
            "verdict": VERDICTS[letter],
            "human": LABELS[human[place]],
            **{name: LABELS[letters[place]] for name, letters in annotators.items()},
        }
        for (judge, condition), letters in said.items()
        for place, letter in enumerate(letters)
    ]
    return judgments.table(rows, judgments.HUMAN_AGREEMENT)
