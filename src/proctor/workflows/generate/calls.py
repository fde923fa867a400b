"""The questions of a generation under way: none that was asked is lost, and what all of them took."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.core.chat import Reply, Request
from proctor.core.sockets import Model
from proctor.store.journal import read_lines

__all__ = ["Finishing", "NamedModel", "Shared", "spend_of"]

_SAMPLES_A_SEED = 10_000  # sample numbers that one seed may use before another seed's begin
_SEEDS = 90


class Shared:
    """The questions under way, of all models together."""

    def __init__(self, *, concurrency: int, heard: Callable[[int, int], None] | None) -> None:
        self.slots = asyncio.Semaphore(concurrency)
        self.under_way: set[asyncio.Task[Reply]] = set()
        self.answered = 0
        self.heard = heard

    def tell(self) -> None:
        """Say how far it is."""
        if self.heard is not None:
            self.heard(self.answered, len(self.under_way))

    def drop(self) -> None:
        """Give up what is under way."""
        for task in self.under_way:
            task.cancel()

    async def finish(self) -> None:
        """Wait for what was asked and is paid for."""
        while self.under_way:
            await asyncio.wait(self.under_way)


class Finishing:
    """A model whose questions, once asked, are answered and kept though nobody waits for them any more."""

    def __init__(self, model: Model, shared: Shared, seed: int) -> None:
        self._model = model
        self._shared = shared
        self._first = (seed % _SEEDS) * _SAMPLES_A_SEED

    @property
    def name(self) -> str:
        """The name of the model inside."""
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
        self._shared.answered += 1
        if not task.cancelled():
            task.exception()  # seen: whoever still waits for it is told by itself
        self._shared.tell()


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model that is only spoken of."""

    name: str

    async def complete(self, request: Request) -> Reply:
        """Nobody asks it."""
        raise AssertionError(f"{self.name} was asked in a plan")


def spend_of(log: Path) -> list[dict[str, Any]]:
    """What all answers took, those before an interruption among them; exact in whatever order they came."""
    if not log.exists():
        return []
    totals: dict[str, dict[str, Any]] = {}
    for _, line in read_lines(log):
        reply = line["reply"]
        usage = reply.get("usage", {})
        total = totals.setdefault(line["model"], {"calls": 0, "input": 0, "output": 0, "costs": []})
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
