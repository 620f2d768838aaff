"""What flips are compared with: noise, placebo, controls, leaks, and right and wrong responses."""

from collections.abc import Mapping

import pandas as pd

from judgeworthy.sections.sensitivity import cells
from judgeworthy.sections.sensitivity.asked import CONDITIONS, settings
from judgeworthy.sections.sensitivity.cells import Row
from judgeworthy.sections.sensitivity.estimates import TRANSITIONS
from judgeworthy.statistics import flips
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.proportions import clustered_proportion, paired_difference
from judgeworthy.statistics.resampling import cluster_bootstrap
from judgeworthy.study import Study

OTHER = "another question's reference"
MEASURES: Mapping[str, tuple[str, str]] = {
    "another seed": ("NR sampled-1", "NR sampled-2"),
    "paraphrase": ("NR", "NR paraphrase"),
    "irrelevant text": ("NR", "RV irrelevant"),
    OTHER: ("NR", "RV other"),
    "reference visible": ("NR", "RV"),
    "reference compared": ("NR", "RC"),
}


def leaks(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate reference leaks and changes of the extracted answer: judge × condition.

    A leak is an extracted answer that says a reference although the response does not; its rate is
    over the responses that say none. Some matches are luck, so RV and RC are compared with NR.
    """
    rows = []
    for judge in study.judges:
        wide = _leaking(cells.of(judge, table))
        for condition in CONDITIONS:
            rows.append({"judge": judge, "condition": condition, **_leak(wide, condition, study)})
    return pd.DataFrame(rows)


def _leaking(mine: pd.DataFrame) -> pd.DataFrame:
    could = mine["response_right"].eq(False) & mine["verdict"].ne("INVALID")
    said = mine["extracted_matches_reference"].astype("float64")
    valid = mine["verdict"].ne("INVALID")
    marked = mine.assign(
        leak=said.where(could), extracted=mine["extracted"].where(valid).astype(object)
    )
    index = ["generator", "question_id", "cluster"]
    leak = marked.pivot(index=index, columns="condition", values="leak")
    extracted = marked.pivot(index=index, columns="condition", values="extracted")
    return leak.join(extracted.add_suffix("_extracted")).reset_index()


def _leak(wide: pd.DataFrame, condition: str, study: Study) -> Row:
    clusters = wide["cluster"]
    rate = clustered_proportion(wide[condition], clusters, study.confidence)
    above = paired_difference(wide[condition], wide["NR"], clusters, study.confidence)
    before, after = wide["NR_extracted"], wide[f"{condition}_extracted"]
    changed = (before != after).astype(float).where(before.notna() & after.notna())
    changes = clustered_proportion(changed, clusters, study.confidence)
    baseline = condition == "NR"
    return {
        "n": rate.n,
        "leaks": int(wide[condition].sum()),
        **cells.shown("leak_rate", rate),
        **({} if baseline else cells.shown("above_nr", above)),
        "compared": 0 if baseline else changes.n,
        **({} if baseline else cells.shown("extracted_changed", changes)),
        "note": cells.imprecise(rate),
    }


def correctness(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate flips of right and of wrong responses apart: judge × transition × response.

    Right is a response that says a reference. ``standardised`` weighs right and wrong responses
    of every generator as they occur over all generators together, so that a generator that is
    more often right does not look different for that alone.
    """
    rows = []
    for judge in study.judges:
        wide = cells.wide(cells.plain(table), judge)
        for first, second in TRANSITIONS:
            place = {"judge": judge, "transition": f"{first}→{second}"}
            flipped = pd.Series(flips.flipped(wide[first], wide[second]), wide.index)
            for name, right in (("right", True), ("wrong", False)):
                part = wide[wide["right"] == right]
                counted = flips.transition(part[first], part[second])
                rate = clustered_proportion(flipped[part.index], part["cluster"], study.confidence)
                rows.append({**place, "response": name, **_counted(counted, rate)})
            rows.append(
                {**place, "response": "standardised", **_standardised(wide, flipped, study)}
            )
    return pd.DataFrame(rows)


def _counted(counted: flips.Transition, rate: Estimate) -> Row:
    return {
        "n": counted.valid,
        "to_incorrect": counted.first_only,
        "to_correct": counted.second_only,
        **cells.shown("flip_rate", rate),
        "note": rate.note or cells.imprecise(rate),
    }


def _standardised(wide: pd.DataFrame, flipped: pd.Series, study: Study) -> Row:
    share = wide.groupby("right")["right"].transform("size") / len(wide)
    generators = wide.groupby("right")["generator"].transform("nunique")
    here = wide.groupby(["right", "generator"])["right"].transform("size")
    weights = share / generators / here
    rate = cluster_bootstrap(
        flipped,
        wide["cluster"],
        study.confidence,
        settings(study).resamples,
        study.seed,
        weights,
    )
    return {
        "n": rate.n,
        **cells.shown("flip_rate", rate),
        "note": rate.note or cells.imprecise(rate),
    }


def compared(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate what flips are compared with, on the same responses: judge × measure.

    ``over_seed`` is the flip rate minus that between two seeds, ``over_paraphrase`` minus that
    between two wordings of the prompt: what is left is not noise. Empty where the study measures
    neither.
    """
    rows = []
    for judge in study.judges:
        wide = _compared(table, judge)
        if wide.empty:
            continue
        floor = {name: flips.flipped(*_pair(wide, name)) for name in ("another seed", "paraphrase")}
        for measure in MEASURES:
            rows.append(
                {"judge": judge, "measure": measure, **_measure(wide, measure, floor, study)}
            )
    return pd.DataFrame(rows, columns=_COLUMNS)


def _compared(table: pd.DataFrame, judge: str) -> pd.DataFrame:
    mine = table[(table["judge"] == judge) & table["generator"].ne("")]
    asked = mine[mine["variant"].isin(["sampled-1"])]["question_id"].unique()
    mine = mine[mine["question_id"].isin(asked)]
    name = (mine["condition"] + " " + mine["variant"]).str.strip()
    return (
        mine.assign(name=name, accepted=cells.accepted(mine))
        .pivot(index=["generator", "question_id", "cluster"], columns="name", values="accepted")
        .reset_index()
    )


def _pair(wide: pd.DataFrame, measure: str) -> tuple[pd.Series, pd.Series]:
    first, second = MEASURES[measure]
    return wide[first], wide[second]


def _measure(wide: pd.DataFrame, measure: str, floor: Mapping[str, Floats], study: Study) -> Row:
    one, two = _pair(wide, measure)
    clusters = wide["cluster"]
    counted = flips.transition(one, two)
    rate = flips.flip_rate(one, two, clusters, study.confidence)
    flipped = flips.flipped(one, two)
    over = {
        name: paired_difference(flipped, floor[base], clusters, study.confidence)
        for name, base in (("over_seed", "another seed"), ("over_paraphrase", "paraphrase"))
        if base != measure
    }
    net = paired_difference(one, two, clusters, study.confidence)
    return {
        "n": counted.n,
        "clusters": clusters.nunique(),
        "invalid": counted.n - counted.valid,
        "to_incorrect": counted.first_only,
        "to_correct": counted.second_only,
        **cells.shown("flip_rate", rate),
        **cells.bounds("flip_rate", counted.flip_bounds()),
        **cells.shown("net", net),
        **{key: value for name in over for key, value in cells.shown(name, over[name]).items()},
        "note": rate.note or cells.imprecise(rate),
    }


def controls(table: pd.DataFrame, calibration: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate whether the judge is right when it has the reference: judge × condition.

    Parameters
    ----------
    table : DataFrame
        Judgments of this section.
    calibration : DataFrame
        Judgments of the same answers without a reference (C1 and C2), for comparison.
    study : Study

    Returns
    -------
    DataFrame
        Empty where the study has no controls.
    """
    named = calibration["condition"].map({"C1": "right", "C2": "wrong"})
    without = calibration.assign(variant=named, condition="none")
    shown = pd.concat([without, table[table["variant"].isin(["right", "wrong"])]])
    shown = shown[shown["question_id"].isin(table["question_id"].unique())]
    measured = set(table["variant"]) & {"right", "wrong"}
    rows = [
        {
            "judge": judge,
            "condition": condition,
            **_control(shown[(shown["judge"] == judge) & (shown["condition"] == condition)], study),
        }
        for judge in study.judges
        for condition in ("none", "RV", "RC")
        if measured and ((shown["judge"] == judge) & (shown["condition"] == condition)).any()
    ]
    return pd.DataFrame(rows, columns=_CONTROLS)


def _control(mine: pd.DataFrame, study: Study) -> Row:
    accepted = cells.accepted(mine)
    right = mine["variant"] == "right"
    correct = accepted.where(right, 1 - accepted)
    rates = {
        "right_accepted": clustered_proportion(
            accepted[right], mine["cluster"][right], study.confidence
        ),
        "wrong_accepted": clustered_proportion(
            accepted[~right], mine["cluster"][~right], study.confidence
        ),
        "accuracy": clustered_proportion(correct, mine["cluster"], study.confidence),
    }
    return {
        "n": len(mine),
        "clusters": mine["cluster"].nunique(),
        "invalid": int(accepted.isna().sum()),
        **{
            key: value
            for name, rate in rates.items()
            for key, value in cells.shown(name, rate).items()
        },
        "note": cells.imprecise(rates["accuracy"]),
    }


def _limits(*names: str) -> list[str]:
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


_COLUMNS = [
    *("judge", "measure", "n", "clusters", "invalid", "to_incorrect", "to_correct"),
    *_limits("flip_rate"),
    *("flip_rate_min", "flip_rate_max"),
    *_limits("net", "over_seed", "over_paraphrase"),
    "note",
]
_CONTROLS = [
    *("judge", "condition", "n", "clusters", "invalid"),
    *_limits("right_accepted", "wrong_accepted", "accuracy"),
    "note",
]
