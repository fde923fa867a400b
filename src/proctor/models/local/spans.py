"""Convert token tags to names with positions: a word has one kind, and inconsistent tags are tolerated."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from proctor.core.entity import Entity
from proctor.models.local.tokenizer import Place
from proctor.text.script_ranges import EAST_ASIAN, HALFWIDTH_KATAKANA, HAN_COMPATIBILITY

__all__ = ["KINDS", "TAGS", "spans", "trim"]

KINDS = ("PERSON", "PLACE", "ORG", "ADDRESS")
TAGS = ("O", *(f"{mark}-{kind}" for kind in KINDS for mark in "BI"))

_BRACKETS = (("(", ")"), ("（", "）"))
_SHORT = re.compile(r"(?:^|[\s.])[A-Za-z]{1,4}\.$")  # Inc. and S.A. keep their point
# A letter or digit of a script whose names end where words end; Korean puts particles straight after a name.
_SPACED = re.compile(rf"[^\W{EAST_ASIAN}{HAN_COMPATIBILITY}{HALFWIDTH_KATAKANA}_]")

Array = np.ndarray[Any, Any]


def _words(text: str, places: Sequence[Place]) -> list[list[int]]:
    """Group the tokens with characters into words, for scripts with spaces between words."""
    words: list[list[int]] = []
    for i, (start, end) in enumerate(places):
        if start == end:
            continue
        last = places[words[-1][-1]][1] if words else -1
        if last >= start > 0 and _SPACED.match(text[start - 1]) and _SPACED.match(text[start]):
            words[-1].append(i)
        else:
            words.append([i])
    return words


def spans(text: str, places: Sequence[Place], shares: Array, offset: int) -> Iterator[Entity]:
    """Yield the spans of the tags: a word has one kind, and a missing B tag does not end a span."""
    if (shares[:, 0] > 0.5).all():  # then no word, whose share is a mean of its tokens, has a kind
        return
    kinds = np.concatenate([shares[:, :1], shares[:, 1::2] + shares[:, 2::2]], axis=1)  # O, then each kind
    # most tokens clearly have no kind or were not read: words of these need no mean
    plain = ((kinds[:, 0] > 0.5) | ~kinds.any(axis=1)).tolist()
    open_kind, members = 0, list[int]()
    for word in _words(text, places):
        kind = 0 if all([plain[i] for i in word]) else int(kinds[word].mean(axis=0).argmax())
        begins = kind > 0 and shares[word[0], 2 * kind - 1] > shares[word[0], 2 * kind]
        if members and (kind != open_kind or begins):
            yield from _entity(text, places, members, open_kind, float(kinds[members, open_kind].mean()), offset)
            members = []
        if kind:
            open_kind, members = kind, members + word
    if members:
        yield from _entity(text, places, members, open_kind, float(kinds[members, open_kind].mean()), offset)


def _entity(
    text: str, places: Sequence[Place], members: Sequence[int], kind: int, score: float, offset: int
) -> Iterator[Entity]:
    start, end = trim(text, places[members[0]][0], max(places[i][1] for i in members))
    if start < end:
        yield Entity(start=start + offset, end=end + offset, kind=KINDS[kind - 1], text=text[start:end], score=score)


def trim(text: str, start: int, end: int) -> Place:
    """Strip whitespace and punctuation at both ends, except what belongs to a name, such as (株) or Inc."""
    while start < end and _edge(text[start]) and not _opens(text[start:end]):
        start += 1
    while start < end and _edge(text[end - 1]) and not _closes(text[start:end]):
        end -= 1
    return start, end


def _edge(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "ZPCS" and letter not in "㈱㈲㍿〒"


def _opens(span: str) -> bool:
    return (span[0] == "#" and span[1:2].isdigit()) or any(span[0] == a and b in span for a, b in _BRACKETS)


def _closes(span: str) -> bool:
    return _SHORT.search(span) is not None or any(span[-1] == b and a in span for a, b in _BRACKETS)
