"""What can be asked of the index of the guard's log, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["DecisionQuery", "IndexedDecision", "RecordedScore"]


class IndexedDecision(NamedTuple):
    """A decision that changed or stopped something, or that is for review; ``place`` is where it is in the log."""

    id: str
    time: float
    day: str
    place: int
    size: int
    session: str
    point: str
    gate: str
    action: str


class RecordedScore(NamedTuple):
    """A score with which a gate acted, and how many times. ``others``: another gate stops the same step too."""

    id: str
    score: float
    by_rule: bool
    action: str
    others: bool
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionQuery:
    """Which decisions: all that are not empty must match."""

    since: float | None = None
    until: float | None = None
    point: str = ""
    gate: str = ""
    action: str = ""
    kind: str = ""
    session: str = ""

    def where(self) -> tuple[str, list[Any]]:
        """Return the condition and its values."""
        made, values = ["1"], list[Any]()
        for name in ("point", "gate", "action", "session"):
            if wanted := getattr(self, name):
                made.append(f"{name} = ?")
                values.append(wanted)
        for sign, bound in ((">=", self.since), ("<", self.until)):
            if bound is not None:
                made.append(f"time {sign} ?")
                values.append(bound)
        if self.kind:
            made.append("instr(kinds, ?) > 0")
            values.append(f"|{self.kind}|")
        return " AND ".join(made), values
