"""What the judgments show: one function a table, each a DataFrame with intervals and counts.

How rates are written is said in `sections.rates`; ``generator`` names one, or a pool of them.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from judgeworthy.sections import rates
from judgeworthy.sections.rates import Number, Row
from judgeworthy.sections.responses import generators
from judgeworthy.sections.sensitivity import cells
from judgeworthy.sections.sensitivity.asked import CONDITIONS, settings
from judgeworthy.sections.sensitivity.cells import ALL, MAJORITY
from judgeworthy.statistics import flips
from judgeworthy.statistics.agreement import agreement as agree
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Bounds
from judgeworthy.statistics.multiplicity import holm
from judgeworthy.statistics.regression import Wald, two_factors
from judgeworthy.statistics.resampling import cluster_bootstrap
from judgeworthy.study import Study

TRANSITIONS = (("NR", "RV"), ("RV", "RC"), ("NR", "RC"))


def responses(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Describe the responses: one row a generator, how they ended and how many say a reference."""
    asked = cells.plain(table).drop_duplicates(["question_id", "generator"])
    rows = []
    for generator in generators(study):
        mine = asked[asked["generator"] == generator]
        states = mine["response_state"].value_counts()
        right = rates.rate(mine["response_right"].astype(float), mine["cluster"], study)
        rows.append(
            {
                "generator": generator,
                "n": len(mine),
                "clusters": mine["cluster"].nunique(),
                **{state: int(states.get(state, 0)) for state in ("complete", "cut_off", "empty")},
                **rates.row(study, right=right),
            }
        )
    return pd.DataFrame(rows)


def acceptance(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate the share of responses accepted: judge × generator (or pool) × condition."""
    rows = [
        {
            "judge": judge,
            "generator": generator,
            "condition": condition,
            **share_accepted(wide, condition, study),
        }
        for judge, generator, wide in cells.every(table, study)
        for condition in CONDITIONS
    ]
    return pd.DataFrame(rows)


def share_accepted(wide: pd.DataFrame, condition: str, study: Study) -> Row:
    """Return the share accepted under a condition, with its counts."""
    number = rates.rate(wide[condition], wide["cluster"], study)
    return {
        "n": number.asked,
        "clusters": wide["cluster"].nunique(),
        "invalid": number.invalid,
        **rates.row(study, acceptance=number),
    }


def transitions(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate what flips: judge × generator (or pool) × transition.

    ``p`` is McNemar's exact test, in its clustered form where rows share questions or documents;
    it tests the net shift, not the amount of flipping. ``p_holm`` is adjusted within the family
    that ``role`` names: the primary contrast of the study, or all the rest. ``*_share`` is over
    all valid pairs; ``*_rate``, with a note of its own, over those that could flip that way.
    ``net_bootstrap_*`` is the percentile interval of ``net`` when whole clusters are drawn; there
    is none where the resamples do not vary.
    """
    rows = [
        {
            "judge": judge,
            "generator": generator,
            "transition": f"{first}→{second}",
            "relation": cells.relation(judge, generator),
            **_transition(wide, first, second, study),
            "role": _role(judge, generator, (first, second), study),
        }
        for judge, generator, wide in cells.every(table, study)
        for first, second in TRANSITIONS
    ]
    frame = pd.DataFrame(rows)
    for _, family in frame.groupby("role"):
        adjusted = holm([None if pd.isna(p) else p for p in family["p"]])
        frame.loc[family.index, "p_holm"] = pd.Series(adjusted, family.index, dtype="float64")
    columns = [name for name in frame.columns if name not in _LAST]
    return frame[[*columns, *_LAST]]


_LAST = ("p", "p_holm", "role", "note")


def _transition(wide: pd.DataFrame, first: str, second: str, study: Study) -> Row:
    one, two, clusters = wide[first], wide[second], wide["cluster"]
    counted = flips.transition(one, two)
    numbers = shifts(wide, first, second, study)
    estimable = bool(counted.valid) and not rates.reason(numbers["net"], study)
    return {
        **counts(counted),
        "clusters": clusters.nunique(),
        **rates.row(study, **numbers),
        **_of_those_that_could(wide, first, second, study),
        **_resampled(np.where(estimable, one - two, np.nan), clusters, study),
        "p": flips.clustered_mcnemar(one, two, clusters) if estimable else None,
    }


def shifts(wide: pd.DataFrame, first: str, second: str, study: Study) -> dict[str, Number]:
    """Return the rates of a transition over all pairs: flips, each direction, and the net shift."""
    one, two, clusters = wide[first], wide[second], wide["cluster"]
    flipped = pd.Series(flips.flipped(one, two), wide.index)
    valid = flipped.notna()
    return {
        "flip_rate": rates.rate(flipped, clusters, study),
        "to_incorrect_share": rates.rate((one > two).where(valid), clusters, study),
        "to_correct_share": rates.rate((one < two).where(valid), clusters, study),
        "net": rates.difference(one, two, clusters, study),
    }


def counts(counted: flips.Transition) -> Row:
    """Return the counts of a transition, INVALID among the states."""
    return {
        "n": counted.n,
        "invalid": counted.n - counted.valid,
        "first_invalid": counted.first_missing,
        "second_invalid": counted.second_missing,
        "both_invalid": counted.both_missing,
        "accepted_first": counted.both + counted.first_only,
        "to_incorrect": counted.first_only,
        "rejected_first": counted.neither + counted.second_only,
        "to_correct": counted.second_only,
    }


def _of_those_that_could(wide: pd.DataFrame, first: str, second: str, study: Study) -> Row:
    """Return the rates of each direction over the pairs that could flip that way."""
    one, two, clusters = wide[first], wide[second], wide["cluster"]
    row = rates.row(
        study,
        to_incorrect_rate=_conditional(one, two, 1, clusters, study),
        to_correct_rate=_conditional(one, two, 0, clusters, study),
    )
    return {"rates_note" if name == "note" else name: value for name, value in row.items()}


def _conditional(
    one: pd.Series, two: pd.Series, start: int, clusters: pd.Series, study: Study
) -> Number:
    begun = one == start
    return Number(
        flips.conditional_flip_rate(one, two, start, clusters, study.confidence),
        int(begun.sum()),
        int((begun & two.isna()).sum()),
        flips.conditional_flip_bounds(one, two, start),
    )


def _resampled(shift: Floats, clusters: pd.Series, study: Study) -> Row:
    found = cluster_bootstrap(
        shift, clusters, study.confidence, settings(study).resamples, study.seed
    )
    limits = rates.limits("net_bootstrap", found)
    return {name: limits[name] for name in ("net_bootstrap_low", "net_bootstrap_high")}


def _role(judge: str, generator: str, transition: tuple[str, str], study: Study) -> str:
    primary = generator == ALL and judge != MAJORITY and transition == settings(study).primary
    return "primary" if primary else "exploratory"


def paths(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Count the responses by their verdicts under NR, RV and RC, INVALID among them."""
    main = cells.plain(table)
    wide = main.pivot(
        index=["judge", "generator", "question_id"], columns="condition", values="verdict"
    )
    counted = wide.groupby(["judge", *CONDITIONS]).size().rename("n").reset_index()
    parts = [counted[counted["judge"] == judge] for judge in study.judges]
    return pd.concat(parts, ignore_index=True)


def regression(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Regress the verdict on condition and generator, by GEE with clusters by question.

    One row a judge, pool of generators and effect: the odds of acceptance under RV and RC against
    NR, and joint tests of the condition and of its interaction with the generator. All of it is
    exploratory, and its p values are not adjusted.
    """
    rows = [
        {"judge": judge, "generator": pool, **row}
        for judge in study.judges
        for pool, mine in cells.pooled(cells.of(judge, table), study, judge)
        for row in _effects(mine, study)
    ]
    return pd.DataFrame(rows, columns=_REGRESSION)


_REGRESSION = [
    *("judge", "generator", "effect", "n", "clusters", "invalid"),
    *("odds_ratio", "odds_ratio_low", "odds_ratio_high"),
    *("f", "degrees", "p", "method", "note"),
]


def _effects(mine: pd.DataFrame, study: Study) -> list[Row]:
    order = mine["condition"].map({name: place for place, name in enumerate(CONDITIONS)})
    mine = mine.loc[order.sort_values(kind="stable").index]
    decisions = rates.accepted(mine["verdict"])
    whole = rates.rate(decisions, mine["cluster"], study)
    counted = {"n": whole.asked, "clusters": mine["cluster"].nunique(), "invalid": whole.invalid}
    if left_out := rates.reason(whole, study):
        decisions = decisions * float("nan")
    conditions, generators = list(mine["condition"]), list(mine["generator"])
    found = two_factors(decisions, conditions, generators, mine["cluster"], study.confidence)
    odds = [
        {
            "effect": f"{level} against NR",
            **counted,
            **rates.limits("odds_ratio", ratio),
            "method": ratio.method,
            "note": left_out or ratio.note,
        }
        for level, ratio in found.odds_ratios.items()
    ]
    tests = {"condition": found.effect, "condition × generator": found.interaction}
    return odds + [
        {"effect": name, **counted, **_tested(test), "note": left_out or test.note}
        for name, test in tests.items()
    ]


def _tested(test: Wald) -> Row:
    return {"f": test.statistic, "degrees": test.degrees, "p": test.p, "method": test.method}


def agreement(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how far judges agree with one another: pair of judges × pool × condition.

    Bounds over the ways to read invalid replies are those of raw agreement.
    """
    judged = cells.plain(table)
    rows = []
    for judge, other in combinations(study.judges, 2):
        first, second = (cells.wide(judged, name) for name in (judge, other))
        both = first.merge(second, on=["generator", "question_id", "cluster"])
        for pool, part in cells.pooled(both, study, judge, other):
            for condition in CONDITIONS:
                place = {"judge": judge, "other": other, "generator": pool, "condition": condition}
                rows.append({**place, **_agreement(part, condition, study)})
    return pd.DataFrame(rows, columns=_AGREEMENT)


_AGREEMENT = [
    *("judge", "other", "generator", "condition", "n", "clusters", "invalid"),
    *rates.columns("agreement"),
    *("kappa", "kappa_low", "kappa_high", "ac1", "ac1_low", "ac1_high", "note"),
]


def _agreement(both: pd.DataFrame, condition: str, study: Study) -> Row:
    one, two, clusters = both[f"{condition}_x"], both[f"{condition}_y"], both["cluster"]
    found = agree(one, two, clusters, study.confidence)
    same = rates.rate((one == two).where(one.notna() & two.notna()), clusters, study)
    coefficients = {
        name: Number(estimate, len(both), found.missing, Bounds(None, None))
        for name, estimate in (("kappa", found.kappa), ("ac1", found.ac1))
    }
    return {
        "n": len(both),
        "clusters": clusters.nunique(),
        "invalid": found.missing,
        **rates.row(study, agreement=same, **coefficients),
    }
