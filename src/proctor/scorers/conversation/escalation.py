"""Find why a conversation was handed to a person, and whether that counts against the agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.handoff import COUNTS_AGAINST
from proctor.core.score import Score
from proctor.core.sockets import Embedder, socket
from proctor.core.tool_effect import StatedEffect
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import no_answer, scored, skipped
from proctor.scorers.conversation.escalation_causes import (
    Categorised,
    EscalationLimits,
    categorise,
    hand_off_turn,
    question_at,
)
from proctor.text.content_words import content, overlap_share

__all__ = ["EscalationCategory"]

_DEFAULTS = EscalationLimits()
_MOST_SOURCES = 12
_LETTERS = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationCategory:
    """The cause of a hand-off: 0 if it counts against the agent (knowledge gap, confidence failure), else 1.

    The cause is the score's label. A conversation without a hand-off, or with an unexplained one, has no score.
    """

    name: ClassVar[str] = "escalation"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = None
    primary: ClassVar[str | None] = None

    tools: tuple[str, ...] = _DEFAULTS.tools
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    retrieval: tuple[str, ...] = _DEFAULTS.retrieval
    lookback: int = _DEFAULTS.lookback
    confidence: float = _DEFAULTS.confidence
    source_score: float | None = _DEFAULTS.source_score
    relevance: float = _DEFAULTS.relevance
    conditions: int = _DEFAULTS.conditions
    judgement: tuple[str, ...] = _DEFAULTS.judgement
    light: bool = False
    embedder: Embedder = socket()

    def __post_init__(self) -> None:
        self.settings  # noqa: B018 - validates the values early

    @property
    def settings(self) -> EscalationLimits:
        """Return the thresholds of the categorisation."""
        return EscalationLimits(**{each.name: getattr(self, each.name) for each in fields(EscalationLimits)})

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Find the hand-off and the evidence for each cause."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        found = await self.categorise(run)
        if found is None:
            return skipped(self, "the conversation was not handed over")
        if found.category is None:
            return skipped(self, found.reason)
        against = found.category in COUNTS_AGAINST
        counts = "counts against the agent" if against else "does not count against the agent"
        wanted = case.metadata.get("escalation_category")
        return scored(
            self,
            0.0 if against else 1.0,
            f"{found.category} ({counts}): {found.reason}",
            label=found.category,
            confidence=found.confidence,
            evidence=found.evidence,
            producer="rule" if self.light else "rule+local model",
            parts=(_as_expected(found, wanted),) if isinstance(wanted, str) else (),
        )

    async def categorise(self, run: Trajectory) -> Categorised | None:
        """Return the cause of the conversation's hand-off; ``None`` if there was none."""
        settings = self.settings
        turn = hand_off_turn(run, settings)
        if turn is None:
            return None
        return categorise(run, settings, turn=turn, relevance=await self._relevance(run, turn))

    async def _relevance(self, run: Trajectory, turn: int) -> float | None:
        """Return the similarity of the question and the nearest passage; ``None`` if either is missing."""
        question = question_at(run, turn)[:_LETTERS]
        turns = run.turns[max(0, turn - self.lookback) : turn + 1]
        texts = [source.text[:_LETTERS] for each in turns for source in each.sources if source.text.strip()]
        if not texts or not content(question):
            return None
        if self.light:
            return max(overlap_share(content(question), content(text)) for text in texts)
        vectors = await self.embedder.embed([question, *texts[-_MOST_SOURCES:]])
        asked = vectors[0]
        return max(0.0, *(float(sum(a * b for a, b in zip(asked, each, strict=True))) for each in vectors[1:]))


def _as_expected(found: Categorised, wanted: str) -> Score:
    same = found.category == wanted
    reason = f"the cause is {found.category}, as expected" if same else f"expected {wanted}, found {found.category}"
    return Score(name="as_expected", value=1.0 if same else 0.0, reason=reason)
