"""Store alerts, one JSON file each, for tools that watch the folder."""

from __future__ import annotations

import re
from pathlib import Path

from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, StoreError
from proctor.core.event import Alert
from proctor.store.masked_json import masked_data, masked_line
from proctor.store.private_files import replace_private
from proctor.store.runs import RunStore

__all__ = ["keep_alert", "read_alert"]

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")


def keep_alert(store: RunStore, alert: Alert) -> Path:
    """Write an alert beside the runs; a repeated alert replaces its file.

    Raises:
        StoreError: the disk or the folder is not writable.
    """
    path = _path(store, alert.key or alert.rule)
    try:
        replace_private(path, masked_line(encode(alert)))
    except OSError as error:
        hint = "make the folder writable, or name another under `store:`"
        raise StoreError(f"the alert cannot be written: {error.strerror}", file=str(path), hint=hint) from error
    return path


def read_alert(store: RunStore, key: str) -> Alert | None:
    """Return the alert that was recorded last under a key; ``None`` if there is none."""
    try:
        return decode(Alert, masked_data(_path(store, key).read_bytes()))
    except (OSError, ValueError, MalformedError):
        return None


def _path(store: RunStore, key: str) -> Path:
    name = _NOT_IN_FILE_NAMES.sub("-", key).strip("-.")[:120]
    return store.folder / "alerts" / f"{name}.json"
