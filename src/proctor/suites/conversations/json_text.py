"""Parse JSON fast without changing any number."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

__all__ = ["read_json"]

_LONG = re.compile(rb"-\d{19}|\d{20}")  # orjson reads an integer of more than 64 bits as a float


def read_json(data: bytes | str) -> Any:
    """Parse a JSON text.

    Raises:
        ValueError: it is invalid.
    """
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if _LONG.search(raw):
        try:
            return json.loads(raw)
        except RecursionError:
            raise ValueError("the JSON is nested too deeply") from None
    return orjson.loads(raw)
