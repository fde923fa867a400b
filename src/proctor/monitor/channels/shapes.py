"""The envelope in the shape of each receiver: Slack, PagerDuty, Alertmanager's own API, and text for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

__all__ = ["alertmanager_alerts", "pagerduty_events", "plain_text", "slack_message", "subject_of"]

_SEVERITIES: Final = {"critical": "critical", "high": "error", "medium": "warning", "low": "info"}
_SLACK_TEXT: Final = 3_000  # Slack's limits: a header, a section, and blocks in a message
_SLACK_HEADER: Final = 150
_SLACK_BLOCKS: Final = 50
_SLACK_TEXTS: Final = 4  # a digest has at most so many full sections
_SUMMARY: Final = 1_024  # PagerDuty's limit
_FACTS: Final = ("window", "counts", "value", "baseline", "statistic", "threshold", "moved", "examples")
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def subject_of(envelope: Mapping[str, Any]) -> str:
    """Return one line that says what happened."""
    alerts = envelope["alerts"]
    if title := envelope["commonAnnotations"].get("title"):
        return str(title)
    firing = sum(each["status"] == "firing" for each in alerts)
    word = f"FIRING {firing}" if firing else f"RESOLVED {len(alerts)}"
    first = alerts[0]["annotations"]["summary"] if alerts else "nothing"
    return f"[{word}] {first}"


def plain_text(envelope: Mapping[str, Any]) -> str:
    """Return the whole message as text, for e-mail and terminals; a digest is text already."""
    if text := envelope["commonAnnotations"].get("text"):
        return f"{text}\n"
    pieces = []
    for alert in envelope["alerts"]:
        notes = alert["annotations"]
        slices = [
            f"{name} {value}" for name, value in alert["labels"].items() if name in ("intent", "model", "version")
        ]
        lines = [f"{alert['status'].upper()} {notes['summary']}"]
        lines += [f"  tier: {alert['labels']['severity']}", f"  since: {alert['startsAt']}"]
        lines += [f"  of: {', '.join(slices)}"] if slices else []
        lines += [
            f"  {name}: {notes[name]}" for name in (*_FACTS, "acknowledged", "note", "runbook_url") if name in notes
        ]
        if alert["generatorURL"]:
            lines.append(f"  {alert['generatorURL']}")
        pieces.append("\n".join(lines))
    return "\n\n".join(pieces) + "\n"


def slack_message(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body for an incoming webhook of Slack."""
    subject = subject_of(envelope)
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": _cut(subject, _SLACK_HEADER), "emoji": False}}
    ]
    text = str(envelope["commonAnnotations"].get("text", ""))
    for start in range(0, min(len(text), _SLACK_TEXT * _SLACK_TEXTS), _SLACK_TEXT // 2):  # escapes need room
        part = _cut(_safe(text[start : start + _SLACK_TEXT // 2]), _SLACK_TEXT)
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": part}})
    for alert in envelope["alerts"][: _SLACK_BLOCKS - 2]:
        notes = alert["annotations"]
        lines = [f"*{alert['status'].upper()}* ({alert['labels']['severity']}) {_safe(notes['summary'])}"]
        lines += [f"{name}: {_safe(notes[name])}" for name in _FACTS if name in notes]
        if alert["generatorURL"]:
            lines.append(f"<{alert['generatorURL']}|alert {notes.get('number', '')}>")
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": _cut("\n".join(lines), _SLACK_TEXT)}})
    left = len(envelope["alerts"]) - (_SLACK_BLOCKS - 2)
    if left > 0:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": f"and {left} more"}]})
    return {"text": _cut(_safe(subject), _SLACK_TEXT), "blocks": blocks}


def pagerduty_events(envelope: Mapping[str, Any], routing_key: str) -> list[dict[str, Any]]:
    """Return the events of PagerDuty's API version 2, one for each alert; the fingerprint joins trigger and resolve."""
    made = []
    for alert in envelope["alerts"]:
        event: dict[str, Any] = {
            "routing_key": routing_key,
            "dedup_key": alert["fingerprint"],
            "event_action": "trigger" if alert["status"] == "firing" else "resolve",
            "client": "Proctor",
        }
        if alert["status"] == "firing":
            event["payload"] = {
                "summary": _cut(alert["annotations"]["summary"], _SUMMARY),
                "source": alert["labels"].get("service", "proctor"),
                "severity": _SEVERITIES.get(alert["labels"]["severity"], "warning"),
                "timestamp": alert["startsAt"],
                "component": alert["labels"]["alertname"],
                "group": envelope["groupKey"],
                "class": alert["labels"].get("kind", ""),
                "custom_details": {**alert["labels"], **alert["annotations"]},
            }
            if alert["generatorURL"]:
                event["client_url"] = alert["generatorURL"]
            if runbook := alert["annotations"].get("runbook_url"):
                event["links"] = [{"href": runbook, "text": "Runbook"}]
        made.append(event)
    return made


def alertmanager_alerts(envelope: Mapping[str, Any], *, now: float, seconds: float) -> list[dict[str, Any]]:
    """Return the body for `/api/v2/alerts` of Alertmanager; an open alert ends by itself unless it is sent again."""
    until = (datetime.fromtimestamp(now, UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
    made = []
    for alert in envelope["alerts"]:
        entry: dict[str, Any] = {
            "labels": {name: value for name, value in alert["labels"].items() if value},
            "annotations": {name: value for name, value in alert["annotations"].items() if value},
            "startsAt": alert["startsAt"],
            "endsAt": until if alert["status"] == "firing" else alert["endsAt"],
        }
        if alert["generatorURL"]:
            entry["generatorURL"] = alert["generatorURL"]
        made.append(entry)
    return made


def _safe(text: str) -> str:
    """Return text that Slack shows unchanged: no links, no mentions."""
    return text.translate(_ESCAPES)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
