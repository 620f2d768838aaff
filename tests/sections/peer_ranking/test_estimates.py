"""Peer ranking: planted preferences come back, golden values reach the tables, nothing is lost."""

import json
import re
from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conftest import ROOT
from judgeworthy.sections.peer_ranking import arrays, estimates, judges
from judgeworthy.study import Study
from sections.peer_ranking import planted
from sections.peer_ranking.planted import NAMES, Judge

GOLDEN = json.loads((ROOT / "tests/golden/rankings.json").read_text(encoding="utf-8"))
Table = Callable[[pd.DataFrame, Study], pd.DataFrame]
TABLES: tuple[Table, ...] = (
    estimates.ranking,
    estimates.ranking_by_domain,
    estimates.pairwise,
    estimates.mean_ranks,
    judges.judges,
    judges.stability,
    judges.agreement_against_index,
)
STUDY = planted.study()


def only(frame: pd.DataFrame, **place: str) -> dict[str, Any]:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}


def panel(**others: Judge) -> dict[str, Judge]:
    """Judges by merit, but for those that are named."""
    return {name: others.get(name, planted.by_merit()) for name in NAMES}


@pytest.mark.parametrize("case", ["last_is_always_last", "three_methods_three_answers"])
def test_the_golden_values_reach_the_ranking(case: str) -> None:
    golden = GOLDEN[case]
    table = planted.given(golden["ballots"])
    study = planted.study(sorted(golden["ballots"][0]), runs=1, sessions=1)
    found = estimates.ranking(table, study)
    assert found["rii"].tolist() == pytest.approx(golden["rii"], abs=5e-3)
    assert found["plackett_luce"].tolist() == pytest.approx(golden["plackett_luce"], abs=5e-7)
    assert found["rii_low"].isna().all()
    assert found["note"].str.contains("one prompt only: no interval").all()


def test_three_methods_with_three_answers_are_said_to_disagree() -> None:
    golden = GOLDEN["three_methods_three_answers"]
    found = estimates.ranking(planted.given(golden["ballots"]), planted.study("ABC"))
    assert found["place_kemeny"].tolist() == [1, 2, 3]
    assert found["place_rii"].tolist() == [1, 1, 3]
    assert found["place_plackett_luce"].tolist() == [2, 1, 3]
    a = only(found, candidate="A")["disagreements"]
    assert a == (
        "above B by Kemeny, below B by Plackett–Luce, level with B by RII, Borda, Bradley–Terry"
    ), a


def test_several_kemeny_orders_are_counted_and_a_candidate_always_last_is_regularised() -> None:
    level = estimates.ranking(planted.given(["ABC", "BCA", "CAB"]), planted.study("ABC"))
    assert level["note"].str.contains("3 Kemeny orders are equally near").all()
    last = estimates.ranking(
        planted.given(GOLDEN["last_is_always_last"]["ballots"]), planted.study("ABCD")
    )
    assert last["note"].str.contains("plackett luce: no maximum of the likelihood").all()


def test_kendalls_w_has_its_golden_value_beside_its_null() -> None:
    golden = GOLDEN["last_is_always_last"]
    found = estimates.ranking_by_domain(planted.given(golden["ballots"]), planted.study("ABCD"))
    row = only(found, domain=estimates.EVERYWHERE, candidate="A")
    assert row["w"] == pytest.approx(golden["w"], abs=5e-7)
    assert row["w_null"] == pytest.approx(1 / 3)
    assert row["w_null_low"] < 1 / 3 < row["w_null_high"]


def test_a_planted_order_comes_back_by_every_method_and_index() -> None:
    found = estimates.ranking(planted.table(panel()), STUDY)
    for name in estimates.METHODS.values():
        assert found[name].tolist() == [1, 2, 3, 4], name
    for name in estimates.INDICES:
        assert found[name].is_monotonic_decreasing, name
        assert ((found[f"{name}_low"] < found[name]) & (found[name] < found[f"{name}_high"])).all()
    assert (found["n"] == 240).all() and (found["clusters"] == 30).all()
    leads = estimates.pairwise(planted.table(panel()), STUDY)
    assert (leads["lead_low"] > 0).all()
    assert (leads["preferred"] > 0.5).all() and (leads["preferred_by_others"] > 0.5).all()


def test_own_votes_raise_the_index_and_are_gone_where_they_are_taken_off_or_not_shown() -> None:
    table = planted.table(panel(dee=planted.for_itself))
    row = only(estimates.ranking(table, STUDY), candidate="dee")
    assert row["rii"] > row["rii_without_own"] + 10
    assert row["rii_without_own"] == pytest.approx(row["rii_self_excluded"], abs=8)
    judged = judges.judges(table, STUDY)
    assert only(judged, judge="dee")["self_preference_high"] < -1
    for name in ("ben", "cy"):
        assert abs(only(judged, judge=name)["self_preference"]) < 0.5


def test_a_judge_that_gives_back_the_order_shown_is_named_and_left_out() -> None:
    table = planted.table(panel(ben=planted.by_place))
    judged = judges.judges(table, STUDY)
    assert judged["order_only"].tolist() == [False, True, False, False]
    ben = only(judged, judge="ben")
    assert (ben["position"], ben["position_explained"]) == (pytest.approx(1), pytest.approx(1))
    assert ben["position_p"] < 0.01 and ben["position_p_any"] < 0.01
    assert only(judged, judge="ann")["position_p"] > 0.05
    found = estimates.ranking(table, STUDY)
    without = table[table["judge"] != "ben"]
    alone = estimates.ranking(without, STUDY)
    assert found["rii_without_order_only"].tolist() == pytest.approx(alone["rii"].tolist())


def test_where_no_judge_is_left_the_reason_is_said() -> None:
    by_place = estimates.ranking(planted.table(dict.fromkeys(NAMES, planted.by_place)), STUDY)
    assert by_place["rii_without_order_only"].isna().all()
    said = "rii without order only: every judge's ballots carry nothing but the order shown"
    assert by_place["note"].str.contains(said).all()
    silent = estimates.ranking(planted.table(dict.fromkeys(NAMES, planted.silent)), STUDY)
    assert silent["note"].str.contains("of every judge too many ballots are invalid").all()


def test_a_judge_by_place_does_not_make_a_good_judge_of_a_good_model_look_selfish() -> None:
    table = planted.table({**panel(), "ben": planted.by_place, "cy": planted.by_place}, prompts=60)
    ann = only(judges.judges(table, STUDY), judge="ann")
    assert ann["self_preference_high"] < 0
    assert abs(ann["self_preference_without_order_only"]) < 0.3


def test_a_preference_for_length_is_measured_though_lengths_change_with_the_run() -> None:
    table = planted.table(panel(cy=planted.by_length))
    judged = judges.judges(table, STUDY)
    assert only(judged, judge="cy")["longer_preferred"] == 1
    assert 0.4 < only(judged, judge="ann")["longer_preferred"] < 0.6


def test_noise_of_judges_and_noise_of_generators_are_told_apart() -> None:
    def of_the_run(paper: planted.Paper) -> Any:
        orders = list(permutations(sorted(paper.shown)))
        return orders[hash((paper.prompt, paper.run)) % len(orders)]

    table = planted.table(dict.fromkeys(NAMES, of_the_run), prompts=60)
    found = judges.stability(table, STUDY)
    readings = only(found, measure=judges.SESSIONS, judge=judges.EVERYONE)
    runs = only(found, measure=judges.RUNS, judge=judges.EVERYONE)
    assert readings["tau"] == 1 and abs(runs["tau"]) < 0.4
    noisy = judges.stability(planted.table(panel(ann=planted.by_chance)), STUDY)
    ann = only(noisy, measure=judges.SESSIONS, judge="ann")
    assert ann["tau_low"] < 0 < ann["tau_high"]


def test_one_run_and_one_reading_are_said_not_to_be_measured() -> None:
    table = planted.table(panel(), runs=1, sessions=1)
    found = judges.stability(table, planted.study(runs=1, sessions=1))
    assert found["tau"].isna().all()
    assert set(found["note"]) == {
        "one run only: not measured",
        "one reading only: not measured",
    }


def test_agreement_falls_for_the_judge_that_ranks_the_other_way_round() -> None:
    table = planted.table(panel(dee=planted.by_merit(NAMES[::-1])))
    judged = judges.judges(table, STUDY)
    assert only(judged, judge="dee")["agreement_high"] < 0
    assert only(judged, judge="ann")["agreement_low"] > 0
    assert judged["left_out_shift"].idxmax() == 3


def test_the_run_that_was_read_twice_weighs_no_more_than_the_others() -> None:
    table = planted.table(panel())
    once = table[table["session"] == 1]
    pd.testing.assert_frame_equal(
        estimates.ranking(table, STUDY).filter(like="borda"),
        estimates.ranking(once, STUDY).filter(like="borda"),
    )


def test_few_invalid_ballots_bound_the_index_and_many_leave_it_out() -> None:
    table = planted.table(panel(ann=planted.sometimes(planted.by_merit(), 6)))
    found = estimates.ranking(table, STUDY)
    ben = only(found, candidate="ben")
    assert (ben["n"], ben["invalid"]) == (240, 10)
    assert ben["rii_min"] < ben["rii"] < ben["rii_max"]
    strict = estimates.ranking(table, planted.study(max_invalid=0.04))
    assert strict[[*estimates.INDICES[:2], "borda", "place_rii"]].isna().all(axis=None)
    assert strict["note"].str.startswith("not estimable: 10 of 240 ballots are invalid").all()
    assert strict["rii_min"].notna().all()
    assert strict["rii_of_valid_judges"].notna().all(), "ann alone is over the limit"


def test_bounds_count_invalid_ballots_and_not_prompts_that_were_left_out_of_a_run() -> None:
    table = planted.table(panel())
    fewer = table[~(table["prompt_id"].eq("p000") & table["run"].eq(2))]
    found = estimates.ranking(fewer, STUDY)
    assert found["rii_min"].tolist() == found["rii"].tolist() == found["rii_max"].tolist()
    assert (found["n"] == 236).all() and (found["clusters"] == 30).all()
    spoilt = fewer.copy()
    lost = spoilt["judge"].eq("ben") & spoilt["prompt_id"].eq("p001") & spoilt["run"].eq(1)
    spoilt.loc[lost & spoilt["session"].eq(1) & spoilt["variant"].eq(""), "rank"] = np.nan
    row = only(estimates.ranking(spoilt, STUDY), candidate="ann")
    assert (row["n"], row["invalid"]) == (236, 1)
    # One ballot of ben's 59, of one judge of four.
    assert row["rii_max"] - row["rii_min"] == pytest.approx(100 / 59 / 4)


def test_a_judge_with_too_many_invalid_ballots_is_described_by_these_alone() -> None:
    table = planted.table(panel(cy=planted.sometimes(planted.by_merit(), 2)))
    cy = only(judges.judges(table, STUDY), judge="cy")
    assert (cy["n"], cy["invalid"], cy["asked_again"]) == (150, 75, 75)
    assert cy["reasons"] == "tie 75" and cy["invalid_share"] == 0.5
    numbers = ("agreement", "self_preference", "position", "longer_preferred", "stable_runs")
    assert all(pd.isna(cy[name]) for name in numbers) and pd.isna(cy["order_only"])
    assert cy["note"].startswith("not estimable: 30 of 60 ballots are invalid")
    ranks = estimates.mean_ranks(table, STUDY)
    assert ranks.loc[ranks["judge"] == "cy", "mean_rank"].isna().all()
    assert ranks.loc[ranks["judge"] == "ann", "mean_rank"].notna().all()


def test_mean_ranks_mark_the_judges_own_answers() -> None:
    ranks = estimates.mean_ranks(planted.table(panel()), STUDY)
    own = ranks[ranks["own"]]
    assert own["judge"].tolist() == own["candidate"].tolist() == list(NAMES)
    assert ranks.groupby("judge")["mean_rank"].sum().tolist() == pytest.approx([10] * 4)


def test_relabelling_the_models_permutes_the_ranking_and_nothing_else() -> None:
    table = planted.table(panel(ben=planted.by_place))
    new = dict(zip(NAMES, ("dee", "ann", "ben", "cy"), strict=True))
    turned = table.assign(judge=table["judge"].map(new), candidate=table["candidate"].map(new))
    one = estimates.ranking(table, STUDY).assign(candidate=list(new.values()))
    two = estimates.ranking(turned, STUDY)
    both = [frame.set_index("candidate").sort_index() for frame in (one, two)]
    pd.testing.assert_frame_equal(*[frame.filter(regex="^(rii|borda|place)") for frame in both])


def test_domains_are_estimated_apart_and_together() -> None:
    backwards = planted.by_merit(NAMES[::-1])

    def by_domain(paper: planted.Paper) -> Any:
        return (backwards if paper.prompt % 2 else planted.by_merit())(paper)

    found = estimates.ranking_by_domain(
        planted.table(dict.fromkeys(NAMES, by_domain), prompts=60), STUDY
    )
    assert list(found["domain"].unique()) == ["logic", "safety", estimates.EVERYWHERE]
    assert found.loc[found["domain"] == "logic", "rii"].is_monotonic_decreasing
    assert found.loc[found["domain"] == "safety", "rii"].is_monotonic_increasing
    whole = found[found["domain"] == estimates.EVERYWHERE]
    assert whole["rii"].between(45, 55).all() and (whole["n"] == 480).all()
    assert (whole["w_p"] < 0.01).all() and (whole["w_high"] <= 1).all()


SILENT: Mapping[str, pd.DataFrame] = {
    "all invalid": planted.table(dict.fromkeys(NAMES, planted.silent)),
    "one judge silent": planted.table(panel(ann=planted.silent), prompts=8),
    "all by place": planted.table(dict.fromkeys(NAMES, planted.by_place), prompts=12),
    "all alike": planted.table(dict.fromkeys(NAMES, planted.by_merit(noise=0)), prompts=6),
    "one prompt": planted.table(panel(), prompts=1),
    "one prompt, one run": planted.table(panel(), prompts=1, runs=1, sessions=1),
    "three models": planted.table({name: planted.by_merit() for name in NAMES[:3]}, prompts=5),
    "no ballots": planted.table(panel(), prompts=0),
    "ballots with every answer alone": planted.table(panel(), prompts=6).query("variant == ''"),
    "no places, no lengths": planted.table(panel(), prompts=6).assign(
        place=np.nan, characters=np.nan
    ),
}


@pytest.mark.parametrize("case", SILENT)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
@pytest.mark.parametrize("limit", [0.2, 1.0])
def test_no_number_is_missing_without_a_reason(case: str, table: Table, limit: float) -> None:
    names = NAMES[:3] if case == "three models" else NAMES
    found = table(SILENT[case], planted.study(names, max_invalid=limit))
    assert len(found)
    for row in found.to_dict("records"):
        absent = [name for name, value in row.items() if pd.isna(value)]
        if absent:
            assert row["note"], absent
        assert not re.search(r"\bnan\b|\bNone\b", str(row["note"]))


def test_ballots_are_selected_by_variant_session_and_run() -> None:
    table = planted.table(panel(), prompts=5)
    shapes = {
        select.__name__: select(table, STUDY).ranks.shape
        for select in (arrays.main, arrays.self_excluded, arrays.sessions, arrays.readings)
    }
    assert shapes == {
        "main": (5, 4, 2, 4),
        "self_excluded": (5, 4, 2, 4),
        "sessions": (5, 4, 2, 4),
        "readings": (5, 4, 3, 4),
    }
    whole = arrays.main(table, STUDY)
    assert np.isfinite(whole.ranks).all() and whole.asked.all() and not whole.invalid.any()
    apart = arrays.self_excluded(table, STUDY)
    own = apart.ranks[:, np.arange(4), :, apart.own]
    assert np.isnan(own).all() and np.isfinite(apart.ranks).sum() == 5 * 4 * 2 * 3
    assert whole.of_domain("safety").ranks.shape == (2, 4, 2, 4)
    assert whole.judges == whole.candidates == NAMES
