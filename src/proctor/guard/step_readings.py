"""All that one step says: its text made plain, and every text that is hidden in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proctor.guard.step import Step

__all__ = ["Reading", "hidden_in", "quote", "readings"]

_QUOTED = 160  # letters of a finding's quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to read a step; ``kinds`` are the encodings it was hidden in, ``span`` leads back to the original."""

    text: str
    kinds: tuple[str, ...]
    span: Callable[[int, int], tuple[int, int]]


def readings(step: Step) -> Iterator[Reading]:
    """The plain text first, then what is hidden in it."""
    yield Reading(text=step.normalised.plain, kinds=(), span=step.normalised.span)
    for view in step.views:
        yield Reading(text=view.text, kinds=view.kinds, span=view.span)


def hidden_in(kinds: tuple[str, ...]) -> str:
    """The end of a sentence that says how a text was hidden; empty when it was not."""
    return f", hidden in {' inside '.join(kinds)}" if kinds else ""


def quote(text: str, start: int = 0, end: int | None = None) -> str:
    """A short quote on one line."""
    short = " ".join(text[start:end][: _QUOTED * 2].split())
    return short if len(short) <= _QUOTED else f"{short[: _QUOTED - 1]}…"
