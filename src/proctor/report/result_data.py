"""One result as data for programs."""

from __future__ import annotations

from typing import Any

from proctor.core.codec import encode
from proctor.core.report import Result

__all__ = ["result_data"]


def result_data(result: Result) -> dict[str, Any]:
    """Return the result, with ``in_doubt`` where it passed and should be reviewed; as of a score, false is left out."""
    data: dict[str, Any] = encode(result)
    return data | {"in_doubt": True} if result.in_doubt else data
