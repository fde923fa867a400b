"""Track the model calls of a generation: keep every reply, and report calls, tokens and cost."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.core.chat import Reply, Request, Usage
from proctor.core.sockets import Model
from proctor.models.wrap.stop_switch import StopSwitch
from proctor.store.journal import read_lines

__all__ = ["Finishing", "NamedModel", "Shared", "spend_of", "work_of"]

_SAMPLES_A_SEED = 10_000  # range of sample numbers of one seed
_SEEDS = 90


class Shared:
    """The open calls of all models, and what the answered ones took.

    ``work`` is the size of the answered calls in tokens, weighed by the time a token takes; replies from before count
    as answered and not as work.
    """

    def __init__(self, *, concurrency: int) -> None:
        self.slots = asyncio.Semaphore(concurrency)
        self.switch = StopSwitch()
        self.under_way: set[asyncio.Task[Reply]] = set()
        self.answered = 0
        self.work: Counter[str] = Counter()
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the first model was made."""
        return time.monotonic() - self.began

    def stop(self) -> None:
        """Ask nothing more: calls that a server is answering are finished, those that wait are dropped."""
        self.switch.stop()
        for task in self.under_way - self.switch.answering:
            task.cancel()

    def drop(self) -> None:
        """Cancel the open calls."""
        self.switch.stop()
        for task in self.under_way:
            task.cancel()

    async def finish(self) -> None:
        """Wait for the open calls, which are paid for."""
        while self.under_way:
            await asyncio.wait(self.under_way)


class Finishing:
    """A model whose calls are always completed and logged, even if the caller was cancelled."""

    def __init__(self, model: Model, shared: Shared, seed: int) -> None:
        self._model = model
        self._shared = shared
        self._first = (seed % _SEEDS) * _SAMPLES_A_SEED

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self._model.name

    async def complete(self, request: Request) -> Reply:
        """Answer the request; another seed draws other samples."""
        shared = self._shared
        if self._first:
            request = replace(request, sample=request.sample + self._first)
        async with shared.slots:
            task = asyncio.ensure_future(self._model.complete(request))
            shared.under_way.add(task)
            task.add_done_callback(self._done)
            return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Reply]) -> None:
        self._shared.under_way.discard(task)
        if task.cancelled():
            return
        self._shared.answered += 1
        if task.exception() is None:  # an error goes to the waiting caller
            reply = task.result()
            if not reply.cached:
                self._shared.work[self.name] += work_of(reply.usage)


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model with a name only, for plans; it cannot be called."""

    name: str

    async def complete(self, request: Request) -> Reply:
        """Not supported."""
        raise AssertionError(f"{self.name} was asked in a plan")


def work_of(usage: Usage) -> int:
    """Return the size of calls in tokens, weighed by time: writing one takes about as long as reading two."""
    return usage.input + 2 * usage.output


def spend_of(log: Path) -> list[dict[str, Any]]:
    """Return the usage and cost of all replies in the log, including those before an interruption.

    A line that is no call is left out; it is noted when the log is opened.
    """
    if not log.exists():
        return []
    totals: dict[str, dict[str, Any]] = {}
    for _, line in read_lines(log, damaged=lambda _: None):
        reply, model = line.get("reply"), line.get("model")
        if not isinstance(reply, dict) or not isinstance(model, str):
            continue
        usage = reply.get("usage", {})
        total = totals.setdefault(model, {"calls": 0, "input": 0, "output": 0, "costs": []})
        total["calls"] += 1
        total["input"] += usage.get("input", 0)
        total["output"] += usage.get("output", 0)
        total["costs"].append(reply.get("cost"))
    made = []
    for model, total in sorted(totals.items()):
        costs = total.pop("costs")
        known = None if any(cost is None for cost in costs) else math.fsum(costs)
        made.append({"model": model, **total, "cost": known})
    return made
