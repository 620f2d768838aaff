"""Human agreement: what is planted is found, and nothing invalid or unlabelled is lost."""

import itertools
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeworthy.sections.human_agreement import correction, estimates
from sections.human_agreement import labelled_by_people as planted


def only(frame: pd.DataFrame, **place: str) -> dict[str, Any]:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_agreement_has_the_golden_values_for_judge_and_human() -> None:
    said = "C" * 25 + "I" * 25
    human = "C" * 20 + "I" * 5 + "C" * 10 + "I" * 15
    table = planted.table({("j", "NR"): said}, human)
    row = only(estimates.agreement(table, planted.study()))
    assert (row["n"], row["invalid"], row["unlabelled"]) == (50, 0, 0)
    assert row["agreement"] == pytest.approx(0.7)
    assert row["kappa"] == pytest.approx(0.4)
    assert row["ac1"] == pytest.approx(0.405941, abs=1e-6)
    assert row["sensitivity"] == pytest.approx(20 / 30)
    assert row["specificity"] == pytest.approx(15 / 20)
    assert (row["accepted"], row["human_accepted"]) == (0.5, 0.6)


def test_invalid_and_unlabelled_rows_are_counted_and_bound_the_coefficients() -> None:
    table = planted.table({("j", "NR"): "CCIIxC"}, "CICIC-")
    row = only(estimates.agreement(table, planted.study(max_invalid=0.5)))
    assert (row["n"], row["invalid"], row["unlabelled"]) == (5, 1, 1)
    assert row["agreement"] == 0.5
    assert (row["agreement_min"], row["agreement_max"]) == (0.4, 0.6)
    strict = only(estimates.agreement(table, planted.study(max_invalid=0.1)))
    assert pd.isna(strict["agreement"]) and pd.isna(strict["kappa"])
    assert strict["note"].startswith("not estimable: 1 of 5 are invalid")


def test_the_ceiling_is_the_second_annotator_against_the_first() -> None:
    table = planted.table(
        {("j", "recorded"): "CCII"}, "CCCI", human_1="CCCI", human_2="CICI", human_3="-C--"
    )
    agreed = estimates.agreement(table, planted.study())
    ceiling = only(agreed, judge=estimates.CEILING)
    assert (ceiling["against"], ceiling["n"], ceiling["agreement"]) == ("annotator 1", 4, 0.75)
    assert set(agreed["against"]) == {"human label", "annotator 1"}
    without = planted.table({("j", "recorded"): "CCII"}, "CCCI")
    assert estimates.CEILING not in set(estimates.agreement(without, planted.study())["judge"])


def test_flips_toward_and_away_from_people_are_told_apart_by_direction() -> None:
    said = {("j", "NR"): "CCCIIC", ("j", "RV"): "CCCIIC", ("j", "RC"): "IICCIx"}
    table = planted.table(said, "IICCIC")
    found = estimates.against_people(table, planted.study(max_invalid=0.5))
    down = only(found, transition="NR→RC", direction="to INCORRECT")
    up = only(found, transition="NR→RC", direction="to CORRECT")
    both = only(found, transition="NR→RC", direction="both")
    assert (down["flips"], down["toward"], down["away"], down["toward_human"]) == (2, 2, 0, 1.0)
    assert (up["flips"], up["toward"]) == (1, 1)
    assert (both["flips"], both["invalid"], both["n"]) == (3, 1, 6)
    assert (both["toward_human_min"], both["toward_human_max"]) == (0.75, 1.0)
    assert both["agreement_change"] == pytest.approx(3 / 5)
    still = only(found, transition="NR→RV", direction="both")
    assert still["flips"] == 0 and pd.isna(still["toward_human"])


letters = st.sampled_from("CIx")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(letters, letters, st.sampled_from("CI")), min_size=1, max_size=4))
def test_the_bounds_of_the_share_toward_people_are_the_extremes_over_all_fillings(
    rows: list[tuple[str, str, str]],
) -> None:
    first, second, human = ("".join(part) for part in zip(*rows, strict=True))
    said = {("j", "NR"): first, ("j", "RV"): first, ("j", "RC"): second}
    found = estimates.against_people(planted.table(said, human), planted.study(max_invalid=1))
    for direction, ends in (("both", "CI"), ("to CORRECT", "C"), ("to INCORRECT", "I")):
        row = only(found, transition="NR→RC", direction=direction)
        shares = list(_shares(first, second, human, ends))
        if shares:
            expected = (min(shares), max(shares))
            assert (row["toward_human_min"], row["toward_human_max"]) == pytest.approx(expected)
        else:
            assert pd.isna(row["toward_human_min"]) and pd.isna(row["toward_human_max"])


def _shares(first: str, second: str, human: str, ends: str) -> Any:
    """Yield the share toward people for every way to fill the invalid verdicts in."""
    ways = [("CI" if letter == "x" else letter) for letter in first + second]
    for filled in itertools.product(*ways):
        one, two = filled[: len(first)], filled[len(first) :]
        hits = [
            b == label for a, b, label in zip(one, two, human, strict=True) if a != b and b in ends
        ]
        if hits:
            yield sum(hits) / len(hits)


def test_one_condition_alone_has_no_flips_and_one_judge_no_difference() -> None:
    table = planted.table({("j", "recorded"): "CCII"}, "CCCI")
    assert estimates.against_people(table, planted.study()).empty
    assert estimates.detectable(table, planted.study()).empty


def test_the_smallest_difference_is_between_two_judges_on_the_same_responses() -> None:
    said = {("a", "NR"): "CI" * 30, ("b", "NR"): "CCII" * 15}
    found = estimates.detectable(planted.table(said, "CCCI" * 15), planted.study())
    row = only(found)
    assert (row["judge"], row["other"], row["n"]) == ("a", "b", 60)
    assert 0 < row["difference"] < 1


def test_a_perfect_judge_and_a_useless_one_are_corrected_as_they_deserve() -> None:
    human = "CCI" * 100
    said = {("perfect", "NR"): human, ("useless", "NR"): "C" * 300}
    table = planted.table(said, human)
    found = correction.corrected(table, planted.study(labels=60))
    truth = 2 / 3
    perfect = only(found, judge="perfect", method=correction.PPI)
    alone = only(found, judge="perfect", method=correction.LABELS)
    assert abs(perfect["error"]) < 0.5 * abs(alone["error"])
    assert perfect["estimate_high"] - perfect["estimate_low"] < 0.6 * (
        alone["estimate_high"] - alone["estimate_low"]
    )
    naive = only(found, judge="useless", method=correction.NAIVE)
    assert (naive["estimate"], naive["error"]) == (1.0, pytest.approx(1 - truth))
    useless = only(found, judge="useless", method=correction.PPI)
    alone = only(found, judge="useless", method=correction.LABELS)
    assert useless["estimate"] == pytest.approx(alone["estimate"])
    lost = only(found, judge="useless", method=correction.ROGAN_GLADEN)
    assert pd.isna(lost["estimate"]) and "not identified" in lost["note"]


def test_too_many_invalid_verdicts_leave_the_labels_alone() -> None:
    human = "CCI" * 40
    table = planted.table({("j", "NR"): "x" * 40 + human[40:]}, human)
    found = correction.corrected(table, planted.study()).set_index("method")
    assert found["estimate"].isna().tolist() == [True, False, True, True]
    assert found.loc[correction.PPI, "note"] == "not estimable: 40 of 120 are invalid"
    covered = correction.coverage(table, planted.study())
    assert set(covered["method"]) == {correction.LABELS}


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    human = "CCI" * 100
    said = "".join("I" if place % 7 == 0 else letter for place, letter in enumerate(human))
    table = planted.table({("j", "NR"): said}, human, per_question=3)
    covered = correction.coverage(table, planted.study(sizes=(50, 400)))
    assert set(covered["labels"]) == {50}, "more labels than responses is no subsample"
    assert covered["coverage"].min() > 0.88
    widths = covered.set_index("method")["half_width"]
    assert widths[correction.PPI] < widths[correction.LABELS] < widths[correction.ROGAN_GLADEN]
    planned = correction.planner(covered)
    assert planned["labels"].notna().all()
    narrow, wide = (planned[planned["half_width"] == wanted] for wanted in correction.WANTED)
    assert (narrow["labels"].to_numpy() > wide["labels"].to_numpy()).all()


def test_the_same_seed_draws_the_same_labels_for_all_judges() -> None:
    human = "CCI" * 40
    table = planted.table({("a", "NR"): human, ("b", "NR"): "C" * 120}, human)
    found = correction.corrected(table, planted.study())
    alone = found[found["method"] == correction.LABELS]["estimate"]
    assert alone.nunique() == 1
