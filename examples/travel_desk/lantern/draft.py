"""An answer in the making: its words, the tools that were used, what it rests on, a hand-over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Draft"]


@dataclass(slots=True)
class Draft:
    """What will be said, and why."""

    intents: tuple[tuple[str, float], ...] = ()
    sentences: list[str] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    sources: list[Mapping[str, Any]] = field(default_factory=list)
    escalation: Mapping[str, Any] | None = None
    confidence: float = 0.9

    @property
    def text(self) -> str:
        """The answer as the customer reads it."""
        return " ".join(part for part in self.sentences if part)

    def say(self, *sentences: str) -> None:
        """Go on with these sentences."""
        self.sentences += [each for each in sentences if each]

    def told(self) -> dict[str, Any]:
        """The turn, as a target gives it back."""
        made: dict[str, Any] = {
            "answer": self.text,
            "intents": [{"name": name, "confidence": confidence} for name, confidence in self.intents],
            "tool_calls": list(self.calls),
            "sources": list(self.sources),
            "confidence": self.confidence,
            "cost": 0.0,
        }
        return {**made, "escalation": dict(self.escalation)} if self.escalation else made
