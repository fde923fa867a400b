"""Write the model calls of a run to a file, to be replayed."""

from __future__ import annotations

from pathlib import Path

from proctor.core.codec import dumps, encode
from proctor.report.formats import whole_or_nothing
from proctor.store.calls import CallLog

__all__ = ["write_recording"]


def write_recording(log: CallLog, path: Path) -> None:
    """Write each call as a line of JSON. The file appears when it is complete; before, an older one stays.

    Raises:
        StoreError: the file cannot be written.
    """
    with whole_or_nothing(path) as out:
        for call in log.calls():
            line = {"model": call.model, "request": encode(call.request), "reply": encode(call.reply)}
            out.write(dumps(line).decode() + "\n")
