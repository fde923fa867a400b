"""Events in, messages out: the engine, its state and the channels of one project as one object."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor.config import Config
from proctor.core.alert_record import AlertChange, RuleLimit
from proctor.core.event_row import EventRow
from proctor.core.sockets import Http
from proctor.report.exposition import alert_metrics, exposition, live_metrics
from proctor.store.alert_spool import AlertSpool
from proctor.store.event_indexer import EventIndexer
from proctor.wiring.alert_settings import alert_settings_of, engine_of
from proctor.wiring.monitor_state import open_alert_state
from proctor.workflows.alert_channels import AlertNotifier
from proctor.workflows.monitor.alert_leader import AlertLeader, LeadingEngine, alert_rules_of

__all__ = ["AlertWatch"]


class AlertWatch:
    """Watches the events of a project and tells people; ``http`` is the pool that messages go through.

    With an ``indexer``, several servers that share the state watch the events of all of them, and one decides.
    """

    def __init__(
        self,
        config: Config,
        http: Http,
        *,
        clock: Callable[[], float] | None = None,
        save_every: float = 10.0,
        indexer: EventIndexer | None = None,
    ) -> None:
        self.state = open_alert_state(config)
        self.engine: LeadingEngine | AlertLeader = (
            engine_of(config, self.state, clock=clock, save_every=save_every)
            if indexer is None
            else alert_rules_of(config, indexer, self.state, clock=clock, save_every=save_every)
        )
        self.notifier = AlertNotifier(alert_settings_of(config), self.state, AlertSpool(config.store), http)

    def observe(self, row: EventRow, arrived: float | None = None) -> None:
        """Count one new event."""
        self.engine.observe(row, arrived)

    async def tick(self, now: float) -> list[AlertChange]:
        """Judge every rule, tell people what has changed, and deliver what is waiting."""
        changes = self.engine.tick(now)
        await self.tell(changes, now)
        return changes

    async def tell(self, changes: Sequence[AlertChange], now: float) -> None:
        """Tell people what has changed, and deliver what is waiting.

        Raises:
            StoreError: the spool cannot be written; the next tick returns these changes again.
        """
        try:
            self.notifier.say(changes, now)
        except BaseException:
            self.engine.take_back(changes)
            raise
        if self.engine.leads:
            self.notifier.summarise(now)
        await self.notifier.flush(now)

    def limits(self, now: float) -> list[RuleLimit]:
        """Return the smallest spike that each rule sees at the current traffic."""
        return self.engine.limits(now)

    def metrics(self, now: float) -> str:
        """Return all figures in Prometheus' text format."""
        spool = self.notifier.spool
        alerts = alert_metrics(
            self.state.alerts(open_only=True),
            self.engine.status(now),
            waiting=len(spool.waiting()),
            dead=len(spool.dead()),
        )
        return exposition([*live_metrics(self.engine.figures()), *alerts])

    def close(self, now: float | None = None) -> None:
        """Keep everything, and let another process go on."""
        self.engine.close(now)
        self.state.close()
