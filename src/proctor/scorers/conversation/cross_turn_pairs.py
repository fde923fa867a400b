"""Select statements worth comparing: those that share words, names or meaning, up to a limit per statement.

The work per turn is bounded, so the cost grows linearly with the length of the conversation.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from proctor.core.sockets import Embedder
from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.conversation.cross_turn_said import Spoken
from proctor.scorers.conversation.cross_turn_things import things
from proctor.text.content_words import content

__all__ = ["PER_STATEMENT", "PER_TURN", "Pair", "candidates", "likeness", "same_questions"]

PER_STATEMENT: Final = 6
PER_TURN: Final = 48
# Remembered positions of a word: the first ones, where a policy is usually stated, and the newest.
_FIRST: Final = 4
_NEWEST: Final = 8
# Newest statements compared by meaning alone; older ones are found by their words.
_WINDOW: Final = 160
NEAR: Final = 0.6
# Similarity from which two questions count as the same: by vectors, or by words without vectors.
SAME_QUESTION: Final = 0.84
SAME_QUESTION_IN_WORDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An earlier and a later statement, with their similarity if known.

    ``asked_again``: the later one answers a rewording of the question that the earlier one answered.
    """

    earlier: Spoken
    later: Spoken
    one: Saying
    two: Saying
    near: float | None = None
    asked_again: bool = False


@dataclass(slots=True)
class _Places:
    """The positions of a word: the first and the newest."""

    first: list[int] = field(default_factory=list)
    newest: deque[int] = field(default_factory=lambda: deque(maxlen=_NEWEST))
    times: int = 0

    def add(self, place: int) -> None:
        self.times += 1
        if len(self.first) < _FIRST:
            self.first.append(place)
        else:
            self.newest.append(place)


async def candidates(said: Sequence[Spoken], embedder: Embedder | None) -> list[Pair]:
    """Return the pairs of statements from different answers that may be about the same thing."""
    flat = [(spoken, saying) for spoken in said for saying in spoken.sayings]
    vectors = await _vectors([saying.text for _, saying in flat], embedder)
    asks = await _vectors([spoken.asked for spoken in said], embedder)
    by_words = _by_words(flat)
    by_meaning = _by_meaning(flat, vectors) if vectors is not None else {}
    made: list[Pair] = []
    for place, (later, two) in enumerate(flat):
        chosen = _in_turns(by_meaning.get(place, ()), by_words.get(place, ()))
        others = [other for other in chosen if flat[other][1].text != two.text]
        # A long answer divides the turn's limit among its statements.
        for other in others[: max(2, min(2 * PER_STATEMENT, PER_TURN // len(later.sayings)))]:
            earlier, one = flat[other]
            near = likeness(vectors[place], vectors[other]) if vectors is not None else None
            again = _alike(earlier, later, asks) >= _enough(asks)
            made.append(Pair(earlier=earlier, later=later, one=one, two=two, near=near, asked_again=again))
    return made


def _in_turns(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Interleave two rankings, without duplicates."""
    both = [place for pair in zip_longest(one, other) for place in pair if place is not None]
    return list(dict.fromkeys(both))


async def same_questions(said: Sequence[Spoken], embedder: Embedder | None) -> list[tuple[Spoken, Spoken]]:
    """Return pairs of answers to the same yes/no question: each with the newest earlier ones."""
    asked = [each for each in said if each.whether is not None]
    asks = await _vectors([spoken.asked for spoken in said], embedder)
    made = []
    for place, later in enumerate(asked):
        for earlier in asked[max(0, place - _NEWEST) : place]:
            if _alike(earlier, later, asks) >= _enough(asks):
                made.append((earlier, later))
    return made


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the dot product of two unit vectors."""
    return float(sum(a * b for a, b in zip(one, other, strict=True)))


async def _vectors(texts: Sequence[str], embedder: Embedder | None) -> Sequence[Sequence[float]] | None:
    if embedder is None or not texts:
        return None
    each = list(dict.fromkeys(texts))
    found = dict(zip(each, await embedder.embed(each), strict=True))
    return [found[text] for text in texts]


def _by_words(flat: Sequence[tuple[Spoken, Saying]]) -> dict[int, list[int]]:
    """Return for each statement the earlier ones that share most of its rarer words and names."""
    places: dict[str, _Places] = {}
    found: dict[int, list[int]] = {}
    waiting: list[tuple[int, frozenset[str]]] = []
    turn = -1
    for place, (spoken, saying) in enumerate(flat):
        if spoken.at != turn:  # an answer is compared with earlier ones, not with itself
            for other, keys in waiting:
                for key in keys:
                    places.setdefault(key, _Places()).add(other)
            waiting, turn = [], spoken.at
        keys = saying.words | saying.own | saying.codes | things(saying.text).named
        waiting.append((place, keys))
        weights: dict[int, float] = {}
        for known in (places[key] for key in keys if key in places):
            for other in (*known.first, *known.newest):
                weights[other] = weights.get(other, 0.0) + known.times**-0.5
        best = heapq.nlargest(PER_STATEMENT, ((weight, other) for other, weight in weights.items()))
        found[place] = [other for _, other in best]
    return found


def _by_meaning(flat: Sequence[tuple[Spoken, Saying]], vectors: Sequence[Sequence[float]]) -> dict[int, list[int]]:
    """Return for each statement the nearest of the newest earlier ones."""
    import numpy as np  # noqa: PLC0415 - light checks do not need numpy

    table = np.asarray(vectors, dtype=np.float32)
    found: dict[int, list[int]] = {}
    for begin, end in _blocks(flat):
        first = max(0, begin - _WINDOW)
        if first == begin:
            continue
        near = table[begin:end] @ table[first:begin].T
        for row in range(end - begin):
            order = np.argsort(-near[row])[:PER_STATEMENT]
            found[begin + row] = [first + int(at) for at in order if near[row][at] >= NEAR]
    return found


def _blocks(flat: Sequence[tuple[Spoken, Saying]]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each answer's statements."""
    begin = 0
    for place in range(1, len(flat) + 1):
        if place == len(flat) or flat[place][0].at != flat[begin][0].at:
            yield begin, place
            begin = place


def _alike(earlier: Spoken, later: Spoken, asks: Sequence[Sequence[float]] | None) -> float:
    if not earlier.asked.strip() or not later.asked.strip():
        return 0.0
    if asks is not None:
        return likeness(asks[earlier.at], asks[later.at])
    left, right = content(earlier.asked), content(later.asked)
    return len(left & right) / len(left | right) if len(left & right) > 1 else 0.0


def _enough(asks: Sequence[Sequence[float]] | None) -> float:
    return SAME_QUESTION if asks is not None else SAME_QUESTION_IN_WORDS
