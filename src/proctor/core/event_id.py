"""The id of an event whose sender gave it none: a hash of what it says, the same from a file and from a request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import orjson

from proctor.core.codec import dumps

__all__ = ["id_of_content"]


def id_of_content(data: Mapping[str, Any]) -> str:
    """Return an id for the JSON data of an event, by which a repeated delivery is known.

    The order of the fields, fields that are null, and the notation of the time make no difference.
    """
    said = {name: value for name, value in data.items() if value is not None and name != "id"}
    if isinstance(time := said.get("time"), str):
        said["time"] = _in_utc(time)
    try:
        line = orjson.dumps(said, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a large integer, half a surrogate pair
        line = dumps(dict(sorted(said.items())))
    return f"e-{blake2b(line, digest_size=12).hexdigest()}"


def _in_utc(text: str) -> str:
    try:
        made = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
