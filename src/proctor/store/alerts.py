"""Store alerts, one JSON file each, for tools that watch the folder."""

from __future__ import annotations

import re
from pathlib import Path

from proctor.core.codec import encode
from proctor.core.errors import StoreError
from proctor.core.event import Alert
from proctor.store.masked_json import masked_line
from proctor.store.private_files import private_folder, write_private
from proctor.store.runs import RunStore

__all__ = ["keep_alert"]

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")


def keep_alert(store: RunStore, alert: Alert) -> Path:
    """Write an alert beside the runs; a repeated alert replaces its file.

    Raises:
        StoreError: the disk or the folder is not writable.
    """
    name = _NOT_IN_FILE_NAMES.sub("-", alert.key or alert.rule).strip("-.")[:120]
    path = store.folder / "alerts" / f"{name}.json"
    try:
        private_folder(path.parent)
        draft = path.with_suffix(".part")
        write_private(draft, masked_line(encode(alert)))
        draft.replace(path)
    except OSError as error:
        hint = "make the folder writable, or name another under `store:`"
        raise StoreError(f"the alert cannot be written: {error.strerror}", file=str(path), hint=hint) from error
    return path
