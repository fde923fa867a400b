"""One thing that speaks against shipping, and the words that all reasons share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from proctor.release.measures import ALL

__all__ = ["Kind", "Reason", "count_of", "listed", "place_of"]

Kind = Literal[
    "regression", "floor", "zero tolerance", "newly failing", "missing", "unscored", "scorers", "rule", "data"
]
_CASES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that speaks against shipping: which figure of which intent, and the cases to look at."""

    kind: Kind
    message: str
    intent: str = ALL
    dimension: str | None = None
    parts: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()


def place_of(intent: str) -> str:
    """An intent in words."""
    return "over all intents" if intent == ALL else intent


def count_of(cases: Sequence[str]) -> str:
    """How many cases, in words."""
    return f"{len(cases)} case{'' if len(cases) == 1 else 's'}"


def listed(cases: Sequence[str]) -> str:
    """The first cases by name, and how many more there are."""
    if not cases:
        return ""
    more = f" and {len(cases) - _CASES_SHOWN} more" if len(cases) > _CASES_SHOWN else ""
    return f": {', '.join(cases[:_CASES_SHOWN])}{more}"
