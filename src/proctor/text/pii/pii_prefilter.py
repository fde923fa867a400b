"""Determine in one fast pass which finders can find anything in a text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from proctor.text.chunked_regex import PIECE, finditer

__all__ = ["Gates", "Needs", "needs"]

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_CAMEL: Final = re.compile("(?<=[a-z])(?=[A-Z])")
_ROW: Final = re.compile(r"\d(?:[ ()./-]{0,2}\d)*+")
_SHORTEST_CODE: Final = 8
_LETTERS: Final = bytes(n if chr(n).isalpha() and n < 128 else 32 for n in range(256))  # all others become blanks
_FORM: Final = bytes(57 if 48 <= n <= 57 else n for n in range(256))  # every digit becomes a 9
_PARTS: Final = bytes(32 if chr(n).isspace() else 57 if 48 <= n <= 57 else 97 for n in range(256))
_SHORT: Final = 64  # characters of a text whose form is remembered
_MOST_FORMS: Final = 4_096
_COMMON: Final = "zqxjkvbpgwyfmculdhrsinoate "  # the rarest first
_STREET: Final = "straße"  # stands for all compound street names: Hauptstraße, Kerkstraat
_STREET_ENDS: Final = frozenset(
    {"aße", "sse", "str", "weg", "atz", "lee", "amm", "fer", "aat", "aan", "cht", "gen", "tan", "vej", "ade"}
)

Marks = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Needs:
    """Requirements of a finder: total digits, length of a digit row or a code, one of the marks, one of the words.

    ``written`` are words of unspaced scripts; they are searched as substrings.
    """

    digits: int = 0
    row: int = 0
    code: int = 0
    marks: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()


def needs(words: str, written: str = "", *, digits: int = 0, row: int = 0) -> Needs:
    """Build requirements from words separated by blanks."""
    return Needs(digits=digits, row=row, words=frozenset(words.split()), written=tuple(written.split()))


class Gates:
    """Selects finders for a text; the text's words are looked up in an index of all finders' words."""

    __slots__ = ("_all", "_by_word", "_forms", "_most", "_plain", "_ready", "_words", "_written")

    def __init__(self, every: Sequence[Needs]) -> None:
        self._all = tuple(every)
        self._plain = tuple(number for number, each in enumerate(every) if not each.words)
        self._most = (
            max((each.digits for each in every), default=0),
            max((each.row for each in every), default=0),
            max((each.code for each in every), default=0),
        )
        self._forms: dict[bytes, tuple[int, ...]] = {}
        self._ready: dict[tuple[int, int, int], tuple[tuple[int, Marks], ...]] = {}
        by_word: dict[str, list[int]] = defaultdict(list)
        self._written: list[tuple[str, int]] = []
        for number, each in enumerate(every):
            for word in each.words:
                by_word[word].append(number)
            self._written += ((word, number) for word in each.written)
        self._by_word = dict(by_word)
        self._words = frozenset(by_word)

    def opened(self, text: str) -> Sequence[int]:
        """Return the numbers of the finders that may find something, in order.

        It depends on where the digits are, and not on which they are: ids and numbers of one form share an answer.
        """
        if len(text) > _SHORT or not text.isascii():
            return self._opened(text)
        form = text.encode().translate(_FORM)
        known = self._forms.get(form)
        if known is None:
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            known = self._forms[form] = tuple(self._opened(text))
        return known

    def _opened(self, text: str) -> list[int]:
        long = len(text) > PIECE
        lower = _parted(text).lower() if '"' in text else text.lower()  # "passportNumber" in a record
        if long:
            words = {hit.group() for hit in finditer(_WORD, lower)}
        elif lower.isascii():  # the same words, and single letters, which nobody needs
            words = set(lower.encode().translate(_LETTERS).decode().split())
        else:
            words = set(_WORD.findall(lower))
        digits = _count_digits(text)
        row = code = 0
        if digits >= 4:
            row = max(len(hit.group()) for hit in finditer(_ROW, text)) if long else max(map(len, _ROW.findall(text)))
            code = _longest_code(text)
        if digits and not _STREET_ENDS.isdisjoint([word[-3:] for word in words]):
            words.add(_STREET)
        seen = {number for word in words & self._words for number in self._by_word[word]}
        if not text.isascii():
            seen.update([number for word, number in self._written if word in text])
        opened = [number for number, marks in self._met(digits, row, code) if not marks or _has(text, marks)]
        for number in seen.difference(opened):
            need = self._all[number]
            if (
                digits >= need.digits
                and row >= need.row
                and code >= need.code
                and (not need.marks or _has(text, _by_rarest(need.marks)))
            ):
                opened.append(number)
        return sorted(opened)

    def _met(self, digits: int, row: int, code: int) -> tuple[tuple[int, Marks], ...]:
        """Return the finders that need no word and whose numbers are met, with their marks; few numbers matter."""
        most_digits, most_row, most_code = self._most
        key = (
            digits if digits < most_digits else most_digits,
            row if row < most_row else most_row,
            code if code < most_code else most_code,
        )
        made = self._ready.get(key)
        if made is None:
            plain = ((number, self._all[number]) for number in self._plain)
            made = self._ready[key] = tuple(
                (number, _by_rarest(need.marks))
                for number, need in plain
                if digits >= need.digits and row >= need.row and code >= need.code
            )
        return made


def _count_digits(text: str) -> int:
    if text.isascii():
        return len(text) - len(text.encode().translate(None, b"0123456789"))
    return sum(map(text.count, "0123456789"))


def _by_rarest(marks: tuple[str, ...]) -> Marks:
    """Group marks by the character of each that is rarest in texts: where it is missing, none of them is there."""
    made: dict[str, list[str]] = defaultdict(list)
    for mark in marks:
        made[min(mark, key=lambda each: (_COMMON.find(each) + 1 or 0, each))].append(mark)
    return tuple((rarest, tuple(group)) for rarest, group in made.items())


def _has(text: str, marks: Marks) -> bool:
    for rarest, group in marks:
        if rarest in text:
            for mark in group:
                if mark in text:
                    return True
    return False


def _parted(text: str) -> str:
    if len(text) <= PIECE:
        return _CAMEL.sub(" ", text)
    cuts = (0, *(hit.start() for hit in finditer(_CAMEL, text)), len(text))
    return " ".join(text[start:end] for start, end in pairwise(cuts))


def _longest_code(text: str) -> int:
    """Return the length of the longest part between blanks that has a digit; 0 if it is short."""
    if text.isascii():
        parts = text.encode().translate(_PARTS).split()
        longest = max([len(part) for part in parts if b"9" in part], default=0)
        return longest if longest >= _SHORTEST_CODE else 0
    return max([len(part) for part in text.split() if len(part) >= _SHORTEST_CODE and _is_code(part)], default=0)


def _is_code(part: str) -> bool:
    return not part.isalpha() and any(map(str.isdigit, part))
