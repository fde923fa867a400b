"""Put high alerts into the review queue, each once, and tell the channels what is due."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from proctor.config import Config
from proctor.core.alert_record import AlertChange, AlertRecord
from proctor.project import Project
from proctor.store.alert_spool import AlertSpool
from proctor.store.alert_state import ALERTS_FILE
from proctor.store.review import ALERT, ReviewItem, add_items, open_count
from proctor.store.runs import RunStore
from proctor.wiring.alert_settings import alert_settings_of
from proctor.wiring.monitor_state import open_alert_state, state_url
from proctor.workflows.alert_channels import AlertNotifier, ChannelResult

__all__ = ["QueuedAlerts", "queue_alerts", "review_item_of", "review_key", "tell_channels"]

_TIER = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedAlerts:
    """How many high alerts there are, how many of them are new in the queue, and how many wait."""

    alerts: int = 0
    added: int = 0
    waiting: int = 0


def queue_alerts(config: Config) -> QueuedAlerts:
    """Add every high alert to the queue that is not in it; one that was reviewed is not added again.

    Raises:
        StoreError: the store cannot be read or written.
    """
    if not (config.store / ALERTS_FILE).is_file() and state_url(config) is None:
        return QueuedAlerts()
    with open_alert_state(config) as state:
        found = [alert for alert in state.alerts(limit=100_000) if alert.tier == _TIER]
    with RunStore(config.store) as store:
        added = add_items(store, _items(reversed(found)))
        return QueuedAlerts(alerts=len(found), added=added, waiting=open_count(store, origin=ALERT))


async def tell_channels(config: Config, changes: Sequence[AlertChange], now: float) -> list[ChannelResult]:
    """Hand changes of alerts and the summaries that are due to the channels; nothing without channels.

    Raises:
        MalformedError: something under `alerts:` is wrong.
        StoreError: the spool cannot be written.
    """
    settings = alert_settings_of(config)
    if not settings.channels:
        return []
    async with Project(config) as project:
        with open_alert_state(config) as state:
            notifier = AlertNotifier(settings, state, AlertSpool(config.store), project.http)
            notifier.say(changes, now)
            notifier.summarise(now)
            return await notifier.flush(now)


def _items(alerts: Iterable[AlertRecord]) -> Iterable[ReviewItem]:
    return (review_item_of(alert) for alert in alerts)


def review_key(alert: AlertRecord) -> str:
    """Return the name of an alert in the queue."""
    return f"alert-{alert.number}"


def review_item_of(alert: AlertRecord) -> ReviewItem:
    """Return an alert as an item of the queue: its number makes it one item, however often it is seen."""
    fired = datetime.fromtimestamp(alert.fired, UTC)
    return ReviewItem(
        origin=ALERT,
        run="",
        target=alert.rule,
        case_id=review_key(alert),
        intent=alert.slice.get("intent"),
        dimension=alert.rule,
        part=alert.kind,
        before=alert.baseline,
        after=alert.value,
        reason=f"{fired:%Y-%m-%d %H:%M} UTC: {alert.message}",
    )
