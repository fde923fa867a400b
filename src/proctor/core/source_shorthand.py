"""Sources as people and agents write them: ids, texts, or mappings with some of the fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["source_records"]

_MAX_ID_CHARS = 200
_SENTENCE = re.compile(r"[.!?\u3002\uff01\uff1f]\s*$|(?:\S+\s+){3}\S")  # ends like one, or has four words


def source_records(value: Any) -> list[Any]:
    """Return one source or several as records of a ``Source``; what is not understood is returned as it is."""
    several = value if isinstance(value, (list, tuple)) else [value]
    return [_record(each, index) for index, each in enumerate(several)]


def _record(source: Any, index: int) -> Any:
    if isinstance(source, str):
        if len(source) > _MAX_ID_CHARS or "\n" in source:
            return {"id": f"source-{index + 1}", "text": source}
        # A short text may be the name of a document or its content; a sentence is both.
        return {"id": source, "text": source} if _SENTENCE.search(source) else {"id": source}
    if isinstance(source, Mapping) and "id" not in source:
        return {"id": str(source.get("uri") or source.get("title") or f"source-{index + 1}"), **source}
    if isinstance(source, Mapping) and isinstance(source["id"], int):
        return {**source, "id": str(source["id"])}
    return source
