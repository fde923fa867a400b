"""Group questions by topic, and find topics that are more frequent than before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from proctor.core.drift_report import TopicShift
from proctor.core.sockets import Embedder
from proctor.monitor.knowledge_gaps import masked
from proctor.stats.multiple import benjamini_hochberg
from proctor.stats.two_shares import share_difference_p
from proctor.text.content_words import content

__all__ = ["AskedQuestion", "rising_topics"]

Vector = npt.NDArray[np.float64]
_SIMILARITY = 0.5  # least cosine of a question and its group's mean, as for knowledge gaps
_WORDS = 0.34
_MIN_COUNT = 5
_RISE = 2.0  # a topic that was there before must be at least so many times as frequent
_MAX_EXAMPLES = 5
_MAX_TERMS = 6
_BATCH = 64
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A customer's first question in a conversation."""

    conversation: str
    text: str
    is_now: bool
    intent: str | None = None


@dataclass(slots=True, eq=False)
class _Topic:
    total: Vector | None
    words: frozenset[str]
    members: list[tuple[AskedQuestion, str, Vector | None]] = field(default_factory=list)


async def rising_topics(
    questions: Sequence[AskedQuestion], *, embedder: Embedder | None, most: int = 10
) -> tuple[TopicShift, ...]:
    """Return the topics of now that are new or at least twice as frequent as before, beyond chance.

    All questions are grouped without regard to their time, so that grouping cannot make a difference; then each topic's
    shares are compared, corrected for the number of topics. With an embedder topics are near vectors, without one
    common words.
    """
    topics = await _grouped(questions, embedder)
    now, before = (sum(each.is_now is side for each in questions) for side in (True, False))
    if not now or not before:
        return ()
    rows = []
    for topic in topics:
        count = sum(each.is_now for each, _, _ in topic.members)
        other = len(topic.members) - count
        if len(topic.members) < _MIN_COUNT:
            continue
        rows.append((share_difference_p(count, now, other, before), _shift(topic, count, other, now, before)))
    adjusted = benjamini_hochberg([p for p, _ in rows])
    found = [
        replace(shift, adjusted=p)
        for (_, shift), p in zip(rows, adjusted, strict=True)
        if p < 0.05 and shift.share >= _RISE * shift.before_share
    ]
    return tuple(sorted(found, key=lambda each: each.before_share - each.share)[:most])


async def _grouped(questions: Sequence[AskedQuestion], embedder: Embedder | None) -> list[_Topic]:
    topics: list[_Topic] = []
    middles = np.zeros((0, 0))
    for begin in range(0, len(questions), _BATCH):
        batch = questions[begin : begin + _BATCH]
        texts = [masked(each.text) for each in batch]
        vectors: list[Vector | None] = [None] * len(batch)
        if embedder is not None:
            vectors = [np.asarray(each, dtype=np.float64) for each in await embedder.embed(texts)]
        for question, text, vector in zip(batch, texts, vectors, strict=True):
            place = _nearest(topics, middles, text, vector)
            if place is None:
                topics.append(_Topic(total=vector, words=content(text)))
                place = len(topics) - 1
                if vector is not None:
                    row = _unit(vector)[None, :]
                    middles = row if not len(middles) else np.vstack([middles, row])
            elif vector is not None and (total := topics[place].total) is not None:
                topics[place].total = total + vector
                middles[place] = _unit(total + vector)
            topics[place].members.append((question, text, vector))
    return topics


def _nearest(topics: Sequence[_Topic], middles: Vector, text: str, vector: Vector | None) -> int | None:
    if not topics:
        return None
    if vector is not None:
        near = middles @ vector / max(float(np.linalg.norm(vector)), 1e-9)
        best = int(near.argmax())
        return best if near[best] >= _SIMILARITY else None
    words = content(text)
    shares = [_common(topic.words, words) for topic in topics]
    best = max(range(len(shares)), key=shares.__getitem__)
    return best if shares[best] >= _WORDS else None


def _shift(topic: _Topic, count: int, other: int, now: int, before: int) -> TopicShift:
    mine = [each for each in topic.members if each[0].is_now] or topic.members
    question = mine[0][1]
    if topic.total is not None:
        middle = _unit(topic.total)
        question = max(mine, key=lambda each: float(middle @ each[2]) if each[2] is not None else 0.0)[1]
    terms: Counter[str] = Counter()
    for _, text, _ in mine:
        terms.update({word.lower() for word in _WORD.findall(text) if content(word)})
    return TopicShift(
        question=question,
        count=count,
        before_count=other,
        share=count / now,
        before_share=other / before,
        adjusted=1.0,
        is_new=not other,
        terms=tuple(word for word, _ in terms.most_common(_MAX_TERMS)),
        examples=tuple(dict.fromkeys(text for _, text, _ in mine))[:_MAX_EXAMPLES],
        intents=dict(Counter(each.intent for each, _, _ in mine if each.intent).most_common(5)),
        conversations=tuple(each.conversation for each, _, _ in mine[:_MAX_EXAMPLES]),
    )


def _unit(vector: Vector) -> Vector:
    found: Vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return found


def _common(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
