"""What the studies found of their judges: from the tables that their notebooks wrote, to evidence.

The tables are those of ``build/``, or where a study was not built here the committed ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from judgeworthy import judgments, parameters, project
from judgeworthy import study as studies
from judgeworthy.card.decision import Decision, decide
from judgeworthy.card.evidence import Answers, Evidence, Pairs, estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.errors import ParameterError
from judgeworthy.sections import rates
from judgeworthy.study import Study

SECTIONS = {
    "calibration": judgments.CALIBRATION,
    "sensitivity": judgments.SENSITIVITY,
    "human_agreement": judgments.HUMAN_AGREEMENT,
}


@dataclass(frozen=True)
class Card:
    """A judge in a study.

    Attributes
    ----------
    study : Study
    judge : str
    evidence : Evidence
        What the study found of the judge.
    decision : Decision
        Every measure beside its threshold, and what follows.
    """

    study: Study
    judge: str
    evidence: Evidence
    decision: Decision


def chosen() -> list[Study]:
    """Return the studies that judge answers, and so have cards."""
    every = [studies.load(name) for name in studies.names()]
    return [study for study in every if any(getattr(study, name) for name in SECTIONS)]


def cards(study: Study, thresholds: Thresholds) -> list[Card]:
    """Return the card of every judge of a study, in the study's order."""
    found = {name: table(study, name) for name in SECTIONS if getattr(study, name)}
    return [_card(study, judge, found, thresholds) for judge in _judges(study, found)]


def every(studies: Sequence[Study], thresholds: Thresholds) -> list[Card]:
    """Return the cards of all judges of some studies."""
    return [card for study in studies for card in cards(study, thresholds)]


def find(study: str, judge: str, among: Sequence[Card]) -> Card:
    """Return one judge's card.

    Raises
    ------
    ParameterError
        If there is none of that study, or of that judge in it.
    """
    named = {each.study.name for each in among}
    if study not in named:
        hint = parameters.nearest(study, sorted(named))
        raise ParameterError(f"There is no card of a study '{study}'. {hint}")
    mine = {each.judge: each for each in among if each.study.name == study}
    if judge not in mine:
        hint = parameters.nearest(judge, list(mine))
        raise ParameterError(f"Study '{study}' has no judge '{judge}'. {hint}")
    return mine[judge]


def table(study: Study, section: str) -> pd.DataFrame | None:
    """Return a section's judgments as its notebook wrote them; None where it did not run yet.

    Raises
    ------
    DataError
        If the table is broken.
    """
    name = Path(f"{section}_judgments.csv")
    folders = (Path("build", study.name, "figures"), Path("figures", study.name))
    paths = (project.root() / folder / name for folder in folders)
    path = next((path for path in paths if path.is_file()), None)
    return None if path is None else judgments.read(path, SECTIONS[section])


def _judges(study: Study, found: dict[str, pd.DataFrame | None]) -> Sequence[str]:
    tables = [each for each in found.values() if each is not None]
    seen = [str(judge) for each in tables for judge in each["judge"].unique()]
    return list(dict.fromkeys((*study.judges, *seen)))


def _card(
    study: Study, judge: str, found: dict[str, pd.DataFrame | None], thresholds: Thresholds
) -> Card:
    mine = {name: each[each["judge"] == judge] for name, each in found.items() if each is not None}
    evidence = _evidence(study, mine)
    measured = estimates(evidence, study.confidence, study.max_invalid)
    return Card(study, judge, evidence, decide(measured, thresholds, study.has_references))


def _evidence(study: Study, mine: dict[str, pd.DataFrame]) -> Evidence:
    known, judged, people = (mine.get(name) for name in SECTIONS)
    evidence = Evidence()
    if known is not None:
        evidence = replace(evidence, planted=_answers(known, known["condition"] == "C1"))
    if judged is not None:
        controls = judged[judged["condition"].eq("RC") & judged["variant"].isin(_ARMS)]
        right = controls["variant"] == "right"
        evidence = replace(evidence, controls=_answers(controls, right))
    responses = people if judged is None else judged[judged["generator"] != ""]
    if responses is not None:
        again = _pairs(responses, "NR sampled-1", "NR sampled-2")
        evidence = replace(evidence, compared=_pairs(responses, "NR", "RC"), again=again)
    if people is not None and study.labels_at_random:
        without, with_reference = _labelled(study, people)
        evidence = replace(evidence, labelled=without, labelled_with=with_reference)
    return evidence


_ARMS = ("right", "wrong")


def _answers(shown: pd.DataFrame, right: pd.Series) -> Answers | None:
    if shown.empty:
        return None
    said = rates.accepted(shown["verdict"]).to_numpy()
    return Answers(said, right.to_numpy(dtype=float), shown["cluster"].to_numpy(dtype=str))


def _pairs(responses: pd.DataFrame, first: str, second: str) -> Pairs | None:
    index = ["question_id", "generator", "cluster"]
    named = (responses["condition"] + " " + responses.get("variant", "")).str.strip()
    both = responses[named == first].merge(responses[named == second], on=index)
    if both.empty:
        return None
    one, two = (rates.accepted(both[f"verdict_{end}"]).to_numpy() for end in ("x", "y"))
    return Pairs(one, two, both["cluster"].to_numpy(dtype=str))


def _labelled(study: Study, people: pd.DataFrame) -> tuple[Answers | None, Answers | None]:
    """Return the labelled responses, judged without and with the reference."""
    known = people[people["human"].notna()]
    shown = known["condition"].isin(
        ("RC", "recorded") if study.recorded_with_reference else ("RC",)
    )
    asked = ~shown & known["condition"].isin(("NR", "recorded"))
    without, with_reference = (
        _answers(known[way], known.loc[way, "human"]) for way in (asked, shown)
    )
    return without, with_reference
