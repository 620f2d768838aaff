"""PPI++: golden values, other implementations, and what always holds."""

from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.statistics.prediction_powered import ppi_mean
from judgeworthy.statistics.proportions import cluster_mean, wilson
from labelled import lies_in_the_unit_interval, rows_of, samples
from results import MISSING, close, free_of_nan, limits

SIX_DECIMALS = 5e-7
NORMAL_QUANTILE = 1.959963984540054


GOLDEN_ROWS = rows_of(8, 10, 7, 10, 26, 40)


class TestPpiMean:
    @pytest.mark.parametrize(
        ("ddof", "low", "high"), [(0, 0.335390, 0.733940), (1, 0.330386, 0.738944)]
    )
    def test_golden(self, ddof: int, low: float, high: float) -> None:
        found = ppi_mean(*GOLDEN_ROWS, ddof=ddof)
        assert limits(found.estimate) == pytest.approx((0.534665, low, high), abs=SIX_DECIMALS)
        assert found.lam == pytest.approx(0.346651, abs=SIX_DECIMALS)
        assert (found.labelled, found.unlabelled, found.estimate.n) == (20, 40, 60)

    def test_follows_the_convention_of_ppi_py_without_asking(self) -> None:
        assert ppi_mean(*GOLDEN_ROWS) == ppi_mean(*GOLDEN_ROWS, range(60), ddof=0)
        assert "ddof 0" in ppi_mean(*GOLDEN_ROWS).estimate.method

    def test_clusters_of_one_row_beside_others_count_as_with_ddof_1(self) -> None:
        labels, verdicts = (np.tile(side, 50) for side in GOLDEN_ROWS)
        clusters = np.arange(3000)
        clusters[-1] = clusters[-2]
        clustered = ppi_mean(labels, verdicts, clusters).estimate
        apart = ppi_mean(labels, verdicts, ddof=1).estimate
        assert limits(clustered) == pytest.approx(limits(apart), abs=2e-4)
        assert clustered.clusters == 2999

    def test_any_numbers_have_a_mean(self) -> None:
        generator = np.random.default_rng(2)
        labels = generator.normal(5, 1, 300)
        verdicts = labels + generator.normal(1, 0.5, 300)
        asked = np.where(np.arange(300) < 100, labels, MISSING)
        found = ppi_mean(asked, verdicts)
        best = np.cov(labels[:100], verdicts[:100], ddof=0)[0, 1] / (1.5 * np.var(verdicts, ddof=1))
        rectified = labels[:100] - best * verdicts[:100]
        value = rectified.mean() + best * verdicts[100:].mean()
        error = sqrt(rectified.var() / 100 + best**2 * verdicts[100:].var() / 200)
        reach = NORMAL_QUANTILE * error
        assert limits(found.estimate) == pytest.approx((value, value - reach, value + reach))
        assert found.estimate.note == ""

    def test_a_good_judge_narrows_the_interval_of_the_labels(self) -> None:
        generator = np.random.default_rng(3)
        truth = (generator.random(600) < 0.6).astype(float)
        verdicts = np.where(generator.random(600) < 0.95, truth, 1 - truth)
        labels = np.where(np.arange(600) < 100, truth, MISSING)
        helped, alone = ppi_mean(labels, verdicts, ddof=1).estimate, cluster_mean(labels).estimate
        assert helped.high - helped.low < 0.7 * (alone.high - alone.low)  # type: ignore[operator]

    @pytest.mark.parametrize("verdict", [0.0, 1.0])
    def test_a_constant_judge_leaves_the_mean_of_the_labels(self, verdict: float) -> None:
        labels = [1.0] * 30 + [0.0] * 30 + [MISSING] * 40
        found = ppi_mean(labels, [verdict] * 100, ddof=1)
        reach = NORMAL_QUANTILE * (cluster_mean(labels).cr2 or 0)
        assert found.lam == 0
        assert limits(found.estimate) == pytest.approx((0.5, 0.5 - reach, 0.5 + reach))

    def test_a_judge_that_says_the_opposite_is_not_used(self) -> None:
        labels, verdicts = GOLDEN_ROWS
        assert ppi_mean(labels, 1 - verdicts).lam == 0

    def test_without_unlabelled_rows_it_is_the_mean_of_the_labels(self) -> None:
        labels, verdicts = GOLDEN_ROWS
        found = ppi_mean(labels[:20], verdicts[:20])
        assert (found.lam, found.unlabelled) == (0, 0)
        assert found.estimate.value == 0.5

    def test_clusters_may_hold_labelled_and_unlabelled_rows(self) -> None:
        labels, verdicts = (np.tile(side, 5) for side in GOLDEN_ROWS)
        clusters = np.arange(300) % 60 + 100 * (np.arange(300) // 150)
        lam = ppi_mean(labels, verdicts, clusters).lam or 0
        labelled = ~np.isnan(labels)
        rectified, imputed = labels - lam * verdicts, lam * verdicts
        totals = np.zeros(200)
        for part, rows in ((rectified, labelled), (imputed, ~labelled)):
            sizes = np.bincount(clusters[rows], minlength=200)
            rest = part[rows] - part[rows].mean()
            sums = np.bincount(clusters[rows], rest, minlength=200) / rows.sum()
            totals += sums / np.sqrt(1 - sizes / rows.sum())
        found = ppi_mean(labels, verdicts, clusters).estimate
        with_label = len(np.unique(clusters[labelled]))
        t = cluster_mean(np.arange(with_label, dtype=float))
        quantile = (t.estimate.high - t.estimate.value) / t.cr2  # type: ignore[operator]
        reach = quantile * sqrt((totals**2).sum())
        assert found.high - found.value == pytest.approx(reach)  # type: ignore[operator]
        assert found.method == "PPI++ (CR2, t)"

    @given(samples())
    def test_copies_within_a_cluster_add_no_information_to_the_labels(self, sample: Any) -> None:
        labels = sample[0]
        clusters, same = list(range(len(labels))), [1.0] * len(labels)
        twice = ppi_mean(labels * 2, same * 2, clusters * 2).estimate
        thrice = ppi_mean(labels * 3, same * 3, clusters * 3).estimate
        assert close(twice, thrice)

    @given(samples())
    def test_a_share_and_its_interval_lie_in_0_to_1(self, sample: Any) -> None:
        for clusters in (None, sample[2]):
            found = ppi_mean(sample[0], sample[1], clusters)
            assert free_of_nan(found)
            assert lies_in_the_unit_interval(found.estimate)
            assert found.estimate.has_interval or found.estimate.note
            assert found.lam is None or 0 <= found.lam <= 1

    @given(samples(st.sampled_from([MISSING, 0.0, 1.5, -2.0, 7.0])))
    def test_is_never_nan(self, sample: Any) -> None:
        found = ppi_mean(*sample)
        assert free_of_nan(found)
        assert found.estimate.has_interval or found.estimate.note

    @given(samples(), st.randoms(use_true_random=False))
    def test_the_order_of_rows_does_not_matter(self, sample: Any, random: Any) -> None:
        rows = list(zip(*sample, strict=True))
        random.shuffle(rows)
        labels, verdicts, clusters = ([row[side] for row in rows] for side in range(3))
        assert close(ppi_mean(labels, verdicts, clusters).estimate, ppi_mean(*sample).estimate)

    @pytest.mark.parametrize("label", [0.0, 1.0])
    def test_equal_labels_have_the_interval_of_a_proportion(self, label: float) -> None:
        labels = [label] * 12 + [MISSING] * 12
        found = ppi_mean(labels, [1.0, 0.0] * 12, np.arange(24) // 3).estimate
        assert close(found, wilson(int(4 * label), 4))
        assert found.note.startswith("all labels are equal: the interval is theirs alone; all ")
        assert (found.n, found.clusters) == (24, 8)

    def test_an_estimate_outside_0_to_1_is_moved_and_the_note_says_so(self) -> None:
        found = ppi_mean(*rows_of(50, 55, 5, 5, 100, 100)).estimate
        assert (found.value, found.high) == (1, 1)
        assert found.note == "1.039 before it was moved into 0 to 1"

    def test_warns_of_few_labels(self) -> None:
        labels, verdicts = (np.tile(side, 3) for side in GOLDEN_ROWS)
        assert ppi_mean(*GOLDEN_ROWS).estimate.note == "fewer than 50 labels: coverage is poor"
        assert ppi_mean(labels, verdicts).estimate.note == ""
        note = "fewer than 50 clusters with a label: coverage is poor"
        assert ppi_mean(labels, verdicts, np.arange(180) // 2).estimate.note == note

    def test_warns_of_few_labels_of_one_kind(self) -> None:
        labels, verdicts = rows_of(50, 56, 4, 4, 30, 40)
        note = "fewer than 5 labels of one kind: coverage is poor"
        assert ppi_mean(labels, verdicts).estimate.note == note

    def test_invalid_rows_are_left_out_and_counted(self) -> None:
        labels, verdicts = GOLDEN_ROWS
        found = ppi_mean([*labels, 1, MISSING], [*verdicts, MISSING, MISSING])
        assert close(found.estimate, ppi_mean(labels, verdicts).estimate)
        assert "2 of 62 rows without a valid verdict left out" in found.estimate.note

    @pytest.mark.parametrize(
        ("labels", "verdicts"), [([], []), ([MISSING] * 2, [1, 0]), ([1, MISSING], [MISSING, 0])]
    )
    def test_without_labels_it_is_undefined(self, labels: Any, verdicts: Any) -> None:
        found = ppi_mean(labels, verdicts)
        assert (found.lam, found.labelled, found.estimate.defined) == (None, 0, False)
        assert found.estimate.note.startswith("no labelled row has a verdict")

    def test_one_question_only_has_a_value_and_a_reason(self) -> None:
        found = ppi_mean(*GOLDEN_ROWS, ["only"] * 60).estimate
        assert found.value == pytest.approx(0.534665, abs=SIX_DECIMALS)
        assert not found.has_interval
        assert found.note.startswith("one cluster only: no interval")

    def test_totals_without_variation_have_no_interval(self) -> None:
        found = ppi_mean([1, 0, 1, 0, MISSING, MISSING], [1, 0, 1, 0, 1, 0], list("aabbcc"))
        assert found.estimate.value == 0.5
        assert not found.estimate.has_interval
        assert found.estimate.note.startswith("one cluster only")
        every = ppi_mean(
            [1, 0, 1, 0, MISSING, MISSING] * 2, [1, 0, 1, 0, 1, 0] * 2, list("aabbccddeeff")
        )
        assert every.estimate.note.startswith("the corrected totals do not vary")

    def test_reads_columns_of_a_table(self) -> None:
        labels, verdicts = GOLDEN_ROWS
        frame = pd.DataFrame({"label": labels, "verdict": verdicts == 1})
        assert ppi_mean(frame["label"], frame["verdict"]) == ppi_mean(labels, verdicts)

    @pytest.mark.parametrize(
        ("labels", "verdicts", "settings", "complaint"),
        [
            ([1], [1, 0], {}, "shape"),
            ([1, 0], [1, 0], {"clusters": ["a"]}, "shape"),
            ([1, float("inf")], [1, 0], {}, "finite"),
            ([1, 0], [1, float("inf")], {}, "finite"),
            ([1, 0], [1, 0], {"ddof": 2}, "ddof"),
            ([1, 0, MISSING], [1, 0, 1], {"confidence": 95}, "confidence"),
        ],
    )
    def test_refuses_misuse(
        self, labels: Any, verdicts: Any, settings: Any, complaint: str
    ) -> None:
        with pytest.raises(ValueError, match=complaint):
            ppi_mean(labels, verdicts, **settings)
