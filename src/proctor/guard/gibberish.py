"""Detect drafts that are no language: they have no claims that could be checked."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from proctor.core.sockets import Gate
from proctor.core.verdict import Finding, Verdict
from proctor.guard.scorer_step import Choice, strongest
from proctor.guard.step import Step
from proctor.text.normalise.language_likeness import is_noise

__all__ = ["illegible"]

_MIN_CHARS: Final = 120  # a shorter text is too little evidence, and cheap to read
_MAX_CACHED_CHARS: Final = 10_000
_REASON: Final = "the text is no language, so nothing in it can be held against sources or rules"


_noise = lru_cache(maxsize=16)(is_noise)  # two gates check the same draft in turn


def illegible(step: Step, gate: Gate[Step], choice: Choice) -> Verdict | None:
    """Return a gate's verdict on a draft that is noise, or None: unreadable text must not pass unseen."""
    plain = step.normalised.plain
    if len(plain) < _MIN_CHARS or not (_noise(plain) if len(plain) <= _MAX_CACHED_CHARS else is_noise(plain)):
        return None
    found = Finding(kind="unread", detector=gate.name, confidence=1.0, severity="medium", reason=_REASON)
    return Verdict(action=strongest([choice]), gate=gate.name, version=gate.version, reason=_REASON, findings=(found,))
