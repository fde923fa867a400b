"""Merge the edits of several gates into one text, without one undoing another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from proctor.core.verdict import Edit as Edit  # noqa: PLC0414 - third-party gates import it from here

__all__ = ["apply", "difference"]

_MIN_REVEALING_CHARS: Final = 3  # a shorter fragment of a cut span reveals nothing


def apply(original: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits applied.

    Among overlapping edits, the one that begins first and reaches furthest replaces all; what the others would have
    hidden is hidden in its text too. An insertion inside a replaced span is placed after it.
    """
    parts: list[str] = []
    at = 0
    taken = ""  # the replacement text of the last edit
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
    """Return the one edit that turns the original into the changed text; None if they are equal."""
    if original == changed:
        return None
    most = min(len(original), len(changed))
    start = _longest(most, lambda size: original[:size] == changed[:size])
    end = _longest(most - start, lambda size: original[len(original) - size :] == changed[len(changed) - size :])
    return Edit(start=start, end=len(original) - end, text=changed[start : len(changed) - end])


def _hidden(text: str, original: str, edit: Edit, at: int) -> str:
    """Return the text without what a swallowed edit hides: a rewritten sentence may still contain a number."""
    whole, cut = original[edit.start : edit.end], original[edit.start : min(at, edit.end)]
    if whole.strip():
        text = text.replace(whole, edit.text)
    if cut != whole and len(cut.strip()) >= _MIN_REVEALING_CHARS:
        text = text.replace(cut, edit.text)
    return text


def _longest(most: int, equal: Callable[[int], bool]) -> int:
    """Return the largest size up to ``most`` for which ``equal`` holds, by binary search, since texts can be long."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if equal(middle) else (low, middle - 1)
    return low
