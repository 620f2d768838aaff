"""All tables of the section, by the names under which they are published."""

import pandas as pd

from judgeworthy.sections.human_agreement import correction, estimates
from judgeworthy.study import Study


def tables(judgments: pd.DataFrame, study: Study) -> dict[str, pd.DataFrame]:
    """Estimate everything that the section publishes.

    Parameters
    ----------
    judgments : DataFrame
        Of this section.
    study : Study

    Returns
    -------
    dict of str to DataFrame
        One a file ``<name>.csv``.
    """
    covered = correction.coverage(judgments, study)
    return {
        "agreement": estimates.agreement(judgments, study),
        "alternative_annotator": estimates.alternative_annotator(judgments, study),
        "flips_vs_human": estimates.against_people(judgments, study),
        "corrected": correction.corrected(judgments, study),
        "coverage": covered,
        "planner": correction.planner(covered),
        "detectable": estimates.detectable(judgments, study),
    }
