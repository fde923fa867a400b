"""Open the intake of a project: its store, its masking, its alert rules and their channels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from proctor.config import Config
from proctor.core.alert_record import AlertChange, RuleLimit
from proctor.core.sockets import Http
from proctor.store.private_files import private_folder
from proctor.wiring.history_settings import event_masker, history_settings, open_history
from proctor.wiring.ingest_settings import IngestSettings, read_ingest
from proctor.workflows.monitor.alert_watch import AlertWatch
from proctor.workflows.monitor.intake import Intake

__all__ = ["WatchedIntake", "open_intake"]


class WatchedIntake:
    """An intake and the alert rules that watch it.

    The rules' database belongs to the thread that opened it: ``tick`` and ``limits`` are called there, while events are
    counted on any thread.
    """

    def __init__(self, intake: Intake, watch: AlertWatch | None) -> None:
        self.intake = intake
        self.watch = watch

    async def tick(self) -> list[AlertChange]:
        """Judge every rule, tell people what has changed, and deliver what waits."""
        if self.watch is None:
            return []
        now = time.time()
        changes = list(self.intake.tick())
        await self.watch.tell(changes, now)
        return changes

    def metrics(self) -> str:
        """Return the figures of events, rules, alerts and messages in Prometheus' text format."""
        return self.watch.metrics(time.time()) if self.watch is not None else ""

    def limits(self) -> list[RuleLimit]:
        """Return the smallest spike that each rule sees at the current traffic."""
        return self.watch.limits(time.time()) if self.watch is not None else []


@contextmanager
def open_intake(
    config: Config, settings: IngestSettings | None = None, *, http: Http | None = None
) -> Iterator[WatchedIntake]:
    """Open the intake of a project; close it at the end. Without ``http`` no alert rule watches it.

    Raises:
        MalformedError: a setting is wrong.
        StoreError: the store cannot be opened.
    """
    chosen = settings or read_ingest(config)
    masker, history = event_masker(config), open_history(config)
    private_folder(config.store)
    watch = AlertWatch(config, http, indexer=history.indexer) if http is not None else None
    intake = Intake(
        config.store,
        alerts=watch.engine if watch is not None else None,
        masker=masker,
        history=history,
        settle=chosen.settle,
        patience=chosen.patience,
        late=chosen.late,
    )
    intake.upkeep.settings = history_settings(config)
    try:
        yield WatchedIntake(intake, watch)
    finally:
        intake.close()
        if watch is not None:
            watch.close()
