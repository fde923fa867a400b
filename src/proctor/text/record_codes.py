"""Find the codes of records in a message, which say nothing by themselves: booking numbers, references, articles."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_inside_code", "without_codes"]

# Latin letters and digits, at least one digit, in groups joined by a sign: TRV-10021, X4K9QZ, 88-412-B, #48213.
_CODE: Final = re.compile(
    r"(?<![A-Za-z0-9])#?(?=[A-Za-z_/.-]{0,12}[0-9])[A-Za-z0-9]{1,16}(?:[-_/.][A-Za-z0-9]{1,12}){0,4}(?![A-Za-z0-9])"
)


def without_codes(text: str) -> str:
    """Return the text with a blank in the place of each code."""
    return _CODE.sub(" ", text)


def is_inside_code(text: str, start: int, end: int) -> bool:
    """Return whether a span is only a part of a code: 12315 in TRV512315."""
    return any(hit.start() <= start and end <= hit.end() and hit.span() != (start, end) for hit in _CODE.finditer(text))
