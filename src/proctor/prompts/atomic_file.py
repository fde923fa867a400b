"""Replace a text file atomically."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from proctor.core.errors import StoreError

__all__ = ["save_whole"]


def save_whole(path: Path, text: str) -> None:
    """Write the text to the file atomically; its permissions stay.

    Raises:
        StoreError: the disk or the folder is not writable; the existing file is unchanged.
    """
    try:
        goal = path.resolve()  # a link stays a link: its target is replaced
        goal.parent.mkdir(parents=True, exist_ok=True)
        draft = goal.with_name(f".{goal.name[:100]}.{secrets.token_hex(4)}.part")
        try:
            with draft.open("xb") as out:
                out.write(text.encode())
                out.flush()
                os.fsync(out.fileno())
            if goal.exists():
                draft.chmod(goal.stat().st_mode & 0o7777)
            draft.replace(goal)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        what = f"could not be written: {error.strerror or error}"
        raise StoreError(what, file=str(path), hint="check the folder's permissions and space") from error
