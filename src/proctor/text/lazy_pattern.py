"""Regular expressions that are compiled when they are first used: a hundred of them cost half a second to compile."""

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
        """The first match between two places of the text."""
        return self.compiled.search(text, start, len(text) if end is None else end)

    def match(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """The match at a place of the text."""
        return self.compiled.match(text, start, len(text) if end is None else end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Every match from a place on; a long text is read piece by piece."""
        return self.compiled.finditer(text, start) if start else finditer(self.compiled, text)

    def findall(self, text: str) -> list[str]:
        """The text of every match."""
        return self.compiled.findall(text)

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """The text with every match replaced, or the first ``count``."""
        return self.compiled.sub(put, text, count)

    def split(self, text: str) -> list[str]:
        """The pieces between the matches."""
        return self.compiled.split(text)
