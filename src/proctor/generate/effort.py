"""Effort presets: four levels of increasing thoroughness, and overrides of single numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from proctor.core.decode import closest
from proctor.core.errors import InputError

__all__ = ["DEFAULT", "PRESETS", "Effort", "choose_effort"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """The numbers that determine how many calls are made.

    ``most_rules`` is the number of rules to find, ``None`` for all. A rule gets ``tests_per_rule`` tests and its
    opposite as many, in every scenario. ``rules_per_call`` rules share a call: fewer give better tests and more calls.
    ``generations`` is how often tests are requested while some are missing or invalid. Each test is expanded
    ``expansions`` times. ``baseline`` is the number of tests made from the prompt alone.
    """

    most_rules: int | None = 20
    tests_per_rule: int = 2
    rules_per_call: int = 3
    generations: int = 3
    expansions: int = 0
    baseline: int = 10


PRESETS: Mapping[str, Effort] = {
    "min": Effort(most_rules=8, tests_per_rule=1, rules_per_call=8, generations=1, expansions=0, baseline=0),
    "low": Effort(most_rules=16, tests_per_rule=1, rules_per_call=4, generations=2, expansions=0, baseline=0),
    "medium": Effort(most_rules=32, tests_per_rule=2, rules_per_call=2, generations=3, expansions=0, baseline=10),
    "high": Effort(most_rules=None, tests_per_rule=3, rules_per_call=1, generations=4, expansions=1, baseline=20),
}
DEFAULT = "medium"
_BOUNDS: Mapping[str, tuple[int, int]] = {
    "most_rules": (1, 1000),
    "tests_per_rule": (1, 50),
    "rules_per_call": (1, 100),
    "generations": (1, 10),
    "expansions": (0, 5),
    "baseline": (0, 1000),
}


def choose_effort(name: str | None = None, **given: int | None) -> Effort:
    """Return the named preset, or the default; given numbers override the preset.

    Raises:
        InputError: there is no such preset, or a number is out of range.
    """
    name = name or DEFAULT
    if name not in PRESETS:
        guess = closest(name, PRESETS)
        hint = f"did you mean {guess!r}?" if guess else f"use one of: {', '.join(PRESETS)}"
        raise InputError(f"there is no effort {name!r}", field="effort", hint=hint)
    known = {each.name for each in fields(Effort)}
    numbers: dict[str, Any] = {}
    for field, value in given.items():
        assert field in known, field
        if value is not None:
            numbers[field] = _within(field, value)
    return replace(PRESETS[name], **numbers)


def _within(field: str, value: int) -> int:
    low, high = _BOUNDS[field]
    if not low <= value <= high:
        flag = field.replace("_", "-")
        raise InputError(f"{value} is out of bounds", field=flag, hint=f"give a whole number from {low} to {high}")
    return value
