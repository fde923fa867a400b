"""Check that the answer arrived in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import no_answer, scored, skipped, turn_label, unjudged

__all__ = ["Latency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """The answer, or its first words, came within a number of seconds."""

    name: ClassVar[str] = "latency"
    version: ClassVar[str] = "2"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "at_most"

    at_most: float | None = None
    per: Literal["turn", "total", "first_token"] = "turn"

    def __post_init__(self) -> None:
        if self.at_most is not None and self.at_most < 0:
            raise ValueError(f"at_most is {self.at_most:g} s; a time cannot be negative")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the slowest turn, the sum of all turns, or the slowest first words with the limit."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        first = self.per == "first_token"
        times = [(turn.first_token if first else turn.latency, index) for index, turn in enumerate(run.turns)]
        known = [(latency, index) for latency, index in times if latency is not None]
        if len(known) < len(times):
            what = "the time of the first words is not known: the target does not stream" if first else ""
            return unjudged(self, what or "the time an answer took is not known")
        slowest, index = max(known)
        seconds = sum(latency for latency, _ in known) if self.per == "total" else slowest
        if self.at_most is None:
            return skipped(self, "no limit is set", measured=seconds, unit="s")
        kept = seconds <= self.at_most
        what = turn_label(index) if self.per != "total" and len(known) > 1 else f"{len(known)} turns" * (len(known) > 1)
        reason = f"{what + ': ' if what else ''}{seconds:.3g} s; at most {self.at_most:g} s"
        evidence = (Evidence(turn=index, note=f"{slowest:.3g} s"),)
        value = 1.0 if kept else 0.0
        return scored(self, value, reason, measured=seconds, unit="s", evidence=evidence, producer="meter")
