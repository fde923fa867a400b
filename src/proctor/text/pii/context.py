"""Find values that are recognised only by a label: patterns of label, connecting words and value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy

__all__ = ["NamedValueFinder", "digits_of", "made", "spaced"]

# Between label and value: "number is", "no.", "番号は", an opening quote. Bounded in length.
_BETWEEN: Final = (
    r"(?:[^\w\n]{0,4}(?:(?:numbers?|no|num|nr|nº|n°|ids?|card|code|is|was|are|ending|details?|of mine"
    r"|for \w{1,20})(?![a-z])"
    r"|番号|は|が|の|です)){0,4}[^\w\n]{0,5}"
)
_WHOSE: Final = r"\s{1,3}(?:is|was|＝|=)\s{1,3}(?:my|the|his|her|their|our)\s{1,3}(?:\w{1,20}\s{1,3}){0,2}"
_NOT_DIGIT: Final = re.compile(r"\D")


class NamedValueFinder:
    """Finds a value after one of the labels, or before "is my" and the label."""

    __slots__ = ("_after", "_before", "_least")

    def __init__(self, words: str, value: str, *, least: int = 4) -> None:
        group = rf"(?<![A-Za-z0-9])({value})(?![A-Za-z0-9])"
        self._before = Lazy(rf"(?:{words}){_BETWEEN}{group}", re.IGNORECASE)
        self._after = Lazy(rf"{group}{_WHOSE}(?:{words})", re.IGNORECASE)
        self._least = least

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the values with enough digits."""
        text = spaced(text)
        for pattern in (self._before, self._after):
            for hit in pattern.finditer(text):
                if sum(map(str.isdigit, hit[1])) >= self._least:
                    yield hit.span(1)


def spaced(text: str) -> str:
    """Replace underscores by blanks, so that ``passport_number`` in a record reads as in a sentence."""
    return text.replace("_", " ")


def digits_of(text: str) -> str:
    """Return only the digits of a text."""
    return _NOT_DIGIT.sub("", text)


def made(kind: str, text: str, place: tuple[int, int], confidence: float, scheme: str = "") -> Finding:
    """Build a finding at this span; ``scheme`` names the variant of the kind."""
    start, end = place
    extra: Mapping[str, Any] = {"scheme": scheme} if scheme else {}
    return Finding(
        kind=kind, detector="patterns", text=text[start:end], start=start, end=end, confidence=confidence, extra=extra
    )
