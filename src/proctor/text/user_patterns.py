"""Regular expressions that somebody configured, run so that no text can make them take long.

Python's engine tries every way a pattern can match and holds the interpreter meanwhile. So a pattern runs, in this
order of preference,

1. in Python's engine, piece by piece, where its worst case is small;
2. in RE2, whose time grows with the length of the text alone, where RE2 has all that the pattern needs;
3. in Python's engine over windows that are short enough for its worst case. A match that is longer than half a window
   may be cut short or missed.

A pattern that can be run in none of these ways is refused when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, Literal, Protocol

from proctor.text import chunked_regex
from proctor.text.chunked_regex import breathe
from proctor.text.patterns import compiled, most_steps
from proctor.text.re2_syntax import Re2Pattern, UntranslatableError, to_re2

__all__ = ["Hit", "UserPattern", "linear_pattern", "user_pattern"]

MAX_STEPS: Final = 5e6  # of Python's engine without a pause: some hundredths of a second
QUICK_CHARS, QUICK_STEPS = 16_384, 1e6  # a text, and the steps on it, for which no other thread is needed
LARGE_PATTERN: Final = 1_000  # characters of one whose steps take long to count, so that RE2 goes first
SHORTEST_WINDOW: Final = 256  # characters
LARGEST_PROGRAM: Final = 60_000  # instructions of RE2: its time grows with these too
RE2_MEMORY: Final = 64 * 2**20  # bytes
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HINT: Final = "bound its repeats, as in {0,40}, or write it without look-around and back-references"


class Hit(Protocol):
    """One match, as far as its place and its text go."""

    def span(self) -> tuple[int, int]:
        """Where it begins and ends."""
        ...

    def start(self) -> int:
        """Where it begins."""
        ...

    def end(self) -> int:
        """Where it ends."""
        ...

    def group(self) -> str:
        """Its text."""
        ...


class _Place:
    """A match that RE2 found."""

    __slots__ = ("_end", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end

    def span(self) -> tuple[int, int]:
        return self._start, self._end

    def start(self) -> int:
        return self._start

    def end(self) -> int:
        return self._end

    def group(self) -> str:
        return self._text[self._start : self._end]


class UserPattern:
    """A pattern whose time on any text is bounded. ``engine`` says how it is run, ``why`` why not in RE2."""

    __slots__ = ("_first", "_later", "_python", "_re2", "engine", "is_quick", "pattern", "why", "window")

    def __init__(self, pattern: str, *, ignore_case: bool = False, linear: bool = False) -> None:
        self.pattern, self.why, self.window = pattern, "", 0
        self._python = compiled(pattern, ignore_case=ignore_case)
        self._re2: Re2Pattern | None = None
        self._first: Any = None
        self._later: Any = None  # where the character before a match is read
        self.engine: Literal["python", "re2", "windows"] = "python"
        self.is_quick = False
        is_large = linear or len(pattern) > LARGE_PATTERN
        if (is_large and self._translate()) or self._is_small() or (not is_large and self._translate()):
            return
        self.engine, self.window = "windows", _window(pattern)
        if self.window < SHORTEST_WINDOW:
            told = f"{pattern[:200]!r} can take too long on a hostile text, and RE2 does not know {self.why}; {_HINT}"
            raise ValueError(told)

    def _is_small(self) -> bool:
        """Whether Python's engine takes few steps on any text of one piece."""
        self.is_quick = most_steps(self.pattern, QUICK_CHARS) <= QUICK_STEPS
        return most_steps(self.pattern, chunked_regex.PIECE) <= MAX_STEPS

    def _translate(self) -> bool:
        """Whether RE2 can run it."""
        try:
            self._re2 = to_re2(self.pattern, self._python.flags)
            self._first = _re2(self._re2.first)
            self._later = _re2(self._re2.later) if self._re2.looks_back else self._first
        except UntranslatableError as error:
            self._re2, self.why = None, str(error)
            return False
        self.engine, self.is_quick = "re2", True
        return True

    def finditer(self, text: str) -> Iterator[Hit]:
        """Every match, in order; may be given up between two of them (``pace``)."""
        if self.engine == "windows":
            return _by_windows(self._python, text, self.window)
        if self.engine == "re2":
            return self._by_re2(text)
        return chunked_regex.finditer(self._python, text)

    def search(self, text: str) -> Hit | None:
        """The first match."""
        return next(self.finditer(text), None)

    def search_whole(self, text: str) -> Hit | None:
        """The first match, however much of the text it has to see; only for a pattern that RE2 runs."""
        if self._re2 is None:
            raise ValueError(f"{self.pattern[:200]!r} is not run by RE2")
        place = next(self._places(text, 0, len(text)), None)
        return None if place is None else _Place(text, *place)

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole text; in windows, whether it does so within the first."""
        if self._re2 is not None:
            return _re2(self._re2.whole).search(_utf8(text)) is not None
        if self.engine == "windows" and len(text) > self.window:
            return False
        return self._python.fullmatch(text) is not None

    def _by_re2(self, text: str) -> Iterator[Hit]:
        """Piece by piece, as ``pace.finditer``: a match behind the last sure place is looked for again with more."""
        at, room = 0, chunked_regex.PIECE
        while True:
            breathe()
            end = min(at + room, len(text))
            sure = end if end == len(text) else end - chunked_regex.MARGIN
            after = sure
            for start, stop in self._places(text, at, end):
                if end < len(text) and (stop > sure or start == sure):
                    after = min(start, sure)
                    break
                yield _Place(text, start, stop)
                breathe()
            if end == len(text):
                return
            room = chunked_regex.PIECE if after > at else 2 * room
            at = after

    def _places(self, text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the pattern matches from ``at`` on, in a text that ends at ``end``."""
        first = max(0, at - 2)  # what stands before is read by anchors and look-behind
        raw = _utf8(text[first:end])
        offset = _Offsets(raw, first)
        low = at  # no match begins before this
        # Not whether the two engines differ: where a look-behind rules out the start, they are the same.
        back = self._re2 is not None and self._re2.looks_back
        while low < end:
            found = self._later.search(raw, offset.byte(low - back)) if low else self._first.search(raw)
            if found is None:
                return
            start, low = offset.place(found.start(1)), offset.place(found.end(1))
            yield start, low


class _Offsets:
    """Places in a text and in its UTF-8, walked forward so that each byte is counted once."""

    __slots__ = ("_at", "_byte", "_is_ascii", "_raw")

    def __init__(self, raw: bytes, first: int) -> None:
        self._raw, self._at, self._byte = raw, first, 0
        self._is_ascii = raw.isascii()

    def byte(self, place: int) -> int:
        """Where the character stands in the bytes."""
        if self._is_ascii:
            return self._byte + place - self._at
        at, byte = self._at, self._byte
        while at > place:
            byte -= 1
            at -= (self._raw[byte] & 0xC0) != 0x80
        while at < place:
            byte += 1
            while byte < len(self._raw) and (self._raw[byte] & 0xC0) == 0x80:
                byte += 1
            at += 1
        return byte

    def place(self, byte: int) -> int:
        """Which character stands at the byte."""
        if self._is_ascii:
            return self._at + byte - self._byte
        if byte >= self._byte:
            self._at += len(self._raw[self._byte : byte].decode())
        else:
            self._at -= len(self._raw[byte : self._byte].decode())
        self._byte = byte
        return self._at


@lru_cache(maxsize=512)
def user_pattern(pattern: str, *, ignore_case: bool = False) -> UserPattern:
    """The pattern, ready to be run.

    Raises:
        ValueError: it is no regular expression, or no engine can bound its time; says why and what to do.
    """
    return UserPattern(pattern, ignore_case=ignore_case)


@lru_cache(maxsize=512)
def linear_pattern(pattern: str, *, ignore_case: bool = False) -> UserPattern | None:
    """The pattern as RE2 runs it, for texts too long for Python's engine; None where RE2 cannot.

    Raises:
        ValueError: it is no regular expression.
    """
    compiled(pattern, ignore_case=ignore_case)
    try:
        made = UserPattern(pattern, ignore_case=ignore_case, linear=True)
    except ValueError:
        return None
    return made if made.engine == "re2" else None


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair: one sign for one sign, so that every place stays
        return _SURROGATE.sub("\ufffd", text).encode()


@lru_cache(maxsize=256)
def _re2(pattern: str) -> Any:
    """Compile for RE2.

    Raises:
        UntranslatableError: the pattern is too large.
    """
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415 - most patterns do without

    options = re2.Options()
    options.max_mem, options.log_errors = RE2_MEMORY, False
    try:
        made = re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else error
        raise UntranslatableError(said.decode() if isinstance(said, bytes) else str(said)) from None
    if made.programsize > LARGEST_PROGRAM:
        raise UntranslatableError("a pattern as large as this")
    return made


def _window(pattern: str) -> int:
    """The longest text on which Python's engine takes few enough steps."""
    low, high = 0, chunked_regex.PIECE
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if most_steps(pattern, middle) <= MAX_STEPS else (low, middle - 1)
    return low


def _by_windows(pattern: re.Pattern[str], text: str, size: int) -> Iterator[Hit]:
    at, last = 0, (-1, -1)
    while True:
        breathe()
        end = min(at + size, len(text))
        sure = end if end == len(text) else end - size // 2
        after = sure
        for hit in pattern.finditer(text, at, end):
            if end < len(text) and hit.end() > sure and hit.start() > at:
                after = min(hit.start(), sure)
                break
            if hit.span() != last:
                yield hit
                last = hit.span()
                after = max(sure, hit.end())
        if end == len(text):
            return
        at = after
