"""Find names of people, places, organisations and postal addresses in a text, in English and Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.core.entity import Entity
from proctor.models.local.reader import LocalReader, SpanReading, reader_of

__all__ = ["LEAST", "LocalTagger"]

LEAST = 0.6  # minimum probability of a span


@dataclass(frozen=True, kw_only=True)
class LocalTagger:
    """Names of people, places, organisations and postal addresses, with their positions in the text.

    ``least`` is the minimum probability of a span: lower masks more, higher gives fewer false alarms. A text is read
    once for names and for intents (``LocalIntents``). ``glance=False`` turns the prefilter off.
    """

    folder: Path | None = None
    threads: int = 1
    least: float = LEAST
    glance: bool = True
    _reader: LocalReader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # the prefilter was fitted to names of that probability; for a lower one every text is read
        glance = self.glance and self.least >= LEAST
        object.__setattr__(self, "_reader", reader_of(self.folder, self.threads, glance))

    async def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Return the entities of each text, in order, non-overlapping.

        Raises:
            InputError: a text is too long to be read whole.
        """
        return [list(self._sure(found)) for found in await self._reader.read(texts)]

    def here(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """Return the same on the calling thread, apart from the queue; cached texts are not read again."""
        return [self._sure(found) for found in self._reader.here(texts)]

    def readings(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """Return the entities of each text, computed on this thread."""
        return [self._sure(found) for found in self._reader.readings(texts)]

    def _sure(self, found: SpanReading) -> tuple[Entity, ...]:
        return tuple(each for each in found.entities if each.score >= self.least and not _is_a_letter(each))


def _is_a_letter(found: Entity) -> bool:
    """Return whether it is a single Latin letter, or one with a number: none of "A", "A." and "A-18" is a name."""
    text = found.text.removesuffix(".")
    if not text.isascii():
        return False
    return len(text) == 1 or (
        found.kind == "PERSON" and sum(map(str.isalpha, text)) <= 1 and any(map(str.isdigit, text))
    )
