"""Compute the cost of a reply from its tokens and the price table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from proctor.core.chat import Reply, Request
from proctor.core.sockets import Model
from proctor.models.prices import Price, Prices

__all__ = ["Priced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """Sets a reply's cost; it stays unknown if the price or the number of tokens is."""

    model: Model
    prices: Prices
    _price: Price | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_price", self.prices.find(self.model.name))

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request, with its cost."""
        reply = await self.model.complete(request)
        if reply.cost is not None or self._price is None:
            return reply  # the provider's own figure is more accurate than the table
        cost = self._price.of(reply.usage)
        return reply if cost is None else replace(reply, cost=cost)
