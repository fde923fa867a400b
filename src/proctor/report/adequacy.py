"""Whether a prompt's tests would notice: what became of its mutants, and of outputs that were damaged on purpose."""

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
    """A test that passed under the prompt and failed under a mutant, and the rule it failed by."""

    test: str
    rule: str
    reason: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """What became of one mutant. ``rules`` are those that stood in what was changed; ``tests`` is how many were put."""

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
    """An output that passed and was then damaged: did any rule notice?

    ``rule`` is the first one that did. ``noticed`` is ``None`` where nothing could be judged.
    """

    test: str
    damage: str
    rule: str = ""
    noticed: bool | None = None
    reason: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The unchanged prompt put once more: how many tests that passed fail by chance alone."""

    tests: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShamOutcome:
    """The prompt reworded so that it asks for the same: which tests that passed fail all the same."""

    kind: str
    tests: int
    failed: tuple[str, ...] = ()
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adequacy:
    """How well a prompt's tests tell it from its mutants. Mutants that were not judged are in no share."""

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
        """How many mutants met this fate."""
        return sum(each.fate == fate for each in self.mutants)

    @property
    def complete(self) -> bool:
        """Whether every mutant was put to the tests: nothing was cut short by a budget or a broken model."""
        return not self.count("not run")
