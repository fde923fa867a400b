"""Find long runs of characters that two texts share, ignoring spaces, punctuation and case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from proctor.text.script_ranges import EAST_ASIAN, HAN_COMPATIBILITY, THAI

__all__ = ["Known", "Run", "squeezed", "weigh"]

_GRAM: Final = 12  # characters; a shared run of 23 or more has one of these at a multiple of 12
_NOT_WORD: Final = re.compile(r"[\W_]+")
_WIDE: Final = re.compile(f"[{EAST_ASIAN}{HAN_COMPATIBILITY}{THAI}]")
_PLACES: Final = 4  # positions of one n-gram in the known text


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A shared run: its span in the searched text, its start in the known one, and its weight.

    A character weighs 1, or 2.5 in scripts where words have one or two characters.
    """

    start: int
    end: int
    at: int
    weight: float


def squeezed(text: str) -> str:
    """Return only the letters and digits of a text, in lowercase."""
    return _NOT_WORD.sub("", text).casefold()


@dataclass(frozen=True, slots=True)
class Known:
    """A text that is searched for in others; its n-grams are computed once."""

    text: str
    letters: str = field(init=False, repr=False, compare=False)
    weight: float = field(init=False, repr=False, compare=False)
    _grams: dict[str, list[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        letters = squeezed(self.text)
        grams: dict[str, list[int]] = {}
        for at in range(len(letters) - _GRAM + 1):
            places = grams.setdefault(letters[at : at + _GRAM], [])
            if len(places) < _PLACES:
                places.append(at)
        object.__setattr__(self, "letters", letters)
        object.__setattr__(self, "weight", weigh(letters))
        object.__setattr__(self, "_grams", grams)

    def runs(self, letters: str, least: float) -> Iterator[Run]:
        """Yield the runs of at least this weight, without overlaps; ``letters`` are squeezed."""
        after = 0
        for start in range(0, len(letters) - _GRAM + 1, _GRAM):
            if start < after:
                continue
            places = self._grams.get(letters[start : start + _GRAM])
            if not places:
                continue
            run = max((self._grown(letters, start, at, after) for at in places), key=lambda each: each.end - each.start)
            after = run.end
            if run.weight >= least:
                yield run

    def _grown(self, letters: str, start: int, at: int, least: int) -> Run:
        """Extend the n-gram in both directions as far as both texts are equal."""
        back = 0
        while start - back > least and at - back > 0 and letters[start - back - 1] == self.letters[at - back - 1]:
            back += 1
        end, stop = start + _GRAM, at + _GRAM
        while end < len(letters) and stop < len(self.letters) and letters[end] == self.letters[stop]:
            end, stop = end + 1, stop + 1
        return Run(start=start - back, end=end, at=at - back, weight=weigh(letters[start - back : end]))


def weigh(letters: str) -> float:
    """Return the weight of a text: its characters, with more for scripts with short words."""
    return len(letters) if letters.isascii() else len(letters) + 1.5 * len(_WIDE.findall(letters))
