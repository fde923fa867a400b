"""Measure how much of what an answer needs was retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Grounder, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.retrieved_context import By, compared_context, states
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted, scored, unjudged
from proctor.scorers.model_trust import trust

__all__ = ["ContextRecall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRecall:
    """Share of the expected sources, or of the expected facts, that the retrieved sources contain."""

    name: ClassVar[str] = "context_recall"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.8
    primary: ClassVar[str | None] = None

    by: By = "auto"
    light: bool = False
    grounder: Grounder = socket()

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the retrieved sources with ``expect.sources``, else with the facts or the reference."""
        compared = compared_context(self, case, run, self.by)
        if isinstance(compared, Score):
            return compared
        wanted, found = compared.expected, compared.retrieved
        if wanted.ids:
            known = {name for source in found for name in (source.id, source.uri, source.title) if name}
            return self._told([(each, each in known) for each in wanted.ids], "expected sources were retrieved", 1.0)
        pairs = [(source.text, statement) for statement in wanted.statements for source in found]
        try:
            held = await states(pairs, None if self.light else self.grounder)
        except ProctorError as error:
            return unjudged(self, f"the local model did not answer: {quoted(error.message)}")
        rows = [held[at : at + len(found)] for at in range(0, len(held), len(found))]
        made = [(statement, any(row)) for statement, row in zip(wanted.statements, rows, strict=True)]
        return self._told(made, "expected statements are in the sources", trust(" ".join(wanted.statements)))

    def _told(self, made: list[tuple[str, bool]], what: str, confidence: float) -> Score:
        missing = [text for text, held in made if not held]
        return scored(
            self,
            1 - len(missing) / len(made),
            f"{len(made) - len(missing)} of {len(made)} {what}"
            + (f"; not: {'; '.join(quoted(each, 80) for each in missing[:3])}" if missing else ""),
            confidence=confidence,
            producer="rule" if confidence == 1.0 or self.light else "rule+local model",
            evidence=tuple(
                Evidence(quote=quoted(text), note="retrieved" if held else "not retrieved")
                for text, held in sorted(made, key=lambda each: each[1])[:MOST_EVIDENCE]
            ),
        )
