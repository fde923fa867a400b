"""The tagger that the log of the guard asks: it reads on the log's own thread, where no gate waits behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.entity import Entity

__all__ = ["LogTagger"]


@dataclass(frozen=True, slots=True)
class LogTagger:
    """The names that the local tagger finds, at a lower priority. What a gate had it read is not read again."""

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        """Return the names in each text, computed on the thread that asks."""
        from proctor.models.local.entities import LocalTagger  # noqa: PLC0415 - loads a network

        return LocalTagger().here(texts)
