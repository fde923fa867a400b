"""Finds names of people, places, organisations and postal addresses in a text, in English and Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.core.entity import Entity
from proctor.models.local.reader import LocalReader, SpanReading, reader_of

__all__ = ["LEAST", "LocalTagger"]

LEAST = 0.6  # the probability from which on a span counts


@dataclass(frozen=True, kw_only=True)
class LocalTagger:
    """Names of people, places, organisations and postal addresses, with their places in the text.

    ``least`` is the probability from which on a span counts: lower masks more, higher cries wolf less. A text is read
    once for names and for intents (``LocalIntents``). ``glance=False`` reads texts that plainly hold no name as well.
    """

    folder: Path | None = None
    threads: int = 1
    least: float = LEAST
    glance: bool = True
    _reader: LocalReader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # the first look was fitted to names of that probability: who wants fainter ones has every text read
        glance = self.glance and self.least >= LEAST
        object.__setattr__(self, "_reader", reader_of(self.folder, self.threads, glance))

    async def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """The entities of each text, in order, none overlapping.

        Raises:
            InputError: a text is too long to be read whole.
        """
        return [list(self._sure(found)) for found in await self._reader.read(texts)]

    def here(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The same on the thread that asks, beside all who wait; what is remembered is not read again."""
        return [self._sure(found) for found in self._reader.here(texts)]

    def readings(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text, computed here and now."""
        return [self._sure(found) for found in self._reader.readings(texts)]

    def _sure(self, found: SpanReading) -> tuple[Entity, ...]:
        return tuple(each for each in found.entities if each.score >= self.least and not _is_a_letter(each))


def _is_a_letter(found: Entity) -> bool:
    """Whether it is a single Latin letter, or one with a number: neither "A" nor "A-18" is anybody's name."""
    text = found.text
    if not text.isascii():
        return False
    return len(text) == 1 or (
        found.kind == "PERSON" and sum(map(str.isalpha, text)) <= 1 and any(map(str.isdigit, text))
    )
