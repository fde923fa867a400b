"""Say in a few words why a question to a model has no usable answer."""

from __future__ import annotations

from proctor.core.errors import ModelError, RejectedError

__all__ = ["cause_of"]

_CAUSE_CHARACTERS = 120


def cause_of(error: ModelError) -> str:
    """Return the cause: refused, cut at length, content filter, not JSON, or the beginning of the message."""
    if cause := getattr(error, "cause", ""):
        return str(cause)
    said = error.message[:_CAUSE_CHARACTERS]
    return f"rejected by the server: {said}" if isinstance(error, RejectedError) else said
