"""Find gaps of the knowledge base: unanswered questions, clustered by topic."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from proctor.core.codec import content_id
from proctor.core.handoff import HandOff, KnowledgeGap
from proctor.core.sockets import Embedder
from proctor.text.content_words import content
from proctor.text.pii import find_pii

__all__ = ["GapFinder", "is_gap", "masked"]

_BATCH = 64
_MAX_EXAMPLES = 8
_MAX_TERMS = 6
_WORD = re.compile(r"[^\W\d_]{3,}")
_CODE = re.compile(r"\b(?=[A-Z\d-]*\d[A-Z\d-]*\d)[A-Z\d][A-Z\d-]{4,}\b")
Vector = npt.NDArray[np.float64]


@dataclass(slots=True, eq=False)
class _Group:
    """Questions on one topic: their mean vector, a few of them, and counts."""

    total: Vector | None
    words: frozenset[str]
    count: int = 0
    examples: list[tuple[str, Vector | None]] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)
    intents: Counter[str] = field(default_factory=Counter)
    terms: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None

    @property
    def middle(self) -> Vector:
        assert self.total is not None
        return self.total / max(float(np.linalg.norm(self.total)), 1e-9)


@dataclass(slots=True)
class GapFinder:
    """Clusters questions as they come; each group holds a few examples, so memory grows only with the gaps.

    ``similarity`` is the minimum cosine of a question and its group's mean, ``words`` the minimum share of common
    content words without an embedder.
    """

    embedder: Embedder | None = None
    similarity: float = 0.5
    words: float = 0.34
    _groups: list[_Group] = field(default_factory=list)
    _waiting: list[HandOff] = field(default_factory=list)

    async def add(self, found: HandOff) -> None:
        """Add a hand-off that shows a gap; others are ignored."""
        if not is_gap(found):
            return
        self._waiting.append(found)
        if len(self._waiting) >= _BATCH:
            await self._sort()

    async def gaps(self, *, at_least: int = 1) -> list[KnowledgeGap]:
        """Return the gaps, the largest first."""
        await self._sort()
        self._merge()
        ordered = sorted(self._groups, key=lambda group: (-group.count, group.examples[0][0]))
        return [_gap(group) for group in ordered if group.count >= at_least]

    async def _sort(self) -> None:
        waiting, self._waiting = self._waiting, []
        questions = [masked(found.question) for found in waiting]
        vectors: Sequence[Vector | None] = [None] * len(questions)
        if self.embedder is not None and questions:
            vectors = [np.asarray(each, dtype=np.float64) for each in await self.embedder.embed(questions)]
        for found, question, vector in zip(waiting, questions, vectors, strict=True):
            _put(self._group_of(question, vector), found, question, vector)

    def _group_of(self, question: str, vector: Vector | None) -> _Group:
        words = content(question)
        best, most = None, 0.0
        for group in self._groups:
            near = float(group.middle @ vector) if vector is not None else _common(group.words, words)
            if near > most:
                best, most = group, near
        if best is not None and most >= (self.similarity if vector is not None else self.words):
            return best
        self._groups.append(_Group(total=None if vector is None else np.zeros_like(vector), words=words))
        return self._groups[-1]

    def _merge(self) -> None:
        """Merge groups whose means have become similar."""
        if self.embedder is None:
            return
        kept: list[_Group] = []
        for group in sorted(self._groups, key=lambda group: -group.count):
            near = next((each for each in kept if float(each.middle @ group.middle) >= self.similarity + 0.1), None)
            if near is None:
                kept.append(group)
            else:
                _join(near, group)
        self._groups = kept


def is_gap(found: HandOff) -> bool:
    """Return whether a hand-off shows a knowledge gap: as its cause, or as another one."""
    return bool(found.question.strip()) and "knowledge_gap" in (found.category, *found.also)


def masked(question: str) -> str:
    """Return the question on one line, without personal data and codes, which its readers do not need."""
    text = " ".join(question.split())[:500]
    for each in sorted(find_pii(text), key=lambda found: -(found.start or 0)):
        if each.start is not None and each.end is not None:
            text = f"{text[: each.start]}[{each.kind.upper()}]{text[each.end :]}"
    return _CODE.sub("[CODE]", text)


def _put(group: _Group, found: HandOff, question: str, vector: Vector | None) -> None:
    group.count += 1
    if vector is not None:
        group.total = vector if group.total is None else group.total + vector
    if len(group.examples) < _MAX_EXAMPLES and all(question != known for known, _ in group.examples):
        group.examples.append((question, vector))
    if len(group.conversations) < _MAX_EXAMPLES:
        group.conversations.append(found.id)
    if found.intent:
        group.intents[found.intent] += 1
    group.terms.update({word.lower() for word in _WORD.findall(question) if content(word)})
    if found.time is not None:
        group.first = found.time if group.first is None else min(group.first, found.time)
        group.last = found.time if group.last is None else max(group.last, found.time)


def _join(one: _Group, other: _Group) -> None:
    one.count += other.count
    if one.total is not None and other.total is not None:
        one.total = one.total + other.total
    one.examples = (one.examples + other.examples)[:_MAX_EXAMPLES]
    one.conversations = (one.conversations + other.conversations)[:_MAX_EXAMPLES]
    one.intents.update(other.intents)
    one.terms.update(other.terms)
    one.first = min((each for each in (one.first, other.first) if each is not None), default=None)
    one.last = max((each for each in (one.last, other.last) if each is not None), default=None)


def _gap(group: _Group) -> KnowledgeGap:
    """Return the group, named by the question nearest to its mean."""
    question = group.examples[0][0]
    if group.total is not None:
        middle = group.middle
        question = max(group.examples, key=lambda each: float(middle @ each[1]) if each[1] is not None else 0.0)[0]
    return KnowledgeGap(
        id=content_id(["gap", question], length=10),
        question=question,
        count=group.count,
        terms=tuple(word for word, _ in group.terms.most_common(_MAX_TERMS)),
        intents=dict(group.intents.most_common()),
        examples=tuple(text for text, _ in group.examples),
        conversations=tuple(group.conversations),
        first=group.first,
        last=group.last,
    )


def _common(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
