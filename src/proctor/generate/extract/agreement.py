"""Compare the rules found by code with those found by a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proctor.core.rule import Rule

__all__ = ["cross_check"]

_LIKE = 0.5


def cross_check(
    found_by_code: Sequence[Rule], found_by_model: Sequence[Rule]
) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return what only code found, and what only the model found; rules match by wording or by predicate."""
    only_code = tuple(rule for rule in found_by_code if not any(_same(rule, other) for other in found_by_model))
    only_model = tuple(rule for rule in found_by_model if not any(_same(rule, other) for other in found_by_code))
    return only_code, only_model


def _same(one: Rule, other: Rule) -> bool:
    if one.predicate and one.predicate == other.predicate:
        return True
    mine, theirs = _words(one.text), _words(other.text)
    if mine and theirs and len(mine & theirs) / min(len(mine), len(theirs)) >= _LIKE + 0.2:
        return True
    return _overlap(one, other) and bool(mine & theirs)


def _overlap(one: Rule, other: Rule) -> bool:
    a, b = one.source, other.source
    if a is None or b is None or a.end <= a.start or b.end <= b.start:
        return False
    shared = min(a.end, b.end) - max(a.start, b.start)
    return shared / min(a.end - a.start, b.end - b.start) > _LIKE


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]{3,}", text.lower())) - {"the", "output", "and", "that"}
