"""Count what a run spent, by model and role."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.core.chat import Reply, Request, Usage
from proctor.core.report import Spend
from proctor.core.sockets import Model

__all__ = ["Meter", "Metered"]


class _Tally:
    """The counts of one model in one role."""

    __slots__ = (
        "cached",
        "cached_input",
        "calls",
        "cost",
        "errors",
        "input",
        "output",
        "priced",
        "reasoning",
        "retries",
    )

    def __init__(self) -> None:
        self.calls = self.cached = self.retries = self.errors = 0
        self.input = self.output = self.cached_input = self.reasoning = 0
        self.cost = 0.0
        self.priced = True  # every call so far

    def add(self, reply: Reply) -> None:
        self.calls += 1
        if reply.cached:  # paid for when it was first requested
            self.cached += 1
            return
        self.retries += reply.attempts - 1
        usage = reply.usage
        self.input += usage.input
        self.output += usage.output
        self.cached_input += usage.cached_input
        self.reasoning += usage.reasoning
        if reply.cost is None:
            self.priced = False
        else:
            self.cost += reply.cost

    def fail(self, attempts: int) -> None:
        self.calls += 1
        self.errors += 1
        self.retries += attempts - 1


class Meter:
    """Counts calls, tokens and money of every model that uses it."""

    __slots__ = ("_tallies",)

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], _Tally] = {}

    def tally(self, model: str, role: str) -> _Tally:
        """Return the counts of one model in one role."""
        tally = self._tallies.get((model, role))
        if tally is None:
            tally = self._tallies[model, role] = _Tally()
        return tally

    def spend(self) -> tuple[Spend, ...]:
        """Return what was spent so far; a cost is ``None`` once the price of one call is unknown."""
        return tuple(
            Spend(
                model=model,
                role=role,
                calls=tally.calls,
                cached=tally.cached,
                retries=tally.retries,
                errors=tally.errors,
                usage=Usage(
                    input=tally.input,
                    output=tally.output,
                    cached_input=tally.cached_input,
                    reasoning=tally.reasoning,
                ),
                cost=tally.cost if tally.priced else None,
            )
            for (model, role), tally in sorted(self._tallies.items())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Metered:
    """Counts a model's calls and usage."""

    model: Model
    meter: Meter
    role: str = "target"

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request and count it."""
        try:
            reply = await self.model.complete(request)
        except Exception as error:
            self.meter.tally(self.model.name, self.role).fail(getattr(error, "attempts", 1))  # set by Retrying
            raise
        self.meter.tally(self.model.name, self.role).add(reply)
        return reply
