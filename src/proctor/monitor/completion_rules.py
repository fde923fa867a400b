"""Completion rules: signals and windows by intent, as configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

from proctor.core.decode import decode
from proctor.monitor.signals import REPEAT, Condition, parse_condition
from proctor.text.spans import span_seconds

__all__ = ["DEFAULT_RULES", "CompletionRule", "CompletionRules", "RepeatContact", "intent_key", "read_rules"]

_SEPARATORS = re.compile(r"[\s/_-]+")


def _seconds(name: str, text: str) -> float:
    try:
        return span_seconds(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


@lru_cache(maxsize=1024)
def _conditions(texts: tuple[str, ...]) -> tuple[Condition, ...]:
    return tuple(parse_condition(text) for text in texts)


@lru_cache(maxsize=1024)
def _signals(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(signal for each in _conditions(texts) for signal in each.signals)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRule:
    """The signals of completion and failure, and the window.

    A failure takes precedence over a completion. ``since`` sets the start of the window: the task's first message, or
    its last.
    """

    within: str = "24 h"
    since: Literal["start", "end"] = "end"
    completed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.completed and not self.failed:
            raise ValueError("a rule needs signals under `completed` or `failed`")
        if self.seconds <= 0:
            raise ValueError(f"within must be longer than nothing, not {self.within}")
        self.signals  # noqa: B018 - invalid signals are rejected here, where the file is read

    @property
    def seconds(self) -> float:
        """The length of the window."""
        return _seconds("within", self.within)

    @property
    def success(self) -> tuple[Condition, ...]:
        """Any of these completes the task."""
        return _conditions(self.completed)

    @property
    def failure(self) -> tuple[Condition, ...]:
        """Any of these fails it."""
        return _conditions(self.failed)

    @property
    def signals(self) -> frozenset[str]:
        """Every signal that the rule uses."""
        return _signals(self.completed + self.failed)

    def __str__(self) -> str:
        done, lost = " | ".join(map(str, self.success)), " | ".join(map(str, self.failure))
        return f"{self.within} from its {self.since}: {done or 'nothing'} completes, {lost or 'nothing'} fails"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatContact:
    """When another contact of the same customer is about the same thing.

    ``similarity`` is the minimum cosine of two questions by the embedder, ``words`` the minimum share of common content
    words without it. ``gap`` is the silence after which a turn of the same session is a new contact.
    """

    within: str = "24 h"
    similarity: float = 0.42
    words: float = 0.25
    gap: str = "30 min"

    def __post_init__(self) -> None:
        for name in ("similarity", "words"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be more than 0 and at most 1, not {getattr(self, name):g}")
        if not self.silence <= self.seconds:
            raise ValueError(f"gap ({self.gap}) must not be longer than within ({self.within})")

    @property
    def seconds(self) -> float:
        """The length of the window."""
        return _seconds("within", self.within)

    @property
    def silence(self) -> float:
        """The length of ``gap``."""
        return _seconds("gap", self.gap)


# The rules of the specification document.
DEFAULT_RULES: Final[Mapping[str, CompletionRule]] = {
    "policy_inquiry": CompletionRule(within="24 h", completed=(f"no {REPEAT}",), failed=(REPEAT,)),
    "booking_change": CompletionRule(
        within="1 h",
        since="start",
        completed=("outcome/booking_changed",),
        failed=("escalation and no outcome/booking_changed",),
    ),
    "cancellation": CompletionRule(
        within="2 h",
        completed=("outcome/cancellation_initiated", "outcome/cancellation_declined"),
        failed=("contact/human",),
        also=("cancellation_request",),
    ),
    "post_trip_issue": CompletionRule(
        within="48 h",
        since="start",
        completed=("outcome/case_resolved",),
        failed=("no outcome/case_resolved", "outcome/case_reopened"),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRules:
    """The rules of all intents, and how events are interpreted."""

    intents: Mapping[str, CompletionRule] = field(default_factory=lambda: dict(DEFAULT_RULES))
    default: CompletionRule | None = None
    repeat_contact: RepeatContact = field(default_factory=RepeatContact)
    late: str = "5 min"
    human: tuple[str, ...] = ("human", "person", "phone", "call", "email", "desk")
    about: tuple[str, ...] = ("booking", "case")
    examples: int = 5

    def __post_init__(self) -> None:
        if self.examples < 0:
            raise ValueError(f"examples must be 0 or more, not {self.examples}")
        if self.lateness < 0:
            raise ValueError("late cannot be negative")
        seen: dict[str, str] = {}
        for name, rule in self.intents.items():
            for key in map(intent_key, (name, *rule.also)):
                if seen.setdefault(key, name) != name:
                    raise ValueError(f"the intents {seen[key]!r} and {name!r} both answer to {key!r}")

    @property
    def lateness(self) -> float:
        """How many seconds an event may be late."""
        return _seconds("late", self.late)

    def rule_of(self, intent: str) -> tuple[str, CompletionRule | None]:
        """Return the name that an intent is counted under, and its rule; None if there is none."""
        key = intent_key(intent)
        for name, rule in self.intents.items():
            if key in map(intent_key, (name, *rule.also)):
                return name, rule
        return intent, self.default


@lru_cache(maxsize=4096)
def intent_key(name: str) -> str:
    """Normalise an intent: case, spaces and hyphens are ignored."""
    return _SEPARATORS.sub("_", name.strip().casefold())


def read_rules(data: object, *, file: str | None = None) -> CompletionRules:
    """Decode rules from the data of their file; intents it does not name keep the built-in rule.

    Raises:
        MalformedError: naming every problem, by its path.
    """
    given: Any = data if data is not None else {}
    found = decode(CompletionRules, given, strict=True, file=file)
    if not isinstance(given, Mapping) or "intents" not in given:
        return found
    named = {intent_key(key) for name, rule in found.intents.items() for key in (name, *rule.also)}
    kept = {name: rule for name, rule in DEFAULT_RULES.items() if intent_key(name) not in named}
    return CompletionRules(
        intents={**kept, **found.intents},
        default=found.default,
        repeat_contact=found.repeat_contact,
        late=found.late,
        human=found.human,
        about=found.about,
        examples=found.examples,
    )
