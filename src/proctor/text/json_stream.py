"""Read the items of one array in a JSON document of any size, one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

__all__ = ["JsonStreamError", "array_items"]

ANY_KEY: Final = "*"
_CHUNK_CHARS = 1 << 16
_MAX_ITEM_CHARS = 64_000_000
_NEAR_END = 16  # an error this close to the end of the buffer may come from the cut
_WHITE = " \t\r\n"


class TextSource(Protocol):
    """A text file, or anything else that can be read in pieces."""

    def read(self, size: int, /) -> str: ...


class JsonStreamError(ValueError):
    """The document is not valid JSON, or not of the expected shape; ``line`` is where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def array_items(source: TextSource, keys: Sequence[str] = ()) -> Iterator[tuple[int, Any]]:
    """Yield each item of an array with its line.

    The array is the document itself, or under the keys: ``("results", "results")`` finds ``{"results": {"results":
    [...]}}`` and ``{"results": [...]}``. The key ``*`` stands for every key.

    Raises:
        JsonStreamError: the JSON is invalid, or an item has more than 64 million characters.
    """
    reader = _Reader(source)
    yield from _items(reader, keys)
    if reader.peek():
        raise reader.error("there is text after the end of the JSON document")


def _items(reader: _Reader, keys: Sequence[str]) -> Iterator[tuple[int, Any]]:
    begin = reader.peek()
    if begin == "[":
        reader.take("[")
        yield from _array(reader)
    elif begin == "{" and keys:
        reader.take("{")
        yield from _object(reader, keys)
    else:
        reader.value()


def _array(reader: _Reader) -> Iterator[tuple[int, Any]]:
    if reader.peek() == "]":
        reader.take("]")
        return
    while True:
        reader.peek()
        line = reader.line
        yield line, reader.value()
        if reader.peek() == "]":
            reader.take("]")
            return
        reader.take(",")


def _object(reader: _Reader, keys: Sequence[str]) -> Iterator[tuple[int, Any]]:
    if reader.peek() == "}":
        reader.take("}")
        return
    while True:
        if reader.peek() != '"':
            raise reader.error("expected a key in double quotes")
        key = reader.value()
        reader.take(":")
        if keys[0] in (key, ANY_KEY):
            yield from _items(reader, keys[1:])
        else:
            reader.value()
        if reader.peek() == "}":
            reader.take("}")
            return
        reader.take(",")


class _Reader:
    """A buffer over a text file that is read as far as the next value needs."""

    def __init__(self, source: TextSource) -> None:
        self.line = 1
        self._source = source
        self._text = ""
        self._place = 0
        self._at_end = False
        self._decode = json.JSONDecoder().raw_decode

    def peek(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _WHITE:
                self.line += self._text[self._place] == "\n"
                self._place += 1
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._grow(_CHUNK_CHARS):
                return ""

    def take(self, character: str) -> None:
        """Take this character, after white space."""
        found = self.peek()
        if found != character:
            raise self.error(f"expected {character!r}, not {found!r}" if found else "the document ends too early")
        self._place += 1

    def value(self) -> Any:
        """Take one value, whatever it is."""
        if not self.peek():
            raise self.error("the document ends too early")
        while True:
            try:
                value, end = self._decode(self._text, self._place)
            except RecursionError:
                raise self.error("the JSON is nested too deeply") from None
            except json.JSONDecodeError as error:
                if not self._may_be_cut(error) or not self._grow(len(self._text) - self._place):
                    line = self.line + self._text.count("\n", self._place, error.pos)
                    raise JsonStreamError(f"invalid JSON: {error.msg}", line) from None
                continue
            # A number near the end of the buffer may go on in the file: 0 of 0.5, 1 of 1e-3.
            if end + _NEAR_END < len(self._text) or not self._grow(_CHUNK_CHARS):
                self.line += self._text.count("\n", self._place, end)
                self._place = end
                return value

    def error(self, message: str) -> JsonStreamError:
        """Return an error at this place."""
        return JsonStreamError(message, self.line)

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _NEAR_END

    def _grow(self, size: int) -> bool:
        """Read more of the file, and forget what was taken; false at its end."""
        if self._at_end:
            return False
        if len(self._text) - self._place > _MAX_ITEM_CHARS:
            raise self.error(f"one item has more than {_MAX_ITEM_CHARS:,} characters")
        piece = self._source.read(max(size, _CHUNK_CHARS))
        if not piece:
            self._at_end = True
            return False
        self._text, self._place = self._text[self._place :] + piece, 0
        return True
