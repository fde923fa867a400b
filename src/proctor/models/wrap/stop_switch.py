"""Stop asking: calls that a server is answering are finished, and no other call is started."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from proctor.core.chat import Reply, Request
from proctor.core.sockets import Model

__all__ = ["StopSwitch", "Stoppable"]


class StopSwitch:
    """The calls that are being answered; once it is off, no other call begins."""

    def __init__(self) -> None:
        self.is_off = False
        self.answering: set[asyncio.Task[Any]] = set()

    def stop(self) -> None:
        """Let no further call begin."""
        self.is_off = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stoppable:
    """Notes which calls are with the server. It sits right above the wire, below retries and limits."""

    model: Model
    switch: StopSwitch

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request; cancelled if the switch is off."""
        if self.switch.is_off:
            raise asyncio.CancelledError
        task = asyncio.current_task()
        assert task is not None
        self.switch.answering.add(task)
        try:
            return await self.model.complete(request)
        finally:
            self.switch.answering.discard(task)
