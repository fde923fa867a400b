"""Tells the messages that a person must see at once: threats of law or press, danger, self-harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from proctor.core.errors import InputError
from proctor.models.local.batching import Batcher
from proctor.models.local.house import network_of, pieces_of, weights_of
from proctor.models.local.pieces import READ, case_types
from proctor.models.local.windows import groups, spread, windows

__all__ = ["INTENTS", "LETTERS", "LocalIntents"]

INTENTS = ("none", "legal_threat", "media_complaint", "safety_incident", "self_harm")
LONGEST = 160  # pieces in one window
LETTERS = READ  # of one text: a longer one is refused, since the part that matters could be left out


@dataclass(frozen=True, kw_only=True)
class LocalIntents:
    """Probabilities of ``legal_threat``, ``media_complaint``, ``safety_incident``, ``self_harm`` and ``none``.

    They add to one in a message; in a long text each risk has its highest probability over the windows, and ``none``
    its lowest.
    """

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[str, Mapping[str, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings))

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """One mapping of label to probability per text.

        Raises:
            InputError: a text is too long to be read whole.
        """
        longest = max(map(len, texts), default=0)
        if longest > LETTERS:
            raise InputError(
                f"a text of {longest} characters is too long to look for intents in; at most {LETTERS}",
                mend="split the text",
            )
        return [dict(found) for found in await self._batcher.ask(texts)]

    def threshold(self, level: str = "1%") -> float:
        """The risk (one less ``none``) above which that share of harmless support messages would be flagged."""
        return weights_of(self.folder).threshold("reader", level)

    def readings(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """The probabilities of each text, computed here and now."""
        return [found for some in groups(texts) for found in self._read(some)]

    def _read(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        warmth = float(weights_of(self.folder).of("reader").get("temperature", 1.0))
        many = []
        for text, (ids, places) in zip(texts, pieces_of(self.folder).located(texts), strict=True):
            many.append(windows(ids, LONGEST, most=len(ids) + 1, types=case_types(places, text)))
        lines, owners = spread(many)
        outputs = network_of("reader", self.folder, self.threads).run(lines, ["text"])
        best = np.zeros((len(texts), len(INTENTS)))
        best[:, 0] = 1.0
        for owner, (output,) in zip(owners, outputs, strict=True):
            shares = np.exp((output - output.max()) / warmth)
            shares = shares / shares.sum()
            best[owner, 1:] = np.maximum(best[owner, 1:], shares[1:])
            best[owner, 0] = min(best[owner, 0], shares[0])
        return [dict(zip(INTENTS, row.tolist(), strict=True)) for row in best]
