"""Evaluation paradigms side by side, after table 1 of the paper."""

import pandas as pd

PARADIGMS_CAPTION = (
    "Evaluation paradigms, after table 1 of the paper, of which only the columns are known: the "
    "rows and what stands in them are ours."
)
_COLUMNS = ("interaction structure", "bias risk", "scalability")
_PARADIGMS = [
    (
        "Benchmark with reference answers",
        "none: output against reference",
        "contamination; answers that are right in other words",
        "high, where references exist",
    ),
    (
        "People rate or compare",
        "people and outputs",
        "taste, order, fatigue; people differ among themselves",
        "low: slow and dear",
    ),
    (
        "One LLM judge, with or without a reference",
        "one judge, many outputs",
        "over-reward without a reference, order, length, own family",
        "high",
    ),
    (
        "Judges that discuss",
        "judges see each other",
        "interaction: the first or the loudest prevails",
        "medium: several rounds a case",
    ),
    (
        "Panel of judges apart from the candidates",
        "many judges, each alone",
        "shared training data and taste",
        "medium: every judge a case",
    ),
    (
        "Peer ranking (the paper)",
        "every model answers and judges, blind and alone",
        "own votes, shared taste; scores relative to those who take part",
        "models × prompts × runs",
    ),
    (
        "This package",
        "as the paper's; own votes counted, taken off, and never shown",
        "measured and shown by judge: order, length, own votes, INVALID ballots",
        "as the paper's, with one more ballot a paper",
    ),
]


def paradigms() -> pd.DataFrame:
    """Return evaluation paradigms side by side.

    After table 1 of the paper: only its columns are known here, so that the rows are ours.
    """
    return pd.DataFrame(_PARADIGMS, columns=["paradigm", *_COLUMNS])
