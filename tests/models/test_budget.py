"""The budget: no limit is exceeded, and what is left is used."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeworthy.errors import ParameterError
from judgeworthy.models.budget import Budget, Limits, SpentError
from judgeworthy.models.catalog import Model
from judgeworthy.models.cost import of_reply
from judgeworthy.models.request import Reply, Request
from models import recorder

MODEL = recorder.model("http://127.0.0.1:9/v1").model_copy(
    update={"price_prompt": 2.0, "price_completion": 10.0}
)


def request(tokens: int) -> Request:
    return Request("judge", ({"role": "user", "content": "An item."},), 0.0, tokens)


def reply(asked: Request, prompt: int, completion: int) -> Reply:
    return Reply(asked.id, "text", "stop", prompt, completion, "schema", "m", "", "", 0.1, "")


@given(
    costs=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), min_size=1, max_size=30),
    tokens=st.integers(0, 600),
    at_once=st.integers(1, 5),
)
def test_tokens_are_never_exceeded_and_none_is_left_that_would_do(
    costs: list[tuple[int, int]], tokens: int, at_once: int
) -> None:
    asked = request(40)
    budget = Budget(Limits(tokens=tokens))
    most = 46  # 40 tokens, and by rule 4 for the message and 2 for its 8 characters

    async def work(waiting: list[tuple[int, int]]) -> None:
        while waiting:
            prompt, completion = waiting.pop()
            number = await budget.take(MODEL, asked)
            await asyncio.sleep(0)
            answer = reply(asked, min(prompt, 6), completion)
            budget.settle(number, MODEL, asked, answer)

    async def run() -> list[BaseException | None]:
        waiting = list(costs)
        return await asyncio.gather(
            *(work(waiting) for _ in range(at_once)), return_exceptions=True
        )

    ended = asyncio.run(run())
    assert budget.tokens.total <= tokens
    if any(isinstance(end, SpentError) for end in ended):
        assert budget.tokens.total + most > tokens
    else:
        assert ended == [None] * at_once
        assert budget.requests == len(costs)


def spend(budget: Budget, model: Model, number: int) -> str:
    asked = request(40)

    async def run() -> None:
        for _ in range(number):
            held = await budget.take(model, asked)
            budget.settle(held, model, asked, reply(asked, 6, 40))

    try:
        asyncio.run(run())
    except SpentError as spent:
        return str(spent)
    return ""


def test_requests_count_with_and_without_a_reply() -> None:
    budget = Budget(Limits(requests=3))
    assert spend(budget, MODEL, 3) == ""
    assert spend(budget, MODEL, 1) == "3 requests"


def test_money_is_counted_at_the_models_prices() -> None:
    budget = Budget(Limits(money=0.001))
    assert spend(budget, MODEL, 3) == "0.001 USD"
    assert budget.money == pytest.approx(2 * (6 * 2 + 40 * 10) / 1e6)


def test_without_limits_all_is_let_through_and_counted() -> None:
    budget = Budget(Limits())
    assert spend(budget, MODEL, 100) == ""
    assert (budget.requests, budget.tokens.total) == (100, 4600)


def test_a_try_without_a_reply_costs_a_request_alone() -> None:
    budget = Budget(Limits(tokens=46))
    asked = request(40)

    async def run() -> None:
        for _ in range(2):
            budget.settle(await budget.take(MODEL, asked), MODEL, asked, None)

    asyncio.run(run())
    assert (budget.requests, budget.tokens.total) == (2, 0)


def test_money_cannot_be_limited_for_a_model_without_a_price() -> None:
    unpriced = recorder.model("http://127.0.0.1:9/v1")
    with pytest.raises(ParameterError, match=r"models.yaml: 'judge' has no price"):
        Budget(Limits(money=1.0)).check(unpriced)
    Budget(Limits(tokens=1)).check(unpriced)


def test_a_reply_that_counts_nothing_is_counted_by_rule() -> None:
    asked = request(40)
    uncounted = Reply(asked.id, "text", "stop", None, None, "schema", "m", "", "", 0.1, "")
    assert of_reply(asked, uncounted).total == 46
