"""All readings of a step: its normalised text, and every text hidden in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proctor.guard.step import Step

__all__ = ["Reading", "hidden_in", "quote", "readings"]

_MAX_QUOTE_CHARS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of a step; ``kinds`` are its encodings, ``span`` maps positions to the original."""

    text: str
    kinds: tuple[str, ...]
    span: Callable[[int, int], tuple[int, int]]


def readings(step: Step) -> Iterator[Reading]:
    """Yield the plain text first, then the texts hidden in it."""
    yield Reading(text=step.normalised.plain, kinds=(), span=step.normalised.span)
    for view in step.views:
        yield Reading(text=view.text, kinds=view.kinds, span=view.span)


def hidden_in(kinds: tuple[str, ...]) -> str:
    """Return the end of a sentence that names the encodings; empty if there are none."""
    return f", hidden in {' inside '.join(kinds)}" if kinds else ""


def quote(text: str, start: int = 0, end: int | None = None) -> str:
    """Return a short quote on one line."""
    short = " ".join(text[start:end][: _MAX_QUOTE_CHARS * 2].split())
    return short if len(short) <= _MAX_QUOTE_CHARS else f"{short[: _MAX_QUOTE_CHARS - 1]}…"
