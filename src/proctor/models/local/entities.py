"""Finds names of people, places, organisations and postal addresses in a text, in English and Japanese."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from proctor.core.entity import Entity
from proctor.core.errors import InputError
from proctor.models.local.batching import Batcher
from proctor.models.local.house import network_of, pieces_of
from proctor.models.local.pieces import END, READ, START, Line, Pieces, Place, case_types
from proctor.models.local.windows import groups

__all__ = ["KINDS", "TAGS", "LocalTagger", "read"]

KINDS = ("PERSON", "PLACE", "ORG", "ADDRESS")
TAGS = ("O", *(f"{mark}-{kind}" for kind in KINDS for mark in "BI"))
LONGEST = 128  # pieces in one window
OVERLAP = 32  # pieces that two windows share: a name near the edge of one stands well inside the other
LETTERS = 200_000  # of one text: a longer one is refused, since a part that was not read could not be masked

_BREAK = re.compile(r".*(?:\n|[。！？]|[.!?] )", re.S)
_BRACKETS = (("(", ")"), ("（", "）"))
_SHORT = re.compile(r"(?:^|[\s.])[A-Za-z]{1,4}\.$")  # Inc. and S.A. keep their point
_SPACED = re.compile(r"[^\W぀-ヿ㐀-鿿豈-﫿ｦ-ﾟ_]")  # a letter or digit of a script that has blanks between words

Array = np.ndarray[Any, Any]


class Runs(Protocol):
    """A network, as far as it is needed here."""

    def run(self, lines: Sequence[Line]) -> Sequence[tuple[Array, ...]]:
        """The outputs for each line: what the whole text is, and the logits of the tags of each piece."""
        ...


@dataclass(frozen=True, kw_only=True)
class LocalTagger:
    """Names of people, places, organisations and postal addresses, with their places in the text.

    ``least`` is the probability from which on a span counts: lower masks more, higher cries wolf less.
    """

    folder: Path | None = None
    threads: int = 1
    least: float = 0.6
    _batcher: Batcher[str, tuple[Entity, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings, letters=200_000))  # an answer has many parts

    async def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """The entities of each text, in order, none overlapping."""
        longest = max(map(len, texts), default=0)
        if longest > LETTERS:
            raise InputError(
                f"a text of {longest} characters is too long to look for names in; at most {LETTERS}",
                mend="split the text",
            )
        return [list(found) for found in await self._batcher.ask(texts)]

    def readings(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text, computed here and now."""
        pieces, network = pieces_of(self.folder), network_of("reader", self.folder, self.threads)
        seen = (found for some in groups(texts) for found in read(some, pieces, network))
        return [tuple(entity for entity in found if entity.score >= self.least) for found in seen]


def read(texts: Sequence[str], pieces: Pieces, network: Runs) -> list[tuple[Entity, ...]]:
    """The entities that a network finds in each text."""
    parts = [(owner, start, part) for owner, text in enumerate(texts) for start, part in _parts(text)]
    located = pieces.located([part for _, _, part in parts])
    lines: list[Line] = []
    cuts: list[tuple[int, int]] = []  # for each line: which part, and which piece of it is the first
    for number, ((_, _, part), (ids, places)) in enumerate(zip(parts, located, strict=True)):
        types = case_types(places, part)
        for start, end in _windows(len(ids)):
            lines.append(Line((START, *ids[start:end], END), types=(0, *types[start:end], 0)))
            cuts.append((number, start))
    outputs = network.run(lines) if lines else []
    shares = [np.zeros((len(ids), len(TAGS)), np.float32) for ids, _ in located]
    inward = [np.full(len(ids), -1) for ids, _ in located]
    for line, (number, start), output in zip(lines, cuts, outputs, strict=True):
        count = len(line.ids) - 2
        _keep(shares[number], inward[number], start, _softmax(output[1][1 : count + 1]))
    found: list[list[Entity]] = [[] for _ in texts]
    for (owner, start, part), (_, places), share in zip(parts, located, shares, strict=True):
        found[owner] += _spans(part, places, share, start)
    return [tuple(some) for some in found]


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The text in parts that can be cut into pieces at once, each with its place; cut at the end of a sentence."""
    start = 0
    while start < len(text):
        part = text[start : start + READ]
        if start + READ < len(text):
            head = _BREAK.match(part, len(part) - READ // 20)
            part = part[: head.end()] if head else part
        yield start, part
        start += len(part)


def _windows(count: int) -> list[tuple[int, int]]:
    room = LONGEST - 2
    if count <= room:
        return [(0, count)] if count else []
    starts = [*range(0, count - room, room - OVERLAP), count - room]
    return [(start, start + room) for start in starts]


def _keep(shares: Array, inward: Array, start: int, seen: Array) -> None:
    """Takes over what a window saw of each piece that stands further inside this window than in the others."""
    count = len(seen)
    depth = np.minimum(np.arange(count), np.arange(count)[::-1])
    better = depth > inward[start : start + count]
    inward[start : start + count][better] = depth[better]
    shares[start : start + count][better] = seen[better]


def _softmax(logits: Array) -> Array:
    parts = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Array = parts / parts.sum(axis=-1, keepdims=True)
    return found


def _words(text: str, places: Sequence[Place]) -> list[list[int]]:
    """The pieces that have letters, grouped into words where the script has blanks between words."""
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


def _spans(text: str, places: Sequence[Place], shares: Array, offset: int) -> Iterator[Entity]:
    """The spans that the tags give: a word has one kind, and a kind that goes on goes on without its B as well."""
    kinds = np.concatenate([shares[:, :1], shares[:, 1::2] + shares[:, 2::2]], axis=1)  # O, then each kind
    open_kind, members = 0, list[int]()
    for word in _words(text, places):
        kind = int(kinds[word].mean(axis=0).argmax())
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
    """The place without blanks and punctuation at its ends; what belongs to a name, such as (株) or Inc., stays."""
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
