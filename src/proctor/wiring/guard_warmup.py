"""Prepare a plan for its first step: load the weights of its gates and run every gate once."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from time import monotonic
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.sockets import Scorer, is_socket
from proctor.core.trajectory import Source
from proctor.guard.deadline import GateTask
from proctor.guard.engine import Plan, Watch
from proctor.guard.gates.pii import Pii
from proctor.guard.prefetch import begin
from proctor.guard.step import Step
from proctor.text import pattern_prefilter, pii
from proctor.wiring.local_models import LOCAL, open_local, warm_local

__all__ = ["WarmupState", "open_models", "warm_up"]

_HELLO: Final = "Good morning, when does the shop open on Saturday? It was Anna Berg who asked."
# Also loads what is only needed for text in other scripts.
_FOREIGN: Final = f"{_HELLO} おはようございます。 早上好。 नमस्ते। صباح الخير. Доброе утро."
# A draft with a claim and its source, so that the output gates run completely.
_DRAFT: Final = "You can cancel the trip free of charge up to 24 hours before departure. It costs 300 EUR."
_SOURCE: Final = Source(id="terms", text="A trip may be cancelled free of charge up to 24 hours before departure.")
_LONGEST: Final = 60.0  # seconds
_PATIENCE: Final = 30.0  # seconds that the first step waits at most for gates to load


class WarmupState:
    """Makes the first step wait until the gates of the plan in force are loaded.

    Loading does not count against a gate's timeout. Errors and hangs of a gate are left to its first real check: this
    never raises and waits at most 30 seconds. Remote models are not called.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch, self._lock = watch, threading.Lock()
        self._warm: tuple[Any, ...] = ()

    def begin(self) -> None:
        """Start for a new plan: the next step waits for the gates that the previous plan did not have."""
        self._watch.ready = self._wait

    def done(self, plan: Plan) -> None:
        """Mark the gates of this plan as loaded."""
        self._warm = tuple(post.gate for chain in plan.chains.values() for post in chain.posts)
        self._watch.ready = None
        if self._watch.plan is not plan:  # replaced in the meantime
            self.begin()

    async def _wait(self, step: Step) -> None:
        over = monotonic() + _PATIENCE
        while not self._lock.acquire(blocking=False):  # steps may wait on several loops; an asyncio.Event works on one
            if monotonic() > over:
                return
            await asyncio.sleep(0.005)
        try:
            if self._watch.ready is not None:
                plan, warm = self._watch.plan, self._warm
                with contextlib.suppress(Exception):  # the gates report their own errors
                    await warm_up(
                        plan,
                        seconds=_PATIENCE,
                        where=lambda gate: _is_here(gate) and not _among(gate, warm),
                        patterns=False,
                        hello=_HELLO if step.text.isascii() else _FOREIGN,
                    )
                self.done(plan)
                begin(partial(_patterns, plan))  # continue in the background; this step waited long enough
        finally:
            self._lock.release()


def open_models(plan: Plan) -> None:
    """Load the weights of every local model that a gate, or a scorer behind it, uses."""
    for role in sorted(_local_roles(plan)):
        open_local(role)


async def warm_up(
    plan: Plan,
    *,
    seconds: float = _LONGEST,
    where: Callable[[Any], bool] = lambda gate: True,
    patterns: bool = True,
    hello: str = _FOREIGN,
) -> None:
    """Run each gate once on a plain message with a longer timeout, and ignore the verdict.

    ``patterns`` also compiles rarely needed patterns, so that the first message that needs them does not wait.
    """
    with contextlib.suppress(Exception):  # gates that need a network report their own errors
        await asyncio.wait_for(warm_local(_local_roles(plan, where)), seconds)
    waiting = []
    for chain in plan.chains.values():
        call = None if chain.point in ("input", "output") else ToolCall(name="hello", result=hello)
        text = {"tool_call": "", "output": f"{hello} {_DRAFT}"}.get(chain.point, hello)
        sources = (_SOURCE,) if chain.point == "output" else ()
        step = Step(point=chain.point, text=text, call=call, sources=sources)
        tasks = [GateTask(ask=_asking(post.gate, step), timeout=seconds) for post in chain.posts if where(post.gate)]
        waiting.append(chain.deadline.answers(tasks))
    await asyncio.gather(*waiting)
    if patterns:
        await asyncio.to_thread(deque, _patterns(plan), 0)


def _local_roles(plan: Plan, where: Callable[[Any], bool] = lambda gate: True) -> set[str]:
    posts = [post for chain in plan.chains.values() for post in chain.posts]
    return {role for post in posts if where(post.gate) for role in _roles(post.gate)}


def _patterns(plan: Plan) -> Iterator[None]:
    """Compile the patterns of the gates, a few per step of the iterator."""
    if any(isinstance(post.gate, Pii) for chain in plan.chains.values() for post in chain.posts):
        pii.warm()
        yield
    yield from pattern_prefilter.warming()


def _asking(gate: Any, step: Step) -> Any:
    return lambda: gate.check(step)


def _among(gate: Any, known: tuple[Any, ...]) -> bool:
    """Return whether an equal gate (same settings and models) is known; false if it cannot be compared."""
    try:
        return any(type(gate) is type(each) and bool(gate == each) for each in known)
    except Exception:
        return False


def _is_here(part: Any) -> bool:
    """Return whether it runs on this machine alone: no remote and no paid model."""
    if not dataclasses.is_dataclass(part):
        return True
    held = [(each.name, getattr(part, each.name)) for each in dataclasses.fields(part) if is_socket(each)]
    return all(
        value is None or name in LOCAL or (isinstance(value, Scorer) and _is_here(value)) for name, value in held
    )


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
