"""Tell whether a number continues an amount of money: "418 рублей 20 копеек", "sixteen euros fifty"."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ends_amount", "joins_amount"]

_JOINED: Final = re.compile(r"\s(?:(?:and|und|et|y|con|e|en|och|og|i|и)\s)?")
# After hundredths without a name: nothing that they could count.
_ENDS: Final = re.compile(
    r"\s*(?:$|[.,;:!?)\]»”\"])|\s+(?:per|pro|je|each|for|für|par|pour|por|para|cada|al|alla|voor|za|na)\b"
)


def joins_amount(text: str, end: int, start: int) -> bool:
    """Return whether nothing but a blank or the word for "and" stands between an amount and a number after it."""
    return _JOINED.fullmatch(text, end, start) is not None


def ends_amount(text: str, at: int) -> bool:
    """Return whether an amount may end there, so that the number before it counts nothing else."""
    return _ENDS.match(text, at) is not None
