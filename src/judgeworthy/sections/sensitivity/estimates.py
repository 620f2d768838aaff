"""What the judgments show: one function a table, each a DataFrame with intervals and counts.

Rates are over the valid replies; ``*_min`` and ``*_max`` bound them over all ways to read the
invalid ones. Intervals of rates are Wilson's, at the effective sample size where rows share
questions or documents; of paired differences Newcombe's method 10 in the same way.
"""

from itertools import combinations

import pandas as pd

from judgeworthy.models import catalog
from judgeworthy.sections.sensitivity import cells
from judgeworthy.sections.sensitivity.asked import CONDITIONS, settings
from judgeworthy.sections.sensitivity.cells import ALL, MAJORITY, Row
from judgeworthy.statistics import flips
from judgeworthy.statistics.agreement import agreement as agree
from judgeworthy.statistics.estimate import Estimate
from judgeworthy.statistics.multiplicity import holm
from judgeworthy.statistics.proportions import (
    clustered_proportion,
    paired_difference,
    proportion_bounds,
)
from judgeworthy.statistics.regression import Wald, two_factors
from judgeworthy.statistics.resampling import cluster_bootstrap
from judgeworthy.study import Study

TRANSITIONS = (("NR", "RV"), ("RV", "RC"), ("NR", "RC"))


def responses(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Describe the responses: one row a generator, how they ended and how many say a reference."""
    asked = cells.plain(table).drop_duplicates(["question_id", "generator"])
    rows = []
    for generator in settings(study).generators:
        mine = asked[asked["generator"] == generator]
        states = mine["response_state"].value_counts()
        right = clustered_proportion(
            mine["response_right"].astype(float), mine["cluster"], study.confidence
        )
        rows.append(
            {
                "generator": generator,
                "n": len(mine),
                **{state: int(states.get(state, 0)) for state in ("complete", "cut_off", "empty")},
                **cells.shown("right", right),
            }
        )
    return pd.DataFrame(rows)


def acceptance(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate the share of responses accepted: judge × generator (or pooled) × condition."""
    rows = []
    for judge, generator, wide in cells.every(table, study):
        for condition in CONDITIONS:
            decisions = wide[condition]
            accepted, rejected = int((decisions == 1).sum()), int((decisions == 0).sum())
            invalid = len(wide) - accepted - rejected
            estimate = clustered_proportion(decisions, wide["cluster"], study.confidence)
            note = cells.note(estimate, invalid, len(wide), study)
            rows.append(
                {
                    "judge": judge,
                    "generator": generator,
                    "condition": condition,
                    "n": len(wide),
                    "clusters": wide["cluster"].nunique(),
                    "invalid": invalid,
                    **cells.shown("acceptance", estimate, note),
                    **cells.bounds("acceptance", proportion_bounds(accepted, rejected, invalid)),
                    "note": note,
                }
            )
    return pd.DataFrame(rows)


def transitions(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate what flips: judge × generator (or pooled) × transition.

    ``p`` is McNemar's exact test, in its clustered form where rows share questions or documents;
    it tests the net shift, not the amount of flipping. ``p_holm`` is adjusted within the family
    that ``role`` names: the primary contrast of the study, or all the rest. ``*_share`` is over
    all valid pairs, ``*_rate`` over those that could flip that way.
    """
    rows = [
        {
            "judge": judge,
            "generator": generator,
            "transition": f"{first}→{second}",
            "relation": _relation(judge, generator),
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
    return frame[[*_before(frame, "p"), "p", "p_holm", "role", "note"]]


def _transition(wide: pd.DataFrame, first: str, second: str, study: Study) -> Row:
    one, two, clusters = wide[first], wide[second], wide["cluster"]
    counted = flips.transition(one, two)
    rate = flips.flip_rate(one, two, clusters, study.confidence)
    net = paired_difference(one, two, clusters, study.confidence)
    shift = cluster_bootstrap(
        one - two, clusters, study.confidence, settings(study).resamples, study.seed
    )
    note = cells.note(rate, counted.n - counted.valid, counted.n, study)
    return {
        "n": counted.n,
        "clusters": clusters.nunique(),
        "invalid": counted.n - counted.valid,
        "accepted_first": counted.both + counted.first_only,
        "to_incorrect": counted.first_only,
        "rejected_first": counted.neither + counted.second_only,
        "to_correct": counted.second_only,
        **cells.shown("flip_rate", rate, note),
        **cells.bounds("flip_rate", counted.flip_bounds()),
        **cells.shown("to_incorrect_share", _share(one > two, one, two, clusters, study), note),
        **cells.shown("to_correct_share", _share(one < two, one, two, clusters, study), note),
        **cells.shown("to_incorrect_rate", _conditional(one, two, 1, clusters, study), note),
        **cells.shown("to_correct_rate", _conditional(one, two, 0, clusters, study), note),
        **cells.shown("net", net, note),
        **cells.bounds("net", flips.net_bounds(one, two)),
        "net_bootstrap_low": shift.low,
        "net_bootstrap_high": shift.high,
        "p": flips.clustered_mcnemar(one, two, clusters) if counted.valid else None,
        "note": note,
    }


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

    One row a judge and effect: the odds of acceptance under RV and RC against NR, and joint tests
    of the condition and of its interaction with the generator.
    """
    rows = []
    for judge in study.judges:
        mine = cells.of(judge, table)
        order = mine["condition"].map({name: place for place, name in enumerate(CONDITIONS)})
        mine = mine.loc[order.sort_values(kind="stable").index]
        found = two_factors(
            cells.accepted(mine),
            list(mine["condition"]),
            list(mine["generator"]),
            mine["cluster"],
            study.confidence,
        )
        for level, ratio in found.odds_ratios.items():
            effect = {"judge": judge, "effect": f"{level} against NR"}
            rows.append({**effect, **cells.shown("odds_ratio", ratio), "note": ratio.note})
        for name, test in (
            ("condition", found.effect),
            ("condition × generator", found.interaction),
        ):
            rows.append({"judge": judge, "effect": name, **_tested(test)})
    columns = ["odds_ratio", "odds_ratio_low", "odds_ratio_high", "f", "degrees", "p", "note"]
    return pd.DataFrame(rows, columns=["judge", "effect", *columns])


def _tested(test: Wald) -> Row:
    return {"f": test.statistic, "degrees": test.degrees, "p": test.p, "note": test.note}


def _conditional(
    one: pd.Series, two: pd.Series, start: int, clusters: pd.Series, study: Study
) -> Estimate:
    return flips.conditional_flip_rate(one, two, start, clusters, study.confidence)


def _share(
    hit: pd.Series, one: pd.Series, two: pd.Series, clusters: pd.Series, study: Study
) -> Estimate:
    """Estimate the share of all valid pairs that flip one way."""
    valid = one.notna() & two.notna()
    return clustered_proportion(hit.astype(float).where(valid), clusters, study.confidence)


def _relation(judge: str, generator: str) -> str:
    """Say whether a judge judges itself, its family, another model, or a pool."""
    models = catalog.load().models
    if judge == generator:
        return "own"
    if judge not in models or generator not in models:
        return ""
    return "family" if models[judge].family == models[generator].family else "other"


def _role(judge: str, generator: str, transition: tuple[str, str], study: Study) -> str:
    primary = generator == ALL and judge != MAJORITY and transition == settings(study).primary
    return "primary" if primary else "exploratory"


def _before(frame: pd.DataFrame, name: str) -> list[str]:
    columns = list(frame.columns)
    return columns[: columns.index(name)]


def agreement(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how far the judges agree with one another: pair of judges × condition."""
    rows = []
    for judge, other in combinations(study.judges, 2):
        first, second = (cells.wide(cells.plain(table), name) for name in (judge, other))
        both = first.merge(second, on=["generator", "question_id", "cluster"])
        for condition in CONDITIONS:
            found = agree(
                both[f"{condition}_x"], both[f"{condition}_y"], both["cluster"], study.confidence
            )
            rows.append(
                {
                    "judge": judge,
                    "other": other,
                    "condition": condition,
                    "n": found.raw.n,
                    "invalid": found.missing,
                    **cells.shown("agreement", found.raw),
                    **cells.shown("kappa", found.kappa),
                    **cells.shown("ac1", found.ac1),
                    "note": found.kappa.note,
                }
            )
    return pd.DataFrame(rows, columns=_AGREEMENT)


_AGREEMENT = [
    *("judge", "other", "condition", "n", "invalid"),
    *(f"{name}{end}" for name in ("agreement", "kappa", "ac1") for end in ("", "_low", "_high")),
    "note",
]
