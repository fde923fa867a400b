"""Find the code in Markdown: fenced blocks and spans between backticks."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["code_spans"]

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_SPAN: Final = re.compile(r"(?<!`)(`{1,8})(?!`)((?:[^`\n]|\n(?!\s*\n))++)\1(?!`)")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of code, in order. A fence that is not closed reaches to the end."""
    if "`" not in text and "~~~" not in text:
        return []
    found: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        mark = fence.group(1)
        if opened is None:
            opened = fence
        elif mark[0] == opened.group(1)[0] and len(mark) >= len(opened.group(1)) and not fence.group().strip("`~ "):
            found.append((opened.start(), fence.end()))
            opened = None
    if opened is not None:
        found.append((opened.start(), len(text)))
    fenced = tuple(found)
    for span in _SPAN.finditer(text):
        if not any(start <= span.start() < end for start, end in fenced):
            found.append(span.span())
    return sorted(found)
