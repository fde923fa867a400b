"""Estimate whether a passage supports all claims of a text: the text as a whole, and sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.core.errors import StoreError
from proctor.models.local.batcher import Batcher
from proctor.models.local.evidence import select_evidence
from proctor.models.local.model_registry import pieces_of, weights_of
from proctor.models.local.pairs import claims, flat, line, refuse_long
from proctor.models.local.probabilities import sigmoid
from proctor.models.local.run_entailment import judge_of
from proctor.models.local.tokenizer import Line
from proctor.models.local.weights import HINT

__all__ = ["LocalGrounder"]

SUPPORT = 3  # index of the "supported" logit of the entailment network
CLAIMS = 8  # per text; more sentences than that are judged in groups
WHOLE, PART = 800, 600  # characters of evidence for the whole text, and for one claim
LONGEST_WHOLE, LONGEST_PART = 288, 224  # tokens in one line


@dataclass(frozen=True, kw_only=True)
class LocalGrounder:
    """The probability that a passage supports all of a text; the weakest claim counts as much as the whole."""

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[tuple[str, str], float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings))

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return the probability per (passage, text).

        Raises:
            InputError: a passage or a text is too long to be judged whole.
        """
        refuse_long(pairs)
        return await self._batcher.ask([(passage, text) for passage, text in pairs])

    def readings(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability of each pair, computed on this thread."""
        weights = weights_of(self.folder)
        told = weights.of("nli").get("support", {})
        slope, offset = float(told.get("slope", 1.0)), float(told.get("offset", 0.0))
        many = [self._lines(passage, text) for passage, text in pairs]
        outputs = judge_of(self.folder, self.threads).logits([each for some in many for each in some])
        if any(len(output) <= SUPPORT for output in outputs):
            raise StoreError("the network does not tell support", file=str(weights.folder / "nli.onnx"), hint=HINT)
        logits = iter([float(output[SUPPORT]) for output in outputs])
        found = []
        for some in many:
            whole, *parts = (next(logits) for _ in some)
            found.append(sigmoid(slope * (whole + min(parts, default=whole)) / 2 + offset))
        return found

    def _lines(self, passage: str, text: str) -> list[Line]:
        """Return the whole text first, then its claims if it has more than one."""
        pieces, whole = pieces_of(self.folder), flat(text)
        parts = claims(whole, pieces, most=CLAIMS)
        evidence = [select_evidence(passage, whole, budget=WHOLE)]
        if len(parts) > 1:
            evidence += [select_evidence(passage, part.text, budget=PART) for part in parts]
        first, *rest = pieces.numbers([flat(each) for each in evidence])
        (ids,) = pieces.numbers([whole])
        return [
            line(first, ids, LONGEST_WHOLE),
            *(line(near, part.ids, LONGEST_PART) for near, part in zip(rest, parts, strict=False)),
        ]
