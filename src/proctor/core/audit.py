"""The weekly audit: conversations drawn with known probabilities, people's ratings of them, and settled splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from proctor.core.trajectory import Trajectory, Turn

__all__ = [
    "DIMENSIONS",
    "REST",
    "AuditItem",
    "AuditRating",
    "AuditSample",
    "AuditSettings",
    "AuditStratum",
    "AuditedConversation",
    "BlindItem",
    "ScorerVerdict",
    "Settlement",
    "blind",
]

DIMENSIONS = ("correctness", "completeness", "tone", "efficiency")
REST = "rest"  # the stratum of conversations that nothing points at
_TARGETS = ("flagged", "repeat_contact", "low_confidence")
_MAX_DIMENSIONS = 7  # a key each, and one to confirm: at most 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """What is drawn and how it is rated: `audit:` in proctor.yaml.

    ``core`` of ``size`` conversations are drawn uniformly, the others from ``targets`` in this order of precedence. A
    conversation is ``flagged`` by a signal that begins with one of these names, and of low confidence if a turn's is
    below ``low_confidence``. ``raters`` people rate a conversation; of a share of 1 - ``double`` one person does.
    Ratings go from 1 to ``scale``; from ``pass_at`` on a conversation passes. A claim lasts ``claim`` minutes.
    ``split`` is how many steps apart two ratings may be.
    """

    size: int = 100
    core: int = 60
    targets: tuple[str, ...] = _TARGETS
    flagged: tuple[str, ...] = ("error", "gate", "finding", "score", "csat/low")
    low_confidence: float = 0.6
    repeat_hours: float = 24.0
    raters: int = 2
    double: float = 1.0
    dimensions: tuple[str, ...] = DIMENSIONS
    scale: int = 5
    pass_at: int = 4
    claim: float = 15.0
    split: int = 1
    judges: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.core <= self.size:
            raise ValueError(f"core must be from 0 to size ({self.size}), and size at least 1, not {self.core}")
        if unknown := [each for each in self.targets if each not in _TARGETS]:
            raise ValueError(f"targets are {', '.join(_TARGETS)}, not {', '.join(map(str, unknown))}")
        if not 0 <= self.low_confidence <= 1 or not 0 <= self.double <= 1:
            raise ValueError("low_confidence and double must be from 0 to 1")
        if self.raters < 1 or not self.claim > 0 or not self.repeat_hours > 0 or self.split < 0:
            raise ValueError("raters must be at least 1, claim and repeat_hours more than 0, split at least 0")
        if not 2 <= self.scale <= 9 or not 1 < self.pass_at <= self.scale:
            raise ValueError(f"scale must be from 2 to 9 and pass_at from 2 to it, not {self.scale} and {self.pass_at}")
        if not self.dimensions or len(set(self.dimensions)) < len(self.dimensions):
            raise ValueError("dimensions must be named, each once")
        if len(self.dimensions) > _MAX_DIMENSIONS:
            raise ValueError(f"at most {_MAX_DIMENSIONS} dimensions: more than 8 keys a conversation tire a rater")

    @property
    def levels(self) -> tuple[int, ...]:
        """The ratings there are, from worst to best."""
        return tuple(range(1, self.scale + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerVerdict:
    """What a scorer or judge said of a conversation; ``version`` is the revision that said it."""

    name: str
    value: float | None = None
    passed: bool | None = None
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedConversation:
    """What an audit, a calibration and a drift report need of one conversation.

    ``confidence`` is that of the last turn that has one, ``least_confidence`` the lowest. ``is_repeat`` says that the
    customer came again soon after.
    """

    id: str
    first: float
    last: float
    turns: int = 0
    customer: str | None = None
    intent: str | None = None
    model: str | None = None
    version: str | None = None
    source: str | None = None
    confidence: float | None = None
    least_confidence: float | None = None
    outcome: str | None = None
    signals: tuple[str, ...] = ()
    is_repeat: bool = False
    scores: tuple[ScorerVerdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditStratum:
    """A part of a week's conversations: how many there were, and how many were drawn."""

    name: str
    population: int
    drawn: int

    @property
    def probability(self) -> float:
        """The chance of each of its conversations to be drawn."""
        return self.drawn / self.population if self.population else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSample:
    """The sample of one ISO week (``2026-W46``)."""

    week: str
    strata: tuple[AuditStratum, ...]
    created: datetime | None = None
    core: int = 0
    scale: int = 5

    @property
    def population(self) -> int:
        """How many conversations the week had."""
        return sum(each.population for each in self.strata)

    @property
    def drawn(self) -> int:
        """How many are in the sample."""
        return sum(each.drawn for each in self.strata)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditItem:
    """One conversation of a sample, with what raters must not see: why it was drawn, and what scorers said.

    ``raters`` is how many people should rate it, ``place`` its place in the order of rating.
    """

    id: str
    week: str
    conversation: str
    stratum: str
    probability: float
    is_core: bool = False
    raters: int = 2
    place: int = 0
    reasons: tuple[str, ...] = ()
    about: AuditedConversation
    trajectory: Trajectory = field(default_factory=Trajectory)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRating:
    """One person's ratings of one conversation; None where it could not be rated."""

    item: str
    rater: str
    values: Mapping[str, int | None]
    note: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """The final rating where raters differed; None if it cannot be rated after all."""

    item: str
    dimension: str
    value: int | None
    by: str
    note: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindItem:
    """All that a rater sees of an item; ``expires`` is until when it is held for the rater."""

    id: str
    week: str
    intent: str | None
    trajectory: Trajectory
    expires: datetime | None = None


def blind(item: AuditItem, *, expires: datetime | None = None) -> BlindItem:
    """Return an item without why it was drawn, its scores, the verdicts of gates, and the agent's own confidence."""
    seen = item.trajectory
    return BlindItem(
        id=item.id,
        week=item.week,
        intent=item.about.intent,
        trajectory=Trajectory(id=item.id, turns=tuple(map(_blind_turn, seen.turns)), error=seen.error),
        expires=expires,
    )


def _blind_turn(turn: Turn) -> Turn:
    intents = tuple(replace(each, confidence=None, extra={}) for each in turn.intents)
    return replace(turn, intents=intents, verdicts=(), confidence=None, cost=None, usage=None, extra={})
