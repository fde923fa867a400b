"""Messages that still have to be delivered, one file each, so that neither a crash nor a dead receiver loses one."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from proctor.core.codec import encode, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, StoreError
from proctor.core.record import dataclass
from proctor.store.lock import only_one
from proctor.store.masked_json import masked_line
from proctor.store.private_files import make_durable, private_folder, replace_private

__all__ = ["AlertSpool", "SpooledMessage"]

_FOLDER: Final = "alert-spool"
_FIRST_WAIT: Final = 5.0
_LONGEST_WAIT: Final = 600.0
_MOST_SECONDS: Final = 86_400.0  # after a day a message says nothing new


@dataclass(frozen=True, slots=True, kw_only=True)
class SpooledMessage:
    """One envelope for one channel. The channel's address and key are not in it: they stay in the settings."""

    id: str
    channel: str
    envelope: Mapping[str, Any]
    created: float
    attempts: int = 0
    due: float = 0.0
    failure: str = ""


class AlertSpool:
    """A folder of messages in order; those that could not be delivered in a day are moved to ``dead``."""

    def __init__(self, store_folder: Path) -> None:
        self.folder = store_folder / _FOLDER
        self._dead = self.folder / "dead"

    def add(self, channel: str, envelope: Mapping[str, Any], now: float) -> SpooledMessage:
        """Keep a message on disk; it is there when this returns.

        Raises:
            StoreError: the disk or the folder is not writable.
        """
        name = f"{int(now * 1000):014d}-{time.monotonic_ns() % 10**9:09d}-{uuid.uuid4().hex[:8]}"
        message = SpooledMessage(id=name, channel=channel, envelope=envelope, created=now)
        self._write(self.folder / f"{name}.json", message)
        return message

    @contextmanager
    def delivering(self) -> Iterator[bool]:
        """Be the only process that delivers inside the block; yield false if another does."""
        with only_one(self.folder / "deliver.lock") as free:
            yield free

    def waiting(self) -> list[SpooledMessage]:
        """Return all messages, the oldest first; a file that cannot be read is moved to ``dead``."""
        return self._read(self.folder)

    def dead(self) -> list[SpooledMessage]:
        """Return the messages that were given up."""
        return self._read(self._dead)

    def delivered(self, message: SpooledMessage) -> None:
        """Forget a message that was accepted."""
        with suppress(FileNotFoundError):
            (self.folder / f"{message.id}.json").unlink()

    def failed(self, message: SpooledMessage, failure: str, now: float, *, final: bool) -> SpooledMessage:
        """Keep a message for a later attempt, or give it up: at once if ``final``, else after a day.

        Raises:
            StoreError: the disk or the folder is not writable.
        """
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(message.attempts, 20))
        tried = replace(message, attempts=message.attempts + 1, due=now + wait, failure=failure[:500])
        path = self.folder / f"{message.id}.json"
        self._write(path, tried)
        if final or now - message.created >= _MOST_SECONDS:
            self._bury(path)
        return tried

    def _write(self, path: Path, message: SpooledMessage) -> None:
        try:
            replace_private(path, masked_line(encode(message)))
            make_durable(path.parent)
        except OSError as error:
            hint = "make the folder writable, or name another under `store:`"
            raise StoreError(f"the alert cannot be kept: {error.strerror}", file=str(path), hint=hint) from error

    def _read(self, folder: Path) -> list[SpooledMessage]:
        found = []
        for path in sorted(folder.glob("*.json")):
            try:
                found.append(decode(SpooledMessage, loads(path.read_bytes())))
            except FileNotFoundError:  # another process has delivered it
                continue
            except (OSError, ValueError, MalformedError):
                if folder == self.folder:
                    self._bury(path)
        return found

    def _bury(self, path: Path) -> None:
        with suppress(OSError):
            private_folder(self._dead)
            path.replace(self._dead / path.name)
