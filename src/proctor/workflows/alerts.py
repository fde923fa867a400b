"""Record alerts of releases and attacks, and send them to the webhook and the channels in proctor.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proctor.config import Config, expand
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, ModelError, Problem
from proctor.core.event import Alert
from proctor.core.sockets import Http
from proctor.project import Project
from proctor.store.alerts import keep_alert
from proctor.store.runs import RunStore

__all__ = ["AlertDelivery", "Webhook", "send_alert", "webhook_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A URL that receives an alert as JSON."""

    SHORTHAND = "url"

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"a webhook is an address that begins with http:// or https://, not {self.url!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDelivery:
    """Where an alert was sent; ``failure`` is the webhook's error, if any."""

    path: Path
    delivered: bool = False
    failure: str = ""


def webhook_of(config: Config) -> Webhook | None:
    """Return the webhook under `alerts: {webhook: …}`, or none.

    Raises:
        MalformedError: the value is not a URL, or needs a variable that is not set.
    """
    written = config.settings.alerts.get("webhook")
    if written is None:
        return None
    try:
        return decode(Webhook, expand(written, config.environment), strict=True)
    except MalformedError as error:
        problems = [Problem(("alerts", "webhook", *each.path), each.message, each.hint) for each in error.problems]
        raise MalformedError(problems, file=str(config.path) if config.path else None) from error


async def send_alert(config: Config, store: RunStore, alert: Alert, webhook: Webhook | None) -> AlertDelivery:
    """Record an alert and send it; an error of the webhook is reported, and the record is kept.

    The `channels:` get it too, in their envelope, from the spool: one that does not answer is tried again by
    `proctor serve`.

    Raises:
        StoreError: the alert cannot be recorded.
        MalformedError: a channel is wrong.
    """
    path = keep_alert(store, alert)
    channels = bool(config.settings.alerts.get("channels"))
    if webhook is None and not channels:
        return AlertDelivery(path=path)
    async with Project(config) as project:
        failures = await _tell_channels(config, alert, project.http) if channels else []
        if webhook is not None:
            failures += await _post(webhook, alert, project.http)
    return AlertDelivery(path=path, delivered=not failures, failure="; ".join(failures))


async def _post(webhook: Webhook, alert: Alert, http: Http) -> list[str]:
    """Send the alert unchanged; return the failure, if any."""
    headers = {"Content-Type": "application/json", **webhook.headers}
    try:
        reply = await http.request(
            "POST", webhook.url, headers=headers, body=dumps(alert), timeout=webhook.timeout, max_bytes=100_000
        )
    except ModelError as error:
        return [error.message]
    return [f"the webhook answered with status {reply.status}"] if reply.status >= 300 else []


async def _tell_channels(config: Config, alert: Alert, http: Http) -> list[str]:
    # A run that raises no alert, or has no channels, loads none of these.
    from proctor.core.alert_record import AlertRecord  # noqa: PLC0415
    from proctor.monitor.channels.envelope import envelope_of  # noqa: PLC0415
    from proctor.monitor.watched_rule import fingerprint_of  # noqa: PLC0415
    from proctor.store.alert_spool import AlertSpool  # noqa: PLC0415
    from proctor.wiring.alert_settings import alert_settings_of  # noqa: PLC0415
    from proctor.wiring.monitor_state import open_alert_state  # noqa: PLC0415
    from proctor.workflows.alert_channels import AlertNotifier  # noqa: PLC0415

    now, settings = alert.time.timestamp(), alert_settings_of(config)
    record = AlertRecord(
        fingerprint=fingerprint_of(alert.rule, {}, alert.key),
        rule=alert.rule,
        kind="release",
        tier=alert.tier,
        message=alert.message,
        started=now,
        fired=now,
        updated=now,
        window_start=now,
        window_end=now,
        value=alert.value,
        threshold=alert.threshold,
        resolved=alert.resolved.timestamp() if alert.resolved else None,
    )
    spool = AlertSpool(config.store)
    for name in settings.channels_of(alert.rule, alert.tier):
        if name in config.settings.alerts["channels"]:  # the webhook beside them gets the alert unchanged
            spool.add(name, envelope_of([record], receiver=name, url=settings.url), now)
    with open_alert_state(config) as state:
        results = await AlertNotifier(settings, state, spool, http).flush(now)
    return [f"{each.channel}: {each.failure}" for each in results if not each.delivered]
