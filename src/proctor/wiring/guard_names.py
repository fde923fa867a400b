"""The name taggers of the logs: the guard's, which must not delay gates, and that of events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.entity import Entity

__all__ = ["EventTagger", "LogTagger"]


@dataclass(frozen=True, slots=True)
class LogTagger:
    """The local name tagger at a lower priority. Results of a gate's earlier call are reused."""

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        """Return the names in each text, computed on the calling thread."""
        from proctor.models.local.entities import LocalTagger  # noqa: PLC0415 - loads a network

        return LocalTagger().here(texts)


@dataclass(frozen=True, slots=True)
class EventTagger:
    """The local name tagger for events that wait to be stored: at the priority of the thread that calls it."""

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        """Return the names in each text, computed on the calling thread."""
        from proctor.models.local.entities import LocalTagger  # noqa: PLC0415 - loads a network

        return LocalTagger().readings(texts)
