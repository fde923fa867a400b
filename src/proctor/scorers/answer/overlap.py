"""Measure the word or character overlap of the answer with the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.reference_pairs import check_reference
from proctor.scorers.checked_answers import Passage, Where, quoted, score_expected, scored, unjudged
from proctor.text.overlap import TooLongError, bleu, chrf, rouge_l

__all__ = ["Overlap"]

_SHOWN = {"rouge_l": "ROUGE-L", "bleu": "BLEU", "chrf": "chrF"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The answer shares enough words or characters with the reference."""

    name: ClassVar[str] = "overlap"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = "reference"

    reference: str | None = None
    metric: Literal["rouge_l", "bleu", "chrf"] = "rouge_l"
    tokens: Literal["auto", "characters"] = "auto"
    where: Where = "answer"

    def __post_init__(self) -> None:
        check_reference(self.reference)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Measure the overlap with ``reference`` or, if it is not set, with the case's reference."""
        return score_expected(
            self,
            case,
            run,
            where=self.where,
            given=self.reference,
            pick=lambda expect: expect.reference if expect.reference and expect.reference.strip() else None,
            check=self._check,
            nothing="there is no reference to compare with",
        )

    def _check(self, passage: Passage, reference: str) -> Score:
        try:
            if self._measure(reference, reference) == 0.0:
                return unjudged(self, f"the reference has nothing that {_SHOWN[self.metric]} counts")
            value = self._measure(passage.text, reference)
        except TooLongError as error:
            return unjudged(self, str(error))
        evidence = (
            Evidence(quote=quoted(passage.text), turn=passage.turn),
            Evidence(quote=quoted(reference), where="reference"),
        )
        return scored(self, value, f"{_SHOWN[self.metric]} {value:.3f}", evidence=evidence)

    def _measure(self, answer: str, reference: str) -> float:
        if self.metric == "chrf":
            return chrf(answer, reference)
        measure = rouge_l if self.metric == "rouge_l" else bleu
        return measure(answer, reference, by_character=self.tokens == "characters")
