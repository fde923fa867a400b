"""Where decisions go: the socket that a guard tells every one of them to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from proctor.core.event import Event

__all__ = ["Recorder"]


@runtime_checkable
class Recorder(Protocol):
    """Takes decisions in. It must not block, and what it raises never changes a verdict.

    The event is of kind ``gate``: ``name`` is the point, ``verdict`` what the caller was told, ``metadata`` has
    ``parts`` (each gate's own Verdict), ``mode``, ``turn``, ``intents``, ``tool``, and unless nothing is to be logged
    ``text`` and ``call`` (its name and arguments). Texts are as they were: whoever writes them anywhere masks them
    first. An event of kind ``note`` tells of the guard itself: settings that were read again or could not be, records
    that were lost.
    """

    def record(self, event: Event, *, borderline: bool, sampled: bool) -> None:
        """Keep one decision; ``borderline`` and ``sampled`` ones are for people to look at too."""
        ...
