"""Decide whether two contacts of a customer are about the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from proctor.core.sockets import Embedder
from proctor.text.content_words import content

__all__ = ["Contact", "Likeness", "same_topic", "speaks"]

MOST_QUESTIONS = 8  # of one contact that are compared
_MAX_QUESTION_CHARS = 600


@dataclass(slots=True, kw_only=True)
class Contact:
    """The topic of a contact; it grows with the customer's messages."""

    intent: str | None = None
    topic: str | None = None
    questions: list[str] = field(default_factory=list)
    vectors: list[Sequence[float]] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """Add the customer's message, if it has content."""
        said = " ".join(text.split())[:_MAX_QUESTION_CHARS]
        if speaks(said) and said not in self.questions and len(self.questions) < MOST_QUESTIONS:
            self.questions.append(said)

    async def embedded(self, embedder: Embedder) -> list[Sequence[float]]:
        """Return the vectors of its questions, computed lazily, since most customers come once."""
        missing = self.questions[len(self.vectors) :]
        if missing:
            self.vectors.extend(await embedder.embed(missing))
        return self.vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Whether two contacts have the same topic, and why; None if they cannot be compared."""

    same: bool | None
    how: str = ""


def speaks(text: str) -> bool:
    """Return whether a message has content: a greeting or a thank-you has none."""
    return len(content(text) - _COURTESY) >= 1 and len(text) >= 4


_COURTESY = content(
    "hello hi hey good morning afternoon evening thanks thank bye great perfect sure welcome help question"
)


async def same_topic(
    one: Contact, other: Contact, *, embedder: Embedder | None, similarity: float, words: float
) -> Likeness:
    """Compare by named topics; else by messages; without messages by intents."""
    if one.topic and other.topic:
        same = one.topic.strip().casefold() == other.topic.strip().casefold()
        return Likeness(same=same, how=f"topic {other.topic!r}" if same else "another topic")
    if one.questions and other.questions:
        if embedder is not None:
            left, right = await one.embedded(embedder), await other.embedded(embedder)
            most = max(_cosine(each, against) for each in left for against in right)
            return Likeness(same=most >= similarity, how=f"similarity {most:.2f}")
        most = max(_common(left, right) for left in one.questions for right in other.questions)
        return Likeness(same=most >= words, how=f"{most:.0%} of the words in common")
    if one.intent and other.intent:
        return Likeness(same=one.intent == other.intent, how=f"intent {other.intent}")
    return Likeness(same=None)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(a * b for a, b in zip(one, other, strict=True)))


def _common(one: str, other: str) -> float:
    left, right = content(one), content(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
