"""Check whether a text states a fact, by words, numbers, units, dates and negation: 30 days is not 15 days.

What these exact means cannot decide stays open, for a network or a judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, Literal

from proctor.text.claims import plain, sentences_of
from proctor.text.content_words import clauses, content, negated, overlap_share
from proctor.text.find_phrase import Folded, fold, occurrences
from proctor.text.quantities import Quantity, apart, comparable, find_quantities, without_quantities

__all__ = ["WORD_FOR_WORD", "FactMatch", "Piece", "Prepared", "Verdict", "compare", "prepare"]

Verdict = Literal["stated", "conflict", "absent", "open"]

WORD_FOR_WORD: Final = "word for word"
MOST_PIECES: Final = 60
_READ: Final = 60_000  # characters, from the beginning
ENOUGH: Final = 0.5  # share of the words, if the numbers agree
NEARLY_ALL: Final = 0.8  # share of the words, if there are no numbers
ABOUT: Final = 0.34  # share of the words for two texts to have one topic


class Piece:
    """A clause, a sentence or two adjacent ones, with its words and numbers, parsed lazily.

    Two adjacent sentences without a number across their border combine their ``parts``. Offsets then refer to each
    part.
    """

    __slots__ = ("_parts", "_quantities", "_words", "text")

    def __init__(self, text: str, parts: tuple[Piece, Piece] | None = None) -> None:
        self.text, self._parts = text, parts
        self._words: frozenset[str] | None = None
        self._quantities: tuple[Quantity, ...] | None = None

    @property
    def words(self) -> frozenset[str]:
        """Its content words."""
        if self._words is None:
            if self._parts is None:
                self._words = content(without_quantities(self.text, self.quantities))
            else:
                self._words = self._parts[0].words | self._parts[1].words
        return self._words

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers with their units."""
        if self._quantities is None:
            if self._parts is None:
                self._quantities = find_quantities(self.text)
            else:
                self._quantities = self._parts[0].quantities + self._parts[1].quantities
        return self._quantities


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A text split into pieces, from small to large, for comparison with many facts."""

    folded: Folded
    levels: tuple[tuple[Piece, ...], ...]

    def reading(self) -> Iterator[None]:
        """Parse every piece now, one per step, so that no comparison has to."""
        for piece in chain.from_iterable(self.levels):
            piece.words  # noqa: B018 - computes and caches the words
            yield


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMatch:
    """The result of a comparison, its quote, and the nearest piece of the text.

    ``share`` is the share of the fact's words in the piece. ``numbers`` is true if the fact has numbers and the piece
    has them all.
    """

    verdict: Verdict
    quote: str = ""
    reason: str = ""
    share: float = 0.0
    numbers: bool = False


def prepare(text: str) -> Prepared:
    """Split a text once, for many comparisons."""
    return _remembered(text) if len(text) <= _SHORT else _prepared(text)


# The same policies and products are retrieved repeatedly. Long texts are not cached, to limit memory.
_SHORT: Final = 4_000


@lru_cache(maxsize=512)
def _remembered(text: str) -> Prepared:
    return _prepared(text)


def _prepared(text: str) -> Prepared:
    bare = plain(text[:_READ])
    whole = sentences_of(bare, most=MOST_PIECES)
    small = [part for sentence in whole for part in clauses(sentence)]
    folded = fold(bare, ignore_case=True)
    levels = (map(_piece, small[:120]), map(_piece, whole), (_pair(one, two) for one, two in pairwise(whole)))
    return Prepared(folded=folded, levels=tuple(made for level in levels if (made := tuple(level))))


def compare(fact: str, text: str | Prepared, *, nearest: bool = True) -> FactMatch:
    """Return whether the text states the fact, contradicts it, lacks it, or leaves it open.

    ``nearest=False`` skips the search for a nearest piece if numbers neither agree nor conflict, and returns "open".
    """
    given = prepare(text) if isinstance(text, str) else text
    wanted = _piece(fact)
    if not given.levels or not (wanted.words or wanted.quantities):
        return FactMatch(verdict="absent", reason="the text says nothing that could be compared")
    exact = _word_for_word(wanted, given)
    return exact or (_by_numbers(wanted, given, nearest) if wanted.quantities else _by_words(wanted, given))


@lru_cache(maxsize=2048)
def _piece(text: str) -> Piece:
    return Piece(text)


def _pair(one: str, other: str) -> Piece:
    text = f"{one} {other}"
    return Piece(text, (_piece(one), _piece(other))) if apart(one, other) else _piece(text)


def _word_for_word(wanted: Piece, given: Prepared) -> FactMatch | None:
    phrase = wanted.text.strip().rstrip(".。!！")
    for start, end in occurrences(phrase, given.folded, whole_words=True, most=3):
        around = _sentence_with(phrase, given) or given.folded.quote(start, end, around=40)
        if negated(_clause_with(phrase, around)) == negated(wanted.text):
            return FactMatch(
                verdict="stated", quote=around, reason=WORD_FOR_WORD, share=1.0, numbers=bool(wanted.quantities)
            )
    return None


def _by_words(wanted: Piece, given: Prepared) -> FactMatch:
    share, best = _nearest(wanted, given.levels[0] + given.levels[min(1, len(given.levels) - 1)])
    denied = negated(best.text) != negated(wanted.text)
    if share < NEARLY_ALL or (len(wanted.words) < 2 and not denied):
        # A single shared word does not state the fact.
        return FactMatch(verdict="open", quote=best.text, share=share, reason="not in these words")
    if not denied:
        return FactMatch(verdict="stated", quote=best.text, share=share, reason="in nearly the same words")
    return FactMatch(verdict="conflict", quote=best.text, share=share, reason="says the contrary")


def _by_numbers(wanted: Piece, given: Prepared, nearest: bool) -> FactMatch:
    """Decide by the smallest pieces that contain comparable quantities."""
    for level in given.levels:
        about = [(overlap_share(wanted.words, each.words), each) for each in level if _speaks_of(wanted, each)]
        if not about:
            continue
        found = _decided(wanted, about)
        if found is not None:
            return found
    if not nearest:
        return FactMatch(verdict="open", reason="the numbers are not said together")
    lacking = next((q for q in wanted.quantities if not _anywhere(q, given)), None)
    share, best = _nearest(wanted, [piece for level in given.levels for piece in level])
    if lacking is not None:
        return FactMatch(verdict="absent", quote=best.text, share=share, reason=f"{lacking.quote!r} is not said")
    return FactMatch(verdict="open", quote=best.text, share=share, numbers=True, reason="the numbers stand apart")


def _decided(wanted: Piece, about: Sequence[tuple[float, Piece]]) -> FactMatch | None:
    top = max(share for share, _ in about)
    # Among equally near pieces, one that agrees comes first: a text may mention an old and a new figure.
    share, best = min(about, key=lambda each: (each[0] < top - 1e-9, not _agree(wanted, each[1])))
    if _agree(wanted, best):
        if share < ENOUGH:
            return None  # the number may belong to another thing: try larger pieces
        same = negated(best.text) == negated(wanted.text)
        return FactMatch(
            verdict="stated" if same else "open", quote=best.text, share=share, numbers=True, reason="numbers agree"
        )
    if share < ABOUT:
        return None
    differs = next(_differences(wanted, best), None)
    if differs is None:
        return None
    one, other = differs
    reason = f"says {other.quote.strip()!r} where {one.quote.strip()!r} is expected"
    return FactMatch(verdict="conflict", quote=best.text, share=share, reason=reason)


def _agree(wanted: Piece, piece: Piece) -> bool:
    return all(any(one.same(other) for other in piece.quantities) for one in wanted.quantities)


def _differences(wanted: Piece, piece: Piece) -> Iterator[tuple[Quantity, Quantity]]:
    for one in wanted.quantities:
        if not any(one.same(other) for other in piece.quantities):
            for other in piece.quantities:
                # What both say does not conflict: "480 yen, and free from 5000 yen" agrees with "480 yen".
                if comparable(one, other) and not any(each.same(other) for each in wanted.quantities):
                    yield one, other


def _speaks_of(wanted: Piece, piece: Piece) -> bool:
    told = piece.quantities
    return bool(told) and any(one.same(other) or comparable(one, other) for one in wanted.quantities for other in told)


def _anywhere(quantity: Quantity, given: Prepared) -> bool:
    return any(quantity.same(other) for level in given.levels for piece in level for other in piece.quantities)


def _nearest(wanted: Piece, pieces: Sequence[Piece]) -> tuple[float, Piece]:
    return max(((overlap_share(wanted.words, piece.words), piece) for piece in pieces), key=lambda each: each[0])


def _sentence_with(phrase: str, given: Prepared) -> str | None:
    wanted = fold(phrase, ignore_case=True).text
    for piece in given.levels[min(1, len(given.levels) - 1)]:
        if wanted in fold(piece.text, ignore_case=True).text:
            return piece.text
    return None


def _clause_with(phrase: str, sentence: str) -> str:
    wanted = fold(phrase, ignore_case=True).text
    return next((part for part in clauses(sentence) if wanted in fold(part, ignore_case=True).text), sentence)
