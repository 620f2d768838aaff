"""What the estimates say: sentences, captions and real items, for the page of the section."""

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd

from judgeworthy import datasets
from judgeworthy.sections import kept
from judgeworthy.sections.sensitivity import asked
from judgeworthy.sections.sensitivity.cells import ALL, MAJORITY, NOT_FAMILY
from judgeworthy.sections.sensitivity.comparisons import OTHER
from judgeworthy.study import Study

Row = dict[Hashable, Any]


def provenance(study: Study, table: pd.DataFrame, answered: pd.DataFrame) -> str:
    """Return what was asked and judged, and where the judgments come from, as sentences."""
    main = table[table["variant"] == ""]
    read = datasets.origin(study) if study.own_text else kept.origin(study, asked.SECTION)
    ended = "; ".join(
        f"{row['generator']} {row['complete']} complete, {row['cut_off']} cut off, "
        f"{row['empty']} empty"
        for row in answered.to_dict("records")
    )
    invalid = int((table["verdict"] == "INVALID").sum())
    source = (
        "They are rebuilt from the recorded replies."
        if study.own_text
        else "They are replayed from judgments, not rebuilt from replies: the text of this data "
        "set is not part of the project."
    )
    return (
        f"{read} {study.title}: {main['question_id'].nunique()} questions from "
        f"{main['cluster'].nunique()} clusters, answered by {len(answered)} generators "
        f"({ended}). Three conditions and their comparisons make {len(table)} judgments, {invalid} "
        f"of them INVALID. {source}"
    )


def sentences(
    accepted: pd.DataFrame,
    flipped: pd.DataFrame,
    compared: pd.DataFrame,
    controls: pd.DataFrame,
    leaked: pd.DataFrame,
    study: Study,
) -> str:
    """Return what the tables say, one paragraph a judge, as Markdown."""
    first, second = asked.settings(study).primary
    lines = [f"{study.title}; {study.confidence:.0%} intervals in brackets."]
    for judge in study.judges:
        row = _row(flipped, judge=judge, generator=ALL, transition=f"{first}→{second}")
        parts = [
            _acceptance(accepted, judge, (first, second)),
            _flips(row, first, second),
            _family(flipped, judge, f"{first}→{second}"),
            _noise(compared, judge),
            _control(controls, judge),
            _leak(leaked, judge),
            _claim(row, compared, judge),
        ]
        lines.append(f"- **{judge}** " + " ".join(part for part in parts if part))
    return "\n\n".join([lines[0], "\n".join(lines[1:])])


def _acceptance(accepted: pd.DataFrame, judge: str, conditions: tuple[str, str]) -> str:
    rows = [_row(accepted, judge=judge, generator=ALL, condition=name) for name in conditions]
    said = [
        f"{_rate(row, 'acceptance')} under {name}" if _has(row, "acceptance") else f"{row['note']}"
        for row, name in zip(rows, conditions, strict=True)
    ]
    return f"accepts {said[0]} and {said[1]}, n = {rows[0]['n']} responses."


def _flips(row: Row, first: str, second: str) -> str:
    if not _has(row, "flip_rate"):
        return f"{first}→{second}: {row['note']}."
    net = f"net over-reward {_signed(row, 'net')}"
    p = f"p = {_p(float(row['p_holm']))} after Holm over the judges"
    return (
        f"From {first} to {second} {_rate(row, 'flip_rate')} of the verdicts flip: "
        f"{row['to_incorrect']} to INCORRECT, {row['to_correct']} to CORRECT ({net}; {p})."
    )


def _family(flipped: pd.DataFrame, judge: str, transition: str) -> str:
    row = _row(flipped, judge=judge, generator=NOT_FAMILY, transition=transition)
    if not _has(row, "flip_rate"):
        return ""
    return f"Without generators of its own family: {_rate(row, 'flip_rate')}."


def _noise(compared: pd.DataFrame, judge: str) -> str:
    if compared.empty:
        return "Noise floor and placebo were not measured in this study."
    rows = compared[compared["judge"] == judge]
    flipped = {row["measure"]: _rate(row, "flip_rate") for row in rows.to_dict("records")}
    return (
        f"On the {rows['n'].max()} responses of the comparison, another seed flips "
        f"{flipped['another seed']}, a paraphrase {flipped['paraphrase']}, an irrelevant text "
        f"{flipped['irrelevant text']}, another question's reference {flipped[OTHER]}, the "
        f"reference to be compared {flipped['reference compared']}."
    )


def _control(controls: pd.DataFrame, judge: str) -> str:
    if controls.empty or "RC" not in set(controls["condition"]):
        return "The controls were not measured in this study."
    row = _row(controls, judge=judge, condition="RC")
    return (
        f"With the reference to compare with, it is right in {_rate(row, 'accuracy')} of the "
        f"controls (accepts {row['right_accepted']:.0%} of the right and "
        f"{row['wrong_accepted']:.0%} of the wrong answers)."
    )


def _leak(leaked: pd.DataFrame, judge: str) -> str:
    rows = {name: _row(leaked, judge=judge, condition=name) for name in ("RV", "RC")}
    if not all(_has(row, "above_nr") for row in rows.values()):
        return ""
    said = ", ".join(f"{name} {_signed(row, 'above_nr')}" for name, row in rows.items())
    return f"Reference leaks above NR: {said}."


def _claim(row: Row, compared: pd.DataFrame, judge: str) -> str:
    """Say whether the paper's claim holds here: too generous without a reference, beyond noise."""
    if not _has(row, "net"):
        return "So the paper's claim cannot be checked for it here."
    if row["net_low"] <= 0:
        opposite = "the opposite shows" if row["net_high"] < 0 else "that is not shown"
        return f"The paper's claim, more generous without a reference: {opposite} for it here."
    over = compared[(compared["judge"] == judge) & (compared["measure"] == "reference compared")]
    if over.empty:
        return "The paper's claim, more generous without a reference, holds for it here."
    beyond = over.iloc[0]["over_seed_low"] > 0
    return (
        "The paper's claim, more generous without a reference, holds for it here, "
        f"{'beyond' if beyond else 'but not clearly beyond'} the noise between two seeds."
    )


def comparison(
    flipped: pd.DataFrame, correct: pd.DataFrame, accepted: pd.DataFrame, study: Study
) -> pd.DataFrame:
    """Put what the paper reports beside what is found here, and say what is comparable."""
    judged = flipped[(flipped["judge"] != MAJORITY) & flipped["relation"].ne("")]
    estimable = judged[judged["flip_rate"].notna()]
    largest = max(estimable.to_dict("records"), key=lambda row: float(row["flip_rate"]))
    rows = [
        (
            "Judges tend to over-reward wrong answers when they see no reference.",
            _each(study, lambda judge: _wrong(correct, judge)),
            "The direction alone: judges, generators and questions are others. Wrong is here a "
            "response that does not say a reference.",
        ),
        (
            "A reference flips up to 85 % of the verdicts in some settings.",
            f"Largest of {len(estimable)} flip rates: {_rate(largest, 'flip_rate')} "
            f"({largest['judge']} on {largest['generator']}, {largest['transition']}, "
            f"n = {largest['n']}); a selected maximum, which is too large by selection.",
            "Not directly: which transition, judge and language gave the 85 % is not known to us.",
        ),
        (
            "A judge fit for use without references flips as little as possible; reference "
            "visible and reference to compare are different settings.",
            _each(study, lambda judge: _steps(flipped, judge)),
            "The settings are the same by their description; the paper's prompts are not known "
            "to us.",
        ),
        (
            "Four generators, three judges (Gemini-3.1-Flash-Lite-Preview, Gemma3-27B, "
            "Qwen3-32B): twelve judgings a data set and language.",
            f"{len(asked.settings(study).generators)} generators, {len(study.judges)} judges "
            f"({', '.join(study.judges)}), {int(accepted['n'].max())} responses.",
            "The design is the same, the models are far smaller.",
        ),
        (
            "The changes often agree with human judgment.",
            "Not asked in this section.",
            "There are no human labels for these responses.",
        ),
    ]
    return pd.DataFrame(rows, columns=["the paper reports", "here", "comparable"])


def _each(study: Study, said: Callable[[str], str]) -> str:
    return "; ".join(f"{judge}: {said(judge)}" for judge in study.judges)


def _wrong(correct: pd.DataFrame, judge: str) -> str:
    row = _row(correct, judge=judge, transition="NR→RC", response="wrong")
    return f"{row['to_incorrect']:.0f} of {row['n']} wrong responses lose their acceptance under RC"


def _steps(flipped: pd.DataFrame, judge: str) -> str:
    rows = flipped[(flipped["judge"] == judge) & (flipped["generator"] == ALL)]
    return ", ".join(
        f"{row['transition']} {row['flip_rate']:.0%}" if _has(row, "flip_rate") else row["note"]
        for row in rows.to_dict("records")
    )


def captions(study: Study) -> dict[str, str]:
    """Return the captions of the tables, by the table's name."""
    level = f"with {study.confidence:.0%} intervals"
    return {
        "acceptance": f"Responses accepted by condition, {study.plain_title}, {level}.",
        "sensitivity": f"Verdicts that flip from NR to RC, {study.plain_title}, {level}. p is "
        "McNemar's exact test of the net shift, in its clustered form over pooled generators.",
        "leaks": f"Reference leaks, {study.plain_title}: extracted answers that say a reference "
        f"which the response does not, {level}.",
    }


def heading(study: Study) -> str:
    """Return what stands over the figures."""
    return f"{study.title}; {study.confidence:.0%} intervals"


def alt(frame: pd.DataFrame, figure: str) -> str:
    """Return what a figure shows, in words."""
    rows = frame if "generator" not in frame else frame[frame["generator"] == ALL]
    value = next(name for name in ("acceptance", "flip_rate", "n") if name in frame)
    labels = ("judge", "condition", "transition", "measure", "NR", "RV", "RC")
    by = [name for name in labels if name in frame]
    said = "; ".join(
        f"{' '.join(str(row[name]) for name in by)} {_number(row[value])}"
        for row in rows.to_dict("records")
    )
    return f"{figure.replace('_', ' ')}: {said}"


def _number(value: float) -> str:
    return f"{value:.3g}" if pd.notna(value) else "not estimable"


def _row(frame: pd.DataFrame, **place: str) -> Row:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    return frame.to_dict("records")[0]


def _has(row: Row, name: str) -> bool:
    return bool(pd.notna(row.get(name)) and pd.notna(row.get(f"{name}_low")))


def _rate(row: Row, name: str) -> str:
    if not _has(row, name):
        return "an unknown share"
    return f"{row[name]:.0%} [{row[f'{name}_low']:.0%}, {row[f'{name}_high']:.0%}]"


def _signed(row: Row, name: str) -> str:
    said = f"{row[name]:+.2f} [{row[f'{name}_low']:+.2f}, {row[f'{name}_high']:+.2f}]"
    return said.replace("-", "−")


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.0001 else "< 0.0001"
