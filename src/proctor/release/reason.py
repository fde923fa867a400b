"""One reason against shipping, and the wording shared by all reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from proctor.release.measures import ALL

__all__ = ["Kind", "Reason", "count_of", "listed", "place_of"]

Kind = Literal[
    "regression",
    "floor",
    "zero tolerance",
    "newly failing",
    "incident",
    "missing",
    "unscored",
    "scorers",
    "rule",
    "data",
]
_CASES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason against shipping: the figure, its intent, and the cases to review.

    ``short`` says the same in a few words, for a place that names the cause already.
    """

    kind: Kind
    message: str
    short: str = ""
    intent: str = ALL
    dimension: str | None = None
    parts: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The message without the list of cases."""
        return self.message.replace(listed(self.cases), "", 1) if self.cases else self.message


def place_of(intent: str) -> str:
    """Return an intent in words."""
    return "over all intents" if intent == ALL else intent


def count_of(cases: Sequence[object]) -> str:
    """Return the number of cases in words."""
    return f"{len(cases)} case{'' if len(cases) == 1 else 's'}"


def listed(cases: Sequence[str]) -> str:
    """Return the first cases by name, and how many more there are."""
    if not cases:
        return ""
    more = f" and {len(cases) - _CASES_SHOWN} more" if len(cases) > _CASES_SHOWN else ""
    return f": {', '.join(cases[:_CASES_SHOWN])}{more}"
