"""What the estimates say: sentences, captions and alternative texts, for the section's page."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from judgeworthy import datasets
from judgeworthy.sections import kept
from judgeworthy.sections.responses import generators
from judgeworthy.sections.sensitivity import asked
from judgeworthy.sections.sensitivity.cells import ALL, MAJORITY
from judgeworthy.sections.sensitivity.comparisons import (
    COMPARED,
    IRRELEVANT,
    OTHER,
    PARAPHRASE,
    SEED,
    VISIBLE,
)
from judgeworthy.study import Study

Row = dict[Hashable, Any]
Tables = Mapping[str, pd.DataFrame]
MEASURE = {"RV": VISIBLE, "RC": COMPARED}


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
    return (
        f"{read} {study.title}: {main['question_id'].nunique()} questions from "
        f"{main['cluster'].nunique()} clusters, answered by {len(answered)} generators "
        f"({ended}). Three conditions and their comparisons make {len(table)} judgments, {invalid} "
        f"of them INVALID. {kept.source(study)}"
    )


def sentences(tables: Tables, study: Study) -> str:
    """Return what the tables say, one paragraph a judge, as Markdown.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``acceptance``, ``sensitivity``, ``flips_by_correctness``, ``compared``, ``controls`` and
        ``leaks``, as they are published.
    study : Study
    """
    said = "\n".join(f"- **{judge}** {_paragraph(tables, judge, study)}" for judge in study.judges)
    return f"{study.title}; {study.confidence:.0%} intervals in brackets.\n\n{said}"


def _paragraph(tables: Tables, judge: str, study: Study) -> str:
    second = asked.settings(study).primary[1]
    parts = [
        _acceptance(tables["acceptance"], judge, second),
        _flips(tables["sensitivity"], judge, second),
        _without_family(tables["sensitivity"], judge, second),
        _noise(tables["compared"], judge, second),
        _control(tables["controls"], judge),
        _leak(tables["leaks"], judge),
        _claim(tables, judge, study),
    ]
    return " ".join(part for part in parts if part)


def _acceptance(accepted: pd.DataFrame, judge: str, second: str) -> str:
    rows = {
        name: _row(accepted, judge=judge, generator=ALL, condition=name) for name in ("NR", second)
    }
    said = " and ".join(f"{_rate(row, 'acceptance')} under {name}" for name, row in rows.items())
    return f"accepts {said}, of {rows['NR']['n']} responses{_invalid(*rows.values())}."


def _flips(flipped: pd.DataFrame, judge: str, second: str) -> str:
    row = _row(flipped, judge=judge, generator=ALL, transition=f"NR→{second}")
    if not _has(row, "net"):
        return f"From NR to {second}: {row['note']}."
    p = f"p {_p(row['p_holm'])} after Holm over the judges"
    return (
        f"From NR to {second} {_rate(row, 'flip_rate')} of the verdicts flip: "
        f"{row['to_incorrect']} to INCORRECT, {row['to_correct']} to CORRECT (net over-reward "
        f"{_signed(row, 'net')}; {p})."
    )


def _without_family(flipped: pd.DataFrame, judge: str, second: str) -> str:
    rows = flipped[(flipped["judge"] == judge) & flipped["generator"].str.startswith("without")]
    rows = rows[rows["transition"] == f"NR→{second}"]
    if rows.empty:
        return ""
    row = rows.to_dict("records")[-1]
    whose = "the responses of its own family" if "family" in row["generator"] else "its own"
    return f"Without {whose}: {_rate(row, 'flip_rate')} of {row['n']}."


def _noise(compared: pd.DataFrame, judge: str, second: str) -> str:
    rows = {measure: _found(compared, judge, measure) for measure in _MEASURES}
    said = [f"{name} {_rate(row, 'flip_rate')}" for name, row in rows.items() if row]
    if not said:
        return "Noise floor and placebo were not measured in this study."
    n = max(row["n"] for row in rows.values() if row)
    changed = _found(compared, judge, MEASURE[second])
    reference = f", {MEASURE[second]} {_rate(changed, 'flip_rate')}" if changed else ""
    counted = [row for row in rows.values() if row]
    return f"Flips on {n} of these responses: {', '.join(said)}{reference}{_invalid(*counted)}."


_MEASURES = (SEED, PARAPHRASE, IRRELEVANT, OTHER)


def _control(controls: pd.DataFrame, judge: str) -> str:
    rows = controls[(controls["judge"] == judge) & (controls["condition"] == "RC")]
    if rows.empty:
        return "The controls were not measured in this study."
    row = rows.to_dict("records")[0]
    return (
        f"With the reference to compare with, it accepts {_rate(row, 'right_accepted')} of the "
        f"right and {_rate(row, 'wrong_accepted')} of the wrong answers of the controls, and is "
        f"right in {_rate(row, 'accuracy')} of {row['n']}{_invalid(row)}."
    )


def _leak(leaked: pd.DataFrame, judge: str) -> str:
    rows = {name: _row(leaked, judge=judge, generator=ALL, condition=name) for name in ("RV", "RC")}
    said = ", ".join(f"{name} {_signed(row, 'above_nr')}" for name, row in rows.items())
    n = rows["RV"]["n"]
    return f"Reference leaks above NR, on the {n} responses that say no reference: {said}."


def _claim(tables: Tables, judge: str, study: Study) -> str:
    """Hold the paper's claim, too generous to wrong answers without a reference, against the data.

    It holds where the net shift of the primary contrast is towards INCORRECT beyond chance, that
    of the wrong responses too, more flips than by noise and by a text that says nothing, and where
    the judge tells right from wrong when it has the reference. What fails or was not measured is
    said. Another question's reference is no such hurdle: a judge that follows any reference should
    reject what does not say it.
    """
    second = asked.settings(study).primary[1]
    row = _row(tables["sensitivity"], judge=judge, generator=ALL, transition=f"NR→{second}")
    if not _has(row, "net"):
        return f"{_CLAIM} cannot be checked for it here."
    by_chance = row["p_holm"] >= 1 - study.confidence
    beyond = _beyond(tables["compared"], judge, second)
    if row["net_high"] < 0 and not by_chance:
        return (
            f"{_CLAIM} is reversed for it here: with the reference it accepts more{_but(beyond)}."
        )
    if row["net"] <= 0 or by_chance:
        return f"{_CLAIM} is not shown for it here."
    tested = {
        "on the wrong responses alone": _above(_wrong(tables, judge, second), "net"),
        **beyond,
        "with a judge that tells right from wrong against the reference": _above(
            _found(tables["controls"], judge, "RC", "condition"), "gap"
        ),
    }
    shows = False in tested.values()
    held = "shows in the verdicts of this judge here" if shows else "holds for it here"
    return f"{_CLAIM} {held}{_but(tested)}."


def _but(tested: Mapping[str, bool | None]) -> str:
    """Say which of the tests failed, and which could not be made."""
    failed = [name for name, passed in tested.items() if passed is False]
    unknown = [name for name, passed in tested.items() if passed is None]
    but = f", but not {', nor '.join(failed)}" if failed else ""
    return but + (f"; not known: {', '.join(unknown)}" if unknown else "")


_CLAIM = "The paper's claim, too generous to wrong answers without a reference,"


def _wrong(tables: Tables, judge: str, second: str) -> Row:
    return _row(
        tables["flips_by_correctness"],
        judge=judge,
        generator=ALL,
        transition=f"NR→{second}",
        response="wrong",
    )


def _beyond(compared: pd.DataFrame, judge: str, second: str) -> dict[str, bool | None]:
    row = _found(compared, judge, MEASURE[second])
    names = {
        "over_seed": "beyond the noise between two seeds",
        "over_paraphrase": "beyond another wording of the prompt",
        "over_irrelevant": "beyond an irrelevant text",
    }
    return {said: _above(row, name) for name, said in names.items()}


def _above(row: Row | None, name: str) -> bool | None:
    """Return whether a number's interval lies above 0; None where there is none."""
    return bool(row[f"{name}_low"] > 0) if row and _has(row, name) else None


def comparison(tables: Tables, study: Study) -> pd.DataFrame:
    """Put what the paper reports beside what is found here, and say what is comparable.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        ``acceptance``, ``sensitivity`` and ``flips_by_correctness``, as they are published.
    study : Study
    """
    flipped, accepted = tables["sensitivity"], tables["acceptance"]
    rows = [
        (
            "Judges tend to over-reward wrong answers when they see no reference.",
            _each(study, lambda judge: _lost(tables, judge)),
            "The direction alone: judges, generators and questions are others. Wrong is here a "
            "response that does not say a reference.",
        ),
        (
            "A reference flips up to 85 % of the verdicts in some settings.",
            _largest(flipped),
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
            f"{len(generators(study))} generators, {len(study.judges)} judges "
            f"({', '.join(study.judges)}), {int(accepted['n'].max())} responses.",
            "The number of pairs. The models are far smaller, and which generators, decoding and "
            "prompts the paper used is not known to us.",
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


def _lost(tables: Tables, judge: str) -> str:
    row = _wrong(tables, judge, "RC")
    return (
        f"{row['to_incorrect']:.0f} of {row['n']} wrong responses lose their acceptance under RC, "
        f"{row['to_correct']:.0f} gain it ({row['invalid']:.0f} without a valid pair)"
    )


def _largest(flipped: pd.DataFrame) -> str:
    pairs = flipped[(flipped["judge"] != MAJORITY) & flipped["relation"].ne("")]
    estimable = pairs[pairs["flip_rate"].notna()]
    if estimable.empty:
        return "No flip rate can be estimated."
    row = max(estimable.to_dict("records"), key=lambda row: float(row["flip_rate"]))
    return (
        f"Largest of {len(estimable)} flip rates: {_rate(row, 'flip_rate')} ({row['judge']} on "
        f"{row['generator']}, {row['transition']}, n = {row['n']}{_invalid(row)}); a selected "
        f"maximum, which is too large by selection. Their median is "
        f"{estimable['flip_rate'].median():.0%}."
    )


def _steps(flipped: pd.DataFrame, judge: str) -> str:
    rows = flipped[(flipped["judge"] == judge) & (flipped["generator"] == ALL)]
    return ", ".join(
        f"{row['transition']} {_rate(row, 'flip_rate')}" for row in rows.to_dict("records")
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


def alt(frame: pd.DataFrame, figure: str, value: str) -> str:
    """Return what a figure shows, in words: a value a row, named by judge and what it is about."""
    places = ("judge", "condition", "transition", "measure", "NR", "RV", "RC")
    return _words(frame, figure, value, [name for name in places if name in frame])


def alt_of_pairs(flipped: pd.DataFrame, transition: str) -> str:
    """Return what the figure of generators and judges shows, in words."""
    pairs = flipped[(flipped["transition"] == transition) & flipped["relation"].ne("")]
    return _words(pairs, f"flips {transition}", "flip_rate", ["judge", "generator"])


def _words(frame: pd.DataFrame, figure: str, value: str, by: list[str]) -> str:
    said = "; ".join(
        f"{' '.join(str(row[name]) for name in by)} {_number(row[value])}"
        for row in frame.to_dict("records")
    )
    return f"{figure}: {said or 'not measured in this study'}"


def _number(value: float) -> str:
    return f"{value:.3g}" if pd.notna(value) else "not estimable"


def _row(frame: pd.DataFrame, **place: str) -> Row:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    return frame.to_dict("records")[0]


def _found(frame: pd.DataFrame, judge: str, value: str, name: str = "measure") -> Row | None:
    """Return a judge's row over all generators, if the table has it."""
    rows = frame[(frame["judge"] == judge) & (frame[name] == value)]
    if "generator" in rows:
        rows = rows[rows["generator"] == ALL]
    return rows.to_dict("records")[0] if len(rows) else None


def _has(row: Row, name: str) -> bool:
    return bool(pd.notna(row.get(name)) and pd.notna(row.get(f"{name}_low")))


def _rate(row: Row, name: str) -> str:
    if pd.isna(row[name]):
        return f"an unknown share ({_bounds(row, name)})"
    if not _has(row, name):
        return f"{row[name]:.0%} [no interval]"
    return f"{row[name]:.0%} [{row[f'{name}_low']:.0%}, {row[f'{name}_high']:.0%}]"


def _bounds(row: Row, name: str) -> str:
    low, high = row[f"{name}_min"], row[f"{name}_max"]
    return "nothing was asked" if pd.isna(low) else f"between {low:.0%} and {high:.0%}"


def _signed(row: Row, name: str) -> str:
    if not _has(row, name):
        return "not estimable"
    said = f"{row[name]:+.2f} [{row[f'{name}_low']:+.2f}, {row[f'{name}_high']:+.2f}]"
    return said.replace("-", "−")


def _invalid(*rows: Row) -> str:
    count = sum(int(row["invalid"]) for row in rows)
    return f" ({count} INVALID)" if count else ""


def _p(value: float) -> str:
    return f"= {value:.2g}" if value >= 0.0001 else "< 0.0001"
