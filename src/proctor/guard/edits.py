"""Changes that gates make to a text, put together without one undoing another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from proctor.core.verdict import Edit as Edit  # noqa: PLC0414 - third-party gates import it from here

__all__ = ["apply", "difference"]

_TELLING: Final = 3  # letters of a stretch that was cut in two, from which on it may still tell what it hid


def apply(original: str, edits: Iterable[Edit]) -> str:
    """The text with all edits.

    Of several that overlap, the one that begins first and reaches furthest takes the place of all; what the others
    would have hidden is hidden in its text too. An insertion inside a stretch that gives way stands behind it.
    """
    parts: list[str] = []
    at = 0
    taken = ""  # the text of the edit that holds the last place
    behind: list[str] = []
    for edit in sorted(set(edits), key=lambda each: (each.start, -each.end, each.text)):
        if edit.start < at:
            if edit.end == edit.start:
                behind.append(edit.text)
            else:
                taken = _hidden(taken, original, edit, at)
                at = max(at, edit.end)
            continue
        parts += (taken, *behind, original[at : edit.start])
        taken, behind, at = edit.text, [], edit.end
    return "".join((*parts, taken, *behind, original[at:]))


def difference(original: str, changed: str) -> Edit | None:
    """The one edit that makes the changed text of the original; none when they are equal."""
    if original == changed:
        return None
    most = min(len(original), len(changed))
    start = _longest(most, lambda size: original[:size] == changed[:size])
    end = _longest(most - start, lambda size: original[len(original) - size :] == changed[len(changed) - size :])
    return Edit(start=start, end=len(original) - end, text=changed[start : len(changed) - end])


def _hidden(text: str, original: str, edit: Edit, at: int) -> str:
    """The text without what a swallowed edit hides: a gate that rewrites a sentence may have kept a number in it."""
    whole, cut = original[edit.start : edit.end], original[edit.start : min(at, edit.end)]
    if whole.strip():
        text = text.replace(whole, edit.text)
    if cut != whole and len(cut.strip()) >= _TELLING:
        text = text.replace(cut, edit.text)
    return text


def _longest(most: int, equal: Callable[[int], bool]) -> int:
    """The longest stretch, up to ``most``, of which this holds; by halving, because texts can be long."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if equal(middle) else (low, middle - 1)
    return low
