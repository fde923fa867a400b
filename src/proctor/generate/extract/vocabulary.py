"""Word lists."""

from __future__ import annotations

__all__ = ["worded"]


def worded(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())
