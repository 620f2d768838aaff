"""The tables of the calibration, laid out for a reader."""

import pandas as pd

from judgeworthy.tables import laid_out, plain, with_interval


def estimates(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay the calibration estimates out for a reader, one row a judge."""
    return pd.DataFrame(
        {
            "judge": estimated["judge"],
            "n": estimated["n"],
            "C1": with_interval(estimated, "c1"),
            "C2": with_interval(estimated, "c2"),
            "CGP": with_interval(estimated, "cgp"),
            "invalid C1": estimated["c1_invalid"],
            "invalid C2": estimated["c2_invalid"],
            "note": estimated["note"],
        }
    )


def harder(estimated: pd.DataFrame) -> pd.DataFrame:
    """Lay out how many harder wrong answers are accepted, one row a judge and kind."""
    names = {**plain("judge"), "variant": "wrong answers", **plain("n", "invalid", "note")}
    shares = {"accepted": "accepted", "c2": "of C2's", "more": "more than C2's", "gap": "C1 minus"}
    return laid_out(estimated, names, shares)
