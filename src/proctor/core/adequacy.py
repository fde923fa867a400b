"""Mutation results of a prompt's tests: the outcome of each mutant and of each damaged output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from proctor.core.report import Spend
from proctor.core.rule import Rule

__all__ = ["Adequacy", "Control", "DamageOutcome", "Fate", "Killing", "MutantOutcome", "ShamOutcome", "WilsonShare"]

Fate = Literal["killed", "survived", "not judged", "not run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Killing:
    """A test that passed under the prompt and failed under a mutant, and the rule that failed."""

    test: str
    rule: str
    reason: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """The outcome of one mutant. ``rules`` are those in the changed text; ``tests`` is how many tests were run."""

    id: str
    operator: str
    rules: tuple[str, ...]
    fate: Fate
    diff: str = ""
    before: str = ""
    after: str = ""
    killed_by: tuple[Killing, ...] = ()
    tests: int = 0
    reason: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageOutcome:
    """An output that passed and was then damaged, and whether any rule noticed.

    ``rule`` is the first one that did. ``noticed`` is ``None`` if nothing could be judged.
    """

    test: str
    damage: str
    rule: str = ""
    noticed: bool | None = None
    reason: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WilsonShare:
    """A share with its Wilson interval; without a value if nothing was counted."""

    hits: int = 0
    total: int = 0
    low: float | None = None
    high: float | None = None

    @property
    def value(self) -> float | None:
        """The share itself."""
        return self.hits / self.total if self.total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A second run of the unchanged prompt: how many passing tests fail by chance alone."""

    tests: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShamOutcome:
    """A rewording of the prompt with the same meaning: which passing tests fail under it."""

    kind: str
    tests: int
    failed: tuple[str, ...] = ()
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adequacy:
    """How well a prompt's tests distinguish it from its mutants. Mutants that were not judged count in no share."""

    prompt: str
    prompt_hash: str = ""
    model: str = ""
    judges: tuple[str, ...] = ()
    samples: int = 1
    created: datetime | None = None
    tests: int = 0
    passing: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    mutants: tuple[MutantOutcome, ...] = ()
    damages: tuple[DamageOutcome, ...] = ()
    left_out: tuple[Mapping[str, Any], ...] = ()
    control: Control | None = None
    shams: tuple[ShamOutcome, ...] = ()
    score: WilsonShare = field(default_factory=WilsonShare)
    oracle: WilsonShare = field(default_factory=WilsonShare)
    spend: tuple[Spend, ...] = ()
    notes: tuple[str, ...] = ()

    def count(self, fate: Fate) -> int:
        """Return how many mutants have this outcome."""
        return sum(each.fate == fate for each in self.mutants)

    @property
    def complete(self) -> bool:
        """Whether every mutant was run: no budget or broken model stopped the run."""
        return not self.count("not run")
