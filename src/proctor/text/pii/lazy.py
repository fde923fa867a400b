"""Regular expressions that are compiled when they are first needed: a hundred of them cost half a second."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.pace import finditer

__all__ = ["Lazy"]


class Lazy:
    """A pattern by its text, with the calls that finders make."""

    __slots__ = ("_flags", "_made", "_text")

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags
        self._made: re.Pattern[str] | None = None

    def made(self) -> re.Pattern[str]:
        """The compiled pattern."""
        if self._made is None:
            self._made = re.compile(self._text, self._flags)
        return self._made

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match, in order; a long text is gone over piece by piece."""
        return finditer(self.made(), text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self.made().search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match at this place."""
        return self.made().match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.made().fullmatch(text)
