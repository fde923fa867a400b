"""Regexes compiled on first use: compiling a hundred of them takes half a second."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from proctor.text.chunked_regex import finditer

__all__ = ["Lazy"]


class Lazy:
    """A pattern and its flags, with the methods of a compiled pattern."""

    __slots__ = ("_compiled", "_flags", "_pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        if self._compiled is None:
            self._compiled = re.compile(self._pattern, self._flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Return the first match between two offsets."""
        return self.compiled.search(text, start, len(text) if end is None else end)

    def match(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Return the match at an offset."""
        return self.compiled.match(text, start, len(text) if end is None else end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match of the whole text."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Iterate over the matches from an offset on; a long text is read in chunks."""
        return self.compiled.finditer(text, start) if start else finditer(self.compiled, text)

    def findall(self, text: str) -> list[str]:
        """Return the text of every match."""
        return self.compiled.findall(text)

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Return the text with every match replaced, or the first ``count``."""
        return self.compiled.sub(put, text, count)

    def split(self, text: str) -> list[str]:
        """Return the pieces between the matches."""
        return self.compiled.split(text)
