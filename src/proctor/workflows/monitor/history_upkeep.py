"""What a server does for its history now and then: index, seal, retain."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from proctor.core.errors import StoreError
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.wiring.history_settings import HistorySettings

__all__ = ["HistoryUpkeep"]

_log = logging.getLogger(__name__)
_SEAL_SECONDS: Final = 3_600.0
_SETTLED_SECONDS: Final = 900.0  # of the log that a server which starts counts again
_RETAIN_SECONDS: Final = 86_400.0
_TEXT_SECONDS: Final = 0.5  # of each tick for the search, so that the rollups are never late


@dataclass(slots=True, kw_only=True)
class HistoryUpkeep:
    """Call ``tick`` every second or so, from one thread.

    The index follows the log at every tick. Every hour the log's file is ended and what can be is sealed; every day old
    events are removed. ``trouble`` says why that failed last, until it works again. Without DuckDB nothing is sealed.
    """

    history: History
    log: EventLog
    settings: HistorySettings = field(default_factory=HistorySettings)
    trouble: str | None = None
    _sealed: float | None = None
    _retained: float | None = None

    def tick(self, now: float | None = None) -> int | None:
        """Index what is new, and do what is due; return how many events were indexed.

        ``None`` if another process is the indexer.

        Raises:
            StoreError: the index failed.
        """
        at = time.time() if now is None else now
        count = self.history.catch_up(seconds=_TEXT_SECONDS)
        if self._sealed is None or self._retained is None:
            self._sealed = self._retained = at
        if at - self._sealed >= _SEAL_SECONDS:
            self._sealed = at
            self._try(self._seal)
        if at - self._retained >= _RETAIN_SECONDS:
            self._retained = at
            self._try(lambda: self._retain(at))
        return count

    def _seal(self) -> None:
        self.log.rotate()
        self.history.seal(settled=_SETTLED_SECONDS)

    def _retain(self, now: float) -> None:
        minutes = now - self.settings.keep_minutes_seconds
        self.history.retain(now - self.settings.keep_seconds, minutes_before=minutes)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StoreError as error:  # another process is at it, the disk is full, or DuckDB is missing: an hour later
            self.trouble = str(error)
            _log.warning("%s", error)
        else:
            self.trouble = None
