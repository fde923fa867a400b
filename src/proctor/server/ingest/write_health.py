"""Whether events can be written: what the last write said, and a probe of the disk after one that failed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from proctor.core.errors import StoreError
from proctor.store.disk_probe import probe_disk

__all__ = ["WriteHealth"]


class WriteHealth:
    """Remembers a failed write until one succeeds.

    Senders may stay away while the server says that it takes nothing. So each request after a failure has the disk
    probed, else the server would never be well again.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self._failure = ""

    def failed(self, error: StoreError) -> None:
        """Remember that events could not be written."""
        self._failure = error.message

    def worked(self) -> None:
        """Remember that events were written."""
        self._failure = ""

    async def trouble(self) -> str:
        """Return why events cannot be written; empty if they can."""
        if self._failure:
            try:
                await asyncio.to_thread(probe_disk, self._store)
            except StoreError as error:
                self.failed(error)
            else:
                self.worked()
        return self._failure
