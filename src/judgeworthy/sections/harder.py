"""Harder wrong answers: how many a judge accepts without a reference, beside those of C2.

C2's wrong answers come from other questions, which is an easy test. `datasets.harder_answers` says
what the kinds are; each is the condition C2 with the kind as its variant.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from judgeworthy import datasets, judgments
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record
from judgeworthy.models.request import Requests
from judgeworthy.sections import kept, rates, verdicts
from judgeworthy.sections.rates import Row
from judgeworthy.study import Study

SECTION = "harder"
COLUMNS = judgments.HARDER
NOT_ASKED = "This study asks about no harder wrong answers."


def items(study: Study) -> list[Item]:
    """Return what the judges see: kind by kind, every question that has such a wrong answer."""
    shown = []
    for kind in study.harder.kinds if study.harder else ():
        answers = datasets.harder_answers(study, kind)
        for question in datasets.questions(study):
            if answer := answers.get(question.id):
                shown.append(
                    Item(question, "C2", answer.text, variant=kind, donor_id=answer.donor_id)
                )
    return shown


def stages(study: Study, _: Record) -> Iterator[Requests]:
    """Yield what the judges are to be asked."""
    yield verdicts.requests(items(study), study)


def load(study: Study) -> pd.DataFrame:
    """Return the study's judgments: none where the study asks about no harder answers.

    Raises
    ------
    MissingRepliesError
        If a reply is not recorded.
    DataError
        If a file is missing or broken.
    """
    if study.own_text or study.harder is None:
        return replay(study)
    return kept.load(study, SECTION, COLUMNS)


def replay(study: Study) -> pd.DataFrame:
    """Rebuild the study's judgments from the recorded replies."""
    return verdicts.replay(study, items(study), Record.of(study.name), COLUMNS)


def estimates(table: pd.DataFrame, calibrated: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how many harder wrong answers are accepted: judge × kind.

    ``c2`` is the share accepted of C2's answers to the same questions, ``more`` the share accepted
    minus that, and ``gap`` C1 minus the share accepted, both over the pairs that are valid on both
    sides. How rates are written is said in `sections.rates`.

    Parameters
    ----------
    table : DataFrame
        Judgments of this section.
    calibrated : DataFrame
        Judgments of the calibration, on the same questions.
    study : Study
    """
    known = _accepted(calibrated).pivot(
        index=["judge", "question_id"], columns="condition", values="accepted"
    )
    rows = []
    for (judge, kind), mine in _accepted(table).groupby(["judge", "variant"], sort=False):
        both = mine.join(known, on=["judge", "question_id"])
        rows.append({"judge": judge, "variant": kind, **_estimate(both, study)})
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = [
    *("judge", "variant", "n", "clusters", "invalid"),
    *rates.columns("accepted", "c2", "more", "gap"),
    "note",
]


def _accepted(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(accepted=rates.accepted(table["verdict"]))


def _estimate(both: pd.DataFrame, study: Study) -> Row:
    clusters = both["cluster"]
    accepted = rates.rate(both["accepted"], clusters, study)
    return {
        "n": len(both),
        "clusters": clusters.nunique(),
        "invalid": accepted.invalid,
        **rates.row(
            study,
            accepted=accepted,
            c2=rates.rate(both["C2"], clusters, study),
            more=rates.difference(both["accepted"], both["C2"], clusters, study),
            gap=rates.difference(both["C1"], both["accepted"], clusters, study),
        ),
    }


def sentences(estimated: pd.DataFrame) -> str:
    """Return what the table says, one paragraph a judge, as Markdown."""
    judges = estimated.groupby("judge", sort=False)
    said = [f"- **{judge}** {_paragraph(mine)}" for judge, mine in judges]
    return "\n".join(said) or NOT_ASKED


def _paragraph(mine: pd.DataFrame) -> str:
    rows = mine.to_dict("records")
    harder = [row["variant"] for row in rows if row["more_low"] > 0]
    fooled = [row["variant"] for row in rows if not row["gap_low"] > 0]  # also where unknown
    return (
        f"accepts {'; '.join(map(_share, rows))}. "
        f"Accepted more often than C2's beyond chance: {', '.join(harder) or 'none'}. "
        f"Not shown to be told from right answers: {', '.join(fooled) or 'none'}."
    )


def _share(row: Mapping[Hashable, Any]) -> str:
    if pd.isna(row["accepted"]):
        return f"an unknown share of the {row['variant']} ones ({row['note']})"
    invalid = f", {row['invalid']} invalid" if row["invalid"] else ""
    low, high = row["accepted_low"], row["accepted_high"]
    limits = "no interval" if pd.isna(low) else f"{low:.0%}, {high:.0%}"
    return (
        f"{row['accepted']:.0%} [{limits}] of the "
        f"{row['variant']} ones, {row['c2']:.0%} of C2's to the same {row['n']} questions{invalid}"
    )


def alt(estimated: pd.DataFrame, study: Study) -> str:
    """Return what the figure shows, in words."""
    shown = "; ".join(
        f"{row['judge']} {row['variant']} {row['accepted']:.2f}, C2 {row['c2']:.2f}"
        if pd.notna(row["accepted"])
        else f"{row['judge']} {row['variant']} {row['note']}"
        for row in estimated.to_dict("records")
    )
    return f"Harder wrong answers accepted, {study.title}: {shown or NOT_ASKED}"


def caption(study: Study) -> str:
    """Return the caption of the study's table."""
    return (
        f"Harder wrong answers, {study.plain_title}: share accepted without a reference, beside "
        f"C2's to the same questions, with {study.confidence:.0%} intervals."
    )
