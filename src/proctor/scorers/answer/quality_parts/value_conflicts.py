"""Find a source that gives another value for the same thing: 48 hours where the claim has 24."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from proctor.scorers.answer.quality_parts.source_passages import Ready, SourcePassage
from proctor.text.clock_times import find_times
from proctor.text.content_words import content
from proctor.text.facts import Piece
from proctor.text.known_values import KnownValues
from proctor.text.money import CURRENCIES
from proctor.text.quantities import Quantity, comparable, find_quantities

__all__ = ["EXACT_UNITS", "find_conflict", "is_exact"]

# Units whose figures are copied or computed, never reworded.
EXACT_UNITS: Final = frozenset(
    {
        *("percent", "minute", "hour", "business day", "month", "date", "clock", "weekday"),
        *("volume", "gram", "millimetre", "megabyte", "millilitre"),
    }
)
_ROOT: Final = 5  # letters that inflected forms of one word share
_MANY_VALUES: Final = 8  # comparable values of a passage from which one shared word is too little
_CJK: Final = re.compile(r"[\u3040-\u9fff\uac00-\ud7af\u0e01-\u0e4e]")


def is_exact(one: Quantity) -> bool:
    """Whether the figure is of a kind that is copied or computed from a source."""
    return (one.unit in EXACT_UNITS or one.unit in CURRENCIES) and not one.is_article


def find_conflict(
    claim: str, known: KnownValues, ready: Sequence[Ready]
) -> tuple[Quantity, SourcePassage | None, Quantity | None] | None:
    """Return a figure that does not follow from what is known, and the value a source has for the same thing, if any."""
    figures = (*find_quantities(claim), *find_times(claim))
    for one in figures:
        if not is_exact(one) or known.explains(one, [each for each in figures if each is not one]):
            continue
        if _is_factor(one, figures, known):
            continue
        rival = next(_rivals(claim, one, figures, ready), None)
        return (one, *rival) if rival is not None else (one, None, None)
    return None


def _is_factor(one: Quantity, figures: Sequence[Quantity], known: KnownValues) -> bool:
    """Whether a count is an example that another figure was computed with: "with 4 months left, 40 EUR"."""
    count = one.value_written
    prices = [each.value for each in known.stated if each.unit in CURRENCIES]
    return one.unit not in CURRENCIES and any(
        each.unit in CURRENCIES and any(price * count == each.value for price in prices) for each in figures
    )


def _rivals(
    claim: str, one: Quantity, figures: Sequence[Quantity], ready: Sequence[Ready]
) -> Iterator[tuple[SourcePassage, Quantity]]:
    """Yield comparable values of sentences that share words with the claim and a value the claim does not repeat."""
    words = _roots(content(claim))
    for each in ready:
        pieces = each.read.pieces.levels[min(1, len(each.read.pieces.levels) - 1)] if each.read.pieces.levels else ()
        values = [(piece, other) for piece in pieces for other in _values(piece, one.unit) if _is_alike(one, other)]
        least = 1 if len(values) < _MANY_VALUES else 2
        near = sorted(values, key=lambda pair: -len(words & _piece_roots(pair[0])))
        for piece, other in near:
            if len(words & _piece_roots(piece)) >= least and not any(other.same(figure) for figure in figures):
                yield each.passage, other
                break


def _values(piece: Piece, unit: str) -> tuple[Quantity, ...]:
    return (*find_times(piece.text), *piece.quantities) if unit in ("clock", "weekday") else piece.quantities


def _is_alike(one: Quantity, other: Quantity) -> bool:
    """Whether two values are of one kind; a time of day is also computed from minutes before another one."""
    return comparable(one, other) or (one.unit == "clock" and other.unit in ("minute", "hour"))


def _piece_roots(piece: Piece) -> frozenset[str]:
    return _roots(piece.words)


@lru_cache(maxsize=4096)
def _roots(words: frozenset[str]) -> frozenset[str]:
    """Return the beginnings of words: "devoluciones" and "devolución" are one root."""
    return frozenset(word if _CJK.match(word) else word[:_ROOT] for word in words if len(word) > 2 or _CJK.match(word))
