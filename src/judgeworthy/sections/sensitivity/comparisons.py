"""What flips are compared with: noise, placebo, controls, leaks, and right and wrong responses.

How rates are written is said in `sections.rates`; ``generator`` names a pool of generators.
"""

from collections.abc import Mapping

import pandas as pd

from judgeworthy.sections import rates
from judgeworthy.sections.rates import Number, Row
from judgeworthy.sections.sensitivity import cells
from judgeworthy.sections.sensitivity.asked import CONDITIONS, settings
from judgeworthy.sections.sensitivity.estimates import TRANSITIONS, counts, share_accepted, shifts
from judgeworthy.statistics import flips
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Bounds
from judgeworthy.statistics.proportions import clustered_proportion
from judgeworthy.statistics.resampling import standardised_bootstrap
from judgeworthy.study import Study

SEED, PARAPHRASE, IRRELEVANT = "another seed", "paraphrase", "irrelevant text"
OTHER, VISIBLE, COMPARED = "another question's reference", "reference visible", "reference compared"
MEASURES: Mapping[str, tuple[str, str]] = {
    SEED: ("NR sampled-1", "NR sampled-2"),
    PARAPHRASE: ("NR", "NR paraphrase"),
    IRRELEVANT: ("NR", "RV irrelevant"),
    OTHER: ("NR", "RV other"),
    VISIBLE: ("NR", "RV"),
    COMPARED: ("NR", "RC"),
}
# What a flip rate is compared with, in this order: each measure with those above it.
BASELINES = {
    "over_seed": SEED,
    "over_paraphrase": PARAPHRASE,
    "over_irrelevant": IRRELEVANT,
    "over_other": OTHER,
}


def leaks(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate reference leaks and changes of the extracted answer: judge × pool × condition.

    A leak is an extracted answer that says a reference although the response does not; its rate is
    over the responses that say none. Some matches are luck, so RV and RC are compared with NR.
    """
    rows = [
        {"judge": judge, "generator": pool, "condition": condition, **_leak(wide, condition, study)}
        for judge in study.judges
        for pool, wide in cells.pooled(_leaking(cells.of(judge, table)), study, judge)
        for condition in CONDITIONS
    ]
    return pd.DataFrame(rows)


def _leaking(mine: pd.DataFrame) -> pd.DataFrame:
    valid = mine["verdict"].ne("INVALID")
    marked = mine.assign(
        right=mine["response_right"].astype(bool),
        leak=mine["extracted_matches_reference"].astype("float64").where(valid),
        extracted=mine["extracted"].astype("float64").where(valid),
    )
    index = ["generator", "question_id", "cluster", "right"]
    wide = marked.pivot(index=index, columns="condition", values=["leak", "extracted"])
    wide.columns = wide.columns.map("{0[1]} {0[0]}".format)
    return wide.reset_index()


def _leak(wide: pd.DataFrame, condition: str, study: Study) -> Row:
    could = wide[~wide["right"]]
    rate = rates.rate(could[f"{condition} leak"], could["cluster"], study)
    numbers = {"leak_rate": rate}
    counted = {
        "n": rate.asked,
        "clusters": could["cluster"].nunique(),
        "invalid": rate.invalid,
        "leaks": int(could[f"{condition} leak"].sum()),
    }
    if condition != "NR":
        one, two = could[f"{condition} leak"], could["NR leak"]
        numbers["above_nr"] = rates.difference(one, two, could["cluster"], study)
        numbers["extracted_changed"] = _changed(wide, condition, study)
        changed = numbers["extracted_changed"]
        counted |= {"changed_n": changed.asked, "changed_invalid": changed.invalid}
    return {**counted, **rates.row(study, **numbers)}


def _changed(wide: pd.DataFrame, condition: str, study: Study) -> Number:
    """Return how often the extracted answer is another one than under NR, over all responses."""
    before, after = wide["NR extracted"], wide[f"{condition} extracted"]
    changed = (before != after).astype(float).where(before.notna() & after.notna())
    return rates.rate(changed, wide["cluster"], study)


def acceptance(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate the share accepted of right and of wrong responses: judge × pool × condition.

    Right is a response that says a reference.
    """
    rows = [
        {
            "judge": judge,
            "generator": pool,
            "condition": condition,
            "response": name,
            **share_accepted(wide[wide["right"] == right], condition, study),
        }
        for judge, pool, wide in _judged(table, study)
        for condition in CONDITIONS
        for name, right in _RESPONSES.items()
    ]
    return pd.DataFrame(rows)


def correctness(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate flips of right and of wrong responses apart: judge × pool × transition × response.

    Right is a response that says a reference. ``standardised`` weighs right and wrong responses
    of every generator as they occur over all generators together, so that a generator that is
    more often right does not look different for that alone.
    """
    rows = [
        {"judge": judge, "generator": pool, "transition": f"{first}→{second}", **row}
        for judge, pool, wide in _judged(table, study)
        for first, second in TRANSITIONS
        for row in _by_response(wide, first, second, study)
    ]
    return pd.DataFrame(rows)


_RESPONSES = {"right": True, "wrong": False}


def _judged(table: pd.DataFrame, study: Study) -> list[tuple[str, str, pd.DataFrame]]:
    judged = cells.plain(table)
    return [
        (judge, pool, wide)
        for judge in study.judges
        for pool, wide in cells.pooled(cells.wide(judged, judge), study, judge)
    ]


def _by_response(wide: pd.DataFrame, first: str, second: str, study: Study) -> list[Row]:
    parts = {name: wide[wide["right"] == right] for name, right in _RESPONSES.items()}
    rows = [
        {
            "response": name,
            **counts(flips.transition(part[first], part[second])),
            "clusters": part["cluster"].nunique(),
            **rates.row(study, **shifts(part, first, second, study)),
        }
        for name, part in parts.items()
    ]
    counted = counts(flips.transition(wide[first], wide[second]))
    return [
        *rows,
        {
            "response": "standardised",
            **{name: counted[name] for name in ("n", "invalid")},
            "clusters": wide["cluster"].nunique(),
            **rates.row(study, flip_rate=_standardised(wide, first, second, study)),
        },
    ]


def _standardised(wide: pd.DataFrame, first: str, second: str, study: Study) -> Number:
    flipped = pd.Series(flips.flipped(wide[first], wide[second]), wide.index)
    estimate = standardised_bootstrap(
        flipped,
        list(wide["right"].map({True: "right", False: "wrong"})),
        list(wide["generator"]),
        wide["cluster"],
        study.confidence,
        settings(study).resamples,
        study.seed,
    )
    if flipped.dropna().nunique() == 1:  # the resamples do not vary, and say nothing of the error
        estimate = clustered_proportion(flipped, wide["cluster"], study.confidence)
    return Number(estimate, len(wide), int(flipped.isna().sum()), Bounds(None, None))


def compared(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate what flips are compared with, on the same responses: judge × pool × measure.

    ``over_*`` is the flip rate minus that of a measure of noise (two seeds, two wordings of the
    prompt) or of placebo (a text that says nothing, another question's reference), on the
    responses that have both: what is left is neither. Empty where the study measures none.
    """
    rows = [
        {"judge": judge, "generator": pool, "measure": measure, **_measure(wide, measure, study)}
        for judge in study.judges
        for pool, wide in cells.pooled(_compared(table, judge), study, judge)
        if not wide.empty
        for measure in MEASURES
    ]
    return pd.DataFrame(rows, columns=_COMPARED)


_COMPARED = [
    *("judge", "generator", "measure", "n", "invalid", "first_invalid", "second_invalid"),
    *("both_invalid", "accepted_first", "to_incorrect", "rejected_first", "to_correct", "clusters"),
    *rates.columns("flip_rate", "net", *BASELINES),
    "note",
]


def _compared(table: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return the verdicts of the responses that were judged again, a column a condition."""
    mine = table[(table["judge"] == judge) & table["generator"].ne("")]
    again = mine.loc[mine["variant"].eq("sampled-1"), "question_id"]
    mine = mine[mine["question_id"].isin(again)]
    wide = mine.assign(name=(mine["condition"] + " " + mine["variant"]).str.strip()).pivot(
        index=["generator", "question_id", "cluster"], columns="name", values="verdict"
    )
    names = {name for pair in MEASURES.values() for name in pair}
    return wide.reindex(columns=sorted(names)).reset_index()


def _measure(wide: pd.DataFrame, measure: str, study: Study) -> Row:
    asked = _asked(wide, measure)
    one, two = _decisions(asked, measure)
    numbers = {
        "flip_rate": rates.rate(flips.flipped(one, two), asked["cluster"], study),
        "net": rates.difference(one, two, asked["cluster"], study),
    }
    for name, baseline in BASELINES.items():
        if baseline == measure:
            break
        numbers[name] = _over(wide, measure, baseline, study)
    return {
        **counts(flips.transition(one, two)),
        "clusters": asked["cluster"].nunique(),
        **rates.row(study, **numbers),
    }


def _over(wide: pd.DataFrame, measure: str, baseline: str, study: Study) -> Number:
    """Return the flip rate of a measure minus that of a baseline, on responses that have both."""
    both = _asked(_asked(wide, measure), baseline)
    flipped: list[Floats] = [flips.flipped(*_decisions(both, name)) for name in (measure, baseline)]
    return rates.difference(flipped[0], flipped[1], both["cluster"], study)


def _asked(wide: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the responses that were judged in both ways that a measure compares."""
    return wide.dropna(subset=list(MEASURES[measure]))


def _decisions(wide: pd.DataFrame, measure: str) -> tuple[pd.Series, pd.Series]:
    first, second = MEASURES[measure]
    return rates.accepted(wide[first]), rates.accepted(wide[second])


def controls(table: pd.DataFrame, calibration: pd.DataFrame | None, study: Study) -> pd.DataFrame:
    """Estimate whether the judge is right when it has the reference: judge × condition.

    ``gap`` is the share accepted of the right answers minus that of the wrong ones, paired by
    question: what CGP is without a reference.

    Parameters
    ----------
    table : DataFrame
        Judgments of this section.
    calibration : DataFrame or None
        Judgments of the same answers without a reference (C1 and C2), for comparison.
    study : Study

    Returns
    -------
    DataFrame
        Empty where the study has no controls.
    """
    shown = table[table["variant"].isin(_ARMS)]
    if calibration is not None and not shown.empty:
        named = calibration["condition"].map({"C1": "right", "C2": "wrong"})
        shown = pd.concat([calibration.assign(variant=named, condition="none"), shown])
        shown = shown[shown["question_id"].isin(table["question_id"].unique())]
    rows = [
        {"judge": judge, "condition": condition, **_control(mine, study)}
        for judge in study.judges
        for condition in ("none", "RV", "RC")
        if not (mine := shown[shown["judge"].eq(judge) & shown["condition"].eq(condition)]).empty
    ]
    return pd.DataFrame(rows, columns=_CONTROLS)


_ARMS = ("right", "wrong")
_CONTROLS = [
    *("judge", "condition", "n", "clusters", "invalid"),
    *("right_n", "right_invalid", "wrong_n", "wrong_invalid"),
    *rates.columns("right_accepted", "wrong_accepted", "gap", "accuracy"),
    "note",
]


def _control(mine: pd.DataFrame, study: Study) -> Row:
    decisions = rates.accepted(mine["verdict"])
    right = mine["variant"] == "right"
    accuracy = rates.rate(decisions.where(right, 1 - decisions), mine["cluster"], study)
    arms = {
        "right": rates.rate(decisions[right], mine["cluster"][right], study),
        "wrong": rates.rate(decisions[~right], mine["cluster"][~right], study),
    }
    return {
        "n": accuracy.asked,
        "clusters": mine["cluster"].nunique(),
        "invalid": accuracy.invalid,
        **{f"{name}_n": arm.asked for name, arm in arms.items()},
        **{f"{name}_invalid": arm.invalid for name, arm in arms.items()},
        **rates.row(
            study,
            right_accepted=arms["right"],
            wrong_accepted=arms["wrong"],
            gap=_gap(mine, study),
            accuracy=accuracy,
        ),
    }


def _gap(mine: pd.DataFrame, study: Study) -> Number:
    wide = mine.pivot(index=["question_id", "cluster"], columns="variant", values="verdict")
    wide = wide.reindex(columns=list(_ARMS)).dropna().reset_index()
    right, wrong = (rates.accepted(wide[arm]) for arm in _ARMS)
    return rates.difference(right, wrong, wide["cluster"], study)
