"""One text with marked names: the row that every source of the entity tagger gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["KINDS", "LONGEST", "Row", "Span", "joined", "marked", "tidy"]

KINDS = ("PERSON", "PLACE", "ORG", "ADDRESS")
LONGEST = 1200  # letters of a row
Span = tuple[int, int, str]
_EDGE = " \n\t,;:"
_TITLE = re.compile(r"(?:the|(?i:mr|mrs|ms|miss|dr|prof|professor)\b\.?)\s+")
_OWNS = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Row:
    """One text with its marked spans, in order, none overlapping."""

    text: str
    spans: tuple[Span, ...]
    lang: str
    src: str

    def json(self) -> str:
        """The row as a line of the file."""
        found = {"text": self.text, "spans": self.spans, "lang": self.lang, "src": self.src}
        return json.dumps(found, ensure_ascii=False)


def marked(text: str, lang: str, src: str) -> Row:
    """A row from a text with marks such as ``[[PERSON:Jane]]``."""
    parts: list[tuple[str, str | None]] = []
    last = 0
    for mark in re.finditer(r"\[\[(PERSON|PLACE|ORG|ADDRESS):(.+?)\]\]", text, re.S):
        parts += [(text[last : mark.start()], None), (mark[2], mark[1])]
        last = mark.end()
    return joined([*parts, (text[last:], None)], lang, src)


def joined(parts: Iterable[tuple[str, str | None]], lang: str, src: str) -> Row:
    """A row from pieces of text, each with its kind or none."""
    text, spans = "", []
    for part, kind in parts:
        if kind is not None and part:
            spans.append((len(text), len(text) + len(part), kind))
        text += part
    return Row(text, tuple(spans), lang, src)


def tidy(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, without titles and blanks; a city that touches a part of an address becomes part of it."""
    found: list[Span] = []
    for first, last, kind in sorted(spans):
        inner = text[first:last]
        start, end = first + len(inner) - len(inner.lstrip(_EDGE)), first + len(inner.rstrip(_EDGE))
        if kind != "ADDRESS":
            if head := _TITLE.match(text, start, end):
                start = head.end()
            if tail := _OWNS.search(text, start, end):
                end = tail.start()
        if end <= start or (found and start < found[-1][1]):
            continue
        if found and _one_address(text, found[-1], (start, end, kind)):
            found[-1] = (found[-1][0], end, "ADDRESS")
        else:
            found.append((start, end, kind))
    return tuple(found)


def _one_address(text: str, one: Span, two: Span) -> bool:
    near = re.fullmatch(r"[\s,]{0,4}", text[one[1] : two[0]]) is not None
    return near and {one[2], two[2]} <= {"ADDRESS", "PLACE"} and "ADDRESS" in (one[2], two[2])
