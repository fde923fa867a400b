"""Reads a text once for all that the reader network tells: dangerous intents, names, places, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import numpy as np

from proctor.core.entity import Entity
from proctor.core.errors import InputError
from proctor.models.local.batching import Batcher
from proctor.models.local.glance import Glance, open_glance
from proctor.models.local.house import network_of, pieces_of, weights_of
from proctor.models.local.pieces import END, READ, START, Line, Pieces, case_types
from proctor.models.local.spans import TAGS, spans
from proctor.models.local.windows import groups, starts

__all__ = ["INTENTS", "LETTERS", "LONGEST", "LocalReader", "Reading", "read", "reader_of"]

INTENTS = ("none", "legal_threat", "media_complaint", "safety_incident", "self_harm")
LONGEST = (
    160  # pieces in one window; a quarter of them is shared, so a name near the edge of one is well inside another
)
LETTERS = 200_000  # of one text: a longer one is refused, since a part that was not read could not be masked

_BREAK = re.compile(r".*(?:\n|[。！？]|[.!?] )", re.S)

Array = np.ndarray[Any, Any]


class Runs(Protocol):
    """A network, as far as it is needed here."""

    def run(self, lines: Sequence[Line]) -> Sequence[tuple[Array, ...]]:
        """The outputs for each line: what the whole text is, and the logits of the tags of each piece."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in one text: the share of each intent, and every span, whatever its score."""

    shares: tuple[float, ...] = (1.0, *(0.0,) * (len(INTENTS) - 1))
    entities: tuple[Entity, ...] = ()
    read: bool = False  # whether the network was asked


NOTHING = Reading()


@dataclass(frozen=True, kw_only=True)
class LocalReader:
    """One pass of the reader network for intents and names alike.

    A first look over letters and words lets pass what plainly holds neither; ``glance=False`` reads every text.
    """

    folder: Path | None = None
    threads: int = 1
    glance: bool = True
    _batcher: Batcher[str, Reading] = field(init=False, repr=False, compare=False)
    _ready: Event = field(init=False, repr=False, compare=False, default_factory=Event)

    def __post_init__(self) -> None:
        # an answer has many parts, so fewer letters are remembered than elsewhere
        object.__setattr__(self, "_batcher", Batcher(self.readings, letters=200_000, settle=self._settled))

    async def read(self, texts: Sequence[str], *, longest: int = LETTERS, what: str = "names") -> list[Reading]:
        """What is found in each text; those who ask for the same text, at once or later, share one pass.

        Raises:
            InputError: a text is too long to be read whole.
        """
        most = max(map(len, texts), default=0)
        if most > longest:
            raise InputError(
                f"a text of {most} characters is too long to look for {what} in; at most {longest}",
                mend="split the text",
            )
        return await self._batcher.ask(texts)

    def readings(self, texts: Sequence[str]) -> list[Reading]:
        """What is found in each text, computed here and now."""
        pieces, network = pieces_of(self.folder), network_of("reader", self.folder, self.threads)
        warmth = float(weights_of(self.folder).of("reader").get("temperature", 1.0))
        glance = self._glance()
        self._ready.set()
        wanted = [i for i, text in enumerate(texts) if glance is None or not glance.passes(text)]
        found = [NOTHING] * len(texts)
        some = [texts[i] for i in wanted]
        seen = (each for few in groups(some) for each in read(few, pieces, network, warmth))
        for i, each in zip(wanted, seen, strict=True):
            found[i] = each
        return found

    def _glance(self) -> Glance | None:
        return open_glance(self.folder) if self.glance else None

    def _settled(self, text: str) -> Reading | None:
        """What the first look alone decides; nothing before all is loaded, which takes too long for an event loop."""
        glance = self._glance() if self._ready.is_set() else None
        return NOTHING if glance is not None and glance.passes(text) else None


@cache
def reader_of(folder: Path | None = None, threads: int = 1, glance: bool = True) -> LocalReader:
    """One reader for each kind of asking and process, so that intents and names come out of the same pass."""
    return LocalReader(folder=folder, threads=threads, glance=glance)


def read(texts: Sequence[str], pieces: Pieces, network: Runs, warmth: float = 1.0) -> list[Reading]:
    """What a network finds in each text."""
    parts = [(owner, start, part) for owner, text in enumerate(texts) for start, part in _parts(text)]
    located = pieces.located([part for _, _, part in parts])
    lines: list[Line] = []
    cuts: list[tuple[int, int]] = []  # for each line: which part, and which piece of it is the first
    for number, ((_, _, part), (ids, places)) in enumerate(zip(parts, located, strict=True)):
        types, room = case_types(places, part), LONGEST - 2
        for start in starts(len(ids), room) if ids else ():
            lines.append(
                Line((START, *ids[start : start + room], END), types=(0, *types[start : start + room], 0)),
            )
            cuts.append((number, start))
    outputs = network.run(lines) if lines else []
    tags = [np.zeros((len(ids), len(TAGS)), np.float32) for ids, _ in located]
    inward = [np.full(len(ids), -1) for ids, _ in located]
    intents: dict[int, Array] = {}
    for line, (number, start), output in zip(lines, cuts, outputs, strict=True):
        owner, mine = parts[number][0], _softmax(output[0] / warmth)
        intents[owner] = _worst(intents[owner], mine) if owner in intents else mine
        _keep(tags[number], inward[number], start, _softmax(output[1][1 : len(line.ids) - 1]))
    named: list[list[Entity]] = [[] for _ in texts]
    for (owner, start, part), (_, places), share in zip(parts, located, tags, strict=True):
        named[owner] += spans(part, places, share, start)
    return [
        Reading(tuple(intents[i].tolist()), tuple(names), read=True) if i in intents else NOTHING
        for i, names in enumerate(named)
    ]


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


def _worst(one: Array, other: Array) -> Array:
    """Each risk as high as in either window, and ``none`` as low."""
    found = np.maximum(one, other)
    found[0] = min(one[0], other[0])
    return found


def _keep(shares: Array, inward: Array, start: int, seen: Array) -> None:
    """Takes over what a window saw of each piece that stands further inside this window than in the others."""
    count = len(seen)
    if count == len(shares):
        shares[:] = seen
        return
    depth = np.minimum(np.arange(count), np.arange(count)[::-1])
    better = depth > inward[start : start + count]
    inward[start : start + count][better] = depth[better]
    shares[start : start + count][better] = seen[better]


def _softmax(logits: Array) -> Array:
    parts = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Array = parts / parts.sum(axis=-1, keepdims=True)
    return found
