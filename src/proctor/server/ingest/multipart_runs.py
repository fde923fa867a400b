"""Read LangSmith's multipart requests: runs in parts, `post.ID`, `post.ID.inputs`, `patch.ID.outputs`, feedback."""

from __future__ import annotations

import re
from typing import Any, Final

import orjson

__all__ = ["MultipartRuns", "read_multipart"]

_NAME: Final = re.compile(rb'name="([^"]{1,500})"')
_BOUNDARY: Final = re.compile(r'boundary="?([^";,\s]{1,200})"?')
_FIELDS: Final = frozenset({"inputs", "outputs", "events", "extra", "serialized", "error", "attachments"})


class MultipartRuns:
    """The runs and feedback of a request; ``rejected`` counts parts that cannot be read."""

    def __init__(self) -> None:
        self.runs: dict[tuple[str, str], dict[str, Any]] = {}
        self.feedback: list[Any] = []
        self.rejected = 0
        self.why = ""

    def reject(self, why: str) -> None:
        """Count one part that cannot be read."""
        self.rejected += 1
        self.why = self.why or why


def read_multipart(content_type: str, body: bytes) -> MultipartRuns:
    """Return the runs of a multipart body; new runs and updates of the same run are separate.

    Raises:
        ValueError: it is no multipart body.
    """
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise ValueError("is no multipart body: the boundary is missing")
    mark = b"--" + found[1].encode()
    made = MultipartRuns()
    parts = body.split(mark)
    if len(parts) < 3:
        raise ValueError("is no multipart body: it has no parts")
    for part in parts[1:-1]:
        head, gap, data = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if not gap or name is None:
            made.reject("a part has no name")
            continue
        _add(made, name[1].decode("utf-8", "replace"), data.removesuffix(b"\r\n"))
    return made


def _add(made: MultipartRuns, name: str, data: bytes) -> None:
    operation, _, rest = name.partition(".")
    key, _, field = rest.partition(".")
    if operation == "attachment" or field.startswith("attachments"):
        return  # files that a run carries are not part of the conversation
    if field and field not in _FIELDS:
        return
    try:
        value = orjson.loads(data)
    except ValueError:
        made.reject(f"the part {name[:80]} is no JSON")
        return
    if operation == "feedback":
        made.feedback.append(value)
    elif operation in ("post", "patch") and key:
        run = made.runs.setdefault((operation, key), {"id": key})
        if field:
            run[field] = value
        elif isinstance(value, dict):
            run.update(value)
    else:
        made.reject(f"the part {name[:80]} is neither a run nor feedback")
