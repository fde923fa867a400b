"""Find where a text that is still being written may be cut without splitting a sentence."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MOST_HELD", "before", "complete", "may_end"]

MOST_HELD: Final = 2_000  # characters without a sentence end, as in code and tables; then any space will do

_MAX_LINK_CHARS: Final = 600  # of an open bracket or tag that hold a sentence back
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
        end.end()
        for end in _END.finditer(text, start)
        if not _SHORT.search(text, max(0, end.end() - 16), end.end()) and not _is_in_link(text, start, end.end())
    ]
    if len(ends) >= hold:
        return ends[-hold]
    if len(text) - start > MOST_HELD:
        space = text.rfind(" ", start + MOST_HELD // 2)
        return space + 1 if space >= 0 else len(text)
    return start


def _is_in_link(text: str, start: int, end: int) -> bool:
    """Return whether a link or a tag is open there: its address must be judged together with what makes it load."""
    low = max(start, end - _MAX_LINK_CHARS)
    bracket = text.rfind("[", low, end)
    if bracket >= 0 and text.find("]", bracket, end) < 0:
        return True
    address = text.rfind("](", low, end)
    if address >= 0 and text.find(")", address, end) < 0:
        return True
    tag = text.rfind("<", low, end)
    return tag >= 0 and text[tag + 1 : tag + 2].isalpha() and text.find(">", tag, end) < 0


def may_end(text: str) -> bool:
    """Return whether the text contains a character that could end a sentence."""
    return _SIGN.search(text) is not None


def before(text: str, at: int, most: int) -> int:
    """Return the start of the sentence before ``at``, at most ``most`` characters back: the context of what follows."""
    low = max(0, at - most)
    ends = [end.end() for end in _END.finditer(text, low, at)]
    return next((end for end in reversed(ends) if end < at), low)
