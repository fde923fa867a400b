"""Money, call and token budgets: a call that the budget no longer covers is refused.

Calls in flight count as reserved, at the mean of the calls before them. If the rest of the budget may not cover
another call, it waits until those in flight are settled; so the budget is exceeded by about one call at most,
however many run at once. The first call of a money or token budget runs alone, since its cost is unknown.
"""

from __future__ import annotations

import asyncio
from collections import deque

from proctor.core.chat import Reply, Request
from proctor.core.errors import BudgetError
from proctor.core.record import dataclass
from proctor.core.sockets import Model

__all__ = ["Budget", "Budgeted", "price_hint", "unpriced"]


def unpriced(model: str) -> str:
    """Return why a money budget is impossible for this model."""
    return f"the price of {model} is not known, so a money budget cannot be kept"


def price_hint(model: str) -> str:
    """Return the hint for setting a model's price."""
    return (
        f"give its price as `prices: {{'{model}': {{input: 1.0, output: 2.0}}}}` in proctor.yaml"
        " (dollars for a million tokens), or leave the money budget out"
    )


class Budget:
    """The limits and the amounts spent; shared by every model it covers."""

    __slots__ = (
        "_answered",
        "_unpriced",
        "_waiting",
        "calls",
        "in_flight",
        "made",
        "money",
        "refused",
        "spent",
        "tokens",
        "used",
    )

    def __init__(self, money: float | None = None, calls: int | None = None, tokens: int | None = None) -> None:
        self.money = money
        self.calls = calls
        self.tokens = tokens
        self.spent = 0.0
        self.made = 0  # calls
        self.used = 0  # tokens
        self.in_flight = 0
        self.refused = 0  # calls that were not made
        self._answered = 0
        self._unpriced: str | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()

    def carry(self, *, spent: float, calls: int, tokens: int) -> None:
        """Add what the earlier parts of a resumed run spent."""
        self.spent += spent
        self.made += calls
        self.used += tokens
        self._answered += calls

    @property
    def is_spent(self) -> bool:
        """Whether the budget covers no further call."""
        return any(limit is not None and used >= limit for _, limit, used in self._limits())

    async def enter(self, name: str) -> None:
        """Wait until the budget certainly covers another call.

        Raises:
            BudgetError: it does not, or the price of the model is unknown.
        """
        while not self.try_enter(name):
            settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled

    def try_enter(self, name: str) -> bool:
        """Reserve one call, if the budget certainly covers it.

        Raises:
            BudgetError: it certainly does not, or the price of the model is unknown.
        """
        if self._unpriced is not None:
            self.refused += 1
            raise BudgetError(unpriced(self._unpriced), hint=price_hint(self._unpriced))
        self._refuse_when_spent(name)
        if self.in_flight and self._may_not_cover():
            return False
        self.made += 1
        self.in_flight += 1
        return True

    def left(self, name: str, reply: Reply | None) -> None:
        """Settle the cost of a finished call."""
        self.in_flight -= 1
        if reply is not None and not reply.cached:
            self._answered += 1
            self.used += reply.usage.input + reply.usage.output
            if reply.cost is not None:
                self.spent += reply.cost
            elif self.money is not None:
                self._unpriced = name
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def _limits(self) -> tuple[tuple[str, float | None, float], ...]:
        return (("money", self.money, self.spent), ("call", self.calls, self.made), ("token", self.tokens, self.used))

    def _refuse_when_spent(self, name: str) -> None:
        for what, limit, used in self._limits():
            if limit is not None and used >= limit:
                self.refused += 1
                raise BudgetError(
                    f"{name}: the {what} budget is spent ({used:.6g} of {limit:.6g})",
                    hint="raise the budget: `proctor run --resume RUN --budget DOLLARS`",
                )

    def _may_not_cover(self) -> bool:
        if self.money is None and self.tokens is None:
            return False
        if not self._answered:
            return True
        due = (self.in_flight + 1) / self._answered  # calls to come, in units of those answered
        return (self.money is not None and self.spent * (1 + due) > self.money) or (
            self.tokens is not None and self.used * (1 + due) > self.tokens
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgeted:
    """Refuses a call that the budget does not cover."""

    model: Model
    budget: Budget

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply if the budget covers the request."""
        budget, name = self.budget, self.model.name
        if not budget.try_enter(name):
            await budget.enter(name)
        reply = None
        try:
            reply = await self.model.complete(request)
        finally:
            budget.left(name, reply)
        return reply
