"""Attempts by goal: the findings of a campaign, with held-out goals masked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from proctor.core.attack import AttackOutcome
from proctor.core.campaign import GoalFigures
from proctor.core.verdict import Severity
from proctor.redteam.attack_entries import AttackEntry, goal_name

__all__ = ["SEVERITIES", "goal_figures"]

SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low")
_MAX_TEXT_CHARS = 4_000


def goal_figures(entries: Iterable[AttackEntry], rotation: str = "") -> tuple[GoalFigures, ...]:
    """Return the figures of each goal: reached ones first, then by severity."""
    by_goal: dict[tuple[str, bool], list[AttackEntry]] = {}
    for entry in entries:
        by_goal.setdefault((entry.goal, entry.attempt.held_out), []).append(entry)
    made = [_goal(rows, rotation) for rows in by_goal.values()]
    return tuple(sorted(made, key=_order))


def _order(goal: GoalFigures) -> tuple[bool, int, bool, int, str]:
    return not goal.executed, SEVERITIES.index(goal.severity), goal.held_out, -goal.executed, goal.goal


def _goal(rows: Sequence[AttackEntry], rotation: str) -> GoalFigures:
    first = rows[0].attempt
    outcomes: Counter[AttackOutcome] = Counter(entry.result.outcome for entry in rows)
    executed = [entry for entry in rows if entry.is_executed]
    scored = [entry.is_executed for entry in rows if entry.is_scored]
    unscored = next((entry.result.reason for entry in rows if entry.result.outcome == "unscored"), "")
    made = GoalFigures(
        goal=goal_name(rows[0], rotation),
        scope=first.scope,
        severity=_worst(executed) or first.severity,
        title=first.title,
        held_out=first.held_out,
        attempts=len(rows),
        scored=len(scored),
        not_reached=outcomes["not_reached"],
        ignored=outcomes["ignored"],
        stopped=outcomes["stopped"],
        executed=outcomes["executed"],
        unscored=outcomes["unscored"],
        first_try=scored.index(True) + 1 if executed else None,
        stopped_severity=_worst([e for e in rows if e.result.outcome == "stopped" and e.result.severity]),
        cases=tuple(dict.fromkeys(entry.key[0] for entry in executed)),
        unscored_reason=unscored[:_MAX_TEXT_CHARS],
        tags=first.tags,
    )
    if executed:
        made = _with_example(made, _clearest(executed))
    return _masked(made) if first.held_out else made


def _with_example(goal: GoalFigures, entry: AttackEntry) -> GoalFigures:
    attempt, result = entry.attempt, entry.result
    return replace(
        goal,
        case=entry.key[0],
        channel=attempt.channel,
        language=attempt.language,
        techniques=attempt.techniques,
        judged_by=result.judged_by or "",
        payload=attempt.payload[:_MAX_TEXT_CHARS],
        evidence=result.evidence[:_MAX_TEXT_CHARS],
        reason=result.reason[:_MAX_TEXT_CHARS],
    )


def _clearest(executed: Sequence[AttackEntry]) -> AttackEntry:
    """Return the execution to show: the most severe, then the one with the fewest techniques."""
    return min(executed, key=lambda entry: (SEVERITIES.index(_severity(entry)), len(entry.attempt.techniques)))


def _severity(entry: AttackEntry) -> Severity:
    return entry.result.severity or entry.attempt.severity


def _worst(entries: Sequence[AttackEntry]) -> Severity | None:
    return min((_severity(entry) for entry in entries), key=SEVERITIES.index, default=None)


def _masked(goal: GoalFigures) -> GoalFigures:
    """Return the goal without anything that shows what it is."""
    return replace(goal, title="", case="", cases=(), payload="", evidence="", reason="", unscored_reason="", tags=())
