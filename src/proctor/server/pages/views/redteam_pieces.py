"""What the red team's pages share: the findings board, chips of outcomes, and one attempt as it went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from proctor.core.attack_finding import FINDING_STATUSES, AttackFinding, masked_finding
from proctor.core.chat import ToolCall
from proctor.core.trajectory import Turn
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, Moment, Table
from proctor.server.pages.views.guard_pieces import action_chip, marked
from proctor.workflows.redteam.attempt_runs import AttemptRun

__all__ = [
    "BoardColumn",
    "attempt_address",
    "attempt_data",
    "board",
    "campaign_address",
    "finding_address",
    "finding_table",
    "outcome_chip",
    "status_chip",
    "words_of",
]

_ON_BOARD: Final = 6  # cards of a column
_SHOWN_CHARS: Final = 6_000
_TITLES: Final = {
    "open": "Open",
    "confirmed": "Confirmed",
    "mitigated": "Mitigated, to retest",
    "retested": "Retested, fixed",
    "accepted": "Accepted",
    "false_positive": "Rejected",
}
_ORDER: Final = ("open", "confirmed", "mitigated", "retested", "accepted", "false_positive")
assert set(_ORDER) == set(FINDING_STATUSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A column of the board: findings of one status."""

    status: str
    title: str
    total: int = 0
    cards: Sequence[AttackFinding] = field(default_factory=tuple)


def campaign_address(campaign: str) -> str:
    """Return the address of a campaign."""
    return f"/ui/redteam/{quote(campaign, safe='')}"


def finding_address(finding: AttackFinding) -> str:
    """Return the address of a finding."""
    return f"{campaign_address(finding.campaign)}/findings/{quote(finding.id, safe='')}"


def attempt_address(campaign: str, case: str) -> str:
    """Return the address of an attempt."""
    return f"{campaign_address(campaign)}/attempts/{quote(case, safe='')}"


def words_of(name: str) -> str:
    """Return a name of the code in words."""
    return name.replace("_", " ")


def board(found: Sequence[AttackFinding]) -> list[BoardColumn]:
    """Return the columns of the findings board that have findings, and always the open ones; held-out ones masked."""
    made = []
    for status in _ORDER:
        own = [each for each in found if each.status == status]
        if own or status == "open":
            cards = [masked_finding(each) for each in own[:_ON_BOARD]]
            made.append(BoardColumn(status=status, title=_TITLES[status], total=len(own), cards=cards))
    return made


def outcome_chip(outcome: str) -> Chip:
    """Return what came of an attempt; an attack that was executed is a failure of the target."""
    state = {"executed": "fail", "stopped": "pass", "ignored": "pass"}.get(outcome, "unscored")
    return Chip(state, words_of(outcome))  # type: ignore[arg-type]


def status_chip(finding: AttackFinding) -> Chip:
    """Return where a finding stands."""
    state = "fail" if finding.status in ("open", "confirmed") else "pass" if finding.status == "retested" else "info"
    return Chip(state, words_of(finding.status))  # type: ignore[arg-type]


def finding_table(found: Sequence[AttackFinding], page: int, *, with_campaign: bool, empty: str) -> Table:
    """Return findings as a table; held-out ones masked."""
    names = ["Finding", "Severity", "Status", "Scope", "Target", "Executed", "Owner", "Retest", "Last seen"]
    if with_campaign:
        names.insert(1, "Campaign")
    start = (page - 1) * PER_PAGE
    return Table(
        columns=[Column(name, "long" if name == "Finding" else "text") for name in names],
        rows=[_finding(each, with_campaign=with_campaign) for each in found[start : start + PER_PAGE]],
        total=len(found),
        page=page,
        every=lambda: (_finding(each, with_campaign=with_campaign) for each in found),
        empty=empty,
    )


def _finding(finding: AttackFinding, *, with_campaign: bool) -> list[Cell]:
    each = masked_finding(finding)
    row: list[Cell] = [
        Link(each.title or each.goal, finding_address(each)),
        each.severity,
        status_chip(each),
        words_of(each.scope),
        each.target,
        f"{each.executed} of {each.tried}" if each.tried else each.executed,
        each.owner or None,
        words_of(each.retest) if each.retest else None,
        Moment(each.last_seen.timestamp()) if each.last_seen else None,
    ]
    if with_campaign:
        row.insert(1, Link(each.campaign, campaign_address(each.campaign)))
    return row


def attempt_data(found: AttemptRun) -> dict[str, Any]:
    """Return what a template shows of an attempt in one run."""
    judged, attempt = found.judgement, found.attempt
    payload = [attempt.payload, *(plant.payload for plant in attempt.plants)]
    return {
        "record": found.record,
        "run": found.run,
        "case_to": f"/ui/runs/{quote(found.run, safe='')}/cases/{found.key}" if found.key is not None else "",
        "outcome": outcome_chip(judged.outcome),
        "stopped_by": judged.stopped_by or "",
        "stopped_at": judged.stopped_at or "",
        "reason": judged.reason,
        "evidence": judged.evidence[:_SHOWN_CHARS],
        "judged_by": judged.judged_by or "",
        "twin": judged.twin,
        "plants": [(plant.channel, plant.at, marked(plant.text[:_SHOWN_CHARS], [plant.payload]))
                   for plant in attempt.plants],
        "turns": [_turn(turn, payload, judged.evidence) for turn in found.result.trajectory.turns],
        "error": found.result.trajectory.error or "",
        "gates": found.gates,
    }  # fmt: skip


def _turn(turn: Turn, payload: Sequence[str], evidence: str) -> dict[str, Any]:
    return {
        "asked": marked(turn.asked[:_SHOWN_CHARS], payload),
        "answer": marked(turn.answer[:_SHOWN_CHARS], [evidence]),
        "calls": [_call(each) for each in turn.tool_calls],
        "verdicts": list(_verdicts(turn)),
        "error": turn.error or "",
    }


def _call(call: ToolCall) -> str:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=str)
    return f"{call.name} {arguments}"[:_SHOWN_CHARS]


def _verdicts(turn: Turn) -> Iterator[dict[str, Any]]:
    for verdict in turn.verdicts:
        decided = verdict.decided
        if decided.action != "allow":
            yield {
                "gate": decided.by or decided.gate,
                "action": action_chip(decided.action),
                "reason": decided.reason,
                "kinds": ", ".join(dict.fromkeys(each.kind for each in decided.findings)),
            }
