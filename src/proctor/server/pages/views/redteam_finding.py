"""One finding: what was executed, what people decide about it, and where it leads. One attempt, before and after."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, get_args

from proctor.core.attack_finding import AttackFinding, FindingStatus, finding_id, masked_finding
from proctor.core.errors import NotFoundError, ProctorError
from proctor.core.verdict import Severity
from proctor.server.pages.page import PageRequest, Redirect, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.views.redteam_pieces import (
    attempt_address,
    attempt_data,
    campaign_address,
    finding_address,
    status_chip,
)
from proctor.store.alerts import read_alert
from proctor.store.findings import find_finding
from proctor.workflows.monitor.gate_alerts import alerts_about, gate_signals
from proctor.workflows.promote.promoted_cases import ATTACKS_FILE, promoted_cases
from proctor.workflows.redteam.attempt_runs import AttemptRun, attempt_runs
from proctor.workflows.redteam.collect_findings import alert_key
from proctor.workflows.redteam.promote_attempts import promote_campaign
from proctor.workflows.redteam.triage import check_campaign, decide_finding, open_findings

__all__ = ["decide", "promote_finding", "show_attempt", "show_finding"]

_SEVERITIES: Final = get_args(Severity)[::-1]
_DECISIONS: Final[dict[str, FindingStatus]] = {
    "confirm": "confirmed",
    "reject": "false_positive",
    "accept": "accepted",
    "mitigated": "mitigated",
    "reopen": "open",
}
_EDITS: Final = ("severity", "owner", "category", "mitigation", "note")


def show_finding(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /redteam/CAMPAIGN/findings/ID; ``reveal`` shows a held-out finding to an admin."""
    campaign = request.path["campaign"]
    check_campaign(stores.runs, campaign)
    finding = find_finding(stores.runs, campaign, request.path["finding"])
    is_clear = not finding.held_out or (request.text("reveal") == "1" and request.visitor.may("admin"))
    shown = finding if is_clear else masked_finding(finding)
    sides = _example(stores, finding) if is_clear else []
    waiting = [each for each in open_findings(stores.runs, campaign) if each.id != finding.id]
    return View(
        template="redteam_finding.html",
        title=shown.title or shown.goal,
        data={
            "finding": shown, "status": status_chip(shown), "is_clear": is_clear, "severities": _SEVERITIES,
            "campaign": campaign, "campaign_to": campaign_address(campaign), "here": finding_address(finding),
            "may_decide": request.visitor.may("auditor"), "may_reveal": request.visitor.may("admin"),
            "sides": [attempt_data(each) for each in sides],
            "attempts": [
                (each, attempt_address(campaign, each) + ("?reveal=1" if finding.held_out else ""))
                for each in finding.attempts
            ] if is_clear else [],
            "imported": {key: str(finding.extra[key]) for key in ("payload", "response", "place")
                         if finding.extra.get(key)} if is_clear else {},
            "next_to": finding_address(waiting[0]) if waiting else "", "waiting": len(waiting),
            **_links(stores, sides, finding.attempts if is_clear else (), finding),
        },
    )  # fmt: skip


def _example(stores: PageStores, finding: AttackFinding) -> list[AttemptRun]:
    """Return the first attempt that is still on record, before and after."""
    for case in finding.attempts:
        try:
            return attempt_runs(stores.runs, finding.campaign, case)
        except NotFoundError:
            continue
    return []


def _links(
    stores: PageStores, sides: Iterable[AttemptRun], attempts: Iterable[str], finding: AttackFinding | None
) -> dict[str, Any]:
    """Return the gates that act on the attack, the alerts about it, and the regression cases made of it."""
    gates: dict[str, str] = {}
    kinds: dict[str, None] = {}
    for side in sides:
        if side.judgement.stopped_by:
            gates.setdefault(side.judgement.stopped_by, side.judgement.stopped_at or "")
        for turn in side.result.trajectory.turns:
            for verdict in turn.verdicts:
                if verdict.decided.action != "allow":
                    gates.setdefault(verdict.by or verdict.gate, "")
                    kinds |= dict.fromkeys(each.kind for each in verdict.decided.findings)
    try:
        alerts = alerts_about(stores.config, stores.alerts, gate_signals(gates, kinds)) if gates else []
    except ProctorError:  # a wrong rule is told on the page of alerts
        alerts = []
    return {
        "gates": sorted(gates.items()),
        "alerts": alerts,
        "raised": read_alert(stores.runs, alert_key(finding)) if finding is not None else None,
        "cases": promoted_cases(stores.config, stores.runs, attempts),
        "case_file": ATTACKS_FILE,
    }


def decide(stores: PageStores, request: PageRequest) -> Reply:
    """Record what a person decides about a finding, and go on to the next one that is open."""
    campaign, name = request.path["campaign"], request.path["finding"]
    before = find_finding(stores.runs, campaign, name)
    word = request.choice("decision", tuple(_DECISIONS))
    request.choice("severity", _SEVERITIES)
    changes = {
        key: request.text(key) for key in _EDITS if key in request.form and request.text(key) != getattr(before, key)
    }
    done = decide_finding(
        stores.runs, campaign, before.id, status=_DECISIONS.get(word), person=request.visitor.name, changes=changes
    )
    shown = masked_finding(done)
    said = f"{shown.title or shown.goal}: {done.status.replace('_', ' ')}."
    waiting = [each for each in open_findings(stores.runs, campaign) if each.id != done.id]
    if word and word != "reopen" and waiting:
        return Redirect(to=finding_address(waiting[0]), said=f"{said} {len(waiting)} open.")
    return Redirect(to=finding_address(done), said=said)


def promote_finding(stores: PageStores, request: PageRequest) -> Reply:
    """Add the executed attempts of a finding to the suite of attacks."""
    campaign = request.path["campaign"]
    finding = find_finding(stores.runs, campaign, request.path["finding"])
    made = promote_campaign(
        stores.runs, campaign, stores.config.folder / ATTACKS_FILE, findings=[finding.id],
        held_out=request.visitor.may("admin") and request.text("held_out") == "1",
    )  # fmt: skip
    said = f"{ATTACKS_FILE}: {len(made.added)} added"
    said += f", {len(made.known)} there already" if made.known else ""
    said += f"; {made.held_out} are held out and stay so" if made.held_out else ""
    said += f"; {made.rejected} are of rejected findings" if made.rejected else ""
    return Redirect(to=finding_address(finding), said=f"{said}.")


def show_attempt(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /redteam/CAMPAIGN/attempts/CASE: one attempt in the last two runs that have it."""
    campaign, case = request.path["campaign"], request.path["case"]
    check_campaign(stores.runs, campaign)
    sides = attempt_runs(stores.runs, campaign, case)
    attempt = sides[0].attempt
    if attempt.held_out and not (request.text("reveal") == "1" and request.visitor.may("admin")):
        raise NotFoundError("this attempt is of a goal that is held out", hint="an admin can see it with `?reveal=1`")
    target = sides[0].record.target
    return View(
        template="redteam_attempt.html",
        title=attempt.title or case,
        data={
            "campaign": campaign, "campaign_to": campaign_address(campaign), "case": case, "attempt": attempt,
            "sides": [attempt_data(each) for each in sides],
            "finding_to": f"{campaign_address(campaign)}/findings/{finding_id(attempt.goal, attempt.scope, target)}"
            if any(each.judgement.outcome == "executed" for each in sides) else "",
            "here": "", "may_decide": False,
            **_links(stores, sides, [case], None),
        },
    )  # fmt: skip
