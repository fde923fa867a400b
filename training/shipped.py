"""The shipped models as plain functions, for measuring without an event loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor.core.entity import Entity
from proctor.models.local.embed import LocalEmbedder
from proctor.models.local.entities import LocalTagger
from proctor.models.local.injection import CascadeReading, InjectionClassifier
from proctor.models.local.intents import LocalIntents
from proctor.models.local.model_registry import weights_of
from proctor.models.local.nli import LocalEntailer

__all__ = ["Shipped"]


class Shipped:
    """All local models from one folder of weights."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._injection = InjectionClassifier(folder=folder)
        self._nli = LocalEntailer(folder=folder)
        self._embed = LocalEmbedder(folder=folder)
        self._intents = LocalIntents(folder=folder)
        self._tagger = LocalTagger(folder=folder)

    def readings(self, texts: Sequence[str]) -> list[CascadeReading]:
        """What the injection cascade saw."""
        return self._injection.readings(texts)

    def threshold(self, level: str) -> float:
        """A shipped threshold."""
        return self._injection.threshold(level)

    def settings(self) -> dict[str, Any]:
        """The injection model's calibration."""
        return dict(weights_of(self.folder).settings["injection"])

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """Entailment, neutral, contradiction."""
        return self._nli.readings(pairs)

    def vectors(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Sentence vectors."""
        return [v for i in range(0, len(texts), 64) for v in self._embed.vectors(texts[i : i + 64])]

    def intents(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        """Probabilities of the dangerous intents."""
        return [s for i in range(0, len(texts), 256) for s in self._intents.readings(texts[i : i + 256])]

    def intent_threshold(self, level: str) -> float:
        """A shipped threshold of the intents."""
        return self._intents.threshold(level)

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Names, places, organisations and addresses."""
        return [list(e) for i in range(0, len(texts), 64) for e in self._tagger.readings(texts[i : i + 64])]
