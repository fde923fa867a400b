"""What a server does for its history now and then: index, seal, retain."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from proctor.core.errors import StoreError
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.wiring.history_settings import HistorySettings

__all__ = ["HistoryUpkeep"]

_SEAL_SECONDS: Final = 3_600.0
_RETAIN_SECONDS: Final = 86_400.0
_TEXT_SECONDS: Final = 0.5  # of each tick for the search, so that the rollups are never late


@dataclass(slots=True, kw_only=True)
class HistoryUpkeep:
    """Call ``tick`` every second or so, from one thread; it never raises.

    The index follows the log at every tick. Every hour the log's file is ended and what can be is sealed; every day old
    events are removed. ``trouble`` says what went wrong last, until it works again. Without DuckDB nothing is sealed.
    """

    history: History
    log: EventLog
    settings: HistorySettings = field(default_factory=HistorySettings)
    trouble: str | None = None
    _sealed: float | None = None
    _retained: float | None = None

    def tick(self, now: float | None = None) -> int | None:
        """Index what is new, and do what is due; return how many events were indexed.

        ``None`` if another process is the indexer, or the index failed.
        """
        at = time.time() if now is None else now
        try:
            count = self.history.catch_up(seconds=_TEXT_SECONDS)
            if self._sealed is None:
                self._sealed = self._retained = at
            elif at - self._sealed >= _SEAL_SECONDS:
                self._sealed = at
                self.log.rotate()
                self.history.seal()
            if self._retained is not None and at - self._retained >= _RETAIN_SECONDS:
                self._retained = at
                keep, minutes = self.settings.keep_seconds, self.settings.keep_minutes_seconds
                self.history.retain(at - keep, minutes_before=at - minutes)
        except StoreError as error:
            self.trouble = str(error)
            return None
        self.trouble = None
        return count
