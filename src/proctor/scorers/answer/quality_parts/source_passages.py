"""Passages that claims are checked against: split into pieces and parsed lazily."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.text.content_words import content
from proctor.text.facts import prepare
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["LETTERS", "Read", "Ready", "SourcePassage", "reading", "ready_for"]

LETTERS: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePassage:
    """A text the agent read. ``order`` is its date; ``live`` means it is current whatever its date.

    ``data`` marks fields and values: networks read it poorly because it is not prose, but its figures are exact.
    """

    name: str
    text: str
    order: tuple[int, int, int] | None = None
    live: bool = False
    data: bool = False


class Read:
    """A parsed text: its pieces, words and figures. Words and figures are computed on first use."""

    __slots__ = ("_figures", "_text", "_words", "pieces")

    def __init__(self, text: str) -> None:
        self._text, self.pieces = text, prepare(text)
        self._words: frozenset[str] | None = None
        self._figures: tuple[Quantity, ...] | None = None

    @property
    def words(self) -> frozenset[str]:
        """Its content words."""
        if self._words is None:
            self._words = content(self._text)
        return self._words

    @property
    def figures(self) -> tuple[Quantity, ...]:
        """Its numbers with their units."""
        if self._figures is None:
            self._figures = find_quantities(self._text)
        return self._figures

    def reading(self) -> Iterator[None]:
        """Compute everything in small steps."""
        for _ in (self.words, self.figures):
            yield
        yield from self.pieces.reading()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A passage with its parsed text."""

    passage: SourcePassage
    read: Read


def ready_for(passage: SourcePassage) -> Ready:
    """Return the passage with its parsed text, which is cached."""
    # The same policies are retrieved repeatedly. Long texts are not cached, to limit memory.
    text = passage.text[:20_000]
    return Ready(passage=passage, read=_remembered(text) if len(text) <= LETTERS else Read(text))


@lru_cache(maxsize=512)
def _remembered(text: str) -> Read:
    return Read(text)


def reading(passages: Iterable[SourcePassage]) -> Iterator[None]:
    """Parse passages in small steps before claims are checked; long ones are skipped because they are not cached.

    A concurrent check reuses what is finished and computes the rest itself.
    """
    for passage in passages:
        if len(passage.text) <= LETTERS:
            yield from ready_for(passage).read.reading()
