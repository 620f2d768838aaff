"""Pairs: the models' consensus comes back, people stay out of it, and bias is measured."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from judgeworthy import recording
from judgeworthy import study as studies
from judgeworthy.datasets import prd
from judgeworthy.errors import DataError
from judgeworthy.sections.peer_ranking import pairs, voted
from judgeworthy.sections.peer_ranking.pairs import points
from judgeworthy.study import Study
from sections.peer_ranking import planted, planted_votes
from sections.peer_ranking.planted_votes import NAMES, by_merit

STUDY = planted.study(NAMES)
PRD = """\
title: Pairs
dataset: prd
language: en
seed: 1
peer_ranking: {}
"""
HONEST = dict.fromkeys(NAMES, by_merit())


def only(frame: pd.DataFrame, **place: str) -> dict[str, Any]:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_a_planted_order_comes_back_with_ties() -> None:
    votes = planted_votes.votes(HONEST, by_merit())
    found = pairs.strengths(votes, STUDY)
    for name in ("place", "place_without_own", "people_place"):
        assert found[name].tolist() == [1, 2, 3], name
    assert (found["strength_low"] < found["strength"]).all()
    assert found["strength"].sum() == pytest.approx(0, abs=1e-6)
    assert found["points"].sum() == pytest.approx(150)
    assert found["n"].tolist() == [20 * 4 * 3] * 3 and (found["people_n"] == 20 * 2 * 3).all()


def test_peoples_votes_are_no_part_of_the_consensus() -> None:
    alike = pairs.strengths(planted_votes.votes(HONEST, by_merit(), several=2), STUDY)
    votes = planted_votes.votes(HONEST, by_merit(), several=2)
    turned = votes["judge"].eq(voted.PEOPLE)
    votes.loc[turned, "outcome"] = votes.loc[turned, "outcome"].map(
        {"first": "second", "second": "first", "tie": "tie"}
    )
    against = pairs.strengths(votes, STUDY)
    ours = ["strength", "strength_low", "strength_without_own", "points", "points_high", "place"]
    pd.testing.assert_frame_equal(alike[ours], against[ours])
    assert against["people_place"].tolist() == [3, 2, 1]
    pd.testing.assert_frame_equal(
        pairs.rankings(votes), pairs.rankings(votes[votes["judge"] != voted.PEOPLE])
    )
    strong = pairs.compared(votes, against, STUDY)
    assert only(strong, measure="order of strengths, tau")["value"] == -1
    assert only(strong, measure="majorities on a prompt and pair")["value"] < 0.5


def test_agreement_with_people_is_found_whole_and_by_prompt() -> None:
    sure = by_merit(noise=0, ties=0)
    votes = planted_votes.votes(dict.fromkeys(NAMES, sure), sure)
    found = pairs.compared(votes, pairs.strengths(votes, STUDY), STUDY).set_index("measure")
    assert found["value"].dropna().tolist() == [1] * found["value"].notna().sum()
    assert found.loc["majorities on a prompt and pair", "n"] == 20 * 3
    assert found.loc["one person with another", "n"] == 20 * 3 * 3
    assert found.loc["one person with the models' majority", "n"] == 20 * 3 * 3
    mixed = planted_votes.votes(dict.fromkeys(NAMES, sure), by_merit(ties=0), prompts=60)
    rows = pairs.compared(mixed, pairs.strengths(mixed, STUDY), STUDY).set_index("measure")["value"]
    # Against the truth one errs once, against another person twice.
    assert rows["one person with another"] < rows["one person with the models' majority"] < 1


def test_a_judge_that_prefers_what_it_reads_first_is_found_and_one_that_does_not() -> None:
    votes = planted_votes.votes({**HONEST, "ann": planted_votes.for_the_first}, by_merit())
    found = pairs.judges(votes, STUDY)
    ann, ben = only(found, judge="ann"), only(found, judge="ben")
    assert (ann["first_preferred"], ann["consistent"], ann["ties"]) == (1, 0, 0)
    assert ben["first_preferred_low"] < 0.5 < ben["first_preferred_high"]
    assert 0.1 < ben["ties"] < 0.3
    people = only(found, judge=voted.PEOPLE)
    assert pd.isna(people["first_preferred"]) and pairs.ONE_ORDER in people["note"]


def test_a_judge_that_favours_itself_is_told_apart_from_one_that_is_good() -> None:
    votes = planted_votes.votes({**HONEST, "cy": planted_votes.for_itself}, prompts=40)
    found = pairs.judges(votes, STUDY)
    assert only(found, judge="cy")["self_lead_low"] > 0.3
    ann = only(found, judge="ann")
    assert ann["self_lead_low"] < 0 < ann["self_lead_high"], "the best is not the most selfish"


def test_shares_and_leads_of_pairs_are_those_of_all_votes() -> None:
    votes = planted_votes.votes(HONEST)
    found = pairs.pairwise(votes, STUDY)
    assert found[["candidate", "other"]].to_numpy().tolist() == [
        ["ann", "ben"],
        ["ann", "cy"],
        ["ben", "cy"],
    ]
    ahead = votes.assign(earned=points.earned_by_first(votes))
    one = ahead[(ahead["first"] == "ann") & (ahead["second"] == "ben")]["earned"]
    two = ahead[(ahead["first"] == "ben") & (ahead["second"] == "ann")]["earned"]
    share = (one.sum() + len(two) - two.sum()) / (len(one) + len(two))
    row = only(found, candidate="ann", other="ben")
    assert row["preferred"] == pytest.approx(share) and row["n"] == len(one) + len(two)
    earned = pairs.strengths(votes, STUDY)["points"]
    assert row["lead"] == pytest.approx(earned[0] - earned[1])
    assert row["lead_low"] < row["lead"] < row["lead_high"]


def test_strict_rankings_are_derived_and_the_others_counted() -> None:
    votes = planted_votes.votes({"ann": by_merit(noise=0, ties=0), "ben": planted_votes.always_tie})
    short = votes.drop(votes[votes["judge"].eq("ann") & votes["question_id"].eq("p00")].index[:1])
    counted = pairs.derived(short)
    assert counted.sort_values("judge").to_dict("records") == [
        {"judge": "ann", "rankings": 20, "strict": 19, "tied": 0, "incomplete": 1},
        {"judge": "ben", "rankings": 20, "strict": 0, "tied": 20, "incomplete": 0},
    ]
    assert pairs.left_out(counted) == (
        "20 rankings with ties and 1 with a missing vote are left out, 52% of 40"
    )
    table = pairs.rankings(short)
    assert set(table["judge"]) == {"ann"} and table["prompt_id"].nunique() == 19
    assert table.groupby("candidate")["rank"].unique().str[0].to_dict() == {
        "ann": 1,
        "ben": 2,
        "cy": 3,
    }


def test_kendalls_tau_counts_level_pairs_as_tau_b_does() -> None:
    generator = np.random.default_rng(3)
    one, two = generator.integers(0, 4, (2, 50, 5)).astype(float)
    expected = [kendalltau(left, right).statistic for left, right in zip(one, two, strict=True)]
    np.testing.assert_allclose(points.tau_b(one, two), expected)


CASES = {
    "honest": planted_votes.votes(HONEST, by_merit()),
    "nobody but models": planted_votes.votes(HONEST),
    "only ties": planted_votes.votes(
        dict.fromkeys(NAMES, planted_votes.always_tie), planted_votes.always_tie
    ),
    "by place": planted_votes.votes(
        dict.fromkeys(NAMES, planted_votes.for_the_first), planted_votes.for_the_first
    ),
    "one always wins": planted_votes.votes(
        dict.fromkeys(NAMES, by_merit(noise=0, ties=0)), by_merit(noise=0)
    ),
    "one prompt": planted_votes.votes(HONEST, by_merit(), prompts=1),
    "one person": planted_votes.votes(HONEST, by_merit(), several=1),
}


@pytest.mark.parametrize("case", CASES)
def test_no_number_is_missing_without_a_reason(case: str) -> None:
    votes = CASES[case]
    strong = pairs.strengths(votes, STUDY)
    tables = (
        strong,
        pairs.pairwise(votes, STUDY),
        pairs.judges(votes, STUDY),
        pairs.compared(votes, strong, STUDY),
    )
    for found in tables:
        for row in found.to_dict("records"):
            absent = [name for name, value in row.items() if pd.isna(value)]
            if absent:
                assert row["note"], absent
            assert not re.search(r"\bnan\b|\bNone\b", str(row["note"]))


@pytest.fixture
def paired(project: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    rows = (
        ("gpt4", 1, "bard", "gpt4", "gpt4"),
        ("gpt4", 1, "gpt4", "bard", "tie"),
        ("human", 1, "bard", "gpt4", "bard"),
        ("human", 1, "bard", "gpt4", "bard"),
    )
    fields = ("judge", "question_id", "first", "second", "winner")
    extract = [json.dumps(dict(zip(fields, row, strict=True))) for row in rows]
    folder = project / "prd"
    folder.mkdir()
    (folder / prd.EXTRACT).write_text("\n".join(extract), encoding="utf-8")
    monkeypatch.setenv(prd.VARIABLE, str(folder))
    (project / "params/x.yaml").write_text(PRD, encoding="utf-8")
    return studies.load("x")


def test_a_recording_of_pairs_asks_nobody_and_keeps_what_it_has(
    paired: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(recording.record(paired, recording.Way())) == []
    recording.keep(paired)
    kept = voted.location(paired).read_bytes()
    monkeypatch.setenv(prd.VARIABLE, "nowhere")
    recording.keep(paired)
    assert voted.location(paired).read_bytes() == kept


def test_votes_are_kept_without_a_sentence_and_read_again(paired: Study) -> None:
    assert not voted.holds(paired)
    voted.keep(paired)
    kept = voted.load(paired)
    pd.testing.assert_frame_equal(kept, voted.table(prd.read(prd.location())))
    assert kept.to_dict("records")[-1] == {
        "question_id": "prd-01",
        "domain": "",
        "judge": "people",
        "vote": 2,
        "first": "bard",
        "second": "gpt4",
        "outcome": "first",
    }
    assert kept["outcome"].tolist() == ["second", "tie", "first", "first"]
    assert "4 rows read" in voted.origin(paired)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("question_id", "id", "columns question_id, domain"),
        ("tie", "level", "pairs.csv:3: the outcome must be one of"),
        ("gpt4,bard,tie", "gpt4,gpt4,tie", "pairs.csv:3: an answer is compared with itself"),
        ("people,2", "people,1", "pairs.csv:5: a vote stands twice"),
        ("people,2", "people,x", "restore it"),
        ("prd-01,,gpt4,1,bard", ",,gpt4,1,bard", "pairs.csv:2: a field is empty"),
    ],
)
def test_kept_votes_that_cannot_be_are_refused(
    old: str, new: str, said: str, paired: Study
) -> None:
    voted.keep(paired)
    path = voted.location(paired)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=said):
        voted.load(paired)


def test_votes_that_are_not_kept_name_the_command(paired: Study) -> None:
    with pytest.raises(DataError, match="'make record' writes it"):
        voted.load(paired)
    with pytest.raises(DataError, match="'make record' writes it"):
        voted.origin(paired)
    voted.keep(paired)
    voted.location(paired).with_suffix(".json").write_text("[]", encoding="utf-8")
    with pytest.raises(DataError, match="broken"):
        voted.origin(paired)
