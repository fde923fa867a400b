"""Places in a text as languages count them whose strings are UTF-16: Java, JavaScript, C#."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from proctor.core.verdict import Verdict

__all__ = ["Offsets", "in_utf16"]

Offsets = Literal["code_points", "utf16"]
_LAST_OF_ONE = "\uffff"  # every letter after this one takes two units


def in_utf16(verdict: Verdict, text: str) -> Verdict:
    """The verdict with ``start`` and ``end`` of its findings counted in UTF-16 units of the text that it is about."""
    told = (*verdict.findings, *verdict.decided.findings)
    units = _units(text, (place for each in told for place in (each.start, each.end) if place is not None))
    return _moved(verdict, units)


def _moved(verdict: Verdict, units: dict[int, int]) -> Verdict:
    findings = tuple(
        replace(
            each,
            start=None if each.start is None else units[each.start],
            end=None if each.end is None else units[each.end],
        )
        for each in verdict.findings
    )
    shadow = _moved(verdict.shadow, units) if isinstance(verdict.shadow, Verdict) else verdict.shadow
    return replace(verdict, findings=findings, shadow=shadow)


def _units(text: str, places: Iterable[int]) -> dict[int, int]:
    """How many units stand before each place; the text is gone through once, however many places there are."""
    counted = {0: 0}
    for before, place in pairwise(sorted({0, *places})):
        longer = sum(letter > _LAST_OF_ONE for letter in text[before:place])
        counted[place] = counted[before] + place - before + longer
    return counted
