"""Mutation results of a prompt's tests: outcomes of its mutants, and of deliberately damaged outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from proctor.core.report import Spend
from proctor.core.rule import Rule
from proctor.core.share import Share

__all__ = ["Adequacy", "Control", "DamageOutcome", "Fate", "Killing", "MutantOutcome", "ShamOutcome"]

Fate = Literal["killed", "survived", "not judged", "not run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Killing:
    """A test that passed with the prompt and failed with a mutant, and the broken rule."""

    test: str
    rule: str
    reason: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """The outcome of one mutant. ``rules`` are those in the changed text; ``tests`` is the number of tests run."""

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
    """The outcome of damaging an output that passed.

    ``rule`` is the first rule that noticed. ``noticed`` is ``None`` if nothing could be judged.
    """

    test: str
    damage: str
    rule: str = ""
    noticed: bool | None = None
    reason: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The unchanged prompt run again: how many passing tests fail by chance alone."""

    tests: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShamOutcome:
    """The prompt reworded with the same meaning: which passing tests fail."""

    kind: str
    tests: int
    failed: tuple[str, ...] = ()
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adequacy:
    """How well a prompt's tests detect its mutants. Mutants that were not judged count in no share."""

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
    score: Share = field(default_factory=Share)
    oracle: Share = field(default_factory=Share)
    spend: tuple[Spend, ...] = ()
    notes: tuple[str, ...] = ()

    def count(self, fate: Fate) -> int:
        """Return the number of mutants with this outcome."""
        return sum(each.fate == fate for each in self.mutants)

    @property
    def judged(self) -> int:
        """The number of mutants on which a judgement was made."""
        return self.count("killed") + self.count("survived")

    @property
    def complete(self) -> bool:
        """Whether every mutant was tested, without a stop by a budget or a failing model."""
        return not self.count("not run")
