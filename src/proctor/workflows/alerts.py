"""Telling somebody: an alert on record, and to the address that proctor.yaml names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proctor.config import Config, expand
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, ModelError, Problem
from proctor.core.event import Alert
from proctor.project import Project
from proctor.store.alerts import keep_alert
from proctor.store.runs import RunStore

__all__ = ["AlertDelivery", "Webhook", "tell_somebody", "webhook_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that takes an alert as JSON."""

    SHORTHAND = "url"

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"a webhook is an address that begins with http:// or https://, not {self.url!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertDelivery:
    """Where an alert went; ``failure`` says why the webhook did not take it."""

    path: Path
    delivered: bool = False
    failure: str = ""


def webhook_of(config: Config) -> Webhook | None:
    """The address under `alerts: {webhook: …}`; none when there is none.

    Raises:
        MalformedError: what stands there is no address, or needs a variable that is not set.
    """
    written = config.settings.alerts.get("webhook")
    if written is None:
        return None
    try:
        return decode(Webhook, expand(written, config.environment), strict=True)
    except MalformedError as error:
        problems = [Problem(("alerts", "webhook", *each.path), each.message, each.hint) for each in error.problems]
        raise MalformedError(problems, file=str(config.path) if config.path else None) from error


async def tell_somebody(config: Config, store: RunStore, alert: Alert, webhook: Webhook | None) -> AlertDelivery:
    """Put an alert on record and send it; an address that does not answer is told, and loses nothing.

    Raises:
        StoreError: the alert cannot be put on record.
    """
    path = keep_alert(store, alert)
    if webhook is None:
        return AlertDelivery(path=path)
    headers = {"Content-Type": "application/json", **webhook.headers}
    try:
        async with Project(config) as project:
            reply = await project.http.request(
                "POST", webhook.url, headers=headers, body=dumps(alert), timeout=webhook.timeout, max_bytes=100_000
            )
    except ModelError as error:
        return AlertDelivery(path=path, failure=error.message)
    if reply.status >= 300:
        return AlertDelivery(path=path, failure=f"the webhook answered with status {reply.status}")
    return AlertDelivery(path=path, delivered=True)
