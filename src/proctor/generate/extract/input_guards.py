"""Conditions on an input that code can check: empty, or longer or shorter than a number."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.aspects import Scope

__all__ = ["input_guard"]

_GUARDS: Final = (
    (
        re.compile(
            r"\b(?:input|text|message|question|sentence|document|review|article)\b[^,]{0,20}\bis (?:empty|"
            r"blank)\b|\bempty (?:input|text|message)\b",
            re.IGNORECASE,
        ),
        "input is empty",
    ),
    (
        re.compile(
            r"\b(?:input|text|message|article|document|review)\b[^,]{0,30}\b(?:more|"
            r"longer) than (?P<n>\d+) (?P<unit>words|characters|sentences)\b",
            re.IGNORECASE,
        ),
        "input {unit} > {n}",
    ),
    (
        re.compile(
            r"\b(?:input|text|message|article|document|review)\b[^,]{0,30}\b(?:fewer|less|"
            r"shorter) than (?P<n>\d+) (?P<unit>words|characters|sentences)\b",
            re.IGNORECASE,
        ),
        "input {unit} < {n}",
    ),
)


def input_guard(condition: str, scope: Scope) -> str | None:
    """Return the predicate of a condition on the input that code can check; None for others."""
    if len(scope.inputs) > 1:
        return None
    for pattern, form in _GUARDS:
        if match := pattern.search(condition):
            return form.format(**match.groupdict())
    return None
