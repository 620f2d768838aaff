"""Sensitivity: a planted table gives exactly what was planted."""

import pandas as pd
import pytest

from judgeworthy.layouts import sensitivity as layouts
from judgeworthy.sections.sensitivity import cells, comparisons, estimates
from judgeworthy.statistics.flips import mcnemar
from sections.sensitivity import planted

JUDGE, OTHER_JUDGE, THIRD = "smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"
GENERATOR = "gemma3-270m"


def only(frame: pd.DataFrame, **place: str) -> dict[str, object]:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    (row,) = frame.to_dict("records")
    return row


def one_pair(*paths: str) -> tuple[pd.DataFrame, object]:
    return planted.table({(JUDGE, GENERATOR): paths}), planted.study(generators=(GENERATOR,))


def test_flips_are_counted_in_both_directions_for_every_transition() -> None:
    table, study = one_pair("CCC", "CCI", "CII", "CIC", "III", "ICC", "IIC", "CII")
    flipped = estimates.transitions(table, study)
    found = {
        row["transition"]: (row["to_incorrect"], row["to_correct"], row["n"])
        for row in flipped[flipped["generator"] == GENERATOR].to_dict("records")
    }
    assert found == {"NR→RV": (3, 1, 8), "RV→RC": (1, 2, 8), "NR→RC": (3, 2, 8)}
    row = only(flipped, generator=GENERATOR, transition="NR→RC")
    assert (row["accepted_first"], row["rejected_first"]) == (5, 3)
    assert row["flip_rate"] == pytest.approx(5 / 8)
    assert row["to_incorrect_share"] == pytest.approx(3 / 8)
    assert row["to_incorrect_rate"] == pytest.approx(3 / 5)
    assert row["to_correct_rate"] == pytest.approx(2 / 3)
    assert row["net"] == pytest.approx(1 / 8)
    assert row["p"] == pytest.approx(mcnemar(3, 2).p)


def test_an_invalid_verdict_is_no_flip_but_widens_what_the_flips_could_be() -> None:
    table, study = one_pair("CCI", "CCx", "xCC", "xCx", "CCC")
    row = only(estimates.transitions(table, study), generator=GENERATOR, transition="NR→RC")
    assert (row["n"], row["invalid"], row["to_incorrect"], row["to_correct"]) == (5, 3, 1, 0)
    assert row["note"] == "not estimable: 3 of 5 are invalid"
    assert str(row["rates_note"]).startswith("not estimable: 1 of 3 are invalid")
    assert pd.isna(row["flip_rate"])
    assert (row["first_invalid"], row["second_invalid"], row["both_invalid"]) == (1, 1, 1)
    assert pd.isna(row["p"]) and pd.isna(row["net_bootstrap_low"])
    assert (row["flip_rate_min"], row["flip_rate_max"]) == (1 / 5, 4 / 5)
    counted = estimates.paths(table, study)
    assert counted["n"].sum() == 5
    assert only(counted, NR="INVALID", RC="INVALID")["n"] == 1


def test_the_primary_contrast_is_a_family_of_its_own() -> None:
    words = ["CCI"] * 12 + ["ICC"] * 2 + ["CCC"] * 26
    study = planted.study(judges=(JUDGE, OTHER_JUDGE), generators=(GENERATOR,))
    table = planted.table({(JUDGE, GENERATOR): words, (OTHER_JUDGE, GENERATOR): ["CCC"] * 40})
    flipped = estimates.transitions(table, study)
    primary = flipped[flipped["role"] == "primary"]
    assert list(primary["judge"]) == [JUDGE, OTHER_JUDGE]
    assert set(primary["generator"]) == {cells.ALL}
    assert set(primary["transition"]) == {"NR→RC"}
    assert primary["p"].tolist() == pytest.approx([0.012939453, 1.0])
    assert primary["p_holm"].tolist() == pytest.approx([2 * 0.012939453, 1.0])
    rest = flipped[flipped["role"] == "exploratory"]
    assert (rest["p_holm"] >= rest["p"]).all()
    assert only(rest, judge=JUDGE, generator=GENERATOR, transition="NR→RC")["p_holm"] > 0.05


def test_pools_leave_out_the_judge_itself_and_its_family() -> None:
    generators = (JUDGE, GENERATOR, OTHER_JUDGE, THIRD)
    study = planted.study(judges=(OTHER_JUDGE,), generators=generators)
    table = planted.table({(OTHER_JUDGE, name): ["CCI"] * 3 for name in generators})
    flipped = estimates.transitions(table, study)
    sizes = flipped[flipped["transition"] == "NR→RC"].set_index("generator")["n"]
    assert sizes[cells.ALL] == 12
    assert sizes[cells.NOT_OWN] == 9
    assert sizes[cells.NOT_FAMILY] == 6
    relations = flipped.drop_duplicates("generator").set_index("generator")["relation"]
    assert relations[list(generators)].tolist() == ["other", "other", "own", "family"]


def test_responses_to_one_question_are_one_cluster() -> None:
    generators = (JUDGE, GENERATOR)
    study = planted.study(judges=(OTHER_JUDGE,), generators=generators)
    table = planted.table({(OTHER_JUDGE, name): ["CCI"] * 5 + ["CCC"] * 5 for name in generators})
    row = only(estimates.transitions(table, study), generator=cells.ALL, transition="NR→RC")
    assert (row["n"], row["clusters"]) == (20, 10)
    assert row["p"] == pytest.approx(2 / 2**5), "five clusters flip, not ten pairs"


def test_the_majority_is_of_all_judges_and_silent_without_one() -> None:
    judges = (JUDGE, OTHER_JUDGE, THIRD)
    study = planted.study(judges=judges, generators=(GENERATOR,))
    words = {
        JUDGE: ["CCC", "CCI", "xCC"],
        OTHER_JUDGE: ["CCI", "CII", "CCC"],
        THIRD: ["III", "IIC", "ICC"],
    }
    table = planted.table({(judge, GENERATOR): words[judge] for judge in judges})
    row = only(
        estimates.acceptance(table, study),
        judge=cells.MAJORITY,
        generator=cells.ALL,
        condition="NR",
    )
    assert (row["n"], row["invalid"]) == (3, 1)
    assert (row["acceptance_min"], row["acceptance_max"]) == (2 / 3, 1.0)


def test_acceptance_is_over_the_valid_replies_and_bounded_over_the_others() -> None:
    table, study = one_pair(*["CCC"] * 6, *["ICC"] * 3, "xCC")
    row = only(estimates.acceptance(table, study), generator=GENERATOR, condition="NR")
    assert row["acceptance"] == pytest.approx(6 / 9)
    assert (row["acceptance_min"], row["acceptance_max"]) == (0.6, 0.7)


def test_rates_that_so_few_questions_cannot_carry_are_marked() -> None:
    few, study = one_pair(*["CCI"] * 2, *["CCC"] * 3)
    many, _ = one_pair(*["CCI"] * 40, *["CCC"] * 60)
    notes = [
        only(estimates.transitions(table, study), generator=GENERATOR, transition="NR→RC")["note"]
        for table in (few, many)
    ]
    assert notes == ["imprecise", ""]


def test_a_leak_is_a_reference_that_the_response_does_not_hold() -> None:
    study = planted.study(generators=(GENERATOR,), max_invalid=0.5)
    nothing = [False] * 5
    parts = [
        planted.rows(
            JUDGE,
            GENERATOR,
            ["C", "C", "C", "I", "x"],
            [condition],
            response_right=[True, False, False, False, False],
            extracted_matches_reference=[True, *leaked, None],
            extracted=[1, 1, said, 1, None],
        )
        for condition, leaked, said in (
            ("NR", nothing[:3], 1),
            ("RV", [True, True, False], 2),
            ("RC", [True, False, False], 1),
        )
    ]
    leaked = comparisons.leaks(pd.concat(parts, ignore_index=True), study)
    assert leaked["n"].tolist() == [4, 4, 4], "not the right response"
    assert leaked["invalid"].tolist() == [1, 1, 1]
    assert leaked["leaks"].tolist() == [0, 2, 1]
    assert leaked["above_nr"].tolist()[1:] == pytest.approx([2 / 3, 1 / 3])
    assert leaked["changed_n"].tolist()[1:] == [5, 5]
    assert leaked["changed_invalid"].tolist()[1:] == [1, 1]
    assert leaked["extracted_changed"].tolist()[1:] == [0.25, 0.0]


def test_flips_beside_the_noise_floor_and_the_placebo() -> None:
    study = planted.study(generators=(GENERATOR,))
    names = [
        "NR",
        "NR sampled-1",
        "NR sampled-2",
        "NR paraphrase",
        "RV irrelevant",
        "RV other",
        "RV",
        "RC",
    ]
    words = ["CCICCIII", "CCCICIII", "CCCCIICC", "CCCCCCCI"]
    rows = comparisons.compared(planted.rows(JUDGE, GENERATOR, words, names), study)
    found = dict(zip(rows["measure"], rows["flip_rate"], strict=True))
    assert found == {
        "another seed": 0.25,
        "paraphrase": 0.25,
        "irrelevant text": 0.25,
        "another question's reference": 0.75,
        "reference visible": 0.5,
        "reference compared": 0.75,
    }
    over = dict(zip(rows["measure"], rows["over_seed"], strict=True))
    assert over["reference compared"] == pytest.approx(0.5)
    assert pd.isna(over["another seed"])
    placebo = dict(zip(rows["measure"], rows["over_other"], strict=True))
    assert placebo["reference compared"] == pytest.approx(0.0)
    assert placebo["reference visible"] == pytest.approx(-0.25)


def test_a_question_that_lent_no_reference_is_not_asked_which_is_not_invalid() -> None:
    study = planted.study(generators=(GENERATOR,))
    names = ["NR", "NR sampled-1", "NR sampled-2", "NR paraphrase", "RV irrelevant", "RV", "RC"]
    table = planted.rows(JUDGE, GENERATOR, ["CCCCCCI"] * 4, names)
    lent = planted.rows(JUDGE, GENERATOR, ["I", "C"], ["RV other"])
    found = comparisons.compared(pd.concat([table, lent]), study).set_index("measure")
    other = found.loc["another question's reference"]
    assert (other["n"], other["invalid"], other["flip_rate"]) == (2, 0, 0.5)
    without = comparisons.compared(table, study).set_index("measure")
    assert without.loc["another question's reference", "n"] == 0
    assert without.loc["reference compared", "flip_rate"] == 1


def test_without_a_noise_floor_there_is_nothing_to_compare_with() -> None:
    table, study = one_pair("CCC", "CCI")
    assert comparisons.compared(table, study).empty
    assert comparisons.controls(table, planted.rows(JUDGE, "", []), study).empty


def test_the_controls_say_whether_a_judge_with_the_reference_is_right() -> None:
    study = planted.study(generators=(GENERATOR,))
    names = ["RV right", "RV wrong", "RC right", "RC wrong"]
    table = planted.rows(JUDGE, "", ["CICC", "CCCI", "IICI", "CICx"], names)
    without = planted.rows(JUDGE, "", ["CC", "CC", "CC", "CC"], ["C1", "C2"])
    found = comparisons.controls(table, without, study).set_index("condition")
    assert found["right_n"].tolist() == found["wrong_n"].tolist() == [4, 4, 4]
    assert found["wrong_invalid"].tolist() == [0, 0, 1]
    assert pd.isna(found.loc["RC", "wrong_accepted"]), "one of four is more than the study allows"
    assert found["gap"].tolist()[:2] == pytest.approx([0.0, 0.5])
    assert found["right_accepted"].tolist() == [1.0, 0.75, 1.0]
    assert found["wrong_accepted"].tolist()[:2] == pytest.approx([1.0, 0.25])
    assert found["accuracy"].tolist() == pytest.approx([0.5, 0.75, 6 / 7])
    assert found["invalid"].tolist() == [0, 0, 1]


def test_flips_of_right_and_wrong_responses_are_told_apart() -> None:
    study = planted.study(generators=(JUDGE, GENERATOR))
    good = planted.rows(
        JUDGE, JUDGE, ["CCC"] * 8 + ["CCI"] * 2, response_right=[True] * 8 + [False] * 2
    )
    bad = planted.rows(
        JUDGE, GENERATOR, ["CCC"] * 2 + ["CCI"] * 8, response_right=[True] * 2 + [False] * 8
    )
    table = pd.concat([good, bad], ignore_index=True)
    found = comparisons.correctness(table, study)
    whole = found["generator"].eq(cells.ALL) & found["transition"].eq("NR→RC")
    found = found[whole].set_index("response")
    assert found.loc["wrong", "net"] == 1
    accepted = comparisons.acceptance(table, study)
    place = {"generator": cells.ALL, "condition": "RC"}
    assert only(accepted, response="right", **place)["acceptance"] == 1
    assert only(accepted, response="wrong", **place)["acceptance"] == 0
    assert found.loc["right", "flip_rate"] == 0
    assert found.loc["wrong", "flip_rate"] == 1
    assert found.loc["standardised", "flip_rate"] == pytest.approx(0.5)
    rates = estimates.transitions(table, study).set_index(["generator", "transition"])["flip_rate"]
    assert rates[JUDGE, "NR→RC"] != rates[GENERATOR, "NR→RC"], "Simpson's trap"


def test_separation_is_told_and_not_printed_as_a_p_value() -> None:
    table, study = one_pair(*["CCI", "CIC", "CII", "CCC"] * 10)
    fitted = estimates.regression(table, study)
    assert fitted["note"].str.startswith("separated").any()
    assert fitted.loc[fitted["note"].str.startswith("separated"), "p"].isna().all()
    table, study = one_pair(*["CCI", "ICC", "CII", "CCC"] * 10)
    fitted = estimates.regression(table, study).set_index("effect")
    assert set(fitted["n"]) == {120} and set(fitted["clusters"]) == {40}
    assert fitted.loc["RC against NR", "odds_ratio"] == pytest.approx(1 / 3, rel=1e-3)


def test_judges_agree_or_not_under_each_condition() -> None:
    judges = (JUDGE, OTHER_JUDGE)
    study = planted.study(judges=judges, generators=(GENERATOR,), max_invalid=0.5)
    words = {JUDGE: ["CCC", "ICC", "CCI", "xCI"], OTHER_JUDGE: ["CCC", "ICI", "ICI", "CCI"]}
    table = planted.table({(judge, GENERATOR): words[judge] for judge in judges})
    found = estimates.agreement(table, study).set_index("condition")
    assert found["n"].tolist() == [4, 4, 4]
    assert found["invalid"].tolist() == [1, 0, 0]
    assert found["agreement"].tolist() == pytest.approx([2 / 3, 1.0, 0.75])
    assert (found.loc["NR", "agreement_min"], found.loc["NR", "agreement_max"]) == (0.5, 0.75)
    assert found.loc["RC", "kappa"] == pytest.approx(0.5)
    assert pd.isna(found.loc["RV", "kappa"])
    assert found.loc["RV", "note"]


@pytest.mark.parametrize("letters", [[], ["C"], ["x"]])
def test_a_group_too_small_has_no_nan_where_a_number_is_expected(letters: list[str]) -> None:
    table, study = one_pair(*[3 * letter for letter in letters])
    for frame in (estimates.acceptance(table, study), estimates.transitions(table, study)):
        assert (frame["note"] != "").all()


def test_one_judge_has_nobody_to_agree_with() -> None:
    table, study = one_pair("CCC", "CCI")
    assert estimates.agreement(table, study).empty
    assert layouts.agreement(estimates.agreement(table, study)).empty
