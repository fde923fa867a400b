"""Gather what a generator yields: pieces of the answer, and mappings with what else is known."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.targets.play_case import AnswerError

__all__ = ["StreamedValue", "gather", "gather_async"]

_HINT = "yield texts, and mappings such as {'sources': […]}"


@dataclass(slots=True, kw_only=True)
class StreamedValue:
    """What a generator has yielded so far; times are of the clock ``perf_counter``."""

    text: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    first: float | None = None
    ended: float = 0.0

    def add(self, piece: Any) -> None:
        """Take over one piece: a text is a part of the answer, a mapping is known beside it."""
        if isinstance(piece, str):
            self.text += piece
            if self.first is None and piece.strip():
                self.first = time.perf_counter()
        elif isinstance(piece, Mapping):
            self.facts.update({str(key): value for key, value in piece.items()})
        elif piece is not None:
            raise AnswerError(f"the target yielded {type(piece).__name__}", hint=_HINT)

    @property
    def value(self) -> dict[str, Any]:
        """The answer and all facts; an ``answer`` that was yielded whole has precedence."""
        return {"answer": self.text, **self.facts}


def gather(pieces: Iterator[Any]) -> StreamedValue:
    """Run a generator to its end."""
    made = StreamedValue()
    for piece in pieces:
        made.add(piece)
    made.ended = time.perf_counter()
    return made


async def gather_async(pieces: AsyncIterator[Any]) -> StreamedValue:
    """Run an async generator to its end."""
    made = StreamedValue()
    async for piece in pieces:
        made.add(piece)
    made.ended = time.perf_counter()
    return made
