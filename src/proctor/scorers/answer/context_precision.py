"""Measure how well the retrieved sources are ranked: those that matter first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Grounder, socket
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.answer.retrieved_context import By, ExpectedContext, compared_context, states
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted, scored, unjudged
from proctor.scorers.model_trust import trust

__all__ = ["ContextPrecision"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPrecision:
    """Average precision of the retrieved sources in their order: the ones that matter come first."""

    name: ClassVar[str] = "context_precision"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = None

    by: By = "auto"
    light: bool = False
    grounder: Grounder = socket()

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Mark each source as relevant by ``expect.sources``, else if it states a fact or a part of the reference."""
        compared = compared_context(self, case, run, self.by)
        if isinstance(compared, Score):
            return compared
        wanted, found = compared.expected, compared.retrieved
        try:
            relevant = await self._relevant(found, wanted)
        except ProctorError as error:
            return unjudged(self, f"the local model did not answer: {quoted(error.message)}")
        ranks = [rank for rank, matters in enumerate(relevant, 1) if matters]
        value = sum(count / rank for count, rank in enumerate(ranks, 1)) / len(ranks) if ranks else 0.0
        order = f" (ranks {', '.join(map(str, ranks[:10]))})" if ranks else ""
        return scored(
            self,
            value,
            f"{len(ranks)} of {len(found)} retrieved sources matter{order}",
            confidence=1.0 if wanted.ids else trust(" ".join(wanted.statements)),
            producer="rule" if wanted.ids or self.light else "rule+local model",
            evidence=tuple(
                Evidence(quote=quoted(source.text or source.id), where=source.id, note=_note(matters))
                for source, matters in zip(found, relevant, strict=True)
            )[:MOST_EVIDENCE],
        )

    async def _relevant(self, found: Sequence[Source], wanted: ExpectedContext) -> list[bool]:
        if wanted.ids:
            return [any(name in wanted.ids for name in (each.id, each.uri, each.title) if name) for each in found]
        pairs = [(source.text, statement) for source in found for statement in wanted.statements]
        held = await states(pairs, None if self.light else self.grounder)
        width = len(wanted.statements)
        return [any(held[at : at + width]) for at in range(0, len(held), width)]


def _note(matters: bool) -> str:
    return "matters" if matters else "does not matter"
