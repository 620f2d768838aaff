"""Calibration: whether a judge knows the task.

After stage 1 of "LLM Judges Can Be Too Generous When There Is No Reference Answer"
(arXiv 2607.12885). A judge sees a question and an answer that is labelled "generated answer",
without a reference. C1: the answer is the reference. C2: the answer is wrong, the reference of
another question. CGP = C1 − C2, the gap, says how well the judge tells them apart.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from judgeworthy import datasets, judgments
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record
from judgeworthy.models.request import Requests
from judgeworthy.sections import kept, rates, verdicts
from judgeworthy.sections.rates import NOT_ESTIMABLE, Number, Row
from judgeworthy.statistics.proportions import difference_bounds, paired_difference
from judgeworthy.study import Study

SECTION = "calibration"
COLUMNS = judgments.CALIBRATION
ARMS = ("c1", "c2")


def items(study: Study) -> list[Item]:
    """Return what the judges see: every question with its reference, then with a wrong answer."""
    asked = datasets.questions(study)
    donors = datasets.wrong_answers(study).donors
    shown = datasets.shown_answers(study)
    right = [Item(question, "C1", question.references[0]) for question in asked]
    wrong = [
        Item(question, "C2", shown[donors[question.id]], donor_id=donors[question.id])
        for question in asked
        if question.id in donors
    ]
    return [*right, *wrong]


def stages(study: Study, _: Record) -> Iterator[Requests]:
    """Yield what the models are to be asked, each stage after the one before is recorded."""
    yield verdicts.requests(items(study), study)


def load(study: Study) -> pd.DataFrame:
    """Return the study's judgments.

    They are rebuilt from the recorded replies where the project may commit the text; else they are
    read from the committed table of judgments.

    Raises
    ------
    MissingRepliesError
        If a reply is not recorded.
    DataError
        If a file is missing or broken.
    """
    return replay(study) if study.own_text else kept.load(study, SECTION, COLUMNS)


def replay(study: Study) -> pd.DataFrame:
    """Rebuild the study's judgments from the recorded replies."""
    return verdicts.replay(study, items(study), Record.of(study.name), COLUMNS)


def estimates(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate C1, C2 and CGP of every judge.

    Each rate is the share of accepted answers among the valid replies, with Wilson's interval (at
    the effective sample size where questions share documents); CGP has the interval of Newcombe's
    method 10. ``*_min`` and ``*_max`` bound each number over all ways to read the invalid replies.

    Parameters
    ----------
    table : DataFrame
        Judgments of the study.
    study : Study

    Returns
    -------
    DataFrame
        One row a judge, in the study's order. A number that cannot be estimated is missing, and
        ``note`` says why.
    """
    rows = [_estimate(judge, table[table["judge"] == judge], study) for judge in study.judges]
    return pd.DataFrame(rows)


def _estimate(judge: str, table: pd.DataFrame, study: Study) -> Row:
    asked = {arm: table[table["condition"] == arm.upper()] for arm in ARMS}
    numbers = {
        arm: rates.rate(rates.accepted(mine["verdict"]), mine["cluster"], study)
        for arm, mine in asked.items()
    }
    numbers["cgp"] = _gap(table, numbers, study)
    note = _note(numbers, study)
    shown = {} if note.startswith(NOT_ESTIMABLE) else numbers
    return {
        "judge": judge,
        "n": table["question_id"].nunique(),
        "clusters": table["cluster"].nunique(),
        **_each(lambda name: rates.limits(name, shown[name].estimate if shown else None), numbers),
        **{f"{arm}_invalid": numbers[arm].invalid for arm in ARMS},
        **_each(lambda name: rates.bounds(name, numbers[name].bounds), numbers),
        "note": note,
    }


def _each(columns: Callable[[str], Row], names: Iterable[str]) -> Row:
    return {key: value for name in names for key, value in columns(name).items()}


def _gap(table: pd.DataFrame, arms: Mapping[str, Number], study: Study) -> Number:
    """Return C1 minus C2, each over its own valid replies, paired by question."""
    wide = table.assign(accepted=rates.accepted(table["verdict"])).pivot(
        index=["question_id", "cluster"], columns="condition", values="accepted"
    )
    wide = wide.reindex(columns=["C1", "C2"]).reset_index()
    c1, c2 = (arms[arm] for arm in ARMS)
    return Number(
        paired_difference(wide["C1"], wide["C2"], wide["cluster"], study.confidence),
        len(wide),
        c1.invalid + c2.invalid,
        difference_bounds(c1.bounds, c2.bounds),
    )


def _note(numbers: Mapping[str, Number], study: Study) -> str:
    """Say what a reader must know beside the numbers, the gravest first."""
    for arm in ARMS:
        invalid, asked = numbers[arm].invalid, numbers[arm].asked
        if rates.reason(numbers[arm], study) or invalid == asked:
            return f"{NOT_ESTIMABLE}: {invalid} of {asked} {arm.upper()} replies are invalid"
    c1, c2, gap = (numbers[name].estimate for name in ("c1", "c2", "cgp"))
    if c1.value == c2.value == 1:
        return "degenerate: accepts every answer, right or wrong"
    if c1.value == c2.value == 0:
        return "degenerate: rejects every answer, right or wrong"
    if gap.low is None or gap.high is None:
        return gap.note
    if gap.high < 0:
        return "accepts wrong answers more often than right ones"
    return "the interval of CGP holds 0: right and wrong not told apart" if gap.low <= 0 else ""


def sentences(estimated: pd.DataFrame, study: Study) -> str:
    """Return what the table says, one paragraph a judge, as Markdown."""
    level = f"{study.confidence:.0%} intervals in brackets, n = {estimated['n'].max()} questions"
    rows = [f"- **{row['judge']}** {_sentence(row)}" for row in estimated.to_dict("records")]
    return "\n".join([f"{study.title}; {level}.", "", *rows])


def _sentence(row: Mapping[Hashable, Any]) -> str:
    invalid = row["c1_invalid"] + row["c2_invalid"]
    bounds = f"between {row['cgp_min']:.2f} and {row['cgp_max']:.2f}"
    if pd.isna(row["cgp_min"]):
        return f"is {row['note']}."
    if row["note"].startswith(NOT_ESTIMABLE):
        return f"is {row['note']}. However they are read, CGP lies {bounds}."
    if pd.isna(row["cgp_low"]):
        return f"has no interval: {row['note']}."
    rates = (
        f"accepts {row['c1']:.0%} of the right answers [{row['c1_low']:.0%}, {row['c1_high']:.0%}]"
        f" and {row['c2']:.0%} of the wrong ones [{row['c2_low']:.0%}, {row['c2_high']:.0%}]:"
        f" CGP {row['cgp']:.2f} [{row['cgp_low']:.2f}, {row['cgp_high']:.2f}]."
    )
    unread = f" {invalid} replies are invalid; CGP lies {bounds} however they are read."
    return f"{rates} {_meaning(row)}{unread if invalid else ''}"


def _meaning(row: Mapping[Hashable, Any]) -> str:
    if row["note"].startswith("degenerate"):
        return (
            "It gives one verdict whatever the answer, so its verdicts say nothing about answers."
        )
    if row["cgp_low"] <= 0:
        return "That does not show that it tells right from wrong here."
    if row["c2"] > 0:
        return "It tells right from wrong better than chance, but accepts wrong answers too."
    return "It tells right from wrong; no wrong answer was accepted."


def provenance(study: Study, table: pd.DataFrame) -> str:
    """Return what was judged and where the judgments come from, as sentences."""
    questions = table.drop_duplicates("question_id")
    read = datasets.origin(study) if study.own_text else kept.origin(study, SECTION)
    kinds = questions["answer_type"].value_counts().sort_index()
    mixture = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return (
        f"{read} {study.title}: {len(table)} judgments of {len(questions)} questions from "
        f"{questions['cluster'].nunique()} clusters (answer types: {mixture}). "
        f"{kept.source(study)}"
    )


def caption(study: Study) -> str:
    """Return the caption of the study's table."""
    return (
        f"Calibration without a reference, {study.plain_title}: share of right (C1) and wrong (C2) "
        f"answers accepted, and the gap CGP, with {study.confidence:.0%} intervals."
    )


def read_items(
    table: pd.DataFrame, study: Study, judge: str, condition: str, verdict: str, n: int = 3
) -> pd.DataFrame:
    """Return the first judgments of a kind with what was shown and answered, to be read.

    Where the text of the data set is not here, the judgments stand alone.
    """
    mine = verdicts.of_judge(table, judge, study)
    wanted = mine[mine["condition"].eq(condition) & mine["verdict"].eq(verdict)].head(n)
    if not datasets.has_text(study):
        return wanted[["question_id", "donor_id", "answer_type", "verdict", "reason"]]
    return verdicts.read_items(wanted, items(study), Record.of(study.name))


def alt(estimated: pd.DataFrame, study: Study) -> str:
    """Return what the figure shows, in words."""
    shown = "; ".join(
        f"{row['judge']} C1 {row['c1']:.2f}, C2 {row['c2']:.2f}, CGP {row['cgp']:.2f}"
        if pd.notna(row["cgp"])
        else f"{row['judge']} {row['note']}"
        for row in estimated.to_dict("records")
    )
    return f"Calibration, {study.title}: {shown}"
