"""The envelope of every message about alerts: version 4 of Alertmanager's webhook, which many receivers read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.alert_record import AlertChange, AlertRecord
from proctor.core.codec import encode

__all__ = ["annotations_of", "envelope_of", "grouped", "labels_of", "shown_time"]

_NEVER: Final = "0001-01-01T00:00:00Z"  # how Alertmanager writes that an alert has not ended
_LONGEST: Final = 2_000


def grouped(changes: Sequence[AlertChange]) -> list[list[AlertChange]]:
    """Return changes in groups of one rule and status: a group is one message."""
    groups: dict[tuple[str, bool], list[AlertChange]] = {}
    for change in changes:
        groups.setdefault((change.alert.rule, change.kind == "resolved"), []).append(change)
    return list(groups.values())


def envelope_of(
    alerts: Sequence[AlertRecord], *, receiver: str, url: str = "", title: str = "", group: str = ""
) -> dict[str, Any]:
    """Return the message about some alerts; ``title`` is what happened, for summaries of several rules."""
    entries = [_entry(each, url) for each in alerts]
    firing = any(each["status"] == "firing" for each in entries)
    labels = _shared([each["labels"] for each in entries])
    rule = labels.get("alertname", "")
    return {
        "version": "4",
        "groupKey": group or f'{{}}:{{alertname="{rule}"}}',
        "truncatedAlerts": 0,
        "status": "firing" if firing else "resolved",
        "receiver": receiver,
        "groupLabels": {"alertname": rule} if rule else {},
        "commonLabels": labels,
        "commonAnnotations": {
            **_shared([each["annotations"] for each in entries]),
            **({"title": title} if title else {}),
        },
        "externalURL": url,
        "alerts": entries,
    }


def labels_of(alert: AlertRecord) -> dict[str, str]:
    """Return the identity of an alert; nothing in it changes while the alert is open."""
    labels = {"alertname": alert.rule, "severity": alert.tier, "kind": alert.kind, "service": "proctor"}
    if alert.problem:
        labels["problem"] = alert.problem
    return {**labels, **{name: value[:200] for name, value in alert.slice.items()}}


def annotations_of(alert: AlertRecord, *, runbook: str = "") -> dict[str, str]:
    """Return what a person reads: the message, the window, the numbers, the slice that moved, examples."""
    found = {
        "summary": f"{alert.rule}: {alert.message}"[:_LONGEST],
        "window": f"{shown_time(alert.window_start)} to {shown_time(alert.window_end)}",
        "number": str(alert.number),
    }
    if alert.events:
        found["counts"] = f"{alert.bad} of {alert.events}"
    for name in ("value", "baseline", "statistic", "threshold"):
        if (value := getattr(alert, name)) is not None:
            found[name] = f"{value:.4g}"
    if alert.moved:
        found["moved"] = "; ".join(
            f"{each.dimension} {each.value}: {each.bad} of {each.events}, expected {each.expected:.3g}"
            for each in alert.moved
        )[:_LONGEST]
    if alert.examples:
        found["examples"] = ", ".join(alert.examples)[:_LONGEST]
    if alert.acked_by:
        found["acknowledged"] = f"by {alert.acked_by}"
    if alert.note:
        found["note"] = alert.note[:_LONGEST]
    if runbook:
        found["runbook_url"] = runbook
    return found


def shown_time(seconds: float) -> str:
    """Return a time as RFC 3339 writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _entry(alert: AlertRecord, url: str) -> dict[str, Any]:
    return {
        "status": "firing" if alert.is_open else "resolved",
        "labels": labels_of(alert),
        "annotations": annotations_of(alert),
        "startsAt": shown_time(alert.fired),
        "endsAt": _NEVER if alert.resolved is None else shown_time(alert.resolved),
        "generatorURL": f"{url.rstrip('/')}/ui/alerts/{alert.number}" if url else "",
        "fingerprint": alert.fingerprint,
        "details": encode(alert),
    }


def _shared(each: Sequence[Mapping[str, str]]) -> dict[str, str]:
    if not each:
        return {}
    return {name: value for name, value in each[0].items() if all(other.get(name) == value for other in each)}
