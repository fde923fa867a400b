"""What a prompt promises: its purpose, its inputs and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.rule import Rule

__all__ = ["InputSpec", "Scenario", "Specification"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """What a valid value of one input is.

    ``type`` is a JSON schema type. ``statements`` say in words what a valid value is; ``values`` are the
    only ones allowed, where the prompt lists them; ``examples`` come from samples and from the prompt itself.
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
    """A situation all tests are made for once more: inputs it fixes, and what is said of it in words."""

    name: str = ""
    instructions: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """What was found out about a prompt before any test is made. ``rules`` holds both polarities."""

    intent: str = ""
    inputs: tuple[InputSpec, ...] = ()
    rules: tuple[Rule, ...] = ()

    @property
    def enabled(self) -> tuple[Rule, ...]:
        """The rules an output must keep, less those a person has switched off."""
        return tuple(rule for rule in self.rules if rule.polarity == "positive" and not rule.disabled)

    def opposites(self, rule: Rule) -> tuple[Rule, ...]:
        """The inverse rules that are linked to this one."""
        return tuple(each for each in self.rules if each.inverse_of == rule.id)
