"""The pace: it grows while replies come, backs off when the endpoint is busy, and keeps rates."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from judgeworthy.models.catalog import Model
from judgeworthy.models.pace import Pace
from models import recorder


@pytest.fixture(autouse=True)
def _no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: high)


def model(**fields: object) -> Model:
    return recorder.model("http://127.0.0.1:9/v1", concurrency=64).model_copy(update=fields)


def run(action: Callable[[Pace], Awaitable[None]], **fields: object) -> float:
    """Run an action with a pace and return how long it took."""

    async def timed() -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.wait_for(action(Pace(model(**fields))), 20)
        return loop.time() - started

    return asyncio.run(timed())


async def started(pace: Pace) -> int:
    """Start all requests that may start now and return how many are in flight."""
    tasks = [asyncio.create_task(pace.enter(1)) for _ in range(200)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    in_flight = pace.in_flight
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            pace.leave()
    return in_flight


def test_an_endpoint_is_sent_few_requests_at_first_and_one_more_for_each_reply() -> None:
    async def action(pace: Pace) -> None:
        assert await started(pace) == 8
        for _ in range(8):
            pace.replied()
        assert await started(pace) == 16
        for _ in range(500):
            pace.replied()
        assert await started(pace) == 64

    run(action)


def test_a_local_model_is_sent_all_that_it_takes_at_once() -> None:
    file = {"name": "m", "sha256": "a" * 64, "packages": ("m==1",), "member": "*"}
    local = Model.model_validate(
        {**model().model_dump(exclude={"endpoint"}), "file": file, "concurrency": 32}
    )
    assert Pace(local).limit == 32


def test_a_busy_endpoint_halves_what_is_in_flight_once_for_all_that_started_together() -> None:
    async def action(pace: Pace) -> None:
        pace.limit = 40
        now = asyncio.get_running_loop().time()
        for _ in range(40):
            pace.was_busy(now, 0.0)
        assert pace.limit == 20
        pace.was_busy(asyncio.get_running_loop().time() + 1, 0.0)
        assert pace.limit == 10
        for _ in range(10):
            pace.replied()
        assert 10.9 < pace.limit < 11.1, "it grows by one a round now"

    run(action)


def test_one_request_is_always_in_flight() -> None:
    async def action(pace: Pace) -> None:
        for _ in range(20):
            pace.was_busy(asyncio.get_running_loop().time() + 1, 0.0)
        assert await started(pace) == 1

    run(action)


def test_it_rests_as_long_as_the_endpoint_says() -> None:
    async def action(pace: Pace) -> None:
        pace.was_busy(asyncio.get_running_loop().time(), 0.3)
        await pace.enter(1)

    assert run(action) >= 0.3


def test_it_rests_twice_as_long_each_time_where_the_endpoint_does_not_say() -> None:
    async def action(pace: Pace) -> None:
        now = asyncio.get_running_loop().time()
        pace.was_busy(now, None)
        assert pace._rest_until == pytest.approx(now + 1, abs=0.4)
        pace.was_busy(now + 0.5, None)
        assert pace._rest_until == pytest.approx(now + 2, abs=0.4)
        pace.replied()
        pace.was_busy(now + 0.9, None)
        assert pace._rest_until == pytest.approx(now + 2, abs=0.4), "a reply begins it anew"

    run(action)


@pytest.mark.parametrize(
    ("limits", "number", "tokens"),
    [
        ({"requests_per_minute": 600}, 13, 1),
        ({"tokens_per_minute": 60_000}, 11, 1000),
    ],
)
def test_a_rate_is_kept(limits: dict[str, int], number: int, tokens: int) -> None:
    async def action(pace: Pace) -> None:
        for _ in range(number):
            await pace.enter(tokens)
            pace.leave()

    took = run(action, **limits)
    window = 1.0 if "requests_per_minute" in limits else 5.0
    first = {1: 10, 1000: 5}[tokens]
    assert took >= (number - first) * window / first * 0.9


def test_a_request_beyond_the_rate_of_a_window_is_sent_all_the_same() -> None:
    async def action(pace: Pace) -> None:
        await pace.enter(10**6)

    run(action, tokens_per_minute=600)


def test_a_request_that_gives_up_waiting_lets_the_next_one_go() -> None:
    async def action(pace: Pace) -> None:
        pace.most, pace.limit = 1, 1.0
        await pace.enter(1)
        first, second = (asyncio.create_task(pace.enter(1)) for _ in range(2))
        await asyncio.sleep(0)
        pace.leave()
        first.cancel()
        await second
        assert pace.in_flight == 1

    run(action)
