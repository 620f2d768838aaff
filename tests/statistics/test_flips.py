"""McNemar's test of the net shift."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from judgeworthy.statistics.flips import mcnemar

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8")
)
SIX_DECIMALS: float = GOLDEN["tolerances"]["six_decimals"]


@pytest.mark.parametrize("case", GOLDEN["mcnemar"])
def test_golden(case: dict[str, Any]) -> None:
    found = mcnemar(case["first_only"], case["second_only"])
    assert (found.p, found.mid_p) == pytest.approx((case["p"], case["mid_p"]), abs=SIX_DECIMALS)


def test_many_flips_that_cancel_are_no_shift() -> None:
    assert mcnemar(20, 20).p == 1


def test_an_even_split_takes_half_its_probability_off() -> None:
    assert mcnemar(1, 1).mid_p == 1 - 0.5 / 2


@given(st.integers(0, 60), st.integers(0, 60))
def test_p_is_exact_symmetric_and_above_mid_p(first_only: int, second_only: int) -> None:
    found, swapped = mcnemar(first_only, second_only), mcnemar(second_only, first_only)
    assert (swapped.p, swapped.mid_p) == pytest.approx((found.p, found.mid_p))
    assert 0 < found.mid_p <= found.p <= 1
    if first_only + second_only > 0:
        table = [[0, first_only], [second_only, 0]]
        assert found.p == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue)


def test_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)
