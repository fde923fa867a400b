"""Apply the results of a retest to the findings of the run that it repeats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.core.attack_finding import AttackFinding, RetestResult, finding_id
from proctor.redteam.attack_entries import AttackEntry, read_entries
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import edit_finding, findings
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import results_of, runs_of
from proctor.workflows.redteam.attempts_file import attempts_facts
from proctor.workflows.redteam.collect_findings import FindingAlerts, findings_in, keep_findings

__all__ = ["RetestFindings", "apply_retest"]

_SETTLED = ("false_positive", "accepted")  # a person has decided; a retest adds its result and changes nothing else


@dataclass(frozen=True, slots=True, kw_only=True)
class RetestFindings:
    """What a retest says of findings: fixed, still executed, not judged, and found only now."""

    fixed: tuple[AttackFinding, ...] = ()
    remaining: tuple[AttackFinding, ...] = ()
    unknown: tuple[AttackFinding, ...] = ()
    new: tuple[AttackFinding, ...] = ()


async def apply_retest(
    store: RunStore, before: CampaignRun, after: CampaignRun, runs: Sequence[str], alerts: FindingAlerts
) -> RetestFindings:
    """Record the retest in every finding whose goal was attempted again.

    Findings belong to the target of the run that is repeated, also if the retest put it behind the guard. A finding is
    fixed if every attempt that was executed before was judged again, and none is executed any more.

    Raises:
        StoreError: the findings cannot be written.
    """
    attempts, _ = read_entries(results_of(store, runs))
    run = runs[-1] if runs else ""
    rotation = attempts_facts(store.folder, after.attempts).rotation
    earlier, _ = read_entries(results_of(store, runs_of(store, before)))
    executed_before = {each.key for each in earlier if each.is_executed}
    again: dict[str, list[AttackEntry]] = defaultdict(list)
    for each in attempts:
        again[finding_id(each.goal, each.attempt.scope, before.target)].append(each)
    known = {each.id: each for each in findings(store, before.campaign, target=before.target)}
    executed = findings_in(attempts, campaign=before.campaign, target=before.target, run=run, rotation=rotation)
    if after.target != before.target:  # behind the guard: the counts of a finding stay those of its own target
        executed = [_with_counts_of(known.get(each.id), each) for each in executed]
    await keep_findings(store, executed, alerts)
    groups: dict[RetestResult, list[AttackFinding]] = defaultdict(list)
    for name, finding in known.items():
        if name in again:
            result = _result(again[name], executed_before)
            groups[result].append(edit_finding(store, finding, _changes(finding, result, after, run)))
    return RetestFindings(
        fixed=tuple(groups["fixed"]),
        remaining=tuple(groups["still_executed"]),
        unknown=tuple(groups["unknown"]),
        new=tuple(each for each in executed if each.id not in known),
    )


def _with_counts_of(known: AttackFinding | None, found: AttackFinding) -> AttackFinding:
    if known is None:
        return found
    return replace(
        found,
        executed=known.executed,
        tried=known.tried,
        run=known.run,
        attempts=known.attempts,
        reason=known.reason,
    )


def _result(attempts: Sequence[AttackEntry], executed_before: Collection[tuple[str, int]]) -> RetestResult:
    if any(each.is_executed for each in attempts):
        return "still_executed"
    # Other attempts that were judged say nothing of those that had succeeded.
    decisive = [each for each in attempts if each.key in executed_before] or [
        each for each in attempts if each.is_scored
    ]
    return "fixed" if decisive and all(each.is_scored for each in decisive) else "unknown"


def _changes(finding: AttackFinding, result: RetestResult, after: CampaignRun, run: str) -> dict[str, Any]:
    changes: dict[str, Any] = {"retest": result, "retested": run}
    if finding.status in _SETTLED:
        return changes
    if after.mitigation:
        changes["mitigation"] = after.mitigation
    if result == "fixed":
        changes["status"] = "retested"
    return changes
