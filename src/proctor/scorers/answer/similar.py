"""Measure how close the answer is to the reference in meaning, by the cosine of their sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.reference_pairs import check_reference, score_with_reference
from proctor.scorers.checked_answers import Passage, Where, quoted, scored, unjudged
from proctor.scorers.model_trust import trust

__all__ = ["Similar"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """The answer means about the same as the reference, by the cosine of their vectors."""

    name: ClassVar[str] = "similar"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.75
    primary: ClassVar[str | None] = "reference"

    reference: str | None = None
    where: Where = "answer"
    embedder: Embedder = socket()

    def __post_init__(self) -> None:
        check_reference(self.reference)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the answer with ``reference`` or, if it is not set, with the case's reference."""
        return await score_with_reference(
            self, case, run, where=self.where, reference=self.reference, measure=self._measure
        )

    async def _measure(self, pairs: Sequence[tuple[Passage, str]]) -> Sequence[Score]:
        texts = [text for passage, reference in pairs for text in (passage.text, reference)]
        try:
            vectors = await self.embedder.embed(texts)
        except ProctorError as error:
            return [unjudged(self, f"the embedder did not answer: {quoted(error.message)}")] * len(pairs)
        found = []
        for index, (passage, reference) in enumerate(pairs):
            if not passage.text.strip():
                found.append(scored(self, 0.0, "the answer is empty", confidence=1.0))
                continue
            cosine = sum(a * b for a, b in zip(vectors[2 * index], vectors[2 * index + 1], strict=True))
            found.append(
                scored(
                    self,
                    min(1.0, max(0.0, cosine)),  # a negative cosine means as little as 0
                    f"cosine {cosine:.3f}",
                    confidence=trust(f"{reference} {passage.text}", "likeness"),
                    producer="local model",
                    evidence=(
                        Evidence(quote=quoted(passage.text), turn=passage.turn),
                        Evidence(quote=quoted(reference), where="reference"),
                    ),
                )
            )
        return found
