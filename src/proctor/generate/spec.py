"""The specification of a prompt: its intent, its inputs and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.rule import Rule

__all__ = ["InputSpec", "Scenario", "Specification"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """The valid values of one input.

    ``type`` is a JSON schema type. ``statements`` describe a valid value in words; ``values`` are the only allowed
    ones, if the prompt lists them; ``examples`` come from samples and from the prompt itself.
    """

    name: str
    type: str = "string"
    description: str = ""
    statements: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    examples: tuple[Any, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A situation for which all tests are generated again: the inputs it fixes, and a description."""

    name: str = ""
    instructions: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """What is known about a prompt before any test is made. ``rules`` holds both polarities."""

    intent: str = ""
    inputs: tuple[InputSpec, ...] = ()
    rules: tuple[Rule, ...] = ()

    @property
    def enabled(self) -> tuple[Rule, ...]:
        """The positive rules that are not disabled."""
        return tuple(rule for rule in self.rules if rule.polarity == "positive" and not rule.disabled)

    def opposites(self, rule: Rule) -> tuple[Rule, ...]:
        """Return the inverse rules of this rule."""
        return tuple(each for each in self.rules if each.inverse_of == rule.id)
