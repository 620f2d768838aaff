"""Costs: as replies told, else by the stated rule."""

import pytest

from judgeworthy.models import cost
from judgeworthy.models.cost import Tokens
from judgeworthy.models.request import Reply, Request
from models import recorder

MODEL = recorder.model("http://127.0.0.1:9/v1")


def request(text: str, tokens: int = 50, schema: dict[str, str] | None = None) -> Request:
    return Request("judge", ({"role": "user", "content": text},), 0.0, tokens, schema=schema)


def reply(to: Request, prompt: int, completion: int) -> Reply:
    return Reply(to.id, "text", "stop", prompt, completion, "", "m", "", "", 0.1, "")


@pytest.mark.parametrize(
    ("text", "tokens"), [("four" * 10, 10), ("తెలుగు", 4), ("עברית 1234", 2.5 / 2 + 5 / 1.5)]
)
def test_the_rule_counts_ascii_and_other_characters(text: str, tokens: float) -> None:
    counted = cost.by_rule(request(text))
    assert counted.prompt == pytest.approx(4 + tokens)
    assert counted.completion == 50


def test_a_prompt_is_scaled_by_what_prompts_like_it_counted() -> None:
    known, new = request("a" * 64), request("b" * 144)
    expected, told = cost.expected([new], [known, new], {known.id: reply(known, 30, 12)})
    assert told
    assert expected == Tokens(40 * 30 / 20, 12)


def test_replies_of_another_kind_tell_nothing() -> None:
    known, new = request("a" * 64, schema={"type": "object"}), request("b" * 144)
    expected, told = cost.expected([new], [known, new], {known.id: reply(known, 30, 12)})
    assert not told
    assert expected == Tokens(40, 50)


def test_money_is_known_where_prices_are() -> None:
    priced = MODEL.model_copy(update={"price_prompt": 2.0, "price_completion": 10.0})
    assert cost.money(priced, Tokens(1_000_000, 100_000)) == 3.0
    assert cost.money(MODEL, Tokens(1, 1)) is None


def test_batches_cost_half() -> None:
    priced = MODEL.model_copy(update={"price_prompt": 2.0, "price_completion": 10.0})
    assert cost.money(cost.in_batches(priced), Tokens(1_000_000, 100_000)) == 1.5
    assert cost.money(cost.in_batches(MODEL), Tokens(1, 1)) is None
