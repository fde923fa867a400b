"""Run the reader network once per text for intents, names, places and addresses."""

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
from proctor.models.local.background_inference import BackgroundInference
from proctor.models.local.batcher import Batcher
from proctor.models.local.linear_prefilter import LinearPrefilter, open_prefilter
from proctor.models.local.model_registry import network_of, pieces_of, weights_of
from proctor.models.local.select_windows import WHOLE, Choice, choose
from proctor.models.local.spans import TAGS, spans
from proctor.models.local.tokenizer import END, READ, START, Line, Pieces, case_types
from proctor.models.local.windows import groups, stretches

__all__ = ["INTENTS", "LETTERS", "LONGEST", "LocalReader", "SpanReading", "read", "reader_of"]

INTENTS = ("none", "legal_threat", "media_complaint", "safety_incident", "self_harm")
LONGEST = 160  # tokens in one window; windows overlap by a quarter, so a name at the edge of one is inside another
LONG = 2_000  # characters
UNSETTLED = 256  # texts that wait for the network after the prefilter did not settle them
LETTERS = 200_000  # per text: a longer one is rejected, since an unread part could not be masked

_BREAK = re.compile(r".*(?:\n|[。！？]|[.!?] )", re.S)

Array = np.ndarray[Any, Any]


class Runs(Protocol):
    """The part of a network that is needed here."""

    def run(self, lines: Sequence[Line]) -> Sequence[tuple[Array, ...]]:
        """Return the outputs for each line: the intent logits of the text, and the tag logits of each token."""
        ...


@dataclass(frozen=True, slots=True)
class SpanReading:
    """The findings in one text: the share of each intent, and every span, whatever its score."""

    shares: tuple[float, ...] = (1.0, *(0.0,) * (len(INTENTS) - 1))
    entities: tuple[Entity, ...] = ()
    read: bool = False  # whether the network was run


NOTHING = SpanReading()


@dataclass(frozen=True, kw_only=True)
class LocalReader:
    """One pass of the reader network for both intents and names.

    A linear prefilter skips texts that clearly contain neither; ``glance=False`` reads every text.
    """

    folder: Path | None = None
    threads: int = 1
    glance: bool = True
    _batcher: Batcher[str, SpanReading] = field(init=False, repr=False, compare=False)
    _ready: Event = field(init=False, repr=False, compare=False, default_factory=Event)
    _unsettled: dict[str, None] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        # an answer has many parts, so the cache is smaller than elsewhere
        object.__setattr__(self, "_batcher", Batcher(self.readings, letters=200_000, settle=self._settled))

    async def read(self, texts: Sequence[str], *, longest: int = LETTERS, what: str = "names") -> list[SpanReading]:
        """Return the findings in each text; concurrent and later callers with the same text share one pass.

        Raises:
            InputError: a text is too long to be read whole.
        """
        most = max(map(len, texts), default=0)
        if most > longest:
            raise InputError(
                f"a text of {most:,} characters is too long to look for {what} in; at most {longest:,}",
                hint="split the text",
            )
        return await self._batcher.ask(texts)

    def readings(self, texts: Sequence[str]) -> list[SpanReading]:
        """Return the findings in each text, computed on this thread."""
        pieces, network = pieces_of(self.folder), network_of("reader", self.folder, self.threads)
        temperature = float(weights_of(self.folder).of("reader").get("temperature", 1.0))
        prefilter = self._prefilter()
        self._ready.set()
        wanted = [i for i, text in enumerate(texts) if prefilter is None or not self._passes(prefilter, text)]
        found = [NOTHING] * len(texts)
        some = [texts[i] for i in wanted]
        seen = (each for few in groups(some) for each in read(few, pieces, network, temperature, prefilter))
        for i, each in zip(wanted, seen, strict=True):
            found[i] = each
        return found

    def here(self, texts: Sequence[str]) -> list[SpanReading]:
        """Return the same on the calling thread, for background work; cached texts are not read again.

        The prefilter holds the interpreter lock and the network does not, so only a long text gets one.
        """
        return [self._batcher.known(text) or self._read_aside(text) for text in texts]

    def _read_aside(self, text: str) -> SpanReading:
        pieces, network = pieces_of(self.folder), BackgroundInference(network_of("reader", self.folder, self.threads))
        temperature = float(weights_of(self.folder).of("reader").get("temperature", 1.0))
        return read([text], pieces, network, temperature, self._prefilter() if len(text) > LONG else None)[0]

    def _prefilter(self) -> LinearPrefilter | None:
        return open_prefilter(self.folder) if self.glance else None

    def _settled(self, text: str) -> SpanReading | None:
        """Return what the prefilter alone decides; None until everything is loaded, which blocks the event loop."""
        prefilter = self._prefilter() if self._ready.is_set() else None
        if prefilter is None or prefilter.passes(text):
            return None if prefilter is None else NOTHING
        held = list(self._unsettled)  # a copy: another thread may remove texts meanwhile
        for oldest in held[: max(0, len(held) - UNSETTLED + 1)]:  # their callers are gone
            self._unsettled.pop(oldest, None)
        self._unsettled[text] = None
        return None

    def _passes(self, prefilter: LinearPrefilter, text: str) -> bool:
        """Return whether the prefilter settles the text; False without another look if it did not do so before."""
        known = text in self._unsettled
        self._unsettled.pop(text, None)
        return not known and prefilter.passes(text)


@cache
def reader_of(folder: Path | None = None, threads: int = 1, glance: bool = True) -> LocalReader:
    """Return one reader per setting and process, so that intents and names come from the same pass."""
    return LocalReader(folder=folder, threads=threads, glance=glance)


def read(
    texts: Sequence[str],
    pieces: Pieces,
    network: Runs,
    temperature: float = 1.0,
    prefilter: LinearPrefilter | None = None,
) -> list[SpanReading]:
    """Return what a network finds in each text; a prefilter limits what is read of a long one."""
    parts = [_Part(owner, start, part) for owner, text in enumerate(texts) for start, part in _parts(text)]
    located = pieces.located([part.text for part in parts])
    lines: list[Line] = []
    cuts: list[tuple[int, int]] = []  # for each line: the part, and the index of its first token
    for number, (part, (ids, places)) in enumerate(zip(parts, located, strict=True)):
        if prefilter is not None and len(ids) > WHOLE:
            part.choice = choose(part.text, places, prefilter)
        types, room = case_types(places, part.text), LONGEST - 2
        for first, after in part.choice.runs if part.choice else [(0, len(ids))][: len(ids)]:
            for start, stop in ((first + low, first + high) for low, high in stretches(after - first, room)):
                lines.append(Line((START, *ids[start:stop], END), types=(0, *types[start:stop], 0)))
                cuts.append((number, start))
    outputs = network.run(lines) if lines else []
    tags = [np.zeros((len(ids), len(TAGS)), np.float32) for ids, _ in located]
    inward = [np.full(len(ids), -1) for ids, _ in located]
    intents: dict[int, Array] = {}
    for line, (number, start), output in zip(lines, cuts, outputs, strict=True):
        owner, mine = parts[number].owner, _softmax(output[0] / temperature)
        intents[owner] = _worst(intents[owner], mine) if owner in intents else mine
        _keep(tags[number], inward[number], start, _softmax(output[1][1 : len(line.ids) - 1]))
    named: list[list[Entity]] = [[] for _ in texts]
    for part, (_, places), share in zip(parts, located, tags, strict=True):
        named[part.owner] += spans(part.text, places, share, part.start)
        if part.choice is not None and prefilter is not None:
            named[part.owner] += part.choice.suspected(part.text, prefilter, part.start)
    return [
        SpanReading(tuple(intents[i].tolist()) if i in intents else NOTHING.shares, _in_order(names), read=i in intents)
        for i, names in enumerate(named)
    ]


@dataclass(slots=True)
class _Part:
    """A part of a text: its owner, its start, and which tokens are read if not all."""

    owner: int
    start: int
    text: str
    choice: Choice | None = None


def _in_order(names: Sequence[Entity]) -> tuple[Entity, ...]:
    """Return the names by position, non-overlapping: read names take precedence over suspected ones."""
    found: list[Entity] = []
    for name in sorted(names, key=lambda each: (each.start, -each.end)):
        if not found or name.start >= found[-1].end:
            found.append(name)
    return tuple(found)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Split the text into parts for the tokenizer, each with its position; cut at the end of a sentence."""
    start = 0
    while start < len(text):
        part = text[start : start + READ]
        if start + READ < len(text):
            head = _BREAK.match(part, len(part) - READ // 20)
            part = part[: head.end()] if head else part
        yield start, part
        start += len(part)


def _worst(one: Array, other: Array) -> Array:
    """Return the maximum of each risk over two windows, and the minimum of ``none``."""
    found = np.maximum(one, other)
    found[0] = min(one[0], other[0])
    return found


def _keep(shares: Array, inward: Array, start: int, seen: Array) -> None:
    """Copy the results of a window for tokens that are further from its edges than in other windows."""
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
