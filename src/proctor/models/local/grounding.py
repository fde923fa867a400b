"""Estimate whether a passage supports all claims of a text: the text as a whole, and sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from proctor.core.errors import StoreError
from proctor.models.local.batcher import LARGE_MOST, MOST, SECOND_MOST, Batcher
from proctor.models.local.evidence import select_evidence
from proctor.models.local.model_registry import pieces_of, weights_of
from proctor.models.local.pairs import claims, flat, line, refuse_long
from proctor.models.local.probabilities import sigmoid
from proctor.models.local.run_entailment import judge_of
from proctor.models.local.second_opinion import pair_mixture, second_network
from proctor.models.local.tokenizer import Line
from proctor.models.local.weights import HINT

__all__ = ["LocalGrounder"]

SUPPORT = 3  # index of the "supported" logit of the entailment network
CLAIMS = 8  # per text; more sentences than that are judged in groups
WHOLE, PART = 800, 600  # characters of evidence for the whole text, and for one claim
LONGEST_WHOLE, LONGEST_PART = 288, 224  # tokens in one line


class _Read(NamedTuple):
    """A line for the entailment network, and the two texts it is made of."""

    line: Line
    passage: str
    claim: str


@dataclass(frozen=True, kw_only=True)
class LocalGrounder:
    """The probability that a passage supports all of a text; the weakest claim counts as much as the whole.

    With ``second``, the multilingual network reads each pair too, where the weights have it: it takes tens of
    milliseconds for each pair, and the mean of both is better than either on sources that neither was trained on. With
    ``large``, the folder of fetched models, the large network does so in its place.
    """

    folder: Path | None = None
    threads: int = 1
    second: bool = False
    large: Path | None = None
    _batcher: Batcher[tuple[str, str], float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        most = MOST if not self.second else SECOND_MOST if self.large is None else LARGE_MOST
        object.__setattr__(self, "_batcher", Batcher(self.readings, most=most))

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return the probability per (passage, text).

        Raises:
            InputError: a passage or a text is too long to be judged whole.
        """
        refuse_long(pairs)
        return await self._batcher.ask([(passage, text) for passage, text in pairs])

    def readings(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability of each pair, computed on this thread."""
        settings = weights_of(self.folder).of("nli").get("support", {})
        weights = pair_mixture(self.folder, "support", self.large) if self.second else None
        offset = float((weights or settings).get("offset", 0.0))
        many = [self._lines(passage, text) for passage, text in pairs]
        values = iter(self._values([each for some in many for each in some], settings, weights))
        found = []
        for some in many:
            whole, *parts = (next(values) for _ in some)
            found.append(sigmoid((whole + min(parts, default=whole)) / 2 + offset))
        return found

    def _values(
        self, lines: Sequence[_Read], settings: Mapping[str, Any], weights: Mapping[str, Any] | None
    ) -> list[float]:
        """Return the weighed logit of each line, of one network or of both."""
        outputs = judge_of(self.folder, self.threads).logits([each.line for each in lines])
        if any(len(output) <= SUPPORT for output in outputs):
            file = str(weights_of(self.folder).folder / "nli.onnx")
            raise StoreError("the network does not tell support", file=file, hint=HINT)
        if weights is None:
            return [float(settings.get("slope", 1.0)) * float(output[SUPPORT]) for output in outputs]
        one, two = float(weights["first"]), float(weights["second"])
        again = second_network(self.folder, self.threads, self.large).compare(
            [(each.passage, each.claim) for each in lines]
        )
        return [
            one * float(output[SUPPORT]) + two * reading.support for output, reading in zip(outputs, again, strict=True)
        ]

    def _lines(self, passage: str, text: str) -> list[_Read]:
        """Return the whole text first, then its claims if it has more than one."""
        pieces, whole = pieces_of(self.folder), flat(text)
        parts = claims(whole, pieces, most=CLAIMS)
        evidence = [select_evidence(passage, whole, budget=WHOLE)]
        if len(parts) > 1:
            evidence += [select_evidence(passage, part.text, budget=PART) for part in parts]
        near = [flat(each) for each in evidence]
        first, *rest = pieces.numbers(near)
        (ids,) = pieces.numbers([whole])
        return [
            _Read(line(first, ids, LONGEST_WHOLE), near[0], whole),
            *(
                _Read(line(numbers, part.ids, LONGEST_PART), said, part.text)
                for numbers, said, part in zip(rest, near[1:], parts, strict=False)
            ),
        ]
