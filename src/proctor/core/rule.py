"""A verifiable statement about an output, and whether an output complies with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from proctor.core.codec import content_id
from proctor.core.record import dataclass
from proctor.core.score import Evidence

__all__ = ["Rule", "RuleVerdict", "Span"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of a text: character offsets and the text between them."""

    start: int
    end: int
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a prompt.

    A rule with a ``predicate`` is checked by code; one without needs a judge. Its ``id`` is a hash of its
    content, so that moving, locking or weighting a rule does not rename it. A ``tentative`` predicate may be wrong: an
    answer that breaks it is in doubt, not failed; False: a person confirmed it. ``source`` is its position in
    the text of its prompt. ``origin`` is its producer: ``extractor`` (by code), the name of a model, or
    ``person``.
    """

    SHORTHAND = "text"

    text: str
    polarity: Literal["positive", "negative"] = "positive"
    inverse_of: str | None = None
    source: Span | None = None
    kind: Literal["format", "content", "refusal", "style", "safety"] | None = None
    predicate: str | None = None
    tentative: bool | None = None
    weight: float = 1.0
    priority: int = 0
    locked: bool = False
    disabled: bool = False
    groundedness: float | None = None
    origin: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def deciding_predicate(self) -> str | None:
        """The predicate, unless an answer that breaks it is only in doubt."""
        return None if self.tentative else self.predicate

    @property
    def is_checked(self) -> bool:
        """Whether code alone decides it."""
        return self.deciding_predicate is not None

    @property
    def id(self) -> str:
        """The rule's id: a hash of its text, polarity and opposite."""
        return "r-" + content_id([self.text, self.polarity, self.inverse_of], length=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """Whether one output complies with one rule."""

    rule: str
    outcome: Literal["ok", "err", "na", "unknown"]
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    producer: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
