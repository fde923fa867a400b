"""What a simulation is told: traffic, intents, versions, incidents and drifts. Hours count from the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from proctor.monitor.simulation.traffic_topic import TrafficTopic

__all__ = [
    "HOURS_OF_WEEK",
    "ConfidenceDrift",
    "Incident",
    "IncidentKind",
    "IntentTraffic",
    "MixDrift",
    "TrafficScenario",
    "VersionChange",
    "hour_weights",
]

HOURS_OF_WEEK: Final = 168
IncidentKind = Literal["hallucination", "injection", "latency", "outage", "errors", "escalation"]
# Shares of a day's traffic by hour, and of a week's by day from Monday; only their proportions matter.
_DAY: Final = (3, 2, 2, 2, 2, 3, 5, 8, 12, 15, 16, 16, 15, 15, 15, 15, 15, 16, 17, 18, 17, 13, 8, 5)
_WEEK: Final = (11, 10, 10, 10, 11, 13, 13)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentTraffic:
    """What customers want, how often, and how well it goes. Rates are of turns, or of conversations where said.

    ``ends`` says how completion shows: ``repeat``, by nobody asking again; ``outcome``, by an event of another system.
    The windows are those of `monitor/completion_rules.py`.
    """

    name: str
    share: float
    topics: tuple[TrafficTopic, ...]
    ends: Literal["repeat", "outcome"] = "repeat"
    outcome: str = ""
    declined: str = ""  # another good outcome, for a tenth of them
    reopened: str = ""  # an outcome that undoes the first
    within_hours: float = 24.0
    turns: float = 2.0
    hallucination: float = 0.04
    escalation: float = 0.06  # of conversations
    solved: float = 0.88  # of conversations in which nothing went wrong
    repeat: float = 0.4  # of customers whose matter was not solved come again within a day
    latency: float = 1.4  # median seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """A release: from this hour on, conversations begin with this version, or a share of them."""

    at_hour: float
    version: str
    model: str | None = None
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Something that goes wrong for a while.

    ``factor`` multiplies a rate or the latency; with ``inf`` every answer is wrong. An incident of an intent, a topic
    or a version touches nothing else. During an ``outage`` nobody reaches the agent, and only other systems send
    events. ``errors`` are turns without an answer; there ``factor`` is their share.
    """

    kind: IncidentKind
    at_hour: float
    hours: float
    factor: float = 3.0
    intent: str | None = None
    version: str | None = None
    topic: str | None = None

    def __post_init__(self) -> None:
        if self.hours <= 0 or self.factor <= 0:
            raise ValueError("an incident needs hours and a factor above 0")
        if self.kind == "errors" and self.factor > 1:
            raise ValueError("the factor of `errors` is the share of turns without an answer, at most 1")

    def touches(self, hour: float, intent: str, version: str | None, topic: str | None = None) -> bool:
        """Return whether it touches a turn at this hour; without a topic, one of any."""
        if not self.at_hour <= hour < self.at_hour + self.hours:
            return False
        about = topic is None or self.topic in (None, topic)
        return about and self.intent in (None, intent) and self.version in (None, version)


@dataclass(frozen=True, slots=True, kw_only=True)
class MixDrift:
    """The shares of intents move in a straight line to ``shares``, and stay there."""

    from_hour: float
    to_hour: float
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceDrift:
    """The stated confidence moves away from the truth: its log odds are multiplied by up to ``temperature``."""

    from_hour: float
    to_hour: float
    temperature: float = 2.0


def hour_weights(*, flat: bool = False) -> tuple[float, ...]:
    """Return the traffic of each hour of the week, from Monday 00:00, as a multiple of the mean."""
    if flat:
        return (1.0,) * HOURS_OF_WEEK
    raw = [hour * day for day in _WEEK for hour in _DAY]
    mean = sum(raw) / len(raw)
    return tuple(each / mean for each in raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficScenario:
    """A world to simulate. ``turns_per_minute`` is the mean over a week; ``scored`` the share of conversations scored.

    The scorer of ``score`` finds a wrong answer with ``sensitivity`` and passes a right one with ``specificity``.
    ``caught`` is the share of attacks that the guard stops, ``followed`` the share of the rest that the agent obeys.
    ``weekday``, from Monday 0, is what the day of the start counts as; without it, what it is.
    """

    name: str
    intents: tuple[IntentTraffic, ...]
    languages: Mapping[str, float]
    start: datetime = datetime(2026, 8, 3, tzinfo=UTC)  # a Monday
    weekday: int | None = None
    hours: float = 24.0 * 28
    turns_per_minute: float = 20.0
    flat: bool = False
    day_noise: float = 0.05
    returning: float = 0.3  # of conversations are of a customer seen days ago
    source: str = "desk"
    model: str = "desk-model-1"
    version: str = "1.0"
    releases: tuple[VersionChange, ...] = ()
    incidents: tuple[Incident, ...] = ()
    mix: tuple[MixDrift, ...] = ()
    calibration: tuple[ConfidenceDrift, ...] = ()
    scored: float = 1.0
    score: str = "grounded"
    sensitivity: float = 0.95
    specificity: float = 0.99
    injection: float = 0.002
    caught: float = 0.95
    followed: float = 0.3
    false_stops: float = 0.0005
    errors: float = 0.001
    csat: float = 0.2
    texts: bool = True
    weights: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not self.intents or not self.languages:
            raise ValueError("a scenario needs an intent and a language")
        if self.turns_per_minute <= 0 or self.hours <= 0:
            raise ValueError("a scenario needs hours and turns per minute above 0")
        known = {intent.name for intent in self.intents}
        named = {each.intent for each in self.incidents if each.intent} | {n for each in self.mix for n in each.shares}
        if unknown := sorted(named - known):
            raise ValueError(f"there is no intent {unknown[0]!r}; known: {', '.join(sorted(known))}")
        object.__setattr__(self, "weights", hour_weights(flat=self.flat))

    @property
    def mean_turns(self) -> float:
        """Turns of a conversation, on average, with the shares of the start."""
        total = sum(intent.share for intent in self.intents)
        return sum(intent.share * intent.turns for intent in self.intents) / total

    def weight_at(self, hour: float) -> float:
        """Return the traffic of this hour as a multiple of the mean."""
        weekday = self.start.weekday() if self.weekday is None else self.weekday
        at = weekday * 24 + self.start.hour + self.start.minute / 60 + hour
        return self.weights[int(at) % HOURS_OF_WEEK]

    def shares_at(self, hour: float) -> tuple[float, ...]:
        """Return the share of each intent at this hour."""
        shares = {intent.name: intent.share for intent in self.intents}
        for drift in self.mix:
            done = _progress(hour, drift.from_hour, drift.to_hour)
            if done > 0:
                aims = {name: drift.shares.get(name, share) for name, share in shares.items()}
                shares = {name: share + done * (aims[name] - share) for name, share in shares.items()}
        total = sum(shares.values())
        return tuple(shares[intent.name] / total for intent in self.intents)

    def temperature_at(self, hour: float) -> float:
        """Return what the log odds of a right confidence are multiplied by; 1 is calibrated."""
        found = 1.0
        for drift in self.calibration:
            found *= 1.0 + _progress(hour, drift.from_hour, drift.to_hour) * (drift.temperature - 1.0)
        return found

    def factor_at(
        self, kind: IncidentKind, hour: float, intent: str, version: str | None, topic: str | None = None
    ) -> float:
        """Return what the incidents of a kind multiply a rate by; 1 without any."""
        found = 1.0
        for each in self.incidents:
            if each.kind == kind and each.touches(hour, intent, version, topic):
                found *= each.factor
        return found

    def is_silent(self, hour: float, intent: str) -> bool:
        """Return whether nobody can reach the agent at this hour."""
        return any(each.kind == "outage" and each.touches(hour, intent, each.version) for each in self.incidents)

    def error_rate(self, hour: float, intent: str, version: str | None) -> float:
        """Return the share of turns without an answer."""
        during = [
            each.factor for each in self.incidents if each.kind == "errors" and each.touches(hour, intent, version)
        ]
        return max([self.errors, *during])


def _progress(hour: float, begin: float, end: float) -> float:
    if hour <= begin:
        return 0.0
    return 1.0 if hour >= end else (hour - begin) / (end - begin)
