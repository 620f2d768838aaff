"""Regression on two factors: against statsmodels, planted odds ratios, and what has no estimate."""

import itertools
import warnings
from dataclasses import astuple
from math import exp, isfinite, log
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution

from judgeworthy.statistics.regression import (
    GEE,
    INDEPENDENT,
    SEPARATED,
    TwoFactors,
    Wald,
    separated,
    two_factors,
)

MISSING = float("nan")
FIT = 1e-5  # two fits that stop at a score of 1e-6
few = settings(max_examples=25)


def table(
    clusters: int, odds_ratio: float = 1.0, interaction: float = 1.0, seed: int = 0
) -> pd.DataFrame:
    """Every cluster has the six combinations of NR, RV, RC and x, y.

    RC multiplies the odds of NR by `odds_ratio`, and again by `interaction` where y is. In half of
    the clusters all rows share their luck, so they are correlated, but the margins are as planted.
    """
    random = np.random.default_rng(seed)
    names = ["cluster", "factor", "other"]
    cells = itertools.product(range(clusters), ["NR", "RV", "RC"], ["x", "y"])
    frame = pd.DataFrame(list(cells), columns=names)
    compare, second = frame["factor"] == "RC", frame["other"] == "y"
    odds = 0.8 * odds_ratio**compare * interaction ** (compare & second)
    own, shared = random.random(len(frame)), random.random(clusters)[frame["cluster"]]
    luck = np.where(frame["cluster"] % 2 == 0, own, shared)
    return frame.assign(outcome=(luck < odds / (1 + odds)).astype(float))


def regress(frame: pd.DataFrame, confidence: float = 0.95) -> TwoFactors:
    return two_factors(
        frame["outcome"],
        list(frame["factor"]),
        list(frame["other"]),
        frame["cluster"],
        confidence,
    )


def parts(found: TwoFactors) -> list[Any]:
    """Every number and word of a result."""
    results: list[Any] = [*found.odds_ratios.values(), found.effect, found.interaction]
    return [*found.odds_ratios, *(part for result in results for part in astuple(result))]


def same(one: TwoFactors, two: TwoFactors) -> bool:
    return all(
        found == (pytest.approx(expected, rel=FIT) if isinstance(expected, float) else expected)
        for found, expected in zip(parts(one), parts(two), strict=True)
    )


def by_formula(frame: pd.DataFrame, formula: str, correlation: Any) -> Any:
    model = smf.gee(
        formula, "cluster", frame, family=sm.families.Binomial(), cov_struct=correlation
    )
    return model.fit(cov_type="bias_reduced")


FACTOR = "C(factor, Treatment('NR'))"
OTHER = "C(other, Treatment('x'))"


class TestAgainstStatsmodels:
    @pytest.fixture(params=["balanced", "unbalanced"])
    def frame(self, request: pytest.FixtureRequest) -> pd.DataFrame:
        balanced = table(40, odds_ratio=2, seed=1)
        kept = np.random.default_rng(2).random(len(balanced)) < 0.7
        return balanced if request.param == "balanced" else balanced[kept | (balanced.index == 0)]

    def test_odds_ratios_have_its_values_and_errors_with_t(self, frame: pd.DataFrame) -> None:
        fitted = by_formula(frame, f"outcome ~ {FACTOR} + {OTHER}", sm.cov_struct.Exchangeable())
        found = regress(frame, confidence=0.9).odds_ratios
        assert list(found) == ["RV", "RC"]
        for level, ratio in found.items():
            name = f"{FACTOR}[T.{level}]"
            value, error = fitted.params[name], fitted.bse[name]
            half = t_distribution.ppf(0.95, 40 - 4) * error
            expected = exp(value), exp(value - half), exp(value + half)
            assert (ratio.value, ratio.low, ratio.high) == pytest.approx(expected, rel=FIT)
            assert (ratio.n, ratio.clusters, ratio.method) == (len(frame), 40, GEE)

    @pytest.mark.parametrize(
        ("test", "formula", "coefficients"), [("effect", "+", 4), ("interaction", "*", 6)]
    )
    def test_joint_tests_have_its_wald_statistic_with_f(
        self, frame: pd.DataFrame, test: str, formula: str, coefficients: int
    ) -> None:
        formula = f"outcome ~ {FACTOR} {formula} {OTHER}"
        fitted = by_formula(frame, formula, sm.cov_struct.Exchangeable())
        names = [name for name in fitted.params.index if "factor" in name]
        names = [name for name in names if (":" in name) == (test == "interaction")]
        restrictions = np.array([fitted.params.index == name for name in names], dtype=float)
        chi_square = float(fitted.wald_test(restrictions, use_f=False, scalar=True).statistic)
        found = getattr(regress(frame), test)
        assert (found.degrees, found.note) == (2, "")
        assert found.statistic == pytest.approx(chi_square / 2, rel=FIT)
        expected = f_distribution.sf(chi_square / 2, 2, 40 - coefficients)
        assert found.p == pytest.approx(expected, rel=FIT)


class TestPlantedEffects:
    @pytest.mark.parametrize("odds_ratio", [0.25, 1.0, 3.0])
    def test_odds_ratios_lie_in_their_intervals(self, odds_ratio: float) -> None:
        found = regress(table(200, odds_ratio, seed=3))
        for level, planted in (("RV", 1.0), ("RC", odds_ratio)):
            ratio = found.odds_ratios[level]
            assert ratio.low < planted < ratio.high  # type: ignore[operator]
            assert log(ratio.high / ratio.low) < 1  # type: ignore[operator]
        assert found.effect.p is not None
        assert found.interaction.p is not None
        assert (found.effect.p < 0.001) == (odds_ratio != 1)
        assert found.interaction.p > 0.01

    def test_an_interaction_is_found(self) -> None:
        found = regress(table(200, odds_ratio=0.5, interaction=8, seed=3)).interaction
        assert found.p is not None
        assert found.p < 0.001

    def test_turning_the_outcome_inverts_the_odds_ratio(self) -> None:
        frame = table(30, odds_ratio=2)
        ratio = regress(frame).odds_ratios["RC"]
        turned = regress(frame.assign(outcome=1 - frame["outcome"])).odds_ratios["RC"]
        expected = 1 / ratio.value, 1 / ratio.high, 1 / ratio.low  # type: ignore[operator]
        assert (turned.value, turned.low, turned.high) == pytest.approx(expected, rel=FIT)


class TestRows:
    def test_their_order_does_not_matter_but_for_the_baseline(self) -> None:
        frame = table(30, odds_ratio=2)
        shuffled = pd.concat([frame.iloc[:1], frame.iloc[1:].sample(frac=1, random_state=1)])
        levels = sorted(regress(shuffled).odds_ratios)
        found, expected = regress(shuffled), regress(frame)
        assert levels == ["RC", "RV"]
        ordered = {level: found.odds_ratios[level] for level in expected.odds_ratios}
        assert same(TwoFactors(ordered, found.effect, found.interaction), expected)

    def test_names_of_clusters_do_not_matter(self) -> None:
        frame = table(30, odds_ratio=2)
        renamed = frame.assign(cluster="document " + (99 - frame["cluster"]).astype(str))
        assert same(regress(renamed), regress(frame))

    def test_missing_rows_are_left_out(self) -> None:
        frame = table(30, odds_ratio=2)
        gap = np.random.default_rng(1).random(len(frame)) < 0.2
        gap[0] = False
        with_missing = frame.assign(outcome=frame["outcome"].mask(gap))
        assert same(regress(with_missing), regress(frame[~gap]))

    def test_a_missing_first_row_leaves_the_baseline(self) -> None:
        frame = table(30, odds_ratio=2)
        frame.loc[frame.index < 5, "outcome"] = MISSING
        assert frame["factor"][5] == "RC"
        assert list(regress(frame).odds_ratios) == ["RV", "RC"]

    def test_independent_rows_have_no_working_correlation(self) -> None:
        frame = table(30, odds_ratio=2).assign(cluster=range(180))
        formula = f"outcome ~ {FACTOR} + {OTHER}"
        fitted = by_formula(frame, formula, sm.cov_struct.Independence())
        ratio = regress(frame).odds_ratios["RC"]
        assert ratio.value == pytest.approx(exp(fitted.params[f"{FACTOR}[T.RC]"]), rel=FIT)
        assert (ratio.clusters, ratio.method) == (180, INDEPENDENT)

    def test_a_single_pair_does_not_estimate_a_correlation(self) -> None:
        frame = table(30, odds_ratio=2).assign(cluster=range(180))
        apart = regress(frame).odds_ratios["RC"]
        frame.loc[1, "cluster"] = 0
        ratio = regress(frame).odds_ratios["RC"]
        assert ratio.value == pytest.approx(apart.value, rel=FIT)
        assert (ratio.clusters, ratio.method) == (179, INDEPENDENT)

    def test_rows_of_a_cluster_that_always_differ_are_fitted(self) -> None:
        cluster = np.repeat(np.arange(40), 2)
        first = np.random.default_rng(0).integers(0, 2, 40)
        outcome = np.column_stack([first, 1 - first]).ravel()
        found = two_factors(outcome, ["a", "b"] * 40, ["x", "x", "y", "y"] * 20, cluster)
        ratio = found.odds_ratios["b"]
        assert (ratio.has_interval, ratio.method) == (True, INDEPENDENT)
        share = first.mean()
        assert ratio.value == pytest.approx(((1 - share) / share) ** 2, rel=FIT)

    def test_a_fit_that_runs_away_is_not_shown(self) -> None:
        outcome = [0] * 11 + [1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0]
        factor = list("abbaaaaabbabbbabbbabbaaabba")
        cluster = [
            8,
            9,
            4,
            2,
            1,
            6,
            3,
            7,
            12,
            5,
            3,
            12,
            6,
            5,
            7,
            8,
            12,
            8,
            4,
            11,
            3,
            3,
            5,
            4,
            3,
            6,
            3,
        ]
        design = np.column_stack([np.ones(27), np.array(factor) == "b"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            away = sm.GEE(
                outcome,
                design,
                cluster,
                family=sm.families.Binomial(),
                cov_struct=sm.cov_struct.Exchangeable(),
            ).fit()
        assert away.converged
        assert abs(away.params[1]) > 1e6
        ratio = two_factors(outcome, factor, ["x"] * 27, cluster).odds_ratios["b"]
        assert ratio.value == pytest.approx((4 / 10) / (2 / 11))
        assert ratio.method == INDEPENDENT


def without_numbers(found: TwoFactors, note: str, levels: list[str]) -> bool:
    results: list[Any] = [*found.odds_ratios.values(), found.effect, found.interaction]
    values = [*(ratio.value for ratio in found.odds_ratios.values())]
    values += [found.effect.p, found.interaction.p]
    told = list(found.odds_ratios) == levels and all(note in result.note for result in results)
    return told and all(value is None for value in values)


class TestWithoutEstimate:
    def test_all_against_six_of_ten_is_separated(self) -> None:
        outcome = [1.0] * 50 + [1.0, 1.0, 1.0, 0.0, 0.0] * 10
        factor, cluster = ["a"] * 50 + ["b"] * 50, list(range(25)) * 4
        found = two_factors(outcome, factor, ["x", "y"] * 50, cluster)
        assert without_numbers(found, SEPARATED, ["b"])

    def test_one_full_combination_separates_the_interaction_alone(self) -> None:
        frame = table(40)
        full = (frame["factor"] == "RC") & (frame["other"] == "y")
        found = regress(frame.assign(outcome=frame["outcome"].mask(full, 1.0)))
        assert found.interaction == Wald(None, 2, None, SEPARATED)
        assert found.effect.p is not None
        assert all(ratio.has_interval for ratio in found.odds_ratios.values())

    @pytest.mark.parametrize("outcome", [0.0, 1.0])
    def test_a_constant_outcome_is_separated(self, outcome: float) -> None:
        assert without_numbers(regress(table(20).assign(outcome=outcome)), SEPARATED, ["RV", "RC"])

    def test_clusters_are_more_than_coefficients(self) -> None:
        found = regress(table(4))
        note = "clusters are too few: 4, with {} coefficients"
        assert without_numbers(found, "clusters are too few: 4", ["RV", "RC"])
        assert (found.effect.note, found.interaction.note) == (note.format(4), note.format(6))
        assert not regress(table(1)).odds_ratios["RV"].defined

    def test_a_factor_with_one_level_has_no_effect_to_test(self) -> None:
        frame = table(40)
        found = regress(frame.assign(factor="NR"))
        nothing = Wald(None, 0, None, "nothing to test: a factor has one level")
        assert found == TwoFactors({}, nothing, nothing)

    def test_another_factor_with_one_level_leaves_the_effect(self) -> None:
        frame = table(40, odds_ratio=2)
        found = regress(frame.assign(other="x"))
        fitted = by_formula(frame, f"outcome ~ {FACTOR}", sm.cov_struct.Exchangeable())
        expected = exp(fitted.params[f"{FACTOR}[T.RC]"])
        assert found.odds_ratios["RC"].value == pytest.approx(expected, rel=FIT)
        assert found.effect.p is not None
        assert found.interaction.note == "nothing to test: a factor has one level"

    @pytest.mark.parametrize("level", ["NR", "RC"])
    def test_a_level_without_valid_rows_is_not_passed_over(self, level: str) -> None:
        frame = table(40)
        outcome = frame["outcome"].mask(frame["factor"] == level)
        found = regress(frame.assign(outcome=outcome))
        assert without_numbers(found, "too few combinations of levels", ["RV", "RC"])

    def test_factors_that_go_together_cannot_be_told_apart(self) -> None:
        frame = table(40)
        found = regress(frame.assign(other=frame["factor"]))
        assert without_numbers(found, "too few combinations of levels", ["RV", "RC"])

    def test_a_missing_combination_leaves_the_effect(self) -> None:
        frame = table(40)
        frame = frame[(frame["factor"] != "RC") | (frame["other"] != "y")]
        found = regress(frame)
        assert found.odds_ratios["RC"].has_interval
        assert found.interaction.note.startswith("too few combinations of levels")

    def test_a_level_of_one_cluster_has_no_error(self) -> None:
        frame = table(40)
        only = frame[frame["factor"] == "RV"].groupby("cluster")["outcome"].sum().eq(1).idxmax()
        found = regress(frame[(frame["factor"] != "RV") | (frame["cluster"] == only)])
        note = "an effect rests on one cluster alone, so it has no error"
        assert found.effect == Wald(None, 2, None, note)
        assert all(ratio.note == note for ratio in found.odds_ratios.values())

    def test_clusters_that_never_change_have_a_value_and_a_reason(self) -> None:
        frame = table(40)
        found = regress(frame.assign(outcome=(frame["cluster"] % 3 == 0).astype(float)))
        for ratio in found.odds_ratios.values():
            assert ratio.value == pytest.approx(1)
            assert (ratio.has_interval, ratio.note) == (False, "the error is 0: no interval")
        assert found.effect == Wald(None, 2, None, "the error is 0: no test")

    @pytest.mark.parametrize("rows", [0, 3])
    def test_without_valid_rows_nothing_is_estimated(self, rows: int) -> None:
        levels = ["a", "b", "c"][:rows]
        found = two_factors([MISSING] * rows, levels, levels, levels)
        assert without_numbers(found, "clusters are too few: 0", levels[1:])

    @few
    @given(
        st.lists(
            st.tuples(
                st.sampled_from([0.0, 1.0, MISSING]),
                st.sampled_from("ab"),
                st.sampled_from("xy"),
                st.integers(0, 9),
            ),
            min_size=20,
            max_size=60,
        )
    )
    def test_numbers_are_finite_or_have_a_reason(self, rows: Any) -> None:
        outcome, factor, other, cluster = ([row[side] for row in rows] for side in range(4))
        found = two_factors(outcome, factor, other, cluster)
        assert all(isfinite(part) for part in parts(found) if isinstance(part, float))
        assert all(ratio.has_interval == (not ratio.note) for ratio in found.odds_ratios.values())
        for test in (found.effect, found.interaction):
            assert (test.p is None) == (test.note != "")
            assert test.p is None or 0 <= test.p <= 1

    def test_refuses_misuse(self) -> None:
        levels = ["a", "b"]
        with pytest.raises(ValueError, match="0, 1 or NaN"):
            two_factors([0.5, 1], levels, levels, levels)
        with pytest.raises(ValueError, match="outcome and levels differ in shape"):
            two_factors([0, 1], ["a"], levels, levels)
        with pytest.raises(ValueError, match="outcome and levels differ in shape"):
            two_factors([0, 1], levels, ["a", "b", "c"], levels)
        with pytest.raises(ValueError, match="shape"):
            two_factors([0, 1], levels, levels, ["a"])
        with pytest.raises(ValueError, match="confidence"):
            two_factors([0, 1], levels, levels, levels, confidence=95)


def parted_by_small_whole_numbers(outcome: list[int], design: list[Any]) -> bool:
    """Try hyperplanes: for two dummy columns, coefficients from -2 to 2 reach every one needed."""
    signed = np.array(design) * np.where(np.array(outcome) == 1, 1, -1)[:, None]
    sides = signed @ np.array(list(itertools.product(range(-2, 3), repeat=3))).T
    return bool(((sides >= 0).all(axis=0) & (sides > 0).any(axis=0)).any())


class TestSeparated:
    @pytest.mark.parametrize(
        ("x", "outcome", "expected"),
        [
            ([1, 2, 3, 4], [0, 0, 1, 1], True),
            ([1, 2, 2, 3], [0, 0, 1, 1], True),
            ([1, 2, 3, 4], [0, 1, 0, 1], False),
            ([1, 2, 3, 4], [1, 0, 0, 1], False),
            ([0, 0, 1, 1], [1, 1, 0, 1], True),
            ([0, 0, 1, 1], [0, 1, 0, 1], False),
            ([1, 2, 3, 4], [1, 1, 1, 1], True),
        ],
        ids=["complete", "quasi", "overlap", "inside", "a full level", "mixed levels", "constant"],
    )
    def test_by_hand(self, x: list[int], outcome: list[int], expected: bool) -> None:
        assert separated(outcome, np.column_stack([np.ones(4), x])) is expected

    def test_two_factors_separate_where_neither_does_alone(self) -> None:
        design = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]] * 2)
        outcome = [0, 0, 0, 1, 0, 1, 1, 1]
        assert not separated(outcome, design[:, :2])
        assert not separated(outcome, design[:, [0, 2]])
        assert separated(outcome, design)

    @given(
        st.lists(
            st.tuples(*[st.integers(0, 1)] * 3), min_size=4, max_size=14
        ).filter(lambda rows: len({row[1:] for row in rows}) > 2)
    )  # fmt: skip
    def test_agrees_with_trying_hyperplanes(self, rows: Any) -> None:
        outcome, design = [row[0] for row in rows], [(1, *row[1:]) for row in rows]
        expected = parted_by_small_whole_numbers(outcome, design)
        assert separated(outcome, design) is expected

    def test_without_rows_nothing_is(self) -> None:
        assert separated([], np.zeros((0, 2))) is False
