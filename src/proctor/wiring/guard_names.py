"""The name tagger of the guard's log; it runs on the log's own thread, so it does not delay gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.entity import Entity

__all__ = ["LogTagger"]


@dataclass(frozen=True, slots=True)
class LogTagger:
    """The local name tagger at a lower priority. Results of a gate's earlier call are reused."""

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        """Return the names in each text, computed on the calling thread."""
        from proctor.models.local.entities import LocalTagger  # noqa: PLC0415 - loads a network

        return LocalTagger().here(texts)
