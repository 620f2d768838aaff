"""The answers that were ranked: how many came, what was scrubbed, which prompts were left out."""

import pandas as pd

# As `asked.answers` describes them.
COLUMNS = [
    *("prompt_id", "domain", "run", "model", "empty", "cut_off", "left_out"),
    *("names", "openings", "marks"),
]
COUNTS = ("empty", "cut_off", "names", "openings", "marks")
BY_MODEL = ["model", "answers", *COUNTS]
LEFT_OUT = ["run", "prompt_id", "domain", "without_answer"]


def by_model(answers: pd.DataFrame) -> pd.DataFrame:
    """Count a model's answers: one row a model.

    ``empty`` said nothing, ``cut_off`` came to the token limit; ``names``, ``openings`` and
    ``marks`` were scrubbed.
    """
    rows = [
        {"model": model, "answers": len(mine), **{name: int(mine[name].sum()) for name in COUNTS}}
        for model, mine in answers.groupby("model", sort=False)
    ]
    return pd.DataFrame(rows, columns=BY_MODEL)


def left_out(answers: pd.DataFrame) -> pd.DataFrame:
    """List the prompts that were left out of a run, and the models without an answer."""
    if answers.empty:
        return pd.DataFrame(columns=LEFT_OUT)
    missing = answers[answers["left_out"] & answers["empty"]]
    rows = [
        {**dict(zip(LEFT_OUT, place, strict=False)), "without_answer": ", ".join(mine["model"])}
        for place, mine in missing.groupby(["run", "prompt_id", "domain"], sort=False)
    ]
    return pd.DataFrame(rows, columns=LEFT_OUT)
