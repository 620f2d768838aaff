"""Self-preference and length preference: planted ones come back, and no others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from drawn import (
    Floats,
    blanked,
    by_judges,
    covers,
    few,
    interval,
    random_ballots,
    ranked,
    studies,
    values,
)
from judgeworthy.statistics.rankings.bias import length_preference, self_preference
from results import MISSING, free_of_nan


class TestSelfPreference:
    def test_is_the_own_rank_minus_that_by_the_others(self) -> None:
        found = self_preference(by_judges("ABCD", "BCDA", "CDAB", prompts=2), [0, -1, -1])
        assert found[0].value == 1 - (4 + 3) / 2
        assert found[1].note == "the judge is no candidate"

    def test_the_other_judges_own_answer_is_taken_off_both_ballots(self) -> None:
        found = self_preference(by_judges("ABCD", "BACD", prompts=2), [0, 1])
        assert values(found) == [0, 0]

    def test_a_vain_judge_does_not_make_the_others_seem_vain(self) -> None:
        vain, fair = "DABC", "ABCD"
        found = self_preference(by_judges(fair, fair, fair, vain, prompts=2), [0, 1, 2, 3])
        assert values(found) == [0, 0, 0, -2]

    def test_planted_self_preference_is_found_and_merit_is_not_taken_for_it(self) -> None:
        merit = np.array([2.0, 0.0, 0.0])
        scores = np.random.default_rng(5).gumbel(size=(200, 3, 1, 3)) + merit
        scores[:, 1, :, 1] += 1.5
        one, vain, other = self_preference(ranked(scores), [0, 1, 2], confidence=0.999)
        assert covers(one, 0)
        assert covers(other, 0)
        assert interval(vain)[1] < -0.1

    def test_rests_on_prompts(self) -> None:
        ranks = blanked(np.tile(by_judges("ABC", "CAB", prompts=4), (1, 1, 3, 1)), 0, 0)
        found = self_preference(ranks, [0, -1])[0]
        assert (found.n, found.clusters) == (3, 3)

    @pytest.mark.parametrize(
        ("ranks", "own"),
        [
            (by_judges("ABC", prompts=2), [0]),
            (by_judges("AB", "BA", prompts=2), [0, 1]),
            (by_judges("aBC", "ABC", prompts=2), [0, -1]),
            (by_judges("ABC", "BAC", prompts=2), [0, 0]),
            (blanked(by_judges("ABC", "BAC", prompts=2), slice(None), 1), [0, 1]),
        ],
        ids=["no other judge", "two models", "own left out", "the same model", "other invalid"],
    )
    def test_is_undefined_where_nothing_compares(self, ranks: Floats, own: list[int]) -> None:
        found = self_preference(ranks, own)[0]
        assert (found.value, found.n) == (None, 0)
        assert found.note.startswith("no prompt on which this judge and another")

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        own = [judge % ranks.shape[-1] for judge in range(ranks.shape[1])]
        assert free_of_nan(self_preference(ranks, own))


class TestLengthPreference:
    def test_is_the_share_of_pairs_in_which_the_longer_is_preferred(self) -> None:
        lengths = [[300, 200, 100]] * 2
        found = length_preference(by_judges("ABC", "CBA", "BAC", prompts=2), lengths)
        assert values(found) == pytest.approx([1, 0, 2 / 3])

    def test_equal_lengths_do_not_count(self) -> None:
        found = length_preference(by_judges("ABC", prompts=2), [[200, 200, 100], [100, 100, 100]])
        assert (found[0].value, found[0].n) == (1, 1)

    def test_random_ballots_have_no_preference(self) -> None:
        ranks = random_ballots(1, 300, 1, 1, 4)
        (found,) = length_preference(ranks, np.random.default_rng(2).integers(10, 99, (300, 4)))
        assert covers(found, 0.5)

    def test_is_undefined_where_all_lengths_are_equal(self) -> None:
        (found,) = length_preference(by_judges("ABC"), [[5, 5, 5]])
        assert (found.value, found.note) == (None, "no ballot with answers of different length")

    @pytest.mark.parametrize("lengths", [[[1, 2]], [[1, 2, MISSING]], [1, 2, 3]])
    def test_refuses_lengths_that_are_missing(self, lengths: Any) -> None:
        with pytest.raises(ValueError, match="lengths"):
            length_preference(by_judges("ABC"), lengths)

    @few
    @given(studies())
    def test_is_never_nan(self, ranks: Floats) -> None:
        lengths = np.arange(len(ranks) * ranks.shape[-1]).reshape(len(ranks), -1) % 3
        assert free_of_nan(length_preference(ranks, lengths))
