"""What a campaign's figures need of each attempt, read from the results of its runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proctor.core.attack import ATTACK, AttackAttempt, AttackResult, attack_result, attempt_of
from proctor.core.codec import content_id
from proctor.core.errors import MalformedError
from proctor.core.report import Result

__all__ = ["AttackEntry", "goal_name", "read_entries"]

_NO_JUDGEMENT = "the scorer `attack` gave no judgement"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackEntry:
    """One attempt with its judgement; ``key`` is the same in a retest."""

    key: tuple[str, int]
    attempt: AttackAttempt
    result: AttackResult

    @property
    def goal(self) -> str:
        """The goal's id, by which attempts are clustered; an attempt without one is alone."""
        return self.attempt.goal or self.key[0]

    @property
    def is_scored(self) -> bool:
        """Whether the attempt counts in the rate."""
        return self.result.outcome in ("ignored", "stopped", "executed")

    @property
    def is_executed(self) -> bool:
        """Whether the attack succeeded."""
        return self.result.outcome == "executed"

    @property
    def by_detector(self) -> bool:
        """Whether a fallible detector decided; what a gate stopped, the gate decided."""
        return self.result.judged_by == "detector" and self.result.outcome in ("ignored", "executed")

    @property
    def twin_is_known(self) -> bool:
        """Whether the benign twin was run and judged."""
        twin = self.result.twin
        return twin is not None and (twin.effect is not None or twin.handed_over or self.twin_is_stopped)

    @property
    def twin_is_stopped(self) -> bool:
        """Whether the guard stopped the benign twin."""
        twin = self.result.twin
        return twin is not None and (twin.stopped_by is not None or twin.stopped_at is not None)


def read_entries(results: Iterable[Result]) -> tuple[list[AttackEntry], int]:
    """Return the attempts in the order of their rounds, and the number of results that are none."""
    entries: list[AttackEntry] = []
    others = 0
    for result in results:
        try:
            attempt = attempt_of(result.case)
        except MalformedError:
            attempt = None
        if attempt is None:
            others += 1
            continue
        key = (result.case.id, result.sample)
        entries.append(AttackEntry(key=key, attempt=attempt, result=_judgement(result)))
    entries.sort(key=lambda entry: entry.attempt.round)  # a stable sort: the order within a round is kept
    return entries, others


def goal_name(entry: AttackEntry, rotation: str) -> str:
    """Return the goal's id; of a held-out goal a hash that differs in each rotation."""
    if not entry.attempt.held_out:
        return entry.goal
    return f"held-out-{content_id([rotation, entry.goal], length=8)}"


def _judgement(result: Result) -> AttackResult:
    """Return the judgement of the scorer ``attack``; a result without one is unscored, with the reason."""
    score = next((score for score in result.scores if score.name == ATTACK), None)
    found = None if score is None else attack_result(score)
    if found is not None:
        return found
    reason = (score.reason if score else "") or result.trajectory.error or result.reason or _NO_JUDGEMENT
    return AttackResult(outcome="unscored", reason=reason)
