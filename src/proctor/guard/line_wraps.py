"""Tell the line breaks that only wrap a sentence from those that end something: an item, a field, a paragraph."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_wrap"]

_MIN_WIDTH: Final = 40  # characters of the longest line around; shorter lines are a list or an address
_MAX_LINE_CHARS: Final = 200  # nobody wraps later
_AROUND_CHARS: Final = 600  # on both sides, in which the width is measured
_MAX_WORD_CHARS: Final = 20  # scripts without spaces break a line anywhere
_ENDED: Final = re.compile(r"[.!?:;。！？।؟…>|}\]]\W{0,3}$")
# What begins an item, a field, a heading, a row, an element or a block of code.
_BEGINS: Final = re.compile(
    r"(?:[-*+•・]\s|\d{1,3}[.)]\s|[#>|<{}\[\]]|```|~~~|--|[\w][\w .-]{0,40}:(?:\s|$)|\"[\w .-]{1,40}\"\s*:)"
)
_FOLDED: Final = re.compile(r"\\$")  # YAML in double quotes breaks a line after a backslash


def is_wrap(text: str, at: int) -> bool:
    """Return whether the line break at ``at`` stands within a sentence.

    It does if the next line goes on in small letters, or if its first word had no room in the line before, and if it
    begins nothing new. Blank lines and ends of sentences are no wraps.
    """
    before = text[text.rfind("\n", 0, at) + 1 : at].rstrip()
    stop = text.find("\n", at + 1)
    after = text[at + 1 : stop if stop >= 0 else len(text)].strip()
    if not before or not after or len(before) > _MAX_LINE_CHARS:
        return False
    if _FOLDED.search(before):
        return True
    if _ENDED.search(before) or _BEGINS.match(after):
        return False
    if len(before) * 2 < _MIN_WIDTH:
        return False
    word = after.split(maxsplit=1)[0]
    return word[0].islower() or len(before) + 1 + min(len(word), _MAX_WORD_CHARS) > _width(text, at)


def _width(text: str, at: int) -> int:
    """Return the length of the longest line around, other than the one that ends at ``at``."""
    start = text.rfind("\n", 0, at) + 1
    around = text[max(0, start - _AROUND_CHARS) : start].split("\n") + text[at : at + _AROUND_CHARS].split("\n")
    longest = max(map(len, around))
    return longest if _MIN_WIDTH <= longest <= _MAX_LINE_CHARS else _MAX_LINE_CHARS
