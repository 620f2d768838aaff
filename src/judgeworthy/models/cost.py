"""What requests cost: tokens, by what was recorded or by a stated rule, and money."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from judgeworthy.models.catalog import Model
from judgeworthy.models.request import Reply, Request

_ASCII_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 1.5
_PER_MESSAGE = 4
_BATCH_SHARE = 0.5  # of a model's prices, which batches cost


@dataclass(frozen=True)
class Tokens:
    """How many tokens.

    Attributes
    ----------
    prompt, completion : float
        Of prompts and of completions; expected numbers need not be whole.
    """

    prompt: float = 0.0
    completion: float = 0.0

    @property
    def total(self) -> float:
        """Their sum."""
        return self.prompt + self.completion

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)


def by_rule(request: Request) -> Tokens:
    """Return the tokens of a request by rule, the completion at its limit.

    A token is four ASCII characters or one and a half others; a message costs four more.
    """
    prompt = 0.0
    for message in request.messages:
        text = message["content"]
        ascii_ = len(text.encode("ascii", "ignore"))
        others = len(text) - ascii_
        prompt += _PER_MESSAGE + ascii_ / _ASCII_PER_TOKEN + others / _OTHER_PER_TOKEN
    return Tokens(prompt, request.max_tokens)


def of_reply(request: Request, reply: Reply) -> Tokens:
    """Return the tokens of a reply: as the endpoint counted them, else by rule."""
    rule = by_rule(request)
    prompt = rule.prompt if reply.prompt_tokens is None else reply.prompt_tokens
    completion = rule.completion if reply.completion_tokens is None else reply.completion_tokens
    return Tokens(prompt, completion)


def money(model: Model, tokens: Tokens) -> float | None:
    """Return the price of tokens in USD; none if the model's prices are not known.

    A local model costs nothing.
    """
    if model.local:
        return 0.0
    if model.price_prompt is None or model.price_completion is None:
        return None
    return (tokens.prompt * model.price_prompt + tokens.completion * model.price_completion) / 1e6


def in_batches(model: Model) -> Model:
    """Return a model at the price of its batches: half of its own."""
    prices = {"price_prompt": model.price_prompt, "price_completion": model.price_completion}
    known = {name: _BATCH_SHARE * price for name, price in prices.items() if price is not None}
    return model.model_copy(update=known)


def expected(
    requests: Iterable[Request], asked: Iterable[Request], replies: Mapping[str, Reply]
) -> tuple[Tokens, bool]:
    """Return the tokens that requests are expected to cost, and whether replies told.

    The rule for prompts is scaled by what the replies to like requests (of the same kind of reply
    and room) counted, and a completion is taken as long as theirs are on average. Without any, a
    prompt is counted by rule and a completion at its limit.

    Parameters
    ----------
    requests : iterable of Request
        To one model.
    asked : iterable of Request
        To the same model, answered ones among them.
    replies : mapping of identity to Reply
    """
    known = _Known.of(asked, replies)
    total, told = Tokens(), True
    for request in requests:
        rule, like = by_rule(request), known.get(_kind(request))
        if like is None:
            told = False
            total += rule
        else:
            total += Tokens(rule.prompt * like.per_rule, like.completion)
    return total, told


@dataclass(frozen=True)
class _Known:
    """What the replies to one kind of request cost: tokens a token by rule, and a completion."""

    per_rule: float
    completion: float

    @classmethod
    def of(
        cls, asked: Iterable[Request], replies: Mapping[str, Reply]
    ) -> dict[tuple[bool, int], "_Known"]:
        sums: dict[tuple[bool, int], list[float]] = {}
        for request in asked:
            if (reply := replies.get(request.id)) is None:
                continue
            cost = of_reply(request, reply)
            found = sums.setdefault(_kind(request), [0.0, 0.0, 0.0, 0.0])
            parts = (1.0, by_rule(request).prompt, cost.prompt, cost.completion)
            found[:] = [before + part for before, part in zip(found, parts, strict=True)]
        return {
            kind: cls(prompt / rule, completion / n)
            for kind, (n, rule, prompt, completion) in sums.items()
        }


def _kind(request: Request) -> tuple[bool, int]:
    return request.schema is None, request.max_tokens
