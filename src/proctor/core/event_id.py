"""The id of an event whose sender gave it none: a hash of what it says, the same from a file and from a request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from proctor.core.codec import content_id

__all__ = ["id_of_content"]


def id_of_content(data: Mapping[str, Any]) -> str:
    """Return an id for the JSON data of an event, by which a repeated delivery is known.

    The order of the fields, fields that are null, and the notation of the time make no difference.
    """
    said = {name: value for name, value in data.items() if value is not None and name != "id"}
    if isinstance(time := said.get("time"), str):
        said["time"] = _in_utc(time)
    return f"e-{content_id(said, length=24)}"


def _in_utc(text: str) -> str:
    try:
        made = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
