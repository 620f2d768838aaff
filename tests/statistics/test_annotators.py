"""The alternative annotator test: golden values, and what always holds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from judgeworthy.statistics.annotators import alternative_annotator_test
from judgeworthy.statistics.proportions import (
    wilson,
)
from labelled import panels
from results import MISSING, close, free_of_nan, limits

SIX_DECIMALS = 5e-7


def digits(text: str) -> list[int]:
    return [int(digit) for digit in text]


HUMANS = [digits("111111000000"), digits("110001001101"), digits("001111111010")]
JUDGE = digits("111110000000")


class TestAlternativeAnnotatorTest:
    def test_golden(self) -> None:
        found = alternative_annotator_test(HUMANS, JUDGE, epsilon=0.2)
        p_values = [part.p for part in found.annotators]
        assert p_values == pytest.approx([0.094540, 0.008091, 0.008091], abs=SIX_DECIMALS)
        assert found.thresholds == pytest.approx([0.00909, 0.01818, 0.02727], abs=5e-6)
        assert [part.won for part in found.annotators] == [False, True, True]
        assert found.winning_rate == pytest.approx(2 / 3)
        assert found.advantage.value == pytest.approx(0.916667, abs=SIX_DECIMALS)
        assert found.passed

    def test_a_smaller_epsilon_loses_them_all(self) -> None:
        found = alternative_annotator_test(HUMANS, JUDGE, epsilon=0.1)
        assert found.winning_rate == 0
        assert found.passed is False

    @given(st.integers(0, 2**32 - 1))
    def test_is_the_t_test_under_benjamini_yekutieli(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        humans, judge = generator.integers(0, 3, (4, 40)), generator.integers(0, 3, 40)
        found = alternative_annotator_test(humans, judge)
        expected = []
        for place in range(4):
            others = np.delete(humans, place, axis=0)
            own, its = (others == humans[place]).mean(axis=0), (others == judge).mean(axis=0)
            d = (own >= its).astype(int) - (its >= own)
            expected.append(ttest_1samp(d, 0.2, alternative="less").pvalue)
            assert found.annotators[place].advantage == wilson(int((its >= own).sum()), 40)
        assert [part.p for part in found.annotators] == pytest.approx(expected)
        rejected = false_discovery_control(expected, method="by") <= 0.05
        assert [part.won for part in found.annotators] == rejected.tolist()

    def test_identical_raters_have_infinite_t_and_p_of_0(self) -> None:
        found = alternative_annotator_test([JUDGE] * 3, JUDGE)
        assert [part.p for part in found.annotators] == [0, 0, 0]
        assert found.annotators[0].note.startswith("every difference is the same")
        assert (found.winning_rate, found.advantage.value) == (1, 1)
        assert limits(found.advantage) == limits(wilson(12, 12))

    def test_without_a_bonus_identical_raters_do_not_win(self) -> None:
        found = alternative_annotator_test([JUDGE] * 3, JUDGE, epsilon=0)
        assert [part.p for part in found.annotators] == [1, 1, 1]
        assert found.winning_rate == 0

    def test_a_judge_that_is_always_worse_has_p_of_1(self) -> None:
        found = alternative_annotator_test([JUDGE] * 3, [1 - verdict for verdict in JUDGE])
        assert [part.p for part in found.annotators] == [1, 1, 1]
        assert (found.winning_rate, found.advantage.value) == (0, 0)

    def test_items_without_verdict_are_left_out_unless_they_count_against_the_judge(self) -> None:
        invalid = [*JUDGE[:6], *[MISSING] * 6]
        found = alternative_annotator_test(HUMANS, invalid)
        assert [part.advantage.n for part in found.annotators] == [6, 6, 6]
        against = alternative_annotator_test(HUMANS, [*JUDGE[:6], *[-1] * 6])
        assert against.advantage.value < found.advantage.value  # type: ignore[operator]

    def test_an_item_needs_a_second_annotator(self) -> None:
        humans = np.array(HUMANS, dtype=float)
        humans[1:, 0] = MISSING
        humans[2, 1] = MISSING
        found = alternative_annotator_test(humans, JUDGE)
        assert [part.advantage.n for part in found.annotators] == [11, 11, 10]
        shares = [part.advantage.value for part in found.annotators]
        assert found.advantage.value == pytest.approx(np.mean(shares))  # type: ignore[arg-type]

    def test_copies_within_a_cluster_add_no_information(self) -> None:
        items = np.arange(12)
        found = alternative_annotator_test(HUMANS, JUDGE)
        clustered = alternative_annotator_test(HUMANS, JUDGE, items)
        twice = alternative_annotator_test(np.tile(HUMANS, 2), JUDGE * 2, np.tile(items, 2))
        for one, two, three in zip(*(x.annotators for x in (found, clustered, twice)), strict=True):
            assert one.p == pytest.approx(two.p) == pytest.approx(three.p)
        assert close(found.advantage, twice.advantage)

    def test_warns_of_few_items(self) -> None:
        few = alternative_annotator_test(HUMANS, JUDGE).annotators[0]
        enough = alternative_annotator_test(np.tile(HUMANS, 3), JUDGE * 3).annotators[0]
        assert few.note == "fewer than 30 items: the t test is doubtful"
        assert enough.note == ""

    @pytest.mark.parametrize("humans", [HUMANS[:2], [*HUMANS[:2], [MISSING] * 12]])
    def test_needs_three_annotators(self, humans: Any) -> None:
        found = alternative_annotator_test(humans, JUDGE)
        assert (found.winning_rate, found.passed, found.advantage.value) == (None, None, None)
        assert (found.annotators, found.thresholds) == ((), ())
        assert found.note == found.advantage.note == "fewer than three annotators: not tested"

    @pytest.mark.parametrize("judge", [[MISSING] * 12, [1, *[MISSING] * 11]])
    def test_needs_two_items(self, judge: Any) -> None:
        found = alternative_annotator_test(HUMANS, judge)
        assert (found.winning_rate, found.passed, found.thresholds) == (None, None, ())
        assert [(part.p, part.won) for part in found.annotators] == [(None, None)] * 3
        assert "not tested" in found.note
        assert free_of_nan(found)

    def test_an_annotator_without_shared_items_is_not_in_the_family(self) -> None:
        humans = np.array([*HUMANS, [MISSING] * 12])
        humans[3, 0] = 1
        found = alternative_annotator_test(humans, JUDGE)
        assert found.annotators[3].p is None
        assert len(found.thresholds) == 3
        assert found.winning_rate == pytest.approx(2 / 3)

    @given(panels(), st.data())
    def test_is_never_nan(self, humans: Any, data: st.DataObject) -> None:
        rating = st.sampled_from([MISSING, 0.0, 1.0, 2.0])
        judge = data.draw(st.lists(rating, min_size=humans.shape[1], max_size=humans.shape[1]))
        found = alternative_annotator_test(humans, judge)
        assert free_of_nan(found)
        assert (found.winning_rate is None) == bool(found.note)

    @pytest.mark.parametrize(
        ("humans", "judge", "settings", "complaint"),
        [
            (HUMANS, JUDGE[:5], {}, "shape"),
            (JUDGE, JUDGE, {}, "shape"),
            (HUMANS, [*JUDGE[:11], float("inf")], {}, "finite"),
            (HUMANS, JUDGE, {"epsilon": 1.5}, "epsilon"),
            (HUMANS, JUDGE, {"level": 0}, "level"),
        ],
    )
    def test_refuses_misuse(self, humans: Any, judge: Any, settings: Any, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            alternative_annotator_test(humans, judge, **settings)
