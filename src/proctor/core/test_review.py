"""The review of a prompt's tests: failure modes, the value of each test, and which to keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from proctor.core.report import Spend
from proctor.core.rule import Rule

__all__ = ["HARMS", "TOPIC", "VALID", "CollectionReview", "FailureMode", "Harm", "TestNote"]

Harm = Literal["low", "medium", "high"]
TOPIC = "tests on topic"
VALID = "tests with a valid input"
HARMS: tuple[Harm, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureMode:
    """A way in which the output may go wrong, its harm, and the tests that would show it.

    ``rule`` is the one it breaks; empty if it belongs to none. ``producer`` is its origin: ``rule``, by a table for
    each kind of rule, or the name of a model.
    """

    text: str
    harm: Harm
    rule: str = ""
    tests: tuple[str, ...] = ()
    producer: str = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestNote:
    """The value of one test, from 0 to 1, and why.

    ``alone`` are the rules that no other test covers. ``like`` is the test it repeats. ``failures`` and ``runs`` come
    from stored runs; ``None`` if none contains it.
    """

    __test__ = False  # tells pytest that this is no test class

    test: str
    importance: float
    reasons: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    like: str = ""
    likeness: float = 0.0
    failures: int | None = None
    runs: int | None = None
    producer: str = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReview:
    """The review of all tests of a prompt. ``parts`` are shares; ``unknown`` counts what a part could not tell.

    There is no score without rules, nor where it is unknown for most tests whether they are valid and on topic.
    """

    prompt: str
    prompt_hash: str = ""
    created: datetime | None = None
    model: str = ""
    tests: int = 0
    rules: tuple[Rule, ...] = ()
    modes: tuple[FailureMode, ...] = ()
    notes: tuple[TestNote, ...] = ()
    parts: Mapping[str, float | None] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    keep: tuple[str, ...] | None = None
    runs: int = 0
    spend: tuple[Spend, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """The mean of the known parts; None if there are no rules, or topic or validity of most tests is unknown."""
        if not self.rules or any(name in self.parts and self.parts[name] is None for name in (TOPIC, VALID)):
            return None
        known = [value for value in self.parts.values() if value is not None]
        return sum(known) / len(known) if known else None
