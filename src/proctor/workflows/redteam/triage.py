"""Triage findings: list them, show one with an example, and record what a person decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.attack_finding import AttackFinding, FindingStatus
from proctor.core.errors import InputError, NotFoundError
from proctor.core.report import Result
from proctor.store import campaigns
from proctor.store.findings import edit_finding, find_finding, findings
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore

__all__ = ["check_campaign", "decide_finding", "example_of", "open_findings"]


def check_campaign(store: RunStore, campaign: str) -> None:
    """Check that a campaign was run or imported.

    Raises:
        NotFoundError: the store has nothing of that name.
    """
    known = campaigns.campaigns(store)
    if campaign not in known:
        hint = f"there are: {', '.join(known)}" if known else f"run it first: proctor redteam run {campaign}"
        raise NotFoundError(f"nothing is known of a campaign {campaign!r}", hint=hint)


def decide_finding(
    store: RunStore, campaign: str, name: str, *, status: FindingStatus | None, person: str, changes: Mapping[str, Any]
) -> AttackFinding:
    """Record a person's decision on a finding; values that are None stay as they are.

    A mitigation without a status makes an open or confirmed finding mitigated: the retest then decides.

    Raises:
        NotFoundError: there is no such finding.
        InputError: nothing is to be changed.
    """
    finding = find_finding(store, campaign, name)
    given = {key: value for key, value in changes.items() if value is not None}
    if status is None and given.get("mitigation") and finding.status in ("open", "confirmed"):
        status = "mitigated"
    if status is not None:
        given["status"] = status
    if not given:
        raise InputError("nothing was decided", hint="give --confirm, --reject, --severity, --owner, --mitigation …")
    return edit_finding(store, finding, {**given, "person": person})


def example_of(store: RunStore, finding: AttackFinding) -> Result | None:
    """Return the conversation of an executed attempt; none for an imported finding, or if its run is gone."""
    for name in finding.attempts:
        for run in _runs_of(store, finding):
            try:
                return RunReader(store, store.get(run)).find(name)[0]
            except NotFoundError:
                continue
    return None


def _runs_of(store: RunStore, finding: AttackFinding) -> list[str]:
    """Return the runs to look for an example in: the last of the finding, then the others of its target."""
    runs = [finding.run] if finding.run else []
    for record in campaigns.find(store, finding.campaign, target=finding.target):
        runs += [each.run for each in campaigns.rounds(store, record) if each.run]
    return list(dict.fromkeys(runs))


def open_findings(store: RunStore, campaign: str) -> list[AttackFinding]:
    """Return the findings that wait for a decision, the worst first."""
    return findings(store, campaign, statuses=("open",))
