"""The budget of a recording: requests, tokens and money that it may not exceed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from judgeworthy.errors import ParameterError
from judgeworthy.models import cost
from judgeworthy.models.catalog import Model
from judgeworthy.models.cost import Tokens
from judgeworthy.models.request import Reply, Request


@dataclass(frozen=True)
class Limits:
    """The most that a recording may spend; none means no limit.

    Attributes
    ----------
    requests : int or None
        Sent, those that bring no reply among them.
    tokens : int or None
        Of prompts and completions.
    money : float or None
        USD.
    """

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None


class SpentError(Exception):
    """The next request could exceed the budget; the text says which limit."""


class Budget:
    """Counts what is spent, and lets a request start only if its most cannot exceed a limit.

    A request in flight counts with its prompt by rule and its completion at the limit; a reply
    counts as the endpoint counted it. A try without a reply counts as a request alone.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.requests = 0
        self.tokens = Tokens()
        self.money = 0.0
        self._held: dict[int, tuple[float, float]] = {}
        self._settled = asyncio.Event()

    def check(self, model: Model) -> None:
        """Make sure that the budget can be kept for a model.

        Raises
        ------
        ParameterError
            If money is limited and the model has no price.
        """
        if self._limits.money is not None and cost.money(model, Tokens()) is None:
            raise ParameterError(
                f"params/models.yaml: '{model.name}' has no price, so money cannot be limited; "
                "add price_prompt and price_completion."
            )

    async def take(self, model: Model, request: Request) -> int:
        """Wait until a request fits, hold its most, and return the number of what is held.

        Raises
        ------
        SpentError
            If it cannot fit any more.
        """
        most = cost.by_rule(request)
        held = most.total, cost.money(model, most) or 0.0
        while reason := self._exceeded(*held):
            if not self._held:
                raise SpentError(reason)
            self._settled.clear()
            await self._settled.wait()
        self.requests += 1
        self._held[self.requests] = held
        return self.requests

    def affordable(self, model: Model, requests: Sequence[Request]) -> tuple[list[Request], str]:
        """Count requests with their most, for good, as far as they fit.

        Returns
        -------
        taken : list of Request
            The first ones.
        spent : str
            Which limit the others would exceed; empty if all fit.
        """
        taken: list[Request] = []
        for request in requests:
            most = cost.by_rule(request)
            price = cost.money(model, most) or 0.0
            if reason := self._exceeded(most.total, price):
                return taken, f"{reason} are spent; what was recorded is kept"
            self.requests += 1
            self.tokens += most
            self.money += price
            taken.append(request)
        return taken, ""

    def settle(self, number: int, model: Model, request: Request, reply: Reply | None) -> None:
        """Count what a request has cost instead of its most."""
        del self._held[number]
        self._settled.set()
        if reply is not None:
            spent = cost.of_reply(request, reply)
            self.tokens += spent
            self.money += cost.money(model, spent) or 0.0

    def _exceeded(self, tokens: float, money: float) -> str:
        limits = self._limits
        if limits == Limits():
            return ""
        held = [*self._held.values(), (tokens, money)]
        spent = self.tokens.total + sum(part[0] for part in held)
        paid = self.money + sum(part[1] for part in held)
        if limits.requests is not None and self.requests >= limits.requests:
            return f"{limits.requests:,} requests"
        if limits.tokens is not None and spent > limits.tokens:
            return f"{limits.tokens:,} tokens"
        if limits.money is not None and paid > limits.money:
            return f"{limits.money:g} USD"
        return ""
