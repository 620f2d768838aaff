"""What the estimates say: sentences, captions and alternative texts, for the section's page."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from judgeworthy import datasets
from judgeworthy.sections import kept
from judgeworthy.sections.human_agreement import labelled
from judgeworthy.sections.human_agreement.correction import LABELS, NAIVE, PPI, ROGAN_GLADEN
from judgeworthy.sections.human_agreement.estimates import CEILING, FIRST, PEOPLE
from judgeworthy.study import Study

Row = dict[Hashable, Any]
Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Words:
    """How the positive and the negative verdict of a task are called.

    Attributes
    ----------
    accepts, rejects : str
        Of a judge.
    people_accept, people_reject : str
        Of people.
    """

    accepts: str = "accepts"
    rejects: str = "rejects"
    people_accept: str = "people accept"
    people_reject: str = "people reject"


_ANSWERABLE = Words(
    "calls answerable",
    "calls unanswerable",
    "people find answerable",
    "people find unanswerable",
)


def words(study: Study) -> Words:
    """Return how verdicts and labels of a study are called."""
    return _ANSWERABLE if study.dataset == "nomiracl" else Words()


def task(study: Study) -> str:
    """Say what the human label means in this study, and what agreement with it can say."""
    if study.dataset == "nomiracl":
        return (
            "The label is **answerability**: whether one of the passages that were shown answers "
            "the question, as people found. It is not the correctness of an answer. To answer "
            '"I don\'t know" is the negative verdict of this task, and no refusal. One label '
            "a question, so that there is no ceiling of people among themselves."
        )
    if not study.labels_at_random:
        return (
            "The label is what people said of a response with `judgeworthy annotate`: CORRECT or "
            "INCORRECT; where they were unsure, or do not agree, there is none. The sample holds "
            "every response whose verdict flips and some others: whose side flips take is known "
            "from it, while agreement is that of the sample, not of all responses, and what "
            "people accept of all responses is not estimated."
        )
    if study.dataset == "openqa-eval":
        return (
            "The label says whether the answer is acceptable. The judge saw the references, in a "
            "prompt of the data set's authors. Annotators 1 and 2 labelled alone, so that their "
            "agreement is the ceiling; the third mostly settled where they differ, so that the "
            "final label is more reliable than one person, and the alternative annotator test, "
            "which takes three independent people, is not valid here."
        )
    return (
        "The label says whether people find the answer right. There is one label an answer, so "
        "that there is no ceiling of people among themselves, and no alternative annotator test."
    )


def provenance(study: Study, table: pd.DataFrame) -> str:
    """Return what was judged and labelled, and where it comes from, as sentences."""
    invalid = int((table["verdict"] == "INVALID").sum())
    reasons = table.loc[table["verdict"] == "INVALID", "reason"].value_counts()
    why = f" ({', '.join(f'{reason} {count}' for reason, count in reasons.items())})"
    unlabelled = int(table["human"].isna().sum())
    read = datasets.origin(study) if study.own_text else kept.origin(study, labelled.SECTION)
    return (
        f"{read} {study.title}: {len(table)} judgments of "
        f"{table['judge'].nunique()} judges on the answers to {table['question_id'].nunique()} "
        f"questions, {invalid} of them INVALID{why if invalid else ''}, {unlabelled} without a "
        f"human label. {kept.source(study)}"
    )


def sentences(tables: Tables, study: Study) -> str:
    """Return what the tables say, one paragraph a judge, as Markdown.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        As they are published.
    study : Study
    """
    agreed = tables["agreement"]
    judges = [judge for judge in agreed["judge"].unique() if judge != CEILING]
    if not judges:
        return (
            f"No human labels yet: `judgeworthy annotate make {study.name}` writes a sheet for "
            "people to fill in, and `judgeworthy annotate read` takes it up."
        )
    lines = [f"- **{judge}** {_paragraph(tables, judge, words(study))}" for judge in judges]
    ceiling = agreed[agreed["judge"] == CEILING].to_dict("records")
    for row in ceiling:
        lines.append(
            f"- **People among themselves**: annotator 2 agrees with annotator 1 in "
            f"{_rate(row, 'agreement')}, kappa {_number(row, 'kappa')}, on {row['n']} answers."
        )
    return "\n".join([f"{study.title}; {study.confidence:.0%} intervals in brackets.", "", *lines])


def _paragraph(tables: Tables, judge: str, said: Words) -> str:
    parts = [
        *(_agreement(row, said) for row in _rows(tables["agreement"], judge=judge, against=PEOPLE)),
        *(_beside(row) for row in _rows(tables["agreement"], judge=judge, against=FIRST)),
        *(_sides(row) for row in _rows(tables["flips_vs_human"], judge=judge, direction="both")),
        *_worth(tables["corrected"], judge, said),
    ]
    return " ".join(parts)


def _agreement(row: Row, said: Words) -> str:
    invalid = f" ({row['invalid']} of {row['n']} INVALID)" if row["invalid"] else ""
    where = "" if row["condition"] == labelled.RECORDED else f"Under {row['condition']} it "
    return (
        f"{where}agrees with the human label in {_rate(row, 'agreement')}, kappa "
        f"{_number(row, 'kappa')}, {said.accepts} {_rate(row, 'sensitivity')} of what "
        f"{said.people_accept} and {said.rejects} {_rate(row, 'specificity')} of what "
        f"{said.people_reject}{invalid}."
    )


def _beside(row: Row) -> str:
    return f"With annotator 1 alone, as a person would: kappa {_number(row, 'kappa')}."


def _sides(row: Row) -> str:
    if pd.isna(row["toward_human"]):
        return f"{row['transition']}: {'no flip' if not row['flips'] else row['note']}."
    side = "people's side" if row["toward_human_low"] > 0.5 else "neither side clearly"
    side = "the other side" if row["toward_human_high"] < 0.5 else side
    return (
        f"{row['transition']}: {row['toward']} of {row['flips']} flips go toward the human label, "
        f"{_rate(row, 'toward_human')}: {side}."
    )


def _worth(corrected: pd.DataFrame, judge: str, said: Words) -> list[str]:
    sentences_ = []
    for condition in corrected.loc[corrected["judge"] == judge, "condition"].unique():
        rows = _rows(corrected, judge=judge, condition=condition)
        by = {row["method"]: row for row in rows}
        under = "" if condition == labelled.RECORDED else f" under {condition}"
        sentences_.append(
            f"{said.people_accept.capitalize()} {by[NAIVE]['truth']:.0%}; it {said.accepts} "
            f"{_rate(by[NAIVE], 'estimate')}{under}. With {by[LABELS]['labels']} labels PPI++ says "
            f"{_rate(by[PPI], 'estimate')}, Rogan–Gladen {_rate(by[ROGAN_GLADEN], 'estimate')}, "
            f"the labels alone {_rate(by[LABELS], 'estimate')}."
        )
    return sentences_


def captions(study: Study) -> dict[str, str]:
    """Return the captions of the tables, by the table's name."""
    level = f"with {study.confidence:.0%} intervals"
    return {
        "agreement": f"Judge against people, {study.plain_title}, {level}.",
        "flips_vs_human": f"Flips toward and away from people, {study.plain_title}, {level}.",
        "corrected": f"What people accept, from a judge's score and labels on a part, "
        f"{study.plain_title}, {level}.",
    }


def heading(study: Study) -> str:
    """Return what stands over the figures."""
    return f"{study.plain_title}; {study.confidence:.0%} intervals"


def alt(frame: pd.DataFrame, figure: str, value: str) -> str:
    """Return what a figure shows, in words: a value a row, named by what it is about."""
    places = ("judge", "condition", "against", "transition", "direction", "method", "labels")
    by = [name for name in places if name in frame]
    said = "; ".join(
        f"{' '.join(str(row[name]) for name in by if row[name] != '')} {_plain(row[value])}"
        for row in frame.to_dict("records")
    )
    return f"{figure}: {said or 'not measured in this study'}"


def _rows(frame: pd.DataFrame, **place: str) -> list[Row]:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    return frame.to_dict("records")


def _rate(row: Row, name: str) -> str:
    if pd.isna(row[name]):
        return f"an unknown share{_between(row, name, '.0%')}"
    if pd.isna(row[f"{name}_low"]):
        return f"{row[name]:.0%} [no interval]"
    return f"{row[name]:.0%} [{row[f'{name}_low']:.0%}, {row[f'{name}_high']:.0%}]"


def _number(row: Row, name: str) -> str:
    if pd.isna(row[name]):
        return f"undefined{_between(row, name, '.2f')}"
    if pd.isna(row[f"{name}_low"]):
        return f"{_minus(row[name])} [no interval]"
    low, high = _minus(row[f"{name}_low"]), _minus(row[f"{name}_high"])
    return f"{_minus(row[name])} [{low}, {high}]"


def _between(row: Row, name: str, form: str) -> str:
    """Return the bounds over all ways to read invalid replies, if they are known."""
    low, high = row.get(f"{name}_min"), row.get(f"{name}_max")
    if pd.isna(low) or pd.isna(high):
        return ""
    return f" (between {low:{form}} and {high:{form}})".replace("-", "−")


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _plain(value: float) -> str:
    return f"{value:.3g}" if pd.notna(value) else "not estimable"
