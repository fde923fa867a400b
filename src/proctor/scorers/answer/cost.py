"""Check the cost of the conversation against a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import no_answer, scored, skipped, unjudged

__all__ = ["Cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The conversation cost no more than a limit, in the price table's currency."""

    name: ClassVar[str] = "cost"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "at_most"

    at_most: float | None = None

    def __post_init__(self) -> None:
        if self.at_most is not None and self.at_most < 0:
            raise ValueError(f"at_most is {self.at_most:g}; a cost cannot be negative")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the cost of all turns with the limit."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        cost = run.cost
        if cost is None:
            return unjudged(self, "the cost is not known: no price is set for the model, or the target told none")
        if self.at_most is None:
            return skipped(self, "no limit is set", measured=cost)
        kept = cost <= self.at_most
        reason = f"cost {cost:.4g}; at most {self.at_most:g}"
        return scored(self, 1.0 if kept else 0.0, reason, measured=cost, producer="meter")
