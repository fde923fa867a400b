"""Give a reasoning model room for its thoughts on top of the limit of its answer.

A limit on the answer's tokens is meant for the answer. Reasoning models spend the same tokens on thoughts, so that a
limit that fits the answer may leave nothing of it. The room is learnt from the first answers that were cut this way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from proctor.core.chat import Reply, Request, Usage
from proctor.core.sockets import Model

__all__ = ["ReasoningRoom"]

_STEPS: Final = (8_000, 32_000)  # tokens of room, tried in this order


class ReasoningRoom:
    """Repeats a call whose limit was spent on reasoning, with more room; later calls get that room at once.

    It sits below the cache, so that the keys of requests do not depend on what was learnt.
    """

    def __init__(self, model: Model, *, room: int = 0) -> None:
        self.model = model
        self.room = room

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request; its usage includes the calls that were cut."""
        limit = request.sampling.max_tokens
        if limit is None:
            return await self.model.complete(request)
        cut: list[Reply] = []
        while True:
            room = self.room
            sampling = replace(request.sampling, max_tokens=limit + room)
            reply = await self.model.complete(replace(request, sampling=sampling))
            wider = next((step for step in _STEPS if step > room), None)
            if wider is None or not _spent_on_reasoning(reply):
                return _with_usage_of(reply, cut)
            cut.append(reply)
            self.room = max(self.room, wider)


def _spent_on_reasoning(reply: Reply) -> bool:
    return reply.finish == "length" and (reply.usage.reasoning > 0 or not reply.text.strip())


def _with_usage_of(reply: Reply, cut: list[Reply]) -> Reply:
    if not cut:
        return reply
    costs = [each.cost for each in (*cut, reply)]
    known = [cost for cost in costs if cost is not None]
    return replace(
        reply,
        usage=sum((each.usage for each in cut), Usage()) + reply.usage,
        cost=sum(known) if len(known) == len(costs) else None,
        latency=reply.latency + sum(each.latency for each in cut),
        attempts=reply.attempts + sum(each.attempts for each in cut),
    )
