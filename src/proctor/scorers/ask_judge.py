"""Ask a judge for a reason and a verdict, and return failures as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.chat import Request
from proctor.core.errors import ModelError
from proctor.core.sockets import Model
from proctor.scorers.checked_answers import quoted

__all__ = ["Opinion", "ask", "reply_schema", "total_cost"]

RAW_LENGTH = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The result of one judge call: a verdict with its reason, or the failure."""

    verdict: Any = None
    reason: str = ""
    replied: bool = True
    cost: float | None = None
    failure: str | None = None
    raw: str | None = None


def reply_schema(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply schema; the reason comes first so that the verdict follows from it."""
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "verdict": dict(verdict)},
        "required": ["reason", "verdict"],
        "additionalProperties": False,
    }


async def ask(judge: Model, request: Request) -> Opinion:
    """Ask once. A missing or unusable reply is a failed opinion, never an exception."""
    try:
        reply = await judge.complete(request)
    except ModelError as error:
        raw: str = getattr(error, "raw", "")
        failure = f"no verdict from the judge: {quoted(error.message, 500)}"
        return Opinion(failure=failure, raw=quoted(raw, RAW_LENGTH) or None, replied=False)
    data, raw = reply.data, quoted(reply.text, RAW_LENGTH)
    if not isinstance(data, Mapping) or "verdict" not in data or not isinstance(data.get("reason"), str):
        return Opinion(failure="the judge's reply is not a reason and a verdict", raw=raw, cost=reply.cost)
    return Opinion(verdict=data["verdict"], reason=data["reason"].strip(), cost=reply.cost, raw=raw)


def total_cost(opinions: Sequence[Opinion]) -> float | None:
    """Return the total cost of the replies; ``None`` if a price is unknown or there was no reply."""
    costs = [opinion.cost for opinion in opinions if opinion.replied]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None
