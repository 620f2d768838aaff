"""Sensitivity: the committed tables, computed again from the raw judgments in another way.

Nothing here uses the project's statistics. Of each table one row is computed again, which the
table's own hash picks, so that it is another one whenever the table changes.
"""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conftest import COMMITTED, ROOT
from judgeworthy import study as studies
from judgeworthy.models import catalog
from judgeworthy.study import Study
from judgeworthy.study.blocks import Sensitivity
from sections.sensitivity import recomputed as again
from sections.sensitivity.recomputed import Between, Expected, Rate

ALL, NOT_OWN, NOT_FAMILY = "all generators", "without own", "without own family"
MAJORITY = "majority of judges"
CONDITIONS = ["NR", "RV", "RC"]
DECISIONS = {"CORRECT": 1.0, "INCORRECT": 0.0}
RESPONSE = ["generator", "question_id", "cluster", "response_right"]
RIGHT = {"right": "True", "wrong": "False"}
PAIRS = {
    "another seed": ("NR sampled-1", "NR sampled-2"),
    "paraphrase": ("NR", "NR paraphrase"),
    "irrelevant text": ("NR", "RV irrelevant"),
    "another question's reference": ("NR", "RV other"),
    "reference visible": ("NR", "RV"),
    "reference compared": ("NR", "RC"),
}
# A measure is compared with those of these that stand above it.
FLOORS = {
    "over_seed": "another seed",
    "over_paraphrase": "paraphrase",
    "over_irrelevant": "irrelevant text",
    "over_other": "another question's reference",
}
TEXTS = ["note", "rates_note", "relation", "method"]

Row = Mapping[Hashable, Any]


@dataclass(frozen=True)
class Raw:
    """What a study's folder of figures holds."""

    folder: Path
    study: Study

    @cached_property
    def table(self) -> pd.DataFrame:
        return self._read("sensitivity_judgments")

    @cached_property
    def calibration(self) -> pd.DataFrame:
        return self._read("calibration_judgments")

    @cached_property
    def main(self) -> pd.DataFrame:
        return self.table[self.table["variant"] == ""]

    @cached_property
    def families(self) -> dict[str, str]:
        return {name: model.family for name, model in catalog.load().models.items()}

    @property
    def settings(self) -> Sensitivity:
        assert self.study.sensitivity is not None
        return self.study.sensitivity

    @property
    def level(self) -> float:
        return self.study.confidence

    def committed(self, name: str) -> pd.DataFrame:
        frame = pd.read_csv(self.folder / f"{name}.csv", dtype=dict.fromkeys(TEXTS, str))
        return frame.fillna(dict.fromkeys(frame.columns.intersection(TEXTS), ""))

    def _read(self, name: str) -> pd.DataFrame:
        frame = pd.read_csv(self.folder / f"{name}.csv", dtype=str, keep_default_na=False)
        return frame.assign(accepted=frame["verdict"].map(DECISIONS))


# Cells


def pools(row: Row, raw: Raw) -> dict[str, list[str]]:
    """The generators of each pool; one that is empty, or like another before it, is not there."""
    named = [row[label] for label in ("judge", "other") if label in row]
    judges = raw.study.judges if named == [MAJORITY] else named
    families = {raw.families[judge] for judge in judges}
    names = list(raw.settings.generators)
    found = {
        ALL: names,
        NOT_OWN: [name for name in names if name not in judges],
        NOT_FAMILY: [name for name in names if raw.families[name] not in families],
    }
    first = {tuple(members): pool for pool, members in reversed(found.items())}
    return {pool: list(members) for members, pool in first.items() if members}


def chosen(frame: pd.DataFrame, row: Row, raw: Raw) -> pd.DataFrame:
    """The rows of the generator, or pool of generators, that a row is about."""
    alone = {name: [name] for name in raw.settings.generators}
    return frame[frame["generator"].isin((alone | pools(row, raw))[row["generator"]])]


def cell(row: Row, raw: Raw, judge: str = "judge") -> pd.DataFrame:
    """A row a response, a column a condition."""
    name = row[judge]
    verdicts = majority(raw) if name == MAJORITY else raw.main[raw.main["judge"] == name]
    wide = verdicts.pivot(index=RESPONSE, columns="condition", values="verdict").reset_index()
    wide[CONDITIONS] = wide[CONDITIONS].apply(lambda column: column.map(DECISIONS))
    return chosen(wide, row, raw).reset_index(drop=True)


def majority(raw: Raw) -> pd.DataFrame:
    """What more than half of the judges say, else INVALID."""
    votes = raw.main.pivot(index=[*RESPONSE, "condition"], columns="judge", values="verdict")
    said = {name: (votes == name).sum(axis=1) * 2 > votes.shape[1] for name in DECISIONS}
    verdict = np.select(list(said.values()), list(said), "INVALID")
    return pd.DataFrame({"verdict": verdict}, votes.index).reset_index()


# Tables: the row as the raw judgments give it, without its labels


def responses(row: Row, raw: Raw) -> Expected:
    mine = raw.main[raw.main["generator"] == row["generator"]]
    mine = mine[(mine["judge"] == raw.study.judges[0]) & (mine["condition"] == "NR")]
    states = mine["response_state"]
    right = again.rate(mine["response_right"].eq("True").astype(float), mine["cluster"], raw.level)
    return {
        "n": len(mine),
        "clusters": mine["cluster"].nunique(),
        **{state: int((states == state).sum()) for state in ("complete", "cut_off", "empty")},
        **again.entries(raw.study, right=right),
    }


def acceptance(row: Row, raw: Raw) -> Expected:
    wide = cell(row, raw)
    if "response" in row:
        wide = wide[wide["response_right"] == RIGHT[row["response"]]]
    accepted, clusters = wide[str(row["condition"])], wide["cluster"]
    found = again.rate(accepted, clusters, raw.level)
    return again.counted(accepted, clusters) | again.entries(raw.study, acceptance=found)


def sensitivity(row: Row, raw: Raw) -> Expected:
    one, two, clusters = transition(row, cell(row, raw))
    found = again.entries(raw.study, **again.shifts(one, two, clusters, raw.level))
    estimable = found["net"] is not None
    alike = pd.Series("", one.index)
    low, high = again.bootstrap(one - two, alike, alike, clusters, raw.study)
    return {
        "relation": relation(row, raw),
        **again.states(one, two, clusters),
        **found,
        **of_those_that_could(row, raw),
        "net_bootstrap_low": low if estimable else None,
        "net_bootstrap_high": high if estimable else None,
        "p": again.mcnemar(one, two, clusters) if estimable else None,
        **multiplicity(row, raw),
    }


def of_those_that_could(row: Row, raw: Raw) -> Expected:
    """Flips among the pairs that could flip that way, with a note of their own."""
    one, two, clusters = transition(row, cell(row, raw))
    rates = {
        name: again.conditional(one, two, start, clusters, raw.level)
        for name, start in (("to_incorrect_rate", 1), ("to_correct_rate", 0))
    }
    found = again.entries(raw.study, **rates)
    return found | {"rates_note": found.pop("note")}


def transition(row: Row, wide: pd.DataFrame) -> tuple[pd.Series, pd.Series, pd.Series]:
    first, second = row["transition"].split("→")
    return wide[first], wide[second], wide["cluster"]


def relation(row: Row, raw: Raw) -> str:
    judge, generator = row["judge"], row["generator"]
    if judge == MAJORITY or generator in (ALL, NOT_OWN, NOT_FAMILY):
        return ""
    alike = raw.families[judge] == raw.families[generator]
    return "own" if judge == generator else "family" if alike else "other"


def multiplicity(row: Row, raw: Raw) -> Expected:
    contrast = row["transition"] == "→".join(raw.settings.primary)
    primary = contrast and row["generator"] == ALL and row["judge"] != MAJORITY
    role = "primary" if primary else "exploratory"
    table = raw.committed("sensitivity")
    return {"role": role, "p_holm": again.holm(row["p"], table.loc[table["role"] == role, "p"])}


def paths(row: Row, raw: Raw) -> Expected:
    wide = raw.main[raw.main["judge"] == row["judge"]].pivot(
        index=["generator", "question_id"], columns="condition", values="verdict"
    )
    same = [wide[name] == row[name] for name in CONDITIONS]
    return {"n": int((same[0] & same[1] & same[2]).sum())}


def leaks(row: Row, raw: Raw) -> Expected:
    before, after = (leaking(row, name, raw) for name in ("NR", row["condition"]))
    assert before.index.equals(after.index)
    wrong = before["response_right"] == "False"
    one, two, clusters = after["leak"][wrong], before["leak"][wrong], after["cluster"]
    both = before["accepted"].notna() & after["accepted"].notna()
    changed = before["extracted"].ne(after["extracted"]).astype(float).where(both)
    numbers = {"leak_rate": again.rate(one, clusters[wrong], raw.level)}
    compared = {"changed_n": len(both), "changed_invalid": int((~both).sum())}
    if row["condition"] != "NR":
        numbers["above_nr"] = again.difference(one, two, clusters[wrong], raw.level)
        numbers["extracted_changed"] = again.rate(changed, clusters, raw.level)
    return {
        **again.counted(one, clusters[wrong]),
        "leaks": int(one.sum()),
        **(dict.fromkeys(compared) if row["condition"] == "NR" else compared),
        **again.absent("above_nr", "extracted_changed"),
        **again.entries(raw.study, **numbers),
    }


def leaking(row: Row, condition: str, raw: Raw) -> pd.DataFrame:
    """Whether the valid extracted answers say a reference."""
    mine = raw.main[(raw.main["judge"] == row["judge"]) & (raw.main["condition"] == condition)]
    mine = chosen(mine, row, raw).set_index(["generator", "question_id"]).sort_index()
    leak = mine["extracted_matches_reference"].eq("True").astype(float)
    return mine.assign(leak=leak.where(mine["accepted"].notna()))


def compared(row: Row, raw: Raw) -> Expected:
    mine = raw.table[(raw.table["judge"] == row["judge"]) & (raw.table["generator"] != "")]
    asked = mine.loc[mine["variant"] == "sampled-1", "question_id"]
    mine = chosen(mine[mine["question_id"].isin(asked)], row, raw)
    name = (mine["condition"] + " " + mine["variant"]).str.strip()
    verdicts = mine.assign(name=name).pivot(index=RESPONSE, columns="name", values="verdict")
    one, two, clusters = decisions(row["measure"], [row["measure"]], verdicts)
    floors = list(FLOORS)[: list(PAIRS).index(row["measure"])]
    numbers = {
        "flip_rate": again.rate((one - two).abs(), clusters, raw.level),
        "net": again.difference(one, two, clusters, raw.level),
        **{floor: over(row["measure"], FLOORS[floor], verdicts, raw) for floor in floors},
    }
    return {
        **again.states(one, two, clusters),
        **again.absent(*FLOORS),
        **again.entries(raw.study, **numbers),
    }


def decisions(
    measure: str, asked: list[str], verdicts: pd.DataFrame
) -> tuple[pd.Series, pd.Series, pd.Series]:
    """The two decisions of a measure, and the clusters, where all of `asked` were asked."""
    needed = {name for each in asked for name in PAIRS[each]}
    both = verdicts.reindex(columns=sorted(needed)).dropna().reset_index()
    one, two = (both[name].map(DECISIONS).astype(float) for name in PAIRS[measure])
    return one, two, both["cluster"]


def over(measure: str, floor: str, verdicts: pd.DataFrame, raw: Raw) -> Rate:
    """How much more flips than between two seeds, two wordings, or with a placebo."""
    one, two, clusters = decisions(measure, [measure, floor], verdicts)
    first, second, _ = decisions(floor, [measure, floor], verdicts)
    return again.difference((one - two).abs(), (first - second).abs(), clusters, raw.level)


def controls(row: Row, raw: Raw) -> Expected:
    mine = controlled(row, raw)
    right, accepted, clusters = mine["arm"] == "right", mine["accepted"], mine["cluster"]
    arms = {
        name: again.rate(accepted[which], clusters[which], raw.level)
        for name, which in (("right", right), ("wrong", ~right))
    }
    by_arm = mine.pivot(index=["question_id", "cluster"], columns="arm", values="verdict")
    both = by_arm.dropna().reset_index()
    first, second = (both[name].map(DECISIONS).astype(float) for name in RIGHT)
    return {
        **again.counted(accepted, clusters),
        **{f"{name}_n": arm.asked for name, arm in arms.items()},
        **{f"{name}_invalid": arm.invalid for name, arm in arms.items()},
        **again.entries(
            raw.study,
            **{f"{name}_accepted": arm for name, arm in arms.items()},
            gap=again.difference(first, second, both["cluster"], raw.level),
            accuracy=again.rate(accepted.where(right, 1 - accepted), clusters, raw.level),
        ),
    }


def controlled(row: Row, raw: Raw) -> pd.DataFrame:
    """A judge's judgments of right and of wrong answers; without a reference, the calibration's."""
    if row["condition"] == "none":
        asked = raw.calibration["question_id"].isin(raw.table["question_id"])
        mine, arm = raw.calibration[asked], raw.calibration["condition"]
        mine = mine.assign(arm=arm.map({"C1": "right", "C2": "wrong"}))
    else:
        mine = raw.table[raw.table["condition"] == row["condition"]]
        mine = mine[mine["variant"].isin(list(RIGHT))].assign(arm=mine["variant"])
    return mine[mine["judge"] == str(row["judge"])]


def flips(row: Row, raw: Raw) -> Expected:
    wide, whole = cell(row, raw), row["response"] == "standardised"
    part = wide if whole else wide[wide["response_right"] == RIGHT[row["response"]]]
    pairs = transition(row, part)
    found = again.states(*pairs) | again.entries(raw.study, **again.shifts(*pairs, raw.level))
    return standardised(row, wide, found, raw) if whole else found


def standardised(row: Row, wide: pd.DataFrame, plain: Expected, raw: Raw) -> Expected:
    """Only its rate is there; the interval is known up to the error of the resamples."""
    one, two, clusters = transition(row, wide)
    changed, right, generators = (one - two).abs(), wide["response_right"], wide["generator"]
    rate, limits = again.rate(changed, clusters, raw.level), {}
    if changed.nunique() == 2:  # else the resamples do not vary
        value = again.standardised(changed, right, generators)
        rate = replace(rate, value=value, low=row["flip_rate_low"], high=row["flip_rate_high"])
        low, high = again.bootstrap(changed, right, generators, clusters, raw.study)
        limits = {"flip_rate_low": low, "flip_rate_high": high}
    found = again.entries(raw.study, flip_rate=replace(rate, least=None, most=None))
    return {
        **dict.fromkeys(plain),
        **{name: plain[name] for name in ("n", "clusters", "invalid")},
        **found,
        **(limits if found["flip_rate"] is not None else {}),
    }


def judges_agreement(row: Row, raw: Raw) -> Expected:
    sides = [cell(row, raw, name).set_index(RESPONSE) for name in ("judge", "other")]
    said = pd.concat([side[row["condition"]] for side in sides], axis="columns").reset_index()
    one, two, clusters = said.iloc[:, -2], said.iloc[:, -1], said["cluster"]
    found = again.entries(raw.study, **again.agreement(one, two, clusters, raw.level))
    unbounded = ("kappa_min", "kappa_max", "ac1_min", "ac1_max")
    bounded = {name: value for name, value in found.items() if name not in unbounded}
    return again.counted(one - two, clusters) | bounded


def regression(row: Row, raw: Raw) -> Expected:
    asked = chosen(raw.main[raw.main["judge"] == row["judge"]], row, raw)
    mine, interaction = asked.dropna(subset="accepted"), "×" in row["effect"]
    note = obstacle(asked, mine, interaction, raw)
    found = {
        **again.counted(asked["accepted"], asked["cluster"]),
        **dict.fromkeys(("odds_ratio", "odds_ratio_low", "odds_ratio_high", "f", "p")),
        "degrees": degrees(row, asked),
        "method": again.GEE.format("exchangeable"),
        "note": note,
    }
    if note:
        return found
    fitted = again.fit(mine, interaction)
    if found["degrees"] is None:
        numbers = again.odds_ratio(fitted, row["effect"].split()[0], mine, raw.level)
    else:
        numbers = again.wald(fitted, ":" if interaction else "C(condition", mine)
    return found | numbers | {"method": again.method(fitted)}


def obstacle(asked: pd.DataFrame, mine: pd.DataFrame, interaction: bool, raw: Raw) -> str:
    """Why there is no regression; empty where there is one."""
    accepted = again.rate(asked["accepted"], asked["cluster"], raw.level).kept(raw.study)
    if accepted.value is None:
        return accepted.note
    if again.is_separated(mine, interaction):
        return again.SEPARATED
    alone = interaction and asked["generator"].nunique() == 1
    return "nothing to test: a factor has one level" * alone


def degrees(row: Row, asked: pd.DataFrame) -> int | None:
    """Coefficients that are tested together; none where one is estimated."""
    conditions, generators = len(CONDITIONS) - 1, asked["generator"].nunique() - 1
    tests = {"condition": conditions, "condition × generator": conditions * generators}
    return tests.get(row["effect"])


# The labels of each table's rows, and how the rest of a row is computed

TABLES: dict[str, tuple[list[str], Callable[[Row, Raw], Expected]]] = {
    "responses": (["generator"], responses),
    "acceptance": (["judge", "generator", "condition"], acceptance),
    "sensitivity": (["judge", "generator", "transition"], sensitivity),
    "paths": (["judge", *CONDITIONS], paths),
    "compared": (["judge", "generator", "measure"], compared),
    "controls": (["judge", "condition"], controls),
    "leaks": (["judge", "generator", "condition"], leaks),
    "acceptance_by_correctness": (["judge", "generator", "condition", "response"], acceptance),
    "flips_by_correctness": (["judge", "generator", "transition", "response"], flips),
    "judges_agreement": (["judge", "other", "generator", "condition"], judges_agreement),
    "regression": (["judge", "generator", "effect"], regression),
}
# Tables that have rows only where the judgments hold these variants.
OPTIONAL = {"compared": ["sampled-1"], "controls": ["right", "wrong"]}
# Tables that have a row for each generator by itself.
APART = ("responses", "acceptance", "sensitivity")


def differing(row: Row, name: str, raw: Raw) -> dict[str, tuple[Any, Any]]:
    """The columns of a row that are not what the raw judgments give: found, expected."""
    labels, recompute = TABLES[name]
    expected = recompute(row, raw)
    assert {*labels, *expected} == set(row)
    return {
        column: (row[column], wanted)
        for column, wanted in expected.items()
        if not agrees(row[column], wanted)
    }


def agrees(found: Any, expected: Any) -> bool:
    """Whether a number of six digits, a text, or its absence, is what is expected."""
    match expected:
        case None:
            return bool(pd.isna(found))
        case str():
            return bool(found == expected)
        case Between(low, high):
            return bool(low - 1e-5 <= found <= high + 1e-5)
        case _:
            return bool(found == pytest.approx(expected, rel=1e-5, abs=1e-9))


def beside(row: Row, name: str, rows: Sequence[Row]) -> list[str]:
    """The generators, and pools of them, that a table has rows of which are else labelled alike."""
    labels = [label for label in TABLES[name][0] if label != "generator"]
    alike = [each for each in rows if all(each[label] == row[label] for label in labels)]
    return sorted(each["generator"] for each in alike)


def wanted(row: Row, name: str, raw: Raw) -> list[str]:
    """Those that it must have rows of."""
    alone = raw.settings.generators if name in APART else ()
    return sorted([*alone, *(pools(row, raw) if "judge" in row else ())])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", COMMITTED)
def test_a_row_of_each_committed_table_is_what_the_raw_judgments_give(
    name: str, table: str
) -> None:
    folder = ROOT / "figures" / name
    if not (folder / "sensitivity.csv").exists():
        pytest.skip(f"no sensitivity tables of {name} yet")
    raw = Raw(folder, studies.load(name))
    rows = raw.committed(table).to_dict("records")
    if table in OPTIONAL and not raw.table["variant"].isin(OPTIONAL[table]).any():
        assert not rows
        return
    picked = int(hashlib.sha256((folder / f"{table}.csv").read_bytes()).hexdigest(), 16)
    row = rows[picked % len(rows)]
    assert not differing(row, table, raw), row
    assert "generator" not in row or beside(row, table, rows) == wanted(row, table, raw), row
