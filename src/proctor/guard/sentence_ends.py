"""Find where a text that is still being written may be cut without splitting a sentence."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MOST_HELD", "before", "complete", "may_end"]

MOST_HELD: Final = 2_000  # characters without a sentence end, as in code and tables; then any space will do

_CLOSING = "\"'”’»)\\]）」』】〉》*_`"
# Unlike in a finished text, the end of the text so far ends no sentence: "3." may continue as "3.14".
_END = re.compile(
    rf"[。！？｡]+[{_CLOSING}]*(?=[^{_CLOSING}。！？｡])"
    rf"|(?<![.!?؟।…])[.!?؟।…]++[{_CLOSING}]*\s+(?=\S)"
    r"|\n[^\S\n]*\n+(?=[^\n])"
    r"|\n(?=[^\S\n]*(?:[-*•・]|\d{1,3}[.)])\s)"
)
_SIGN = re.compile(r"[。！？｡.!?؟।…\n]")  # every end above contains one of these
_SHORT = re.compile(
    r"(?:^|[\s(\"'“])(?:mr|mrs|ms|dr|prof|sr|jr|st|vs|etc|no|fig|vol|approx|dept|inc|ltd|co|corp|tel|e\.g|i\.e|cf|al"
    r"|\w|\d+)\.\s+$",
    re.IGNORECASE,
)


def complete(text: str, start: int = 0, hold: int = 1) -> int:
    """Return the end of the complete sentences after ``start``, or ``start``; the last ``hold`` - 1 are kept back."""
    ends = [
        end.end() for end in _END.finditer(text, start) if not _SHORT.search(text, max(0, end.end() - 16), end.end())
    ]
    if len(ends) >= hold:
        return ends[-hold]
    if len(text) - start > MOST_HELD:
        space = text.rfind(" ", start + MOST_HELD // 2)
        return space + 1 if space >= 0 else len(text)
    return start


def may_end(text: str) -> bool:
    """Return whether the text contains a character that could end a sentence."""
    return _SIGN.search(text) is not None


def before(text: str, at: int, most: int) -> int:
    """Return the start of the sentence before ``at``, at most ``most`` characters back: the context of what follows."""
    low = max(0, at - most)
    ends = [end.end() for end in _END.finditer(text, low, at)]
    return next((end for end in reversed(ends) if end < at), low)
