"""Find texts inside a text: each decoded layer is searched again, within fixed limits."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from proctor.core.fork_lock import ForkLock
from proctor.text.chunked_regex import breathe
from proctor.text.normalise.clean import normalise
from proctor.text.normalise.decoders import decoders_for
from proctor.text.normalise.disguises import disguises
from proctor.text.normalise.language_likeness import is_readable
from proctor.text.normalise.layer import layer_of
from proctor.text.normalise.offsets import OffsetMap, identity
from proctor.text.normalise.patches import Extent, Found, Patch, gather, splice
from proctor.text.normalise.results import DEFAULT_LIMITS, Limits, Normalised, View
from proctor.text.normalise.smuggled import find_smuggled

__all__ = ["views"]

_WINDOW = 4096
_NODES = 48
_FUEL_PER_CHARACTER = 2.5
_FUEL_AT_LEAST = 1_536
_FEWEST_WORDS_ALONE = 3
_MOST_ALONE = 8  # maximum payloads of one kind that become separate views; the rest stay together
_FEWEST_LETTERS_UNTESTED = 8
_KEEP, _KEPT_LETTERS = 16, 20_000  # cached texts, and maximum characters of a text and all its views
_TOO_LONG_FOR_CHANCE = 24  # a wrong decoder does not produce this many printable characters
_TURNED = frozenset({"reversed", "reversed-words"})  # not applied twice
_PARTED = frozenset({"spaced", "hyphenated"})  # not applied twice
_FAMILIES = {
    "rot13": frozenset({"rot13", "caesar"}),
    "reversed": frozenset({"reversed", "reversed-words"}),
    "leet": frozenset({"leet"}),
}


def views(text: str | Normalised, limits: Limits | None = None) -> tuple[View, ...]:
    """Return the decoded texts hidden in a text; empty for nearly every ordinary message.

    Only results that read as language count, so that identifiers, hashes and numbers give nothing. Nested layers are
    decoded too. The work is bounded by ``limits`` and by the length of the text. Recent results are cached, because a
    gate and its model search the same text.
    """
    limits = limits or DEFAULT_LIMITS
    original = text.original if isinstance(text, Normalised) else text
    if not original:
        return ()
    if (known := _memory.get(original, limits)) is not None:
        return known
    search = _Search(text if isinstance(text, Normalised) else normalise(text, limits), limits)
    search.run()
    found = tuple(search.found)
    _memory.keep(original, limits, found)
    return found


class _Memory:
    """A thread-safe cache of the views of recent short texts."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, Limits], tuple[View, ...]] = OrderedDict()
        self._lock = ForkLock()

    def get(self, text: str, limits: Limits) -> tuple[View, ...] | None:
        if len(text) > _KEPT_LETTERS:
            return None
        with self._lock:
            return self._known.get((text, limits))

    def keep(self, text: str, limits: Limits, found: tuple[View, ...]) -> None:
        if len(text) + sum(len(view.text) for view in found) > _KEPT_LETTERS:
            return
        with self._lock:
            self._known[text, limits] = found
            while len(self._known) > _KEEP:
                self._known.popitem(last=False)


_memory = _Memory()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A text in the search: normalised, with offsets to the original text."""

    text: Normalised
    offsets: OffsetMap  # from the text before normalisation
    kinds: tuple[str, ...]
    barred: frozenset[str]  # kinds that would only undo a guess


class _Search:
    """One search: the results, the texts seen, and the work left."""

    def __init__(self, root: Normalised, limits: Limits) -> None:
        self.found: list[View] = []
        self._limits = limits
        self._seen = {root.plain.strip()}
        self._output = limits.output
        self._fuel = _FUEL_AT_LEAST + _FUEL_PER_CHARACTER * min(len(root.original), limits.scan)
        self._nodes = _NODES
        self._guesses: deque[_Node] = deque()
        self._queue = deque([_Node(text=root, offsets=identity(len(root.original)), kinds=(), barred=frozenset())])

    def run(self) -> None:
        """Search decoded texts first, in breadth-first order, then guesses."""
        while (self._queue or self._guesses) and self._fuel > 0 and len(self.found) < self._limits.views:
            self._expand((self._queue or self._guesses).popleft())

    def _expand(self, node: _Node) -> None:
        """Run every decoder on one text."""
        length = min(len(node.text.original), self._limits.scan)
        if len(node.kinds) >= self._limits.depth or length > self._fuel:
            return
        self._fuel -= length
        breathe()
        for found in find_smuggled(node.text):
            self._take(node, node.text.original, node.offsets, found)
        whole = node.text.offsets.through(node.offsets)
        plain = node.text.plain
        for start, end in _windows(len(plain), self._limits.scan):
            self._read(node, plain[start:end], identity(end - start, start).through(whole))

    def _read(self, node: _Node, text: str, offsets: OffsetMap) -> None:
        layer = layer_of(text)
        rest = text
        barred = node.barred.union(*(once for once in (_TURNED, _PARTED) if not once.isdisjoint(node.kinds)))
        for decoder in decoders_for(layer, guessed=bool(node.barred)):
            breathe()
            for found in decoder(layer):
                breathe()
                if found.kind not in barred and self._take(node, text, offsets, found):
                    rest = _blank(rest, found)
        if len(node.kinds) + 1 < self._limits.depth:
            for guess in disguises(layer if rest is text else layer_of(rest), barred):
                breathe()
                spliced = splice(rest, guess.patches)
                if child := self._child(node, guess.kind, spliced, offsets, node.barred | _FAMILIES[guess.kind]):
                    self._search_later(self._guesses, child)

    def _take(self, node: _Node, text: str, offsets: OffsetMap, found: Found) -> bool:
        """Keep a finding that reads as language as a view; search it further, and also some that do not.

        Return whether the decoded text need not be decoded in another way.
        """
        settled = False
        for patches, extent in _payloads(text, found, guessed=bool(node.barred)):
            alone = extent != "wide"
            barred = frozenset[str]() if extent == "alone" else node.barred
            child = self._child(node, found.kind, splice(text, patches, extent), offsets, barred)
            if child is None:
                continue
            tested = found.tested and not (node.barred and found.place == "inside")
            length = len(child.text.original)
            if tested or _reads(child.text, found, patches, alone=alone):
                self._keep(child)
                settled = True
            elif length < _FEWEST_LETTERS_UNTESTED:
                continue
            self._search_later(self._queue, child)
            settled = settled or (alone and length >= _TOO_LONG_FOR_CHANCE)
        return settled

    def _child(
        self, node: _Node, kind: str, spliced: tuple[str, OffsetMap], offsets: OffsetMap, barred: frozenset[str]
    ) -> _Node | None:
        """Return a decoded text as the next node, unless it was seen before."""
        decoded, local = spliced
        if len(decoded) > self._output:
            decoded, local = decoded[: self._output], identity(self._output).through(local)
        key = decoded.strip()
        if len(key) < 2 or key in self._seen:
            return None
        self._seen.add(key)
        text = normalise(decoded, self._limits)
        return _Node(text=text, offsets=local.through(offsets), kinds=(*node.kinds, kind), barred=barred)

    def _search_later(self, queue: deque[_Node], child: _Node) -> None:
        if self._nodes > 0:
            self._nodes -= 1
            queue.append(child)

    def _keep(self, child: _Node) -> None:
        plain = child.text.plain
        if not plain.strip() or len(self.found) >= self._limits.views:
            return
        self._seen.add(plain.strip())
        self._output -= len(plain)
        self.found.append(View(kinds=child.kinds, text=plain, offsets=child.text.offsets.through(child.offsets)))


def _reads(text: Normalised, found: Found, patches: tuple[Patch, ...], *, alone: bool) -> bool:
    """Whether the decoded text is language; the clear text around it does not count."""
    if not alone:
        after = (0, *(patch.end for patch in patches))
        parts = (
            patch.decoded if patch.start == end else f" {patch.decoded}"
            for patch, end in zip(patches, after, strict=False)
        )
        return is_readable(normalise("".join(parts)).plain)
    return is_readable(text.plain) or (found.place != "inside" and _is_writing(text.plain))


def _is_writing(text: str) -> bool:
    """Whether a text that is not language looks like writing: tokens separated by spaces.

    Noise does not decode to so many printable characters; identifiers and keys have no spaces.
    """
    tokens = text.split()
    letters = sum(map(str.isalpha, text[:1024]))
    enough = letters * 5 >= len(text[:1024]) * 2
    return enough and len(text) >= _TOO_LONG_FOR_CHANCE and len(tokens) >= _FEWEST_WORDS_ALONE


def _blank(text: str, found: Found) -> str:
    """Replace the decoded parts by blanks and keep all offsets."""
    parts: list[str] = []
    at = 0
    for patch in sorted(found.patches, key=lambda patch: patch.start):
        if patch.start >= at:
            parts += (text[at : patch.start], " " * (patch.end - patch.start))
            at = patch.end
    return "".join((*parts, text[at:]))


def _payloads(text: str, found: Found, *, guessed: bool) -> Iterator[tuple[tuple[Patch, ...], Extent]]:
    """Yield the payloads of a finding: each alone if it is meaningful by itself, otherwise all in context.

    In a text that was transformed on a guess, there is no readable context.
    """
    if found.place == "inside":
        yield found.patches, "token" if guessed else "wide"
        return
    in_context: list[Patch] = []
    shown = 0
    for patches in gather(text, found.patches):
        speaks = found.place == "alone" or _speaks(patches) or not _has_context(text, patches)
        if speaks and shown < _MOST_ALONE:
            shown += 1
            yield patches, "alone"
        elif not guessed and (found.tested or is_readable(" ".join(patch.decoded for patch in patches))):
            in_context += patches
    if in_context:
        yield tuple(in_context), "wide"


def _speaks(patches: tuple[Patch, ...]) -> bool:
    decoded = " ".join(patch.decoded for patch in patches)
    return len(decoded.split()) >= _FEWEST_WORDS_ALONE or len(decoded) >= 24 or not decoded.isascii()


def _has_context(text: str, patches: tuple[Patch, ...]) -> bool:
    around = text[max(0, patches[0].start - 64) : patches[0].start] + text[patches[-1].end : patches[-1].end + 64]
    return any(map(str.isalpha, around))


def _windows(length: int, limit: int) -> Iterator[tuple[int, int]]:
    """Yield the whole text, or its beginning, its end and evenly spaced windows in between."""
    if length <= limit:
        yield 0, length
        return
    head, tail = limit // 2, limit // 8
    yield 0, head
    count = max(1, (limit - head - tail) // _WINDOW)
    step = (length - tail - head) // count
    for number in range(count):
        start = head + number * step
        yield start, min(start + _WINDOW, length - tail)
    yield length - tail, length
