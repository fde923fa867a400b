"""Compare a campaign with its retest: the same attempts before and after a mitigation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from proctor.core.attack import SCOPES
from proctor.core.campaign import CampaignFacts, CampaignSummary, GoalFigures, RetestFigures, RetestSummary
from proctor.core.report import Result
from proctor.redteam.attack_entries import AttackEntry, goal_name, read_entries
from proctor.redteam.attack_figures import clustered_share, pairs_by_goal
from proctor.redteam.summary import summarise_entries
from proctor.stats.paired_clusters import clustered_change

__all__ = ["compare_campaigns"]

EntryPair = tuple[AttackEntry, AttackEntry]


def compare_campaigns(
    before: Iterable[Result],
    after: Iterable[Result],
    facts: CampaignFacts,
    *,
    after_facts: CampaignFacts | None = None,
    mitigation: str = "",
) -> RetestSummary:
    """Return both runs in figures, and the change over the attempts that both have.

    Args:
        before: the results of the campaign, read once.
        after: the results of its retest, read once.
        facts: of the campaign.
        after_facts: of the retest; by default the same.
        mitigation: what was changed between the two.
    """
    old, old_others = read_entries(before)
    new, new_others = read_entries(after)
    later = {entry.key: entry for entry in new}
    pairs = [(entry, later[entry.key]) for entry in old if entry.key in later]
    one = summarise_entries(old, facts, others=old_others)
    other = summarise_entries(
        new, replace(after_facts or replace(facts, runs=()), rotation=facts.rotation), others=new_others
    )
    missing, added = len(old) - len(pairs), len(new) - len(pairs)
    total = _figures("all", pairs)
    return RetestSummary(
        before=one,
        after=other,
        mitigation=mitigation,
        total=total,
        open=_figures("open", [pair for pair in pairs if not pair[0].attempt.held_out]),
        held_out=_figures("held out", [pair for pair in pairs if pair[0].attempt.held_out]),
        scopes=tuple(
            _figures(scope, chosen)
            for scope in SCOPES
            if (chosen := [pair for pair in pairs if pair[0].attempt.scope == scope])
        ),
        **_findings(one, other, _judged_again(old, later, facts.rotation)),
        missing=missing,
        added=added,
        notes=_notes(total, missing, added),
    )


def _figures(name: str, pairs: Sequence[EntryPair]) -> RetestFigures:
    scored = [pair for pair in pairs if pair[0].is_scored and pair[1].is_scored]
    twins = [pair for pair in pairs if pair[0].twin_is_known and pair[1].twin_is_known]
    found = clustered_change((old.goal, old.is_executed, new.is_executed) for old, new in scored)
    return RetestFigures(
        name=name,
        pairs=found.pairs,
        goals=found.clusters,
        before=clustered_share(pairs_by_goal((old for old, _ in scored), lambda each: each.is_executed).values()),
        after=clustered_share(pairs_by_goal((new for _, new in scored), lambda each: each.is_executed).values()),
        difference=found.difference,
        low=found.interval.low if found.interval else None,
        high=found.interval.high if found.interval else None,
        p=found.p,
        mcnemar=found.mcnemar.exact if found.mcnemar else None,
        fixed=found.mcnemar.lost if found.mcnemar else 0,
        broken=found.mcnemar.gained if found.mcnemar else 0,
        unpaired=len(pairs) - len(scored),
        twins_before=clustered_share(pairs_by_goal((old for old, _ in twins), lambda t: t.twin_is_stopped).values()),
        twins_after=clustered_share(pairs_by_goal((new for _, new in twins), lambda t: t.twin_is_stopped).values()),
    )


def _judged_again(
    before: Iterable[AttackEntry], after: Mapping[tuple[str, int], AttackEntry], rotation: str
) -> frozenset[str]:
    """Return the goals of which every executed attempt was scored in the retest."""
    executed = [entry for entry in before if entry.is_executed]
    lacking = {goal_name(each, rotation) for each in executed if each.key not in after or not after[each.key].is_scored}
    return frozenset(goal_name(entry, rotation) for entry in executed) - lacking


def _findings(
    before: CampaignSummary, after: CampaignSummary, judged_again: frozenset[str]
) -> dict[str, tuple[GoalFigures, ...]]:
    """Sort the findings: fixed, remaining, unjudged by the retest, and new."""
    now = {goal.goal: goal for goal in after.findings}
    known = {goal.goal: goal for goal in before.findings}
    gone = [goal for goal in before.findings if goal.goal not in now]
    return {
        "fixed": tuple(goal for goal in gone if goal.goal in judged_again),
        "unjudged": tuple(goal for goal in gone if goal.goal not in judged_again),
        "remaining": tuple(goal for goal in after.findings if goal.goal in known),
        "new": tuple(goal for goal in after.findings if goal.goal not in known),
    }


def _notes(total: RetestFigures, missing: int, added: int) -> tuple[str, ...]:
    made = []
    if not total.pairs:
        made.append("no attempt was scored before and after: there is nothing to compare")
    if total.unpaired:
        made.append(f"{total.unpaired:,} attempts were not scored in both runs and are left out")
    if missing:
        made.append(f"{missing:,} attempts of the campaign are not in the retest")
    if added:
        made.append(f"{added:,} attempts of the retest are not in the campaign")
    return tuple(made)
