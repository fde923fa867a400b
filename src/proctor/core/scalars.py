"""Walk nested data for its texts and numbers: arguments and results of tools, records, metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["is_scalar", "scalars"]

_DEEPEST: Final = 12


def is_scalar(value: Any) -> bool:
    """Whether it is a text or a number; yes, no and nothing are neither."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def scalars(data: Any, depth: int = 0) -> Iterator[str | int | float]:
    """Yield every text and number in the data, in order; names of fields are none, nor is what is nested too deep."""
    if is_scalar(data):
        yield data
    elif depth <= _DEEPEST:
        inside = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else ()
        for each in inside:
            yield from scalars(each, depth + 1)
