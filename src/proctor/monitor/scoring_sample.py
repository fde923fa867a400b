"""Decide which conversations are scored: those that were flagged, and a sample by one hash of the conversation's id."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from proctor.monitor.completion_rules import intent_key

__all__ = ["FLAGS", "ScoringSample", "sample_point"]

# Signals that flag a conversation; one that ends with a slash stands for all of its kind.
FLAGS: Final = ("error", "escalation", "gate/", "finding/", "csat/low", "score/")


def sample_point(conversation: str) -> float:
    """Return a number in [0, 1) that depends on the conversation's id alone.

    A conversation is in a sample if its point is under the rate. So a sample of 10 % is part of every sample of 20 %,
    whichever scorer, process or day asks.
    """
    digest = blake2b(conversation.encode("utf-8", "surrogatepass"), digest_size=8, person=b"proctor")
    return int.from_bytes(digest.digest(), "big") / 2.0**64


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSample:
    """The rate, other rates by intent, and the signals that flag a conversation."""

    rate: float = 0.1
    rates: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = FLAGS

    def rate_of(self, intent: str | None) -> float:
        """Return the share of the conversations of an intent that are drawn."""
        key = intent_key(intent or "")
        return next((rate for name, rate in self.rates.items() if intent_key(name) == key), self.rate)

    def reason_for(self, conversation: str, intent: str | None, signals: Collection[str]) -> str:
        """Return why a conversation is scored: ``flagged`` or ``sampled``; empty if it is not."""
        if any(self._is_flag(signal) for signal in signals):
            return "flagged"
        return "sampled" if sample_point(conversation) < self.rate_of(intent) else ""

    def _is_flag(self, signal: str) -> bool:
        return any(signal == flag or (flag.endswith("/") and signal.startswith(flag)) for flag in self.flags)
