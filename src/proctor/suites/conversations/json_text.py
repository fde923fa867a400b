"""JSON as fast as it can be read without a number in it becoming another."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

__all__ = ["read_json"]

_LONG = re.compile(rb"-\d{19}|\d{20}")  # the fast reader takes a whole number of more than 64 bits for a fraction


def read_json(data: bytes | str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none.
    """
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if _LONG.search(raw):
        try:
            return json.loads(raw)
        except RecursionError:
            raise ValueError("the JSON is nested too deeply") from None
    return orjson.loads(raw)
