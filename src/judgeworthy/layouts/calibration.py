"""The table of the calibration, laid out for a reader."""

import pandas as pd

from judgeworthy.tables import with_interval


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
