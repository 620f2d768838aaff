"""What the card says, in sentences that are made from the estimates."""

from collections.abc import Iterator, Sequence

import pandas as pd

from judgeworthy.card.collected import Card
from judgeworthy.card.decision import CRITERIA, Criterion, Decision, State, Verdict
from judgeworthy.card.saving import ALONE, CORRECTED, DISAGREEING
from judgeworthy.card.sizes import SIZES, open_
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.tables import p_value

# What the lack of a measure means.
_MISSING = {
    "c1": "it is not known whether it accepts right answers (block `calibration`)",
    "c2": "it is not known whether it accepts wrong answers (block `calibration`)",
    "cgp": "it is not known whether it tells right from wrong (block `calibration`)",
    "flips": "it is not known whether a reference would change its verdicts (block `sensitivity`)",
    "controls": "it is not known whether it is right when it has the reference, nor what its flips "
    "are worth (`controls: true` in the block `sensitivity`)",
}


CAPTION = (
    "The decision on every judge in every study, the measure that decided it with its interval, "
    "and its distance from the threshold."
)


def labels() -> dict[str, str]:
    """Return every measure in words, by its name."""
    return {criterion.name: criterion.label for criterion in CRITERIA.values()}


def rule(thresholds: Thresholds) -> str:
    """State the rule with its thresholds, as Markdown."""
    asked: dict[str, str] = {}
    for criterion in CRITERIA.values():
        asked.setdefault(criterion.threshold, _asked(criterion, thresholds))
    return (
        f"**Trust without reference**: the whole interval of every measure is on the right side of "
        f"its threshold ({'; '.join(asked.values())}). Needed are the answers of known truth (C1, "
        "C2, CGP) with the flips and the controls, or people's labels; where a study has both, "
        "both must be met. **Only with reference**: that is ruled out, or cannot be shown here, "
        "and the controls, or kappa with people under the reference, are met. **Do not use**: both "
        "are ruled out, by an interval that lies on the wrong side as a whole. **Not enough "
        "data**: anything else."
    )


def _asked(criterion: Criterion, thresholds: Thresholds) -> str:
    side = "≥" if criterion.at_least else "≤"
    return f"{criterion.label} {side} {getattr(thresholds, criterion.threshold):.2f}"


def sentences(cards: Sequence[Card], decided: pd.DataFrame) -> str:
    """Return what was decided, one paragraph a judge under the title of its study, as Markdown."""
    lines: list[str] = []
    for card, row in zip(cards, decided.to_dict("records"), strict=True):
        heading = f"**{card.study.title}**"
        if heading not in lines:
            lines += ["", heading, ""]
        lines.append(f"- **{card.judge}**: {sentence(card, row['more_questions'])}")
    return "\n".join(lines)


def sentence(card: Card, more: int | None) -> str:
    """Return the decision on a judge, what decided it, and what is missing."""
    decision = card.decision
    parts = [f"*{decision.verdict}*.", _decided(decision), *_needed(card, more), *_unknown(card)]
    return " ".join(parts)


def _decided(decision: Decision) -> str:
    finding, found = decision.decided_by, decision.decided_by.estimate
    if finding.distance is None or found.value is None:
        return f"What decides is missing: {finding.criterion.label}, {found.note}."
    far = abs(finding.distance)
    where = {
        State.MET: f"its nearest bound is on the right side by {far:.3f}",
        State.FAILED: f"the whole interval is on the wrong side, by {far:.3f}",
        State.OPEN: f"its bound lacks {far:.3f}",
    }[finding.state]
    kind = "Nearest of all" if decision.verdict is Verdict.TRUST else "Decided by"
    return (
        f"{kind}: {finding.criterion.label} {_signed(found.value)} "
        f"[{_signed(found.low)}, {_signed(found.high)}], n = {found.n} in {found.clusters} "
        f"clusters, threshold {finding.threshold:.2f}; {where}."
    )


def _needed(card: Card, more: int | None) -> Iterator[str]:
    decision = card.decision
    if open_(card):
        needed = f"More than {SIZES[-1]} questions in all" if pd.isna(more) else f"{more} more"
        yield f"{needed} needed for a decision, as simulated with what was found."
    if decision.verdict is Verdict.NOT_ENOUGH and decision.without is State.FAILED:
        yield "Use without a reference is ruled out already."
    if decision.verdict is Verdict.NOT_ENOUGH and decision.with_reference is State.MET:
        yield "With the reference it may be used meanwhile."


def _unknown(card: Card) -> Iterator[str]:
    """Say what is missing, and what that means."""
    if card.evidence.planted is None and card.evidence.controls is None:
        yield "People's labels alone decide: C1, C2, CGP and controls are not measured."
        return
    for finding in card.decision.findings:
        name = finding.criterion.name
        if finding.state is State.MISSING and name in _MISSING:
            yield f"Without {finding.criterion.label} {_MISSING[name]}."


def _signed(value: float | None) -> str:
    return "--" if pd.isna(value) else f"{value:.2f}".replace("-", "−")


def drops(found: pd.DataFrame) -> str:
    """Say what each judge loses between languages, as Markdown."""
    rows = found[found["measure"] == "CGP"].to_dict("records")
    if not rows:
        return "No judge was asked the same facts in two languages."
    lines = [
        f"- **{row['judge']}**, {row['first']} to {row['second']}: CGP is lower by "
        f"{_signed(row['drop'])} [{_signed(row['drop_low'])}, {_signed(row['drop_high'])}], p "
        f"{p_value(row['p_holm'])} (Holm, of {len(rows)} tests), {row['n']} facts."
        for row in rows
    ]
    return "\n".join(lines)


def planned(found: pd.DataFrame) -> str:
    """Say how often a good judge is trusted, by the number of questions."""
    trusted = str(Verdict.TRUST)
    told = "; ".join(f"{row['n']}: {row[trusted]:.0%}" for row in found.to_dict("records"))
    return f"A good judge trusted, by number of questions: {told}"


def saved(found: pd.DataFrame) -> str:
    """Say what references for a part of the responses are worth, as Markdown."""
    if found.empty:
        return "No study has verdicts both without and with the reference."
    lines = []
    for share in found["share"].unique():
        rows = found[found["share"] == share]
        middle = rows.groupby("way")[["half_width", "coverage", "all_half_width"]].median()
        told = ", ".join(
            f"{way} ±{middle.loc[way, 'half_width']:.3f} (coverage "
            f"{middle.loc[way, 'coverage']:.2f})"
            for way in (ALONE, CORRECTED, DISAGREEING)
        )
        lines.append(f"- {share:.0%} of the references: {told}.")
    whole = found["all_half_width"].median()
    return "\n".join(
        [
            f"Medians over {found[['study', 'judge']].drop_duplicates().shape[0]} judges in "
            f"studies; references for all give ±{whole:.3f}.",
            "",
            *lines,
        ]
    )


def alt(decided: pd.DataFrame) -> str:
    """Return the decisions in words."""
    return "; ".join(
        f"{row['study']}, {row['judge']}: {row['decision']}" for row in decided.to_dict("records")
    )
