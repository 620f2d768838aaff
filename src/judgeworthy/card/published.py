"""All tables of the page on all studies, by the names under which they are published."""

from collections.abc import Sequence

import pandas as pd

from judgeworthy.card import collected, languages, saving, sizes
from judgeworthy.card.collected import Card
from judgeworthy.card.decision import Finding
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.sections import calibration, rates
from judgeworthy.sections.rates import Row
from judgeworthy.study import Study


def tables(
    studies: Sequence[Study], cards: Sequence[Card], thresholds: Thresholds
) -> dict[str, pd.DataFrame]:
    """Estimate everything that the page publishes.

    Returns
    -------
    dict of str to DataFrame
        One a file ``<name>.csv``.
    """
    return {
        "judge_card": decisions(cards, thresholds),
        "measures": measures(cards),
        "calibration": everywhere(studies),
        "languages": languages.drops(studies),
        "before": sizes.before(thresholds),
        "questions": questions(cards),
        "references": saving.curve(studies, thresholds),
    }


def decisions(cards: Sequence[Card], thresholds: Thresholds) -> pd.DataFrame:
    """Return the decision on every judge: study × judge.

    ``distance`` is from the threshold to the bound that decided, negative where so much is
    lacking or where the whole interval is so far on the wrong side. ``more_questions`` decides
    with the wanted power, as simulated; it is empty where a measure is missing, and where not even
    the largest number simulated decides.
    """
    rows = [
        {
            **_place(card),
            "decision": str(card.decision.verdict),
            "decided_by": card.decision.decided_by.criterion.name,
            **_finding(card.decision.decided_by),
            "without_reference": str(card.decision.without),
            "with_reference": str(card.decision.with_reference),
            "more_questions": sizes.more(card, thresholds),
        }
        for card in cards
    ]
    return pd.DataFrame(rows).astype({"more_questions": "Int64"})


def measures(cards: Sequence[Card]) -> pd.DataFrame:
    """Return every measure beside its threshold: study × judge × measure, missing ones too."""
    rows = [
        {
            **_place(card),
            "measure": finding.criterion.name,
            **_finding(finding),
            "state": str(finding.state),
            "n": finding.estimate.n,
            "clusters": finding.estimate.clusters,
            "method": finding.estimate.method,
            "note": finding.estimate.note,
        }
        for card in cards
        for finding in card.decision.findings
    ]
    return pd.DataFrame(rows)


def everywhere(studies: Sequence[Study]) -> pd.DataFrame:
    """Return C1, C2 and CGP of every judge in every study that has them."""
    found = [
        calibration.estimates(table, study).assign(study=study.name, title=study.plain_title)
        for study in studies
        if study.calibration and (table := collected.table(study, calibration.SECTION)) is not None
    ]
    frame = pd.concat(found, ignore_index=True)
    return frame[["study", "title", *(name for name in found[0] if name not in _NAMES)]]


_NAMES = ("study", "title")


def questions(cards: Sequence[Card]) -> pd.DataFrame:
    """Return how many questions give a wanted half-width: study × judge × measure × half-width.

    From simulated studies of judges as they were found, by the square root of their number. How
    many labels a corrected share takes stands in ``planner.csv`` of the studies that have labels,
    how many references in ``references.csv``.
    """
    rows = [
        {**_place(card), **row}
        for card in cards
        if card.evidence.planted is not None
        for row in sizes.for_width(card)
    ]
    columns = ["study", "judge", "measure", "half_width", "questions"]
    return pd.DataFrame(rows, columns=columns).astype({"questions": "Int64"})


def _place(card: Card) -> Row:
    return {"study": card.study.name, "judge": card.judge}


def _finding(finding: Finding) -> Row:
    limits = rates.limits("value", finding.estimate)
    return {**limits, "threshold": finding.threshold, "distance": finding.distance}
