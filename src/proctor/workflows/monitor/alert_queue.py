"""Put high alerts into the review queue, each once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from proctor.config import Config
from proctor.core.alert_record import AlertRecord
from proctor.store.alert_state import ALERTS_FILE, AlertState
from proctor.store.review import ALERT, ReviewItem, add_items, open_count
from proctor.store.runs import RunStore

__all__ = ["QueuedAlerts", "queue_alerts", "review_item_of", "review_key"]

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
    if not (config.store / ALERTS_FILE).is_file():
        return QueuedAlerts()
    with AlertState(config.store) as state:
        found = [alert for alert in state.alerts(limit=100_000) if alert.tier == _TIER]
    with RunStore(config.store) as store:
        added = add_items(store, _items(reversed(found)))
        return QueuedAlerts(alerts=len(found), added=added, waiting=open_count(store, origin=ALERT))


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
