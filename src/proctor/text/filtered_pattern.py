"""A regex that is tried only on texts with a word or a substring that one of its alternatives needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, Final, NamedTuple

from proctor.text.pattern_prefilter import lowered

from re import _constants as sre  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]  # isort: skip

__all__ = ["FilteredPattern"]

Node = tuple[Any, Any]
_REPEATS: Final = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})
_EDGES: Final = frozenset({sre.AT, sre.ASSERT, sre.ASSERT_NOT})
_MOST_SPELLINGS: Final = 8  # of one run: "s[iu]z" has two
_TOKEN: Final = re.compile(r"\w+")
_IN_WORDS: Final = bytes(code if code < 128 and _TOKEN.match(chr(code)) else 32 for code in range(256))


class _Needs(NamedTuple):
    """What a text must have for a match: one of the whole words, or one of the parts."""

    words: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()


class FilteredPattern:
    """A compiled pattern with its methods.

    A long alternation of words is tried at every character. Looking up the words of a text takes a tenth of the time,
    and most texts have none.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.compiled = re.compile(pattern, flags)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match."""
        return self.compiled.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Iterate over the matches."""
        return self.compiled.finditer(text) if self.may_match(text) else iter(())

    def sub(self, put: str, text: str) -> str:
        """Return the text with every match replaced."""
        return self.compiled.sub(put, text) if self.may_match(text) else text

    def may_match(self, text: str) -> bool:
        """Whether the text has what a match needs; if not, nothing matches."""
        needs = self._needs
        if needs is None:
            return True
        small, words = _read(text) if len(text) <= _SHORT else _of_text(text)
        if not needs.words.isdisjoint(words):
            return True
        return any([part in small for part in (self._ascii_parts if small.isascii() else needs.parts)])

    @cached_property
    def _needs(self) -> _Needs | None:
        return _sequence(list(parser.parse(self.compiled.pattern, self.compiled.flags)))

    @cached_property
    def _ascii_parts(self) -> tuple[str, ...]:
        parts = [part for part in (self._needs or _Needs()).parts if part.isascii()]
        # "monday" is in every text that has "mondays"
        return tuple(part for part in parts if not any(each != part and each in part for each in parts))


_SHORT: Final = 1_000  # characters of a text whose words are cached: several patterns are tried on the same sentence


def _of_text(text: str) -> tuple[str, frozenset[str]]:
    small = lowered(text)
    if small.isascii():  # bytes are split in a fifth of the time
        return small, frozenset(small.encode().translate(_IN_WORDS).decode().split())
    return small, frozenset(_TOKEN.findall(small))


_read = lru_cache(maxsize=64)(_of_text)


def _sequence(items: Sequence[Node], *, is_whole: bool = False) -> _Needs | None:
    """Return what a sequence needs; ``is_whole`` if a boundary of a word stands at either side of it."""
    inner = [item for item in items if item[0] not in _EDGES]
    is_whole = is_whole or (len(items) > 2 and items[0] == _BOUNDARY and items[-1] == _BOUNDARY)
    if len(inner) == 1 and inner[0][0] in (sre.SUBPATTERN, sre.BRANCH):
        kind, value = inner[0]
        if kind is sre.SUBPATTERN:
            return _sequence(list(value[3]), is_whole=is_whole)
        return _any([_sequence(list(branch), is_whole=is_whole) for branch in value[1]])
    if is_whole and inner and all(kind is sre.LITERAL for kind, _ in inner):
        word = lowered("".join(chr(value) for _, value in inner))
        if _TOKEN.fullmatch(word):
            return _Needs(words=frozenset({word}))
    found = [each for each in (*_runs(items), *_inside(items)) if each]
    # The most telling part: the one whose shortest string is longest.
    best = max(found, key=lambda each: (min(map(len, each.words | each.parts)), -len(each.parts)), default=None)
    return best


def _runs(items: Sequence[Node]) -> Iterator[_Needs]:
    """Yield the runs of letters, with the spellings of a letter that may be one of a few."""
    run = [""]
    for kind, value in (*items, _BOUNDARY):
        letters = _letters(kind, value)
        if letters and len(run) * len(letters) <= _MOST_SPELLINGS:
            run = [start + letter for start, letter in product(run, letters)]
            continue
        if run != [""]:
            yield _Needs(parts=frozenset(map(lowered, run)))
        run = list(letters) if letters and len(letters) <= _MOST_SPELLINGS else [""]
    if run != [""]:
        yield _Needs(parts=frozenset(map(lowered, run)))


def _letters(kind: Any, value: Any) -> list[str]:
    if kind is sre.LITERAL:
        return [chr(value)]
    if kind is sre.IN and all(item is sre.LITERAL for item, _ in value):
        return [chr(code) for _, code in value]
    return []


def _inside(items: Sequence[Node]) -> Iterator[_Needs | None]:
    for kind, value in items:
        if kind is sre.SUBPATTERN:
            yield _sequence(list(value[3]))
        elif kind is sre.BRANCH:
            yield _any([_sequence(list(branch)) for branch in value[1]])
        elif kind in _REPEATS and value[0] > 0:
            yield _sequence(list(value[2]))


def _any(choices: Sequence[_Needs | None]) -> _Needs | None:
    """Return what one of several alternatives needs; None if that of one of them is unknown."""
    known = [each for each in choices if each is not None]
    if len(known) < len(choices):
        return None
    return _Needs(
        words=frozenset[str]().union(*(each.words for each in known)),
        parts=frozenset[str]().union(*(each.parts for each in known)),
    )


_BOUNDARY: Final[Node] = (sre.AT, sre.AT_BOUNDARY)
