"""The protocol that receives escalated steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from proctor.core.event import Event

__all__ = ["EscalationHook"]


@runtime_checkable
class EscalationHook(Protocol):
    """Takes escalated steps. It must not block, and what it raises never changes a verdict.

    The event is the one that the recorder gets, with the same id. Its texts are complete, even if the guard's log is
    set to keep none.
    """

    def escalated(self, event: Event) -> None:
        """Accept one escalated step."""
        ...

    @property
    def health(self) -> Mapping[str, Any]:
        """Counts of pending, delivered, failed and dropped steps, and the last failure."""
        ...
