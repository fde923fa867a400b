"""Drafts that are no language at all: they have no claims that could be held against anything."""

from __future__ import annotations

from typing import Final

from proctor.core.verdict import Finding
from proctor.guard.step import Step
from proctor.text.normalise.likeness import is_noise

__all__ = ["illegible"]

_SHORTEST: Final = 120  # letters: of a shorter text too little can be said, and it costs little
_REASON: Final = "the text is no language, so nothing in it can be held against sources or rules"


def illegible(step: Step, detector: str) -> tuple[Finding, ...]:
    """A finding where the draft is noise: what nobody can read must not pass unseen."""
    plain = step.normalised.plain
    if len(plain) < _SHORTEST or not is_noise(plain):
        return ()
    return (Finding(kind="unread", detector=detector, confidence=1.0, severity="medium", reason=_REASON),)
