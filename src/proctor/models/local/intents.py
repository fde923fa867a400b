"""Detect messages that a person must see at once: threats of legal action or publicity, danger, self-harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.models.local.batcher import LARGE_MOST, MOST, Batcher
from proctor.models.local.model_registry import weights_of
from proctor.models.local.multilingual import MultilingualReading
from proctor.models.local.probabilities import sigmoid
from proctor.models.local.reader import INTENTS, LocalReader, SpanReading, reader_of
from proctor.models.local.second_opinion import Mixture, danger_look, mixture_of, second_network
from proctor.models.local.tokenizer import READ

__all__ = ["LETTERS", "LocalIntents"]

LETTERS = READ  # per text: a longer one is not a single message
PART, OVERLAP = 300, 150  # characters of a long text that are looked at as one


@dataclass(frozen=True, kw_only=True)
class LocalIntents:
    """Probabilities of ``legal_threat``, ``media_complaint``, ``safety_incident``, ``self_harm`` and ``none``.

    They add to one in a message; in a long text each risk has its highest probability over the windows, and ``none``
    its lowest. A text is read once for intents and for names (``LocalTagger``). ``glance=False`` turns the prefilter
    off, ``second_opinion=False`` leaves the multilingual network out. With ``large``, the folder of fetched models, the
    large network takes its place and reads every text.
    """

    folder: Path | None = None
    threads: int = 1
    glance: bool = True
    second_opinion: bool = True
    large: Path | None = None
    _reader: LocalReader = field(init=False, repr=False, compare=False)
    _batcher: Batcher[str, MultilingualReading] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", reader_of(self.folder, self.threads, self.glance))
        object.__setattr__(self, "_batcher", Batcher(self._second, most=MOST if self.large is None else LARGE_MOST))

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Return one mapping of label to probability per text.

        Raises:
            InputError: a text is too long to be read whole.
        """
        read = await self._reader.read(texts, longest=LETTERS, what="intents")
        found: list[Mapping[str, float]] = [_labelled(each) for each in read]
        mixture = self._mixture()
        if mixture is None:
            return found
        looks = [self._look(text) for text in texts]
        some = [i for i, (look, _) in enumerate(looks) if look >= mixture.ask or found[i]["none"] < 0.5]
        for i, second in zip(some, await self._batcher.ask([looks[i][1] for i in some]), strict=True):
            found[i] = _weighed(found[i], mixture.logit(looks[i][0], second.danger), second)
        return found

    def threshold(self, level: str = "1%") -> float:
        """Return the risk threshold (one minus ``none``) with that false positive rate on harmless support messages."""
        return weights_of(self.folder).threshold("reader", level)

    def readings(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """Return the probabilities of each text, computed on this thread."""
        found: list[Mapping[str, float]] = [_labelled(found) for found in self._reader.readings(texts)]
        mixture = self._mixture()
        if mixture is None:
            return found
        for i, text in enumerate(texts):
            look, part = self._look(text)
            if look >= mixture.ask or found[i]["none"] < 0.5:
                (second,) = self._second([part])
                found[i] = _weighed(found[i], mixture.logit(look, second.danger), second)
        return found

    def _look(self, text: str) -> tuple[float, str]:
        """Return the logit of the first look, and the part of the text that it is about."""
        look = danger_look(self.folder)
        return max(((look.logit(part), part) for part in _parts(text)), key=lambda each: each[0])

    def _mixture(self) -> Mixture | None:
        return mixture_of(self.folder, "danger", self.large) if self.second_opinion else None

    def _second(self, texts: Sequence[str]) -> list[MultilingualReading]:
        return list(second_network(self.folder, self.threads, self.large).read(texts))


def _parts(text: str) -> list[str]:
    """Split a long text into parts that overlap, so that most sentences are whole in one."""
    if len(text) <= PART + OVERLAP:
        return [text]
    return [text[at : at + PART + OVERLAP] for at in range(0, len(text) - OVERLAP, PART)]


def _weighed(found: Mapping[str, float], logit: float, second: MultilingualReading) -> Mapping[str, float]:
    """Return the probabilities with the risk of that logit; the kinds share it as both networks see them."""
    risk, own = sigmoid(logit), max(1e-9, 1 - found["none"])
    shares = {kind: (found[kind] / own + share) / 2 for kind, share in second.dangers.items()}
    total = sum(shares.values()) or 1.0
    return {"none": 1 - risk, **{kind: risk * share / total for kind, share in shares.items()}}


def _labelled(found: SpanReading) -> dict[str, float]:
    return dict(zip(INTENTS, found.shares, strict=True))
