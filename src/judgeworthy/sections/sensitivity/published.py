"""All tables of the section, by the names under which they are published."""

import pandas as pd

from judgeworthy.sections.sensitivity import comparisons, estimates
from judgeworthy.study import Study


def tables(
    judgments: pd.DataFrame, calibrated: pd.DataFrame | None, study: Study
) -> dict[str, pd.DataFrame]:
    """Estimate everything that the section publishes.

    Parameters
    ----------
    judgments : DataFrame
        Of this section.
    calibrated : DataFrame or None
        Judgments of the calibration, if the study has it.
    study : Study

    Returns
    -------
    dict of str to DataFrame
        One a file ``<name>.csv``.
    """
    return {
        "responses": estimates.responses(judgments, study),
        "acceptance": estimates.acceptance(judgments, study),
        "sensitivity": estimates.transitions(judgments, study),
        "paths": estimates.paths(judgments, study),
        "compared": comparisons.compared(judgments, study),
        "controls": comparisons.controls(judgments, calibrated, study),
        "leaks": comparisons.leaks(judgments, study),
        "acceptance_by_correctness": comparisons.acceptance(judgments, study),
        "flips_by_correctness": comparisons.correctness(judgments, study),
        "judges_agreement": estimates.agreement(judgments, study),
        "regression": estimates.regression(judgments, study),
    }
