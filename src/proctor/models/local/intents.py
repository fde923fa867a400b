"""Detect messages that a person must see at once: threats of legal action or publicity, danger, self-harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.models.local.model_registry import weights_of
from proctor.models.local.reader import INTENTS, LocalReader, SpanReading, reader_of
from proctor.models.local.tokenizer import READ

__all__ = ["LETTERS", "LocalIntents"]

LETTERS = READ  # per text: a longer one is not a single message


@dataclass(frozen=True, kw_only=True)
class LocalIntents:
    """Probabilities of ``legal_threat``, ``media_complaint``, ``safety_incident``, ``self_harm`` and ``none``.

    They add to one in a message; in a long text each risk has its highest probability over the windows, and ``none``
    its lowest. A text is read once for intents and for names (``LocalTagger``). ``glance=False`` turns the prefilter
    off.
    """

    folder: Path | None = None
    threads: int = 1
    glance: bool = True
    _reader: LocalReader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", reader_of(self.folder, self.threads, self.glance))

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Return one mapping of label to probability per text.

        Raises:
            InputError: a text is too long to be read whole.
        """
        return [_labelled(found) for found in await self._reader.read(texts, longest=LETTERS, what="intents")]

    def threshold(self, level: str = "1%") -> float:
        """Return the risk threshold (one minus ``none``) with that false positive rate on harmless support messages."""
        return weights_of(self.folder).threshold("reader", level)

    def readings(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """Return the probabilities of each text, computed on this thread."""
        return [_labelled(found) for found in self._reader.readings(texts)]


def _labelled(found: SpanReading) -> dict[str, float]:
    return dict(zip(INTENTS, found.shares, strict=True))
