"""Match the tokens of the answer and the reference by their vectors, as BERTScore does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.reference_pairs import check_reference, score_with_reference
from proctor.scorers.checked_answers import Passage, Where, quoted, scored, unjudged
from proctor.scorers.model_trust import trust
from proctor.text.split import words

__all__ = ["BertScore"]

_WORDS_AT_ONCE: Final = 60  # words that the encoder reads together; its limit is 126 tokens
_MOST_CHARACTERS: Final = 20_000
_SPACED: Final = 12  # characters per word above which a text is taken to have no spaces
_UNSPACED: Final = 90  # characters read together in a script without spaces


@dataclass(frozen=True, slots=True, kw_only=True)
class BertScore:
    """The tokens of the answer have close counterparts in the reference, and the other way round."""

    name: ClassVar[str] = "bertscore"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.7
    primary: ClassVar[str | None] = "reference"

    reference: str | None = None
    measure: Literal["f1", "precision", "recall"] = "f1"
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
        read = getattr(self.embedder, "token_vectors", None)
        if read is None:
            return [unjudged(self, "this embedder has no vectors of tokens")] * len(pairs)
        found = []
        for passage, reference in pairs:
            try:
                found.append(await asyncio.to_thread(self._compared, read, passage, reference))
            except ProctorError as error:
                found.append(unjudged(self, f"the embedder did not answer: {quoted(error.message)}"))
        return found

    def _compared(self, read: Any, passage: Passage, reference: str) -> Score:
        said, wanted = _vectors(read, passage.text), _vectors(read, reference)
        if not len(wanted):
            return unjudged(self, "the reference has no tokens")
        if not len(said):
            return scored(self, 0.0, "the answer is empty", confidence=1.0)
        near = said @ wanted.T
        precision, recall = (max(0.0, float(near.max(axis).mean())) for axis in (1, 0))
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        value = {"f1": f1, "precision": precision, "recall": recall}[self.measure]
        cut = "; only the beginning was read" if max(map(len, (passage.text, reference))) > _MOST_CHARACTERS else ""
        return scored(
            self,
            min(1.0, value),
            f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}{cut}",
            confidence=trust(f"{reference} {passage.text}", "likeness"),
            producer="local model",
            evidence=(
                Evidence(quote=quoted(passage.text), turn=passage.turn),
                Evidence(quote=quoted(reference), where="reference"),
            ),
        )


def _vectors(read: Any, text: str) -> Any:
    """Return one normalised vector per token of the whole text, read in pieces of a size that the encoder takes."""
    import numpy as np  # noqa: PLC0415 - loaded with the weights, not with the scorer

    pieces = _pieces(text[:_MOST_CHARACTERS])
    if not pieces:
        return np.zeros((0, 1), np.float32)
    return np.concatenate([vectors for _, vectors in read(pieces)])


def _pieces(text: str) -> list[str]:
    spaced = text.split()
    if not words(text):
        return []
    if len(text) / len(spaced) > _SPACED:
        return [text[at : at + _UNSPACED] for at in range(0, len(text), _UNSPACED)]
    return [" ".join(spaced[at : at + _WORDS_AT_ONCE]) for at in range(0, len(spaced), _WORDS_AT_ONCE)]
