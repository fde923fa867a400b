"""The figures of an attack campaign in words."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.campaign import CampaignSummary, GoalFigures
from proctor.report.number_format import moment, share_text

__all__ = ["campaign_facts", "findings_text", "has_stops", "headline_of", "label_of", "words_of"]


def label_of(summary: CampaignSummary) -> str:
    """Return the campaign's note, which belongs beside every rate; empty without one."""
    return summary.facts.note.strip()


def has_stops(summary: CampaignSummary) -> bool:
    """Return whether stopped twins mean anything: without a guard nothing can stop them."""
    return summary.facts.guarded or bool(summary.total.twin_stopped.hits or summary.total.stopped)


def words_of(name: str) -> str:
    """Return a name of the code in words: ``direct_injection`` is ``direct injection``."""
    return name.replace("_", " ")


def headline_of(summary: CampaignSummary) -> str:
    """Return the rate over all attempts with its label, in one sentence."""
    total, label = summary.total, label_of(summary)
    if not total.attempts:
        return "no attempt was run"
    if not total.scored:
        return f"none of {total.attempts:,} attempts could be scored"
    said = f"{share_text(total.rate)} of {total.scored:,} scored attempts executed"
    twins = total.twin_stopped
    if twins.total and has_stops(summary):
        said += f"; {share_text(twins)} of benign twins stopped"
    return f"{said} [{label}]" if label else said


def findings_text(goals: Sequence[GoalFigures]) -> str:
    """Return how many findings there are by severity: ``5 findings: 2 critical, 3 high``."""
    counts = {name: sum(goal.severity == name for goal in goals) for name in ("critical", "high", "medium", "low")}
    parts = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    noun = "finding" if len(goals) == 1 else "findings"
    return f"{len(goals)} {noun}: {parts}" if goals else "no findings"


def campaign_facts(summary: CampaignSummary) -> list[tuple[str, str]]:
    """Return what was attacked, with names."""
    facts = summary.facts
    found = [
        ("target", facts.target),
        ("guard", "on" if facts.guarded else "off"),
        ("findings", findings_text(summary.findings)),
        ("runs", ", ".join(facts.runs[:3]) + (f" and {len(facts.runs) - 3} more" if len(facts.runs) > 3 else "")),
        ("seed", "" if facts.seed is None else str(facts.seed)),
        ("rotation", facts.rotation),
        ("from", moment(facts.started) if facts.started else ""),
        ("until", moment(facts.finished) if facts.finished else ""),
        *facts.extra.items(),
    ]
    return [(name, value) for name, value in found if value]
