"""Classify whether a passage entails, contradicts or leaves open a claim, with one network or with two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from proctor.models.local.batcher import LARGE_MOST, MOST, SECOND_MOST, Batcher
from proctor.models.local.evidence import select_evidence, sentences
from proctor.models.local.model_registry import pieces_of, weights_of
from proctor.models.local.pairs import CLAIM, Claim, claims, flat, line, refuse_long
from proctor.models.local.probabilities import softmax
from proctor.models.local.run_entailment import judge_of
from proctor.models.local.second_opinion import pair_mixture, second_network
from proctor.models.local.tokenizer import Line, Pieces

__all__ = ["LABELS", "LocalEntailer"]

LABELS = ("entailment", "neutral", "contradiction")
LONGEST = 256  # tokens in one line
PASSAGE = 800  # characters of a passage that are read at once

Shares = tuple[float, ...]


class _Read(NamedTuple):
    """A line for the network with the two texts it is made of; ``owner`` is the pair and the part of its hypothesis."""

    owner: tuple[int, int]
    line: Line
    passage: str
    claim: str


@dataclass(frozen=True, kw_only=True)
class LocalEntailer:
    """Calibrated probabilities of entailment, neutral and contradiction.

    Only the relevant sentences of a long passage are read. A long hypothesis is judged in parts: its entailment is that
    of its weakest part, and its contradiction the highest of any part. With ``second``, the multilingual network reads
    each part too, where the weights have it: tens of milliseconds for each, and more is right. With ``large``, the
    folder of fetched models, the large network does so in its place.
    """

    folder: Path | None = None
    threads: int = 1
    second: bool = False
    large: Path | None = None
    _batcher: Batcher[tuple[str, str], Shares] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        most = MOST if not self.second else SECOND_MOST if self.large is None else LARGE_MOST
        object.__setattr__(self, "_batcher", Batcher(self.readings, most=most))

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """Return probabilities per (premise, hypothesis).

        Raises:
            InputError: a text is too long to be judged whole.
        """
        refuse_long(pairs)
        asked = [(premise, hypothesis) for premise, hypothesis in pairs]
        return [dict(zip(LABELS, found, strict=True)) for found in await self._batcher.ask(asked)]

    def readings(self, pairs: Sequence[tuple[str, str]]) -> list[Shares]:
        """Return the three probabilities of each pair, computed on this thread."""
        settings = weights_of(self.folder).of("nli")
        read = [each for number, pair in enumerate(pairs) for each in self._read(number, *pair)]
        outputs = judge_of(self.folder, self.threads).logits([each.line for each in read])
        best: dict[tuple[int, int], tuple[Shares, int]] = {}
        for at, (each, output) in enumerate(zip(read, outputs, strict=True)):
            shares = _calibrated(output[: len(LABELS)].tolist(), settings)
            # support anywhere in the passage counts
            best[each.owner] = max(best.get(each.owner, (shares, at)), (shares, at), key=lambda found: found[0][0])
        final = [(owner, shares, at) for owner, (shares, at) in best.items()]
        weights = pair_mixture(self.folder, "nli", self.large) if self.second else None
        if weights is not None:
            asked = [(read[at].passage, read[at].claim) for *_, at in final]
            again = second_network(self.folder, self.threads, self.large).compare(asked)
            final = [
                (owner, _mixed(outputs[at][: len(LABELS)].tolist(), reading.entailment, weights), at)
                for (owner, _, at), reading in zip(final, again, strict=True)
            ]
        parts: list[list[Shares]] = [[] for _ in pairs]
        for (number, _), shares, _ in final:
            parts[number].append(shares)
        return [_whole(found) for found in parts]

    def _read(self, number: int, premise: str, hypothesis: str) -> Iterator[_Read]:
        """Yield what is read of one pair: each part of the hypothesis with each part of the premise."""
        pieces = pieces_of(self.folder)
        for part, claim in enumerate(_parts(hypothesis, pieces)):
            texts = [flat(each) for each in passages(premise, claim.text)]
            for passage, ids in zip(texts, pieces.numbers(texts), strict=True):
                yield _Read((number, part), line(ids, claim.ids, LONGEST), passage, claim.text)


def _parts(hypothesis: str, pieces: Pieces) -> list[Claim]:
    text = flat(hypothesis)
    (ids,) = pieces.numbers([text])
    return [Claim(text, tuple(ids))] if len(ids) <= CLAIM else claims(text, pieces, most=1)


def passages(premise: str, claim: str) -> list[str]:
    """Return the parts of a premise to read: all of a short one; the evidence, wide and narrow, of a long one."""
    if len(premise) <= PASSAGE:
        return [premise]
    chosen = select_evidence(premise, claim, budget=PASSAGE)
    if len(sentences(chosen)) <= 1:
        return [chosen]
    return [chosen, select_evidence(premise, claim, budget=PASSAGE // 3)]


def _calibrated(logits: Sequence[float], settings: Mapping[str, Any]) -> Shares:
    temperature = float(settings.get("temperature", 1.0))
    bias = settings.get("bias", (0.0,) * len(LABELS))
    return softmax([(float(x) + float(b)) / temperature for x, b in zip(logits, bias, strict=True)])


def _mixed(first: Sequence[float], second: Sequence[float], weights: Mapping[str, Any]) -> Shares:
    """Return the shares of both networks' weighed logits, which are calibrated together."""
    one, two = float(weights["first"]), float(weights["second"])
    return softmax([one * x + two * y for x, y in zip(first, second, strict=True)])


def _whole(parts: Sequence[Shares]) -> Shares:
    if len(parts) == 1:
        return parts[0]
    follows, against = min(part[0] for part in parts), max(part[2] for part in parts)
    total = max(1.0, follows + against)
    return follows / total, max(0.0, 1 - (follows + against) / total), against / total
