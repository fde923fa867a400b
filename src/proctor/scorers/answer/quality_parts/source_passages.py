"""What claims are held against: a passage, cut into pieces and read as far as somebody asked."""

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
    """Something the agent had before it; ``order`` says how new it is, ``live`` that it holds now whatever its date.

    ``data`` marks fields and values: no prose, so a network does not read it well, but its figures are exact.
    """

    name: str
    text: str
    order: tuple[int, int, int] | None = None
    live: bool = False
    data: bool = False


class Read:
    """A text as the rules need it: cut into pieces, its words, its figures; each made when it is first asked for."""

    __slots__ = ("_figures", "_text", "_words", "pieces")

    def __init__(self, text: str) -> None:
        self._text, self.pieces = text, prepare(text)
        self._words: frozenset[str] | None = None
        self._figures: tuple[Quantity, ...] | None = None

    @property
    def words(self) -> frozenset[str]:
        """Its words of content."""
        if self._words is None:
            self._words = content(self._text)
        return self._words

    @property
    def figures(self) -> tuple[Quantity, ...]:
        """Its numbers with what they count."""
        if self._figures is None:
            self._figures = find_quantities(self._text)
        return self._figures

    def reading(self) -> Iterator[None]:
        """Make all of it, a little at each step."""
        for _ in (self.words, self.figures):
            yield
        yield from self.pieces.reading()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A passage with what was read of it."""

    passage: SourcePassage
    read: Read


def ready_for(passage: SourcePassage) -> Ready:
    """The passage, to hold claims against; what is read of it is remembered by its text."""
    # The same policies are retrieved again and again; long texts are not remembered, to keep memory small.
    text = passage.text[:20_000]
    return Ready(passage=passage, read=_remembered(text) if len(text) <= LETTERS else Read(text))


@lru_cache(maxsize=512)
def _remembered(text: str) -> Read:
    return Read(text)


def reading(passages: Iterable[SourcePassage]) -> Iterator[None]:
    """Read passages that claims will be held against, a little at each step; long ones are not remembered, so not read.

    Whoever holds claims against them meanwhile finds what is done, and does the rest.
    """
    for passage in passages:
        if len(passage.text) <= LETTERS:
            yield from ready_for(passage).read.reading()
