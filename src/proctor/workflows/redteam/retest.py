"""Apply the results of a retest to the findings of the run that it repeats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.attack_finding import AttackFinding, RetestResult, finding_id
from proctor.redteam.attack_entries import read_entries
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import edit_finding, findings
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import results_of
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
    fixed if its attempts were judged and none is executed any more.

    Raises:
        StoreError: the findings cannot be written.
    """
    attempts, _ = read_entries(results_of(store, runs))
    run = runs[-1] if runs else ""
    rotation = attempts_facts(store.folder, after.attempts).rotation
    outcomes: dict[str, set[str]] = defaultdict(set)
    for each in attempts:
        name = finding_id(each.goal, each.attempt.scope, before.target)
        outcomes[name].add(each.result.outcome)
    known = {each.id: each for each in findings(store, before.campaign, target=before.target)}
    executed = findings_in(attempts, campaign=before.campaign, target=before.target, run=run, rotation=rotation)
    await keep_findings(store, executed, alerts)
    groups: dict[RetestResult, list[AttackFinding]] = defaultdict(list)
    for name, finding in known.items():
        if name in outcomes:
            result = _result(outcomes[name])
            groups[result].append(edit_finding(store, finding, _changes(finding, result, after, run)))
    return RetestFindings(
        fixed=tuple(groups["fixed"]),
        remaining=tuple(groups["still_executed"]),
        unknown=tuple(groups["unknown"]),
        new=tuple(each for each in executed if each.id not in known),
    )


def _result(outcomes: set[str]) -> RetestResult:
    if "executed" in outcomes:
        return "still_executed"
    return "fixed" if outcomes & {"ignored", "stopped"} else "unknown"


def _changes(finding: AttackFinding, result: RetestResult, after: CampaignRun, run: str) -> dict[str, Any]:
    changes: dict[str, Any] = {"retest": result, "retested": run}
    if finding.status in _SETTLED:
        return changes
    if after.mitigation:
        changes["mitigation"] = after.mitigation
    if result == "fixed":
        changes["status"] = "retested"
    return changes
