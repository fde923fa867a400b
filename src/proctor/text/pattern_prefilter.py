"""Match many regexes against one text; only those whose required substrings occur are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any
from weakref import WeakSet

from proctor.core.fork_lock import ForkLock
from proctor.text.chunked_regex import PIECE, finditer, spans, translated

from re import _casefix as casefix  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _constants as sre  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]  # isort: skip

__all__ = ["Haystack", "lowered", "needles", "warming"]

Node = tuple[Any, Any]
Needles = frozenset[str] | None  # substrings of which one must occur; None: unknown

_REPEATS = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})
_MOST = 256
_GRAM = 3
_SHORT = 1_000  # maximum characters of a text whose n-grams are cached: several haystacks search the same sentence

# Characters that a pattern treats as equal although their lowercase forms differ: "ſ" and "s", "ς" and "σ".
_SAME = {each: chr(min(each, *others)) for each, others in casefix._EXTRA_CASES.items()}

_every: WeakSet[Haystack] = WeakSet()
_adding = ForkLock()  # a set cannot be copied while it grows


@dataclass(frozen=True)  # without slots, for cached properties
class Haystack:
    """A set of patterns, each compiled when a text first contains its required substring; case is ignored."""

    patterns: tuple[str, ...]

    def __post_init__(self) -> None:
        with _adding:
            _every.add(self)

    def find(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """Yield every match with its pattern's number, in pattern order."""
        for number in self._possible(lowered(text)):
            for hit in finditer(self._compiled(number), text):
                yield number, hit

    def try_all(self, text: str) -> Iterator[tuple[int, re.Match[str]]]:
        """What `find` yields, without a first look at the letters: faster for a handful of patterns."""
        for number in range(len(self.patterns)):
            for hit in finditer(self._compiled(number), text):
                yield number, hit

    def numbers(self, text: str) -> Iterator[int]:
        """Yield the number of every pattern that matches, in order."""
        for number in self._possible(lowered(text)):
            if any(True for _ in finditer(self._compiled(number), text)):
                yield number

    def has(self, text: str) -> bool:
        """Whether any pattern matches the text."""
        return any(True for _ in self.numbers(text))

    def _possible(self, small: str) -> list[int]:
        keys = self._by_gram.keys() & (_few_grams(small) if len(small) <= _SHORT else _grams(small))
        if not keys:
            return self._ever
        return sorted(self._always | {n for key in keys for needle, n in self._by_gram[key] if needle in small})

    @cached_property
    def _by_gram(self) -> dict[str, list[tuple[str, int]]]:
        """The required substrings by their first characters, with the number of the pattern."""
        made: dict[str, list[tuple[str, int]]] = {}
        for number, pattern in enumerate(self.patterns):
            for needle in _telling(pattern) or ():
                made.setdefault(needle[:_GRAM], []).append((needle, number))
        return made

    @cached_property
    def _always(self) -> set[int]:
        return {number for number, pattern in enumerate(self.patterns) if _telling(pattern) is None}

    @cached_property
    def _ever(self) -> list[int]:
        return sorted(self._always)

    @cached_property
    def _made(self) -> dict[int, re.Pattern[str]]:
        return {}

    def _compiled(self, number: int) -> re.Pattern[str]:
        if number not in self._made:
            self._made[number] = re.compile(self.patterns[number], re.IGNORECASE)
        return self._made[number]


def warming() -> Iterator[None]:
    """Compile every pattern of every haystack, one per step, so that no text has to wait for it.

    The required substrings come first because extracting them takes longest.
    """
    with _adding:
        every = list(_every)
    for each in every:
        each._possible("")
        yield
    for each in every:
        for number in range(len(each.patterns)):
            each._compiled(number)
            yield


def lowered(text: str) -> str:
    """Return the text in lowercase, one character for each of its own."""
    return text.lower() if text.isascii() else translated(text.replace("İ", "i").lower(), _SAME)


def _grams(small: str) -> set[str]:
    if len(small) <= PIECE:
        return _grams_of(small)
    grams: set[str] = set()
    for start, end in spans(len(small)):
        grams |= _grams_of(small[start : end + _GRAM - 1])
    return grams


def _grams_of(piece: str) -> set[str]:
    grams = set(map("".join, zip(piece, piece[1:], piece[2:], strict=False)))
    if not piece.isascii():  # one or two characters are selective only in non-ASCII scripts
        grams.update(piece, map("".join, pairwise(piece)))
    return grams


_few_grams = lru_cache(maxsize=16)(_grams)


def _telling(pattern: str) -> Needles:
    found = needles(pattern)
    return None if found is None or not _tells(found) else found


def _tells(found: frozenset[str]) -> bool:
    """Whether each of the strings is long enough to be selective."""
    return not any(len(each) < _GRAM and each.isascii() for each in found)


def needles(pattern: str) -> frozenset[str] | None:
    """Return lowercase strings, one of which occurs in every match; ``None`` if there are none."""
    return _of(list(parser.parse(pattern)))


def _of(items: Sequence[Node]) -> Needles:
    """Return the most selective requirement among the parts: the set whose shortest string is longest."""
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in items:
        if kind is sre.LITERAL:
            run += chr(value)
            continue
        if kind is sre.AT:
            continue
        found += [frozenset({lowered(run)})] if run else []
        run = ""
        if (inside := _inside(kind, value)) is not None:
            found.append(inside)
    found += [frozenset({lowered(run)})] if run else []
    return max(found, key=lambda each: (_tells(each), min(map(len, each)), -len(each)), default=None)


def _inside(kind: Any, value: Any) -> Needles:
    if kind is sre.SUBPATTERN:
        return _of(list(value[3]))
    if kind in _REPEATS:
        return _of(list(value[2])) if value[0] > 0 else None
    if kind is sre.IN:
        letters = [chr(detail) for item, detail in value if item is sre.LITERAL]
        return frozenset(map(lowered, letters)) if len(letters) == len(value) else None
    if kind is not sre.BRANCH:
        return None
    choices = [_of(list(choice)) for choice in value[1]]
    joined = frozenset(needle for choice in choices for needle in choice or ())
    return joined if all(choices) and len(joined) <= _MOST else None
