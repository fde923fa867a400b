"""Whether the goal of an injection can still be read in a text that a tool returned."""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["Left", "left_of", "longest_run", "most_of", "plain_words"]

Left = Literal["none", "order", "whole"]
_ORDER: Final[tuple[Left, ...]] = ("none", "order", "whole")
_FOLDED: Final = re.compile(r"\\\n\s*(?:\\(?= ))?")  # a line that YAML broke inside double quotes
_ESCAPED: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|[ntr])")
_WORD: Final = re.compile(r"\w+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?:])\s+|\n+")


def plain_words(text: str) -> str:
    """Return the words of a text in lower case, without the escapes and line breaks of YAML or ``repr``."""
    unfolded = _ESCAPED.sub(_unescaped, _FOLDED.sub("", text))
    return " ".join(_WORD.findall(unfolded.lower()))


def left_of(goal: str, text: str) -> Left:
    """Return how much of a goal is left in a text.

    ``order`` is the first sentence of the goal without all of the rest. In AgentDojo's goals that sentence gives the
    order. Some of them need the rest too, so taking ``order`` for enough overstates what an agent could do.
    """
    haystack = f" {plain_words(text)} "
    if _occurs(goal, haystack):
        return "whole"
    return "order" if _occurs(_SENTENCE_END.split(goal)[0], haystack) else "none"


def longest_run(goal: str, text: str) -> float:
    """Return the longest run of words of a goal that is left in a text, as a share of its words."""
    haystack, words = f" {plain_words(text)} ", plain_words(goal).split()
    longest = start = 0
    while start + longest < len(words):
        if f" {' '.join(words[start : start + longest + 1])} " in haystack:
            longest += 1
        else:
            start += 1
    return longest / len(words) if words else 0.0


def most_of(first: Left, second: Left) -> Left:
    """Return the larger of two shares."""
    return max(first, second, key=_ORDER.index)


def _occurs(part: str, haystack: str) -> bool:
    return bool(words := plain_words(part)) and f" {words} " in haystack


def _unescaped(found: re.Match[str]) -> str:
    code = found.group(1) or found.group(2)
    return chr(int(code, 16)) if code else " "
