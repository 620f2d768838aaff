"""Agreement of raters: golden values, and what always holds."""

import itertools
from dataclasses import astuple
from math import atanh
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from judgeworthy.statistics.agreement import (
    Agreement,
    AgreementBounds,
    agreement,
    agreement_bounds,
    diagnostic_accuracy,
    krippendorff_alpha,
    matches,
)
from judgeworthy.statistics.estimate import Bounds, Estimate
from judgeworthy.statistics.proportions import (
    clustered_proportion,
    paired_difference,
    proportion_bounds,
    wilson,
)
from labelled import panels
from results import MISSING, ROUNDING, close, free_of_nan, limits

SIX_DECIMALS = 5e-7
MEASURES = ("raw", "kappa", "ac1", "alpha")

decisions = st.sampled_from([0.0, 1.0])
decisions_or_missing = st.sampled_from([0.0, 1.0, MISSING])
documents = st.sampled_from("abcdefgh")


@st.composite
def paired_samples(
    draw: st.DrawFn, value: st.SearchStrategy[float] = decisions_or_missing, size: int = 30
) -> Any:
    rows = draw(st.lists(st.tuples(value, value, documents), max_size=size))
    return tuple([row[side] for row in rows] for side in range(3))


def table(both: int, first_only: int, second_only: int, neither: int) -> tuple[Any, Any]:
    """Rows of a 2 × 2 table."""
    cells = [both, first_only, second_only, neither]
    return np.repeat([1.0, 1.0, 0.0, 0.0], cells), np.repeat([1.0, 0.0, 1.0, 0.0], cells)


def estimates(found: Agreement) -> dict[str, Estimate]:
    return {name: getattr(found, name) for name in MEASURES}


GOLDEN_TABLES = [
    ((20, 5, 10, 15), {"raw": 0.7, "kappa": 0.4, "ac1": 0.405941, "alpha": 0.4}),
    ((12, 2, 4, 2), {"raw": 0.7, "kappa": 0.210526, "ac1": 0.52, "alpha": 0.22}),
]


class TestTwoRaters:
    @pytest.mark.parametrize(("cells", "expected"), GOLDEN_TABLES)
    def test_golden(self, cells: Any, expected: dict[str, float]) -> None:
        found = {name: part.value for name, part in estimates(agreement(*table(*cells))).items()}
        assert found == pytest.approx(expected, abs=SIX_DECIMALS)

    @given(st.tuples(*[st.integers(0, 20)] * 4).filter(any))
    def test_kappa_is_that_of_statsmodels(self, cells: Any) -> None:
        found = agreement(*table(*cells)).kappa.value
        if found is None:
            assert max(cells[0], cells[3]) == sum(cells)
        else:
            expected = cohens_kappa(np.reshape(cells, (2, 2)), return_results=False)
            assert found == pytest.approx(expected, abs=ROUNDING)

    @given(st.tuples(*[st.integers(0, 20)] * 4).filter(any))
    def test_ac1_is_its_definition(self, cells: Any) -> None:
        both, first_only, second_only, neither = cells
        raw = (both + neither) / sum(cells)
        share = (2 * both + first_only + second_only) / (2 * sum(cells))
        chance = 2 * share * (1 - share)
        expected = (raw - chance) / (1 - chance)
        assert agreement(*table(*cells)).ac1.value == pytest.approx(expected, abs=ROUNDING)

    @given(paired_samples())
    def test_alpha_is_that_of_the_general_measure(self, sample: Any) -> None:
        first, second, clusters = sample
        found = agreement(*sample).alpha
        general = krippendorff_alpha(np.array([first, second]), clusters)
        assert close(found, general)
        assert found.defined or "rating" in general.note

    def test_a_rare_category_lowers_kappa_and_alpha_but_not_ac1(self) -> None:
        even, rare = agreement(*table(45, 5, 5, 45)), agreement(*table(88, 5, 5, 2))
        assert even.raw.value == rare.raw.value == 0.9
        assert rare.kappa.value < even.kappa.value - 0.4  # type: ignore[operator]
        assert rare.alpha.value < even.alpha.value - 0.4  # type: ignore[operator]
        assert rare.ac1.value > even.ac1.value  # type: ignore[operator]

    def test_large_samples_have_the_asymptotic_interval_of_kappa(self) -> None:
        cells = (2000, 500, 1000, 1500)
        error = cohens_kappa(np.reshape(cells, (2, 2))).std_kappa
        found = agreement(*table(*cells)).kappa
        reach = (atanh(found.high) - atanh(found.low)) / 2 * (1 - 0.4**2)  # type: ignore[arg-type]
        assert reach == pytest.approx(1.96 * error, rel=0.01)

    def test_large_samples_of_clusters_have_the_error_of_the_cluster_bootstrap(self) -> None:
        generator = np.random.default_rng(5)
        truth = np.repeat(generator.random(400) < 0.6, 4)
        wrong = np.repeat(generator.random(400) < 0.2, 4) & (generator.random(1600) < 0.7)
        first, second = truth ^ wrong, truth ^ (generator.random(1600) < 0.1)
        found = agreement(first, second, np.repeat(np.arange(400), 4))
        drawn = 4 * generator.integers(0, 400, (300, 400))[:, :, None] + np.arange(4)
        resampled = [agreement(first[rows.ravel()], second[rows.ravel()]) for rows in drawn]
        for name, part in estimates(found).items():
            spread = np.std([getattr(resample, name).value for resample in resampled])
            assert (part.high - part.low) / 2 == pytest.approx(1.96 * spread, rel=0.12)  # type: ignore[operator]

    def test_holds_its_coverage_where_a_category_is_rare(self) -> None:
        generator = np.random.default_rng(1)
        truth = generator.random((400, 30)) < 0.95
        raters = truth ^ (generator.random((2, 400, 30)) < 0.1)
        one = 0.95 * 0.9 + 0.05 * 0.1
        both = 0.95 * 0.9**2 + 0.05 * 0.1**2
        kappa = 1 - (2 * (one - both)) / (2 * one * (1 - one))
        found = [agreement(first, second).kappa for first, second in zip(*raters, strict=True)]
        hits = [part.low <= kappa <= part.high for part in found if part.has_interval]  # type: ignore[operator]
        assert 0.89 < np.mean(hits) < 0.98

    def test_more_alike_clusters_give_wider_intervals(self) -> None:
        first = np.tile([1.0, 0.0], 20)
        clusters = np.repeat(np.arange(10), 4)
        wrong_together = np.repeat([1.0, 0.0, 0.0, 0.0, 0.0] * 2, 4)
        wrong_apart = np.tile([1.0, 0.0, 0.0, 0.0, 0.0], 8)
        together = agreement(first, np.abs(first - wrong_together), clusters)
        apart = agreement(first, np.abs(first - wrong_apart), clusters)
        for name in MEASURES:
            one, two = getattr(together, name), getattr(apart, name)
            assert one.value == pytest.approx(two.value)
            assert one.low < two.low < two.high < one.high

    @given(paired_samples())
    def test_intervals_contain_their_values_or_the_note_says_why_not(self, sample: Any) -> None:
        found = agreement(*sample)
        assert free_of_nan(found)
        for part in estimates(found).values():
            assert part.has_interval or part.note
            if part.has_interval:
                low, value, high = part.low, part.value, part.high
                assert -1 <= low <= value + ROUNDING  # type: ignore[operator]
                assert value - ROUNDING <= high <= 1  # type: ignore[operator]

    @given(paired_samples())
    def test_exchanging_the_raters_or_the_categories_changes_nothing(self, sample: Any) -> None:
        first, second, clusters = sample
        found = estimates(agreement(*sample))
        exchanged = estimates(agreement(second, first, clusters))
        mirrored = estimates(agreement([1 - x for x in first], [1 - x for x in second], clusters))
        for name, part in found.items():
            assert close(part, exchanged[name])
            assert close(part, mirrored[name])

    @given(paired_samples(), st.randoms(use_true_random=False))
    def test_the_order_of_rows_does_not_matter(self, sample: Any, random: Any) -> None:
        rows = list(zip(*sample, strict=True))
        random.shuffle(rows)
        first, second, clusters = ([row[side] for row in rows] for side in range(3))
        shuffled = agreement(first, second, clusters)
        for name, part in estimates(agreement(*sample)).items():
            assert close(part, getattr(shuffled, name))

    @given(paired_samples())
    def test_copies_within_a_cluster_add_no_information(self, sample: Any) -> None:
        first, second, _ = sample
        clusters = list(range(len(first)))
        twice = agreement(first * 2, second * 2, clusters * 2)
        thrice = agreement(first * 3, second * 3, clusters * 3)
        for name in ("raw", "kappa", "ac1"):
            assert close(getattr(twice, name), getattr(thrice, name))

    @given(paired_samples())
    def test_rows_without_both_ratings_are_left_out_and_counted(self, sample: Any) -> None:
        found = agreement(*sample)
        complete = [row for row in zip(*sample, strict=True) if not np.isnan(row[0] + row[1])]
        first, second, clusters = ([row[side] for row in complete] for side in range(3))
        without = agreement(first, second, clusters)
        assert found.missing == len(sample[0]) - len(complete)
        for name, part in estimates(found).items():
            assert close(part, getattr(without, name))

    def test_raw_agreement_is_a_proportion(self) -> None:
        first, second = table(20, 5, 10, 15)
        clusters = np.arange(50) // 2
        expected = clustered_proportion(first == second, clusters)
        assert agreement(first, second, clusters).raw == expected

    def test_reads_columns_of_a_table(self) -> None:
        frame = pd.DataFrame({"judge": [True, False, True], "human": [True, True, None]})
        assert agreement(frame["judge"], frame["human"]).raw.value == 0.5


class TestTwoRatersAtTheEdge:
    def test_where_all_agree_the_interval_is_that_of_raw_agreement(self) -> None:
        found = agreement(*table(15, 0, 0, 5))
        low = wilson(20, 20).low
        by_chance = {"kappa": 0.375, "ac1": 0.625, "alpha": 0.375 * 40 / 39}
        assert limits(found.raw) == pytest.approx((1, low, 1))
        for name, disagreement in by_chance.items():
            part = getattr(found, name)
            expected = 1 - (1 - low) / disagreement  # type: ignore[operator]
            assert limits(part) == pytest.approx((1, expected, 1))
            assert part.note.startswith("the raters agree on every row")

    def test_where_all_agree_clusters_count_and_not_rows(self) -> None:
        first, _ = table(15, 0, 0, 5)
        found = agreement(first, first, np.arange(20) // 5)
        assert found.raw.low == wilson(4, 4).low
        assert found.kappa.low == pytest.approx(1 - (1 - found.raw.low) / 0.375)  # type: ignore[operator]

    @pytest.mark.parametrize("rating", [0.0, 1.0])
    def test_constant_and_equal_raters_have_agreement_and_ac1_of_1_alone(
        self, rating: float
    ) -> None:
        found = agreement([rating] * 8, [rating] * 8)
        assert (found.raw.value, found.ac1.value) == (1, 1)
        assert limits(found.ac1) == pytest.approx(limits(found.raw))
        for part in (found.kappa, found.alpha):
            assert (part.defined, part.n, part.clusters) == (False, 8, 8)
            assert part.note.startswith("all ratings are equal")

    @pytest.mark.parametrize("cells", [(7, 3, 0, 0), (0, 0, 3, 7), (0, 10, 0, 0), (7, 0, 3, 0)])
    def test_one_constant_rater_makes_kappa_zero_and_the_note_says_so(self, cells: Any) -> None:
        kappa = agreement(*table(*cells)).kappa
        assert kappa.value == 0
        assert kappa.note == "a rater is constant: kappa is 0 whatever the other says"
        assert kappa.low < 0 < kappa.high  # type: ignore[operator]

    @pytest.mark.parametrize(
        ("first", "second"), [([], []), ([1, MISSING], [MISSING, 0]), ([1, 0], [None, None])]
    )
    def test_without_overlap_nothing_is_defined(self, first: Any, second: Any) -> None:
        found = agreement(first, second)
        assert found.missing == len(first)
        for part in estimates(found).values():
            assert (part.defined, part.n, part.note) == (False, 0, "no row has both ratings")

    def test_one_question_only_has_values_and_a_reason(self) -> None:
        first, second = table(3, 1, 1, 3)
        for part in estimates(agreement(first, second, ["only"] * 8)).values():
            assert (part.defined, part.has_interval) == (True, False)
            assert part.note == "one cluster only: no interval"

    @pytest.mark.parametrize(("first", "second", "raw"), [([1], [1], 1), ([1], [0], 0)])
    def test_one_row_is_measured_without_exception(self, first: Any, second: Any, raw: int) -> None:
        found = agreement(first, second)
        assert found.raw.value == raw
        assert not found.kappa.has_interval
        assert free_of_nan(found)

    @pytest.mark.parametrize(
        ("first", "second", "clusters", "complaint"),
        [
            ([1, 0], [1], None, "shape"),
            ([1, 0], [1, 0], ["a"], "shape"),
            ([[1, 0]], [[1, 0]], None, "shape"),
            ([1, 2], [1, 0], None, "0, 1 or NaN"),
            ([1, 0], [1, 0.5], None, "0, 1 or NaN"),
        ],
    )
    def test_refuses_misuse(self, first: Any, second: Any, clusters: Any, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            agreement(first, second, clusters)

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
    def test_refuses_an_impossible_confidence(self, confidence: float) -> None:
        with pytest.raises(ValueError, match="confidence"):
            agreement(*table(1, 1, 1, 1), confidence=confidence)


class TestCeiling:
    def test_a_judge_is_compared_with_a_human_on_the_same_rows(self) -> None:
        first = np.array([1.0, 1, 0, 0, 1, 0, MISSING, 1])
        second = np.array([1.0, 1, 0, 1, 1, 1, 1, 1])
        judge = np.array([1.0, 0, 0, 1, 1, 0, 1, MISSING])
        assert matches(first, second)[[0, 3]].tolist() == [1, 0]
        assert np.isnan(matches(first, second)[6])
        gap = paired_difference(matches(judge, first), matches(second, first))
        assert gap.value == pytest.approx(4 / 6 - 5 / 7)

    def test_refuses_what_is_no_decision(self) -> None:
        with pytest.raises(ValueError, match="0, 1 or NaN"):
            matches([2], [1])


def alpha_by_definition(ratings: Any) -> float | None:
    """Krippendorff's alpha from the coincidences of all ordered pairs of ratings of a unit."""
    coincidences: dict[tuple[float, float], float] = {}
    for unit in ratings.T:
        given = unit[~np.isnan(unit)]
        for pair in itertools.permutations(given.tolist(), 2):
            coincidences[pair] = coincidences.get(pair, 0) + 1 / (len(given) - 1)
    totals: dict[float, float] = {}
    for (one, _), weight in coincidences.items():
        totals[one] = totals.get(one, 0) + weight
    n = sum(totals.values())
    if len(totals) < 2:
        return None
    same = sum(weight for (first, second), weight in coincidences.items() if first == second) / n
    by_chance = sum(total * (total - 1) for total in totals.values()) / (n * (n - 1))
    return (same - by_chance) / (1 - by_chance)


FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, MISSING, MISSING, MISSING],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, MISSING, 3],
    [MISSING, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, MISSING],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, MISSING],
]


class TestKrippendorffAlpha:
    def test_golden(self) -> None:
        found = krippendorff_alpha(FOUR_RATERS)
        assert found.value == pytest.approx(113 / 152, abs=ROUNDING)
        assert found.n == 11
        assert found.low < 0.7 < 0.8 < found.high < 1  # type: ignore[operator]

    @given(panels())
    def test_is_its_definition_for_any_number_of_raters_and_categories(self, ratings: Any) -> None:
        expected = alpha_by_definition(ratings)
        assert krippendorff_alpha(ratings).value == pytest.approx(expected, abs=ROUNDING)

    @given(panels(), st.permutations([0.0, 1.0, 2.0]))
    def test_names_of_categories_and_order_of_raters_do_not_matter(
        self, ratings: Any, names: list[float]
    ) -> None:
        renamed = np.array(
            [[MISSING if np.isnan(x) else names[int(x)] for x in row] for row in ratings]
        )
        assert close(krippendorff_alpha(renamed[::-1]), krippendorff_alpha(ratings))

    @given(panels(), st.lists(documents, min_size=8, max_size=8))
    def test_has_an_interval_around_its_value_or_says_why_not(
        self, ratings: Any, clusters: list[str]
    ) -> None:
        found = krippendorff_alpha(ratings, clusters[: ratings.shape[1]])
        assert free_of_nan(found)
        assert found.has_interval or found.note
        if found.has_interval:
            assert -1 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]

    @pytest.mark.parametrize("ratings", [[[1, 0, 1]], [[1, MISSING], [MISSING, 0]], [[], []]])
    def test_is_undefined_where_no_unit_has_two_ratings(self, ratings: Any) -> None:
        found = krippendorff_alpha(ratings)
        assert (found.defined, found.n, found.note) == (False, 0, "no unit has two ratings")

    def test_is_undefined_where_all_ratings_are_equal(self) -> None:
        found = krippendorff_alpha([[3.0, 3.0, 1.0], [3.0, 3.0, MISSING], [3.0, 3.0, MISSING]])
        assert (found.defined, found.n) == (False, 2)
        assert found.note.startswith("all ratings are equal")

    @pytest.mark.parametrize(
        ("ratings", "clusters", "complaint"),
        [
            ([1, 0], None, "n_raters, n_units"),
            ([[1, 0], [1, float("inf")]], None, "finite"),
            ([[1, 0], [1, 0]], ["a"], "shape"),
        ],
    )
    def test_refuses_misuse(self, ratings: Any, clusters: Any, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            krippendorff_alpha(ratings, clusters)

    def test_refuses_an_impossible_confidence(self) -> None:
        with pytest.raises(ValueError, match="confidence"):
            krippendorff_alpha([[1, 0, 1], [1, 1, 0]], confidence=95)


def extremes_over_all_fillings(judge: list[float], human: list[float]) -> dict[str, Bounds]:
    rows = [pair for pair in zip(judge, human, strict=True) if not np.isnan(pair[1])]
    invalid = [place for place, (verdict, _) in enumerate(rows) if np.isnan(verdict)]
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for filling in itertools.product([0.0, 1.0], repeat=len(invalid)):
        filled = dict(zip(invalid, filling, strict=True))
        verdicts = [filled.get(place, verdict) for place, (verdict, _) in enumerate(rows)]
        found = agreement(verdicts, [label for _, label in rows])
        for name, part in estimates(found).items():
            values[name] += [] if part.value is None else [part.value]
    return {
        name: Bounds(min(found, default=None), max(found, default=None))
        for name, found in values.items()
    }


class TestAgreementBounds:
    @given(paired_samples(size=7))
    def test_are_the_extremes_over_all_fillings(self, sample: Any) -> None:
        judge, human, _ = sample
        found = agreement_bounds(judge, human)
        for name, expected in extremes_over_all_fillings(judge, human).items():
            assert astuple(getattr(found, name)) == pytest.approx(astuple(expected))

    def test_reach_beyond_the_uniform_fillings(self) -> None:
        first, second = table(40, 0, 0, 40)
        judge = np.concatenate([first, [MISSING] * 20])
        human = np.concatenate([second, [1.0] * 10, [0.0] * 10])
        found = agreement_bounds(judge, human)
        for filling in (0.0, 1.0):
            filled = np.where(np.isnan(judge), filling, judge)
            assert agreement(filled, human).kappa.value == pytest.approx(0.8)
        assert astuple(found.kappa) == pytest.approx((0.6, 1))
        assert astuple(found.raw) == pytest.approx((0.8, 1))

    def test_close_in_on_the_value_where_nothing_is_invalid(self) -> None:
        pair = table(12, 2, 4, 2)
        found, bounds = agreement(*pair), agreement_bounds(*pair)
        for name, part in estimates(found).items():
            assert astuple(getattr(bounds, name)) == pytest.approx((part.value, part.value))

    @pytest.mark.parametrize(("judge", "human"), [([], []), ([1, MISSING], [MISSING, MISSING])])
    def test_are_undefined_without_labels(self, judge: Any, human: Any) -> None:
        nothing = Bounds(None, None)
        assert agreement_bounds(judge, human) == AgreementBounds(*[nothing] * 4)

    def test_leave_out_fillings_without_a_defined_coefficient(self) -> None:
        found = agreement_bounds([1, 1, MISSING], [1, 1, 1])
        assert found.kappa == Bounds(0, 0)
        assert agreement_bounds([1, 1], [1, 1]).kappa == Bounds(None, None)


class TestDiagnosticAccuracy:
    def test_each_side_is_a_proportion_of_the_rows_with_that_label(self) -> None:
        judge = [1, 1, 0, MISSING, 0, 0, 1, MISSING, 1]
        human = [1, 1, 1, 1, 0, 0, 0, 0, MISSING]
        found = diagnostic_accuracy(judge, human)
        assert found.sensitivity == wilson(2, 3)
        assert found.specificity == wilson(2, 3)
        assert found.sensitivity_bounds == proportion_bounds(2, 1, 1)
        assert found.specificity_bounds == proportion_bounds(2, 1, 1)

    def test_clusters_widen_the_interval(self) -> None:
        judge, human = np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 6), np.ones(36)
        clusters = np.repeat(np.arange(6), 6)
        expected = clustered_proportion(judge, clusters)
        assert diagnostic_accuracy(judge, human, clusters).sensitivity == expected

    @given(paired_samples())
    def test_exchanging_the_categories_exchanges_the_sides(self, sample: Any) -> None:
        judge, human, clusters = sample
        found = diagnostic_accuracy(*sample)
        turned = diagnostic_accuracy([1 - x for x in judge], [1 - x for x in human], clusters)
        assert free_of_nan(found)
        assert limits(turned.sensitivity) == limits(found.specificity)
        assert turned.specificity_bounds == found.sensitivity_bounds

    def test_says_why_a_side_is_undefined(self) -> None:
        found = diagnostic_accuracy([1, MISSING], [1, 1])
        assert found.specificity.note == "no row labelled 0"
        assert found.specificity_bounds == Bounds(None, None)
        assert diagnostic_accuracy([MISSING], [1]).sensitivity.note == "no valid rows"
        assert diagnostic_accuracy([MISSING], [1]).sensitivity_bounds == Bounds(0, 1)

    def test_refuses_different_shapes(self) -> None:
        with pytest.raises(ValueError, match="shape"):
            diagnostic_accuracy([1], [1, 0])
