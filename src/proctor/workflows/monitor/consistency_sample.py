"""Check a sample of recorded conversations for contradictions across turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from proctor.core.case import Case
from proctor.core.digest import DigestExample, DigestSection, FigureTable
from proctor.core.trajectory import Trajectory
from proctor.monitor.digest_figures import share_figure
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.wiring.local_models import local_model

__all__ = ["ConsistencySample", "consistency_section", "score_consistency"]

_MAX_NOTE = 300


@dataclass(slots=True)
class ConsistencySample:
    """How many sampled conversations are free of contradictions; the rest had nothing to compare, or failed."""

    drawn: int = 0
    of: int = 0
    consistent: int = 0
    scored: int = 0
    unscored: int = 0
    contradictions: list[DigestExample] = field(default_factory=list)


async def score_consistency(
    runs: Sequence[Trajectory], *, of: int, light: bool, examples: int = 5
) -> ConsistencySample:
    """Score each conversation with ``cross_turn``; ``of`` is how many the sample was drawn from."""
    scorer = CrossTurn(light=light, entailer=local_model("entailer"), embedder=local_model("embedder"))
    found = ConsistencySample(drawn=len(runs), of=of)
    for run in runs:
        score = await scorer.score(Case(id=run.id or "", recorded=run), run)
        if score.status == "error":
            found.unscored += 1
        elif score.value is not None:
            found.scored += 1
            found.consistent += score.value >= 1.0
            if score.value < 1.0 and len(found.contradictions) < examples:
                found.contradictions.append(_example(run, score.reason))
    return found


def consistency_section(now: ConsistencySample, before: ConsistencySample, *, light: bool) -> DigestSection:
    """Return the share of consistent conversations of the sample."""
    title = "Consistency across turns"
    if not now.scored:
        why = "no sampled conversation has two answers to compare" if now.drawn else "no conversation was sampled"
        return DigestSection(name="consistency", title=title, missing=why)
    figure = share_figure(
        "conversations without a contradiction",
        (now.consistent, now.scored),
        (before.consistent, before.scored),
        "higher",
    )
    notes = [f"{now.unscored:,} could not be scored"] if now.unscored else []
    notes += ["compared by rules only, without the local networks"] if light else []
    hint = (
        f"{now.drawn:,} drawn at random of {now.of:,} with two turns or more; {now.scored:,} had something to compare"
    )
    return DigestSection(
        name="consistency",
        title=title,
        tables=(FigureTable(title="Sample", figures=(figure,), hint=hint),),
        examples=tuple(now.contradictions),
        notes=tuple(notes),
    )


def _example(run: Trajectory, reason: str) -> DigestExample:
    intents = [intent.name for turn in run.turns for intent in turn.intents]
    return DigestExample(
        what="contradiction", where=run.id or "", intent=intents[0] if intents else "", detail=reason[:_MAX_NOTE]
    )
