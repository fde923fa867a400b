"""Parse durations as people write them: 30 min, 24 h, 2 days."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["SPAN_HINT", "span_seconds"]

SPAN_HINT: Final = "a length of time such as 30 min, 24 h, 2 days or 1 week"

_SPAN = re.compile(
    r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(s|seconds?|min|minutes?|h|hours?|d|days?|w|weeks?)\s*", re.IGNORECASE
)
_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


@lru_cache(maxsize=256)
def span_seconds(text: str) -> float:
    """Return the duration in seconds.

    Raises:
        ValueError: it is invalid; the message has the format.
    """
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"expected {SPAN_HINT}, found {text!r}")
    return float(found[1]) * _UNITS[found[2][:1].lower()]
