"""Real items, to be read: what was asked, what was shown, what the judge made of it."""

from collections.abc import Sequence

import pandas as pd

from judgeworthy import datasets
from judgeworthy.models.record import Record
from judgeworthy.sections import calibration, verdicts
from judgeworthy.sections.responses import generators
from judgeworthy.sections.sensitivity import asked
from judgeworthy.study import Study

RULE = (
    "Chosen by a rule, not by taste: the judge with most flips from CORRECT under NR to INCORRECT "
    "under RC; of it the first question, in the order of the study, whose right and whose wrong "
    "answer it both accepts without a reference; the first response that it accepts under NR and "
    "rejects under RV and RC; and the first that it rejects under NR and accepts under RV and RC. "
    "What does not occur is left out."
)


def examples(table: pd.DataFrame, study: Study) -> list[pd.DataFrame]:
    """Return real items whose verdict changes, chosen by `RULE`; none without their text."""
    if not study.own_text:
        return []
    judge = _most_changed(table, study)
    found = [
        _both_accepted(judge, study),
        _changed(table, judge, study, ("CORRECT", "INCORRECT", "INCORRECT")),
        _changed(table, judge, study, ("INCORRECT", "CORRECT", "CORRECT")),
    ]
    return [frame for frame in found if frame is not None]


def alt(cases: Sequence[pd.DataFrame], study: Study) -> str:
    """Return what the figure of the items shows, in words."""
    return "; ".join(frame["case"].iloc[0] for frame in cases) or nothing(study)


def nothing(study: Study) -> str:
    """Say why there is no item to show."""
    if study.own_text:
        return "no item can be shown: no verdict changes in the ways that the rule names"
    return "no item can be shown: the text is not part of the project"


def _most_changed(table: pd.DataFrame, study: Study) -> str:
    wide = _verdicts(table)
    lost = (wide["NR"] == "CORRECT") & (wide["RC"] == "INCORRECT")
    counted = lost.groupby("judge").sum()
    return str(max(study.judges, key=lambda judge: counted.get(judge, 0)))


def _verdicts(table: pd.DataFrame) -> pd.DataFrame:
    main = table[table["variant"] == ""]
    return main.pivot(
        index=["judge", "generator", "question_id"], columns="condition", values="verdict"
    )


def _hits(table: pd.DataFrame, judge: str, path: tuple[str, str, str]) -> pd.DataFrame:
    """Return the responses whose verdicts under NR, RV and RC are these."""
    wide = _verdicts(table[table["judge"] == judge]).droplevel("judge")
    same = [wide[name] == verdict for name, verdict in zip(asked.CONDITIONS, path, strict=True)]
    return wide[same[0] & same[1] & same[2]]


def _both_accepted(judge: str, study: Study) -> pd.DataFrame | None:
    if study.calibration is None:
        return None
    calibrated = calibration.load(study)
    mine = calibrated[(calibrated["judge"] == judge) & (calibrated["verdict"] == "CORRECT")]
    twice = mine["question_id"].value_counts()
    for question in datasets.questions(study):
        if twice.get(question.id, 0) == 2:
            rows = mine[mine["question_id"] == question.id]
            read = verdicts.read_items(rows, calibration.items(study), Record.of(study.name))
            names = {"C1": "right answer", "C2": "wrong answer"}
            shown = [names[condition] for condition in rows["condition"]]
            case = f"{judge} accepts the right and a wrong answer without a reference"
            return _case(read, shown, case, question.references[0])
    return None


def _changed(
    table: pd.DataFrame, judge: str, study: Study, wanted: tuple[str, str, str]
) -> pd.DataFrame | None:
    hits = _hits(table, judge, wanted)
    for question in asked.questions(study):
        for generator in generators(study):
            if (generator, question.id) in hits.index:
                rows = table[
                    (table["judge"] == judge)
                    & (table["generator"] == generator)
                    & (table["question_id"] == question.id)
                    & (table["variant"] == "")
                ]
                read = _read(rows, study)
                case = f"{judge} on {generator}: {wanted[0]} under NR, {wanted[2]} under RV and RC"
                return _case(read, list(rows["condition"]), case, question.references[0])
    return None


def _read(rows: pd.DataFrame, study: Study) -> pd.DataFrame:
    record = Record.of(study.name)
    return verdicts.read_items(rows, asked.items(study, record), record)


def _case(read: pd.DataFrame, shown: list[str], case: str, reference: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case": case,
            "question": read["question"],
            "reference": reference,
            "shown": shown,
            "response": read["response"],
            "extracted": read["extracted answer"],
            "verdict": read["verdict"],
        }
    )


def read_items(
    table: pd.DataFrame, study: Study, judge: str, path: tuple[str, str, str], n: int = 3
) -> pd.DataFrame:
    """Return the first responses whose verdicts under NR, RV and RC are these, to be read.

    Where the text of the data set is not here, the judgments stand alone.
    """
    mine = verdicts.of_judge(table, judge, study)
    hits = _hits(mine, judge, path).head(n).reset_index()
    chosen = mine[mine["variant"] == ""].merge(
        hits[["generator", "question_id"]], on=["generator", "question_id"]
    )
    plain = ["question_id", "generator", "condition", "verdict", "reason"]
    if not study.own_text:
        return chosen[plain]
    read = _read(chosen, study)
    read.insert(0, "condition", list(chosen["condition"]))
    read.insert(0, "generator", list(chosen["generator"]))
    return read
