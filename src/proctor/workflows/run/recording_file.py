"""Write the model calls of a run to a file, to be replayed."""

from __future__ import annotations

from pathlib import Path

from proctor.core.codec import dumps, encode
from proctor.core.errors import StoreError
from proctor.store.calls import CallLog

__all__ = ["write_recording"]


def write_recording(log: CallLog, path: Path) -> None:
    """Write each call as a line of JSON.

    Raises:
        StoreError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as out:
            for call in log.calls():
                out.write(dumps({"model": call.model, "request": encode(call.request), "reply": encode(call.reply)}))
                out.write(b"\n")
    except OSError as error:
        raise StoreError(
            f"the recording cannot be written: {error.strerror}", file=str(path), hint="choose another file"
        ) from error
