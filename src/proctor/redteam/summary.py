"""Summarise the results of a campaign: rates by scope, margins, benign twins, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from proctor.core.attack import CHANNELS, SCOPES, AttackOutcome
from proctor.core.campaign import MIN_CELL_ATTEMPTS, AttackFigures, CampaignFacts, CampaignSummary, GoalFigures
from proctor.core.report import Result
from proctor.core.verdict import Severity
from proctor.redteam.attack_entries import AttackEntry, goal_name, read_entries
from proctor.redteam.attack_figures import figures_of, try_curve

__all__ = ["summarise_campaign", "summarise_entries"]

_NO_TECHNIQUE = "none"
_MARGINS: Final[dict[str, Callable[[AttackEntry], Sequence[str]]]] = {
    "technique": lambda entry: entry.attempt.techniques or (_NO_TECHNIQUE,),
    "language": lambda entry: (entry.attempt.language,),
    "channel": lambda entry: (entry.attempt.channel,),
    "severity": lambda entry: (entry.attempt.severity,),
    "tag": lambda entry: entry.attempt.tags,
}
_SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low")
_ORDERS: Final[dict[str, Sequence[str]]] = {"channel": CHANNELS, "severity": _SEVERITIES}
_MAX_TEXT_CHARS = 4_000


def summarise_campaign(results: Iterable[Result], facts: CampaignFacts) -> CampaignSummary:
    """Return the campaign in figures; results that are no attempts are only counted.

    Args:
        results: of all runs of the campaign, read once. Attempts are ordered by their round.
        facts: the campaign's names and note, and the detector's error if one judged.
    """
    entries, others = read_entries(results)
    return summarise_entries(entries, facts, others=others)


def summarise_entries(entries: Sequence[AttackEntry], facts: CampaignFacts, *, others: int = 0) -> CampaignSummary:
    """Return the campaign in figures, from attempts in the order of their rounds."""
    total = figures_of("all", entries, facts.detector)
    return CampaignSummary(
        facts=facts,
        total=total,
        open=figures_of("open", [entry for entry in entries if not entry.attempt.held_out], facts.detector),
        held_out=figures_of("held out", [entry for entry in entries if entry.attempt.held_out], facts.detector),
        scopes=_grouped(entries, lambda entry: (entry.attempt.scope,), facts, SCOPES),
        margins={
            name: _grouped(entries, names_of, facts, _ORDERS.get(name, ())) for name, names_of in _MARGINS.items()
        },
        severities=_severities(entries),
        curve=try_curve(entries),
        goals=_goal_figures(entries, facts.rotation),
        others=others,
        notes=_notes(total, facts, others),
    )


def _grouped(
    entries: Iterable[AttackEntry],
    names_of: Callable[[AttackEntry], Sequence[str]],
    facts: CampaignFacts,
    order: Sequence[str],
) -> tuple[AttackFigures, ...]:
    """Return the figures of each group: in the given order, else the largest first."""
    groups: dict[str, list[AttackEntry]] = {}
    for entry in entries:
        for name in dict.fromkeys(names_of(entry)):
            groups.setdefault(name, []).append(entry)
    rank = {name: place for place, name in enumerate(order)}
    names = sorted(groups, key=lambda name: (rank.get(name, len(rank)), -len(groups[name]), name))
    return tuple(figures_of(name, groups[name], facts.detector) for name in names)


def _severities(entries: Iterable[AttackEntry]) -> dict[str, int]:
    found = Counter(entry.result.severity or entry.attempt.severity for entry in entries if entry.is_executed)
    return {name: found[name] for name in _SEVERITIES if found[name]}


def _notes(total: AttackFigures, facts: CampaignFacts, others: int) -> tuple[str, ...]:
    made = []
    if facts.planned is not None and total.attempts < facts.planned:
        made.append(f"{total.attempts:,} of {facts.planned:,} planned attempts were run")
    if total.attempts and not total.scored:
        made.append("no attempt was scored: there is no rate")
    elif 0 < total.scored < MIN_CELL_ATTEMPTS:
        made.append(f"only {total.scored} attempts were scored: the rates mean little")
    if total.unscored:
        made.append(f"{total.unscored:,} of {total.attempts:,} attempts are unscored and in no rate")
    if total.twin_effect.hits:
        made.append(f"{total.twin_effect.hits:,} benign twins show the effect too: those attempts are no success")
    if total.twin_handed_over:
        made.append(f"{total.twin_handed_over:,} benign twins are for a person and were given to one: not stopped")
    if total.by_detector.total and facts.detector is None:
        made.append(
            f"{total.by_detector.total:,} attempts were judged by a detector whose error is not known: "
            "that part of the rate is not corrected"
        )
    if others:
        made.append(f"{others:,} results are no attempts and are left out")
    return tuple(made)


def _goal_figures(entries: Iterable[AttackEntry], rotation: str = "") -> tuple[GoalFigures, ...]:
    """Return the figures of each goal: reached ones first, then by severity."""
    by_goal: dict[tuple[str, bool], list[AttackEntry]] = {}
    for entry in entries:
        by_goal.setdefault((entry.goal, entry.attempt.held_out), []).append(entry)
    made = [_goal(rows, rotation) for rows in by_goal.values()]
    return tuple(sorted(made, key=_order))


def _order(goal: GoalFigures) -> tuple[bool, int, bool, int, str]:
    return not goal.executed, _SEVERITIES.index(goal.severity), goal.held_out, -goal.executed, goal.goal


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
    return min(executed, key=lambda entry: (_SEVERITIES.index(_severity(entry)), len(entry.attempt.techniques)))


def _severity(entry: AttackEntry) -> Severity:
    return entry.result.severity or entry.attempt.severity


def _worst(entries: Sequence[AttackEntry]) -> Severity | None:
    return min((_severity(entry) for entry in entries), key=_SEVERITIES.index, default=None)


def _masked(goal: GoalFigures) -> GoalFigures:
    """Return the goal without anything that shows what it is."""
    return replace(goal, title="", case="", cases=(), payload="", evidence="", reason="", unscored_reason="", tags=())
