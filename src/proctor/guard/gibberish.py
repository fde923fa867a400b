"""Drafts that are no language at all: they have no claims that could be held against anything."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from proctor.core.sockets import Gate
from proctor.core.verdict import Finding, Verdict
from proctor.guard.scorer_step import Choice, strongest
from proctor.guard.step import Step
from proctor.text.normalise.language_likeness import is_noise

__all__ = ["illegible"]

_SHORTEST: Final = 120  # letters: of a shorter text too little can be said, and it costs little
_KEPT: Final = 10_000  # letters of a text that is remembered
_REASON: Final = "the text is no language, so nothing in it can be held against sources or rules"


_noise = lru_cache(maxsize=16)(is_noise)  # two gates in turn ask about the same draft


def illegible(step: Step, gate: Gate[Step], choice: Choice) -> Verdict | None:
    """What a gate says to a draft that is noise: what nobody can read must not pass unseen."""
    plain = step.normalised.plain
    if len(plain) < _SHORTEST or not (_noise(plain) if len(plain) <= _KEPT else is_noise(plain)):
        return None
    found = Finding(kind="unread", detector=gate.name, confidence=1.0, severity="medium", reason=_REASON)
    return Verdict(action=strongest([choice]), gate=gate.name, version=gate.version, reason=_REASON, findings=(found,))
