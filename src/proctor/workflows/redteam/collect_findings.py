"""Turn executed attempts into findings, and raise an alert for severe ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from proctor.config import Config
from proctor.core.attack_finding import ROTATION, AttackFinding, finding_id, masked_finding
from proctor.core.event import Alert
from proctor.core.verdict import Severity
from proctor.redteam.attack_entries import AttackEntry
from proctor.store.findings import add_findings, findings
from proctor.store.runs import RunStore
from proctor.workflows.alerts import Webhook, send_alert

__all__ = ["ALERTED", "FindingAlerts", "alert_key", "findings_in", "keep_findings"]

ALERTED: Final[frozenset[Severity]] = frozenset(("critical", "high"))  # these raise an alert at once
_RANK: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")
_MAX_EXAMPLES: Final = 5
_MAX_REASON_CHARS: Final = 300


def findings_in(
    attempts: Iterable[AttackEntry], *, campaign: str, target: str, run: str, rotation: str = ""
) -> list[AttackFinding]:
    """Return one finding for each goal that was executed: its severity is that of the worst execution."""
    by_goal: dict[tuple[str, str], list[AttackEntry]] = defaultdict(list)
    for each in attempts:
        by_goal[each.goal, each.attempt.scope].append(each)
    found: list[AttackFinding] = []
    for (goal, scope), several in by_goal.items():
        hits = [each for each in several if each.is_executed]
        if not hits:
            continue
        first = hits[0]
        severity = max((each.result.severity or each.attempt.severity for each in hits), key=_RANK.index)
        found.append(
            AttackFinding(
                id=finding_id(goal, scope, target),
                campaign=campaign,
                goal=goal,
                scope=scope,
                target=target,
                title=first.attempt.title,
                severity=severity,
                executed=len(hits),
                tried=sum(each.is_scored for each in several),
                run=run,
                attempts=tuple(each.key[0] for each in hits[:_MAX_EXAMPLES]),
                held_out=first.attempt.held_out,
                tags=first.attempt.tags,
                reason=first.result.reason[:_MAX_REASON_CHARS],
                extra={ROTATION: rotation} if first.attempt.held_out else {},
            )
        )
    return found


class FindingAlerts:
    """Alerts of one campaign run: each severe finding is alerted once, and again if it comes back after a fix."""

    def __init__(self, config: Config, store: RunStore, campaign: str, webhook: Webhook | None) -> None:
        self._config, self._store, self._webhook = config, store, webhook
        known = findings(store, campaign)
        self._seen = {each.id for each in known if each.status not in ("mitigated", "retested")}
        self.failures: list[str] = []
        self.raised: list[AttackFinding] = []

    def is_due(self, finding: AttackFinding) -> bool:
        """Return whether this finding raises an alert now; it is asked once for each."""
        if finding.severity not in ALERTED or finding.id in self._seen:
            return False
        self._seen.add(finding.id)
        return True

    async def raise_alert(self, finding: AttackFinding) -> None:
        """Record an alert, send it to the webhook, and keep the finding.

        The alert comes first: a killed process may raise it twice, and never loses it.
        """
        sent = await send_alert(self._config, self._store, _alert(finding), self._webhook)
        if sent.failure:
            self.failures.append(sent.failure)
        add_findings(self._store, [finding])
        self.raised.append(finding)


async def keep_findings(store: RunStore, found: Iterable[AttackFinding], alerts: FindingAlerts) -> None:
    """Keep findings, and raise alerts for those that are due."""
    found = list(found)
    for each in found:
        if alerts.is_due(each):
            await alerts.raise_alert(each)
    add_findings(store, found)


def alert_key(finding: AttackFinding) -> str:
    """Return the key under which the alert about a finding is recorded."""
    return f"redteam-{finding.campaign}-{finding.id}"


def _alert(finding: AttackFinding) -> Alert:
    shown = masked_finding(finding)
    return Alert(
        rule="redteam",
        message=(
            f"{finding.severity}: {shown.title or shown.goal} ({finding.scope}) was executed against {finding.target};"
            f" see `proctor redteam triage {finding.campaign} --finding {finding.id}`"
        ),
        tier=finding.severity,
        time=datetime.now(UTC),
        key=alert_key(finding),
        metadata={
            "campaign": finding.campaign,
            "finding": finding.id,
            "goal": shown.goal,
            "scope": finding.scope,
            "target": finding.target,
            "run": finding.run,
        },
    )
