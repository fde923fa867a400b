"""Makes a plan ready for its first step: the weights its gates need are loaded, and every gate has run once."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.sockets import is_socket
from proctor.guard.deadline import Task
from proctor.guard.step import Step
from proctor.guard.watch import Plan
from proctor.wiring.local import LOCAL, open_local

__all__ = ["open_models", "warm_up"]

_HELLO: Final = "Good morning, when does the shop open on Saturday? It was Anna Berg who asked."
_LONGEST: Final = 60.0  # seconds


def open_models(plan: Plan) -> None:
    """Load the weights of every local model that a gate, or a scorer behind it, will ask."""
    roles = {role for chain in plan.chains.values() for post in chain.posts for role in _roles(post.gate)}
    for role in sorted(roles):
        open_local(role)


async def warm_up(plan: Plan) -> None:
    """Ask each gate about a plain message, with more time than it usually has; what it answers is not looked at."""
    waiting = []
    for chain in plan.chains.values():
        call = None if chain.point in ("input", "output") else ToolCall(name="hello", result=_HELLO)
        step = Step(point=chain.point, text="" if chain.point == "tool_call" else _HELLO, call=call)
        tasks = [Task(ask=_asking(post.gate, step), timeout=_LONGEST) for post in chain.posts]
        waiting.append(chain.deadline.answers(tasks))
    await asyncio.gather(*waiting)


def _asking(gate: Any, step: Step) -> Any:
    return lambda: gate.check(step)


def _roles(part: Any) -> Iterator[str]:
    if not dataclasses.is_dataclass(part):
        return
    for field in dataclasses.fields(part):
        if not is_socket(field):
            continue
        if field.name in LOCAL and getattr(part, field.name) is not None:
            yield field.name
        elif field.name not in LOCAL:
            yield from _roles(getattr(part, field.name))
