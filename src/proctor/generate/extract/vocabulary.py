"""Lists of words, written as words."""

from __future__ import annotations

__all__ = ["worded"]


def worded(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())
