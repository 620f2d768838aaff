"""What tests ask of the results of estimators."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import pytest

from judgeworthy.statistics.estimate import Estimate

ROUNDING = 1e-9
MISSING = float("nan")


def limits(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def close(one: Estimate, two: Estimate) -> bool:
    return bool(limits(one) == pytest.approx(limits(two), abs=ROUNDING))


def parts(result: Any) -> Iterator[Any]:
    """Every number and text in a result."""
    if is_dataclass(result):
        for field in fields(result):
            yield from parts(getattr(result, field.name))
    elif isinstance(result, dict):
        yield from parts(list(result.values()))
    elif isinstance(result, tuple | list):
        for part in result:
            yield from parts(part)
    else:
        yield result


def free_of_nan(result: Any) -> bool:
    """Whether every number is one, and none is infinite."""
    return all(isfinite(part) for part in parts(result) if isinstance(part, float))
