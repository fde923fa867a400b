"""The protocol that records every decision of a guard."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from proctor.core.event import Event

__all__ = ["Recorder"]


@runtime_checkable
class Recorder(Protocol):
    """Records decisions. It must not block, and what it raises never changes a verdict.

    The event is of kind ``gate``: ``name`` is the point, ``verdict`` the verdict returned to the caller, ``metadata``
    has ``parts`` (each gate's own Verdict), ``mode``, ``turn``, ``intents``, ``tool``, and if logging is on ``text``
    and ``call`` (its name and arguments). Texts are not masked: the recorder masks them before writing. An event of
    kind ``note`` is about the guard itself: settings that were reloaded or could not be, records that were lost.
    """

    def record(self, event: Event, *, borderline: bool, sampled: bool) -> None:
        """Record one decision; ``borderline`` and ``sampled`` ones are for human review too."""
        ...
