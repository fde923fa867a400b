"""Run configured regexes with bounded time on any text.

Python's engine tries every way a pattern can match and holds the interpreter meanwhile. So a pattern runs, in this
order of preference,

1. in Python's engine, in chunks, if its worst case is small;
2. in RE2, whose time grows only with the length of the text, if RE2 supports the pattern;
3. in Python's engine over windows short enough for its worst case. A match longer than half a window may be cut short
   or missed.

A pattern that none of these can run is rejected when it is read.
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
QUICK_CHARS, QUICK_STEPS = 16_384, 1e6  # a text, and the steps on it, that need no other thread
LARGE_PATTERN: Final = 1_000  # characters of a pattern whose steps take long to count, so that RE2 is tried first
SHORTEST_WINDOW: Final = 256  # characters
LARGEST_PROGRAM: Final = 60_000  # RE2 instructions: its time grows with these too
RE2_MEMORY: Final = 64 * 2**20  # bytes
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HINT: Final = "bound its repeats, as in {0,40}, or write it without look-around and back-references"


class Hit(Protocol):
    """One match: its span and its text."""

    def span(self) -> tuple[int, int]:
        """Return its start and end."""
        ...

    def start(self) -> int:
        """Return its start."""
        ...

    def end(self) -> int:
        """Return its end."""
        ...

    def group(self) -> str:
        """Return its text."""
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
    """A pattern with bounded time on any text. ``engine`` is how it runs, ``why`` the reason against RE2."""

    __slots__ = ("_first", "_later", "_python", "_re2", "engine", "is_quick", "pattern", "why", "window")

    def __init__(self, pattern: str, *, ignore_case: bool = False, linear: bool = False) -> None:
        self.pattern, self.why, self.window = pattern, "", 0
        self._python = compiled(pattern, ignore_case=ignore_case)
        self._re2: Re2Pattern | None = None
        self._first: Any = None
        self._later: Any = None  # for a match with a preceding character
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
        """Whether Python's engine takes few steps on any text of one chunk."""
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
        """Iterate over the matches in order; may be cancelled between two of them (``chunked_regex``)."""
        if self.engine == "windows":
            return _by_windows(self._python, text, self.window)
        if self.engine == "re2":
            return self._by_re2(text)
        return chunked_regex.finditer(self._python, text)

    def search(self, text: str) -> Hit | None:
        """Return the first match."""
        return next(self.finditer(text), None)

    def search_whole(self, text: str) -> Hit | None:
        """Return the first match, however much of the text it needs; only for a pattern that RE2 runs."""
        if self._re2 is None:
            raise ValueError(f"{self.pattern[:200]!r} is not run by RE2")
        place = next(self._places(text, 0, len(text)), None)
        return None if place is None else _Place(text, *place)

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole text; with windows, only if it fits into one."""
        if self._re2 is not None:
            return _re2(self._re2.whole).search(_utf8(text)) is not None
        if self.engine == "windows" and len(text) > self.window:
            return False
        return self._python.fullmatch(text) is not None

    def _by_re2(self, text: str) -> Iterator[Hit]:
        """Match in chunks like ``chunked_regex.finditer``: an uncertain match at the end is retried with more text."""
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
        """Yield the spans of matches from ``at`` on, in a text that ends at ``end``."""
        first = max(0, at - 2)  # anchors and look-behind read the characters before
        raw = _utf8(text[first:end])
        offset = _Offsets(raw, first)
        low = at  # no match begins before this
        # Do not compare the two engines: if a look-behind excludes the start, they are the same.
        back = self._re2 is not None and self._re2.looks_back
        while low < end:
            found = self._later.search(raw, offset.byte(low - back)) if low else self._first.search(raw)
            if found is None:
                return
            start, low = offset.place(found.start(1)), offset.place(found.end(1))
            yield start, low


class _Offsets:
    """Maps between offsets in a text and in its UTF-8, moving forward so that each byte is counted once."""

    __slots__ = ("_at", "_byte", "_is_ascii", "_raw")

    def __init__(self, raw: bytes, first: int) -> None:
        self._raw, self._at, self._byte = raw, first, 0
        self._is_ascii = raw.isascii()

    def byte(self, place: int) -> int:
        """Return the byte offset of a character."""
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
        """Return the character offset of a byte."""
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
    """Return the pattern, ready to run.

    Raises:
        ValueError: it is not a regex, or no engine can bound its time; with the reason and a hint.
    """
    return UserPattern(pattern, ignore_case=ignore_case)


@lru_cache(maxsize=512)
def linear_pattern(pattern: str, *, ignore_case: bool = False) -> UserPattern | None:
    """Return the pattern for RE2, for texts too long for Python's engine; None if RE2 cannot run it.

    Raises:
        ValueError: it is not a regex.
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
    except UnicodeEncodeError:  # lone surrogates: one character each, so that offsets stay
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
    """Return the longest text on which Python's engine takes few enough steps."""
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
