"""Where escalated steps go: the socket that a guard hands each of them to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from proctor.core.event import Event

__all__ = ["EscalationHook"]


@runtime_checkable
class EscalationHook(Protocol):
    """Takes escalated steps. It must not block, and what it raises never changes a verdict.

    The event is the one that the recorder gets, with the same id; its texts are as they were, also where the guard's
    log is told to keep none.
    """

    def escalated(self, event: Event) -> None:
        """Take one step to hand on."""
        ...

    @property
    def health(self) -> Mapping[str, Any]:
        """How many wait, were delivered, failed or were dropped, and the last failure."""
        ...
