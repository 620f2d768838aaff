"""What the card says, in sentences that are made from the estimates."""

from collections.abc import Iterator, Sequence

import pandas as pd

from judgeworthy.card.collected import Card
from judgeworthy.card.decision import CRITERIA, Criterion, Finding, State, Verdict
from judgeworthy.card.saving import ALONE, CORRECTED, DISAGREEING
from judgeworthy.card.sizes import SIZES, open_
from judgeworthy.card.thresholds import Thresholds

_MEANT = {
    Verdict.TRUST: "its verdicts may be used without a reference here",
    Verdict.WITH_REFERENCE: "its verdicts may be used where it has the reference",
    Verdict.DO_NOT_USE: "its verdicts may not be used here",
    Verdict.NOT_ENOUGH: "whether its verdicts may be used is not known yet",
}
# What the lack of a measure means.
_MISSING = {
    "c1": "whether it accepts right answers is not known (block `calibration`)",
    "c2": "whether it accepts wrong answers is not known (block `calibration`)",
    "cgp": "whether it tells right from wrong is not known (block `calibration`)",
    "flips": "whether a reference would change its verdicts is not known (block `sensitivity`)",
    "controls": "whether it is right when it has the reference, and so what its flips are worth, "
    "is not known (`controls: true` in the block `sensitivity`)",
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
    asked = {}
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
    parts = [
        f"*{decision.verdict}*; {_MEANT[decision.verdict]}.",
        _decided(decision.decided_by, decision.verdict),
        *_needed(card, more),
        *_unknown(card),
    ]
    return " ".join(part for part in parts if part)


def _decided(finding: Finding, verdict: Verdict) -> str:
    name, found = finding.criterion.label, finding.estimate
    if finding.distance is None or found.value is None:
        return f"It rests on a measure that is missing, {name}: {found.note}."
    far = abs(finding.distance)
    where = {
        State.MET: f"its nearest bound is {far:.3f} on the right side",
        State.FAILED: f"the whole interval is on the wrong side, by {far:.3f}",
        State.OPEN: f"its bound lacks {far:.3f}",
    }[finding.state]
    kind = "Of all measures the nearest" if verdict is Verdict.TRUST else "Decided by"
    return (
        f"{kind}: {name} {found.value:.2f} [{found.low:.2f}, {found.high:.2f}], n = {found.n} in "
        f"{found.clusters} clusters, threshold {finding.threshold:.2f}; {where}."
    )


def _needed(card: Card, more: int | None) -> Iterator[str]:
    if open_(card):
        needed = f"More than {SIZES[-1]} questions in all" if pd.isna(more) else f"{more} more"
        yield f"{needed} needed for a decision, as simulated with what was found."
    if card.decision.verdict is Verdict.NOT_ENOUGH and card.decision.without is State.FAILED:
        yield "Use without a reference is ruled out already."
    if card.decision.verdict is Verdict.NOT_ENOUGH and card.decision.with_reference is State.MET:
        yield "With the reference it may be used meanwhile."


def _unknown(card: Card) -> Iterator[str]:
    """Say what is missing beside the measure that decided, and what that means."""
    by_labels = card.evidence.planted is None and card.evidence.controls is None
    missing = [
        finding.criterion.name
        for finding in card.decision.findings
        if finding.state is State.MISSING and finding.criterion.name in _MISSING
    ]
    if by_labels:
        yield (
            "C1, C2, CGP, flips and controls are missing: the decision rests on people's labels."
        )
    elif missing:
        said = "; ".join(f"{CRITERIA[name].name} missing: {_MISSING[name]}" for name in missing)
        yield f"{said}."


def drops(found: pd.DataFrame) -> str:
    """Say what each judge loses between languages, as Markdown."""
    rows = found[found["measure"] == "CGP"].to_dict("records")
    if not rows:
        return "No judge was asked the same facts in two languages."
    lines = [
        f"- **{row['judge']}**, {row['first']} to {row['second']}: CGP is lower by "
        f"{row['drop']:.2f} [{row['drop_low']:.2f}, {row['drop_high']:.2f}], p "
        f"{row['p_holm']:.3f} (Holm, of {len(rows)} tests), {row['n']} facts."
        for row in rows
    ]
    return "\n".join(lines).replace("-0.", "−0.")


def saved(found: pd.DataFrame) -> str:
    """Say what references for a part of the responses are worth, as Markdown."""
    if found.empty:
        return "No study has verdicts both without and with the reference."
    lines = []
    for share, rows in found.groupby("share"):
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
