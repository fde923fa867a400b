"""Send a digest through the channels of proctor.yaml."""

from __future__ import annotations

import dataclasses
import io
from datetime import UTC, datetime
from typing import Any, Final

from proctor.config import Config
from proctor.core.codec import encode
from proctor.core.decode import closest
from proctor.core.digest import PeriodDigest
from proctor.core.errors import NotFoundError
from proctor.monitor.channels.envelope import envelope_of
from proctor.project import Project
from proctor.report.digest_report import DIGEST_REPORT
from proctor.report.digest_text import digest_title, headline_text, short_text
from proctor.store.alert_spool import AlertSpool
from proctor.wiring.alert_settings import AlertSettings, alert_settings_of
from proctor.wiring.monitor_state import open_alert_state
from proctor.workflows.alert_channels import AlertNotifier, ChannelResult
from proctor.workflows.monitor.digest_settings import digest_settings

__all__ = ["check_digest_channels", "send_digest"]

_PAGERS: Final = ("pagerduty", "alertmanager")  # receivers of alerts alone


async def send_digest(config: Config, digest: PeriodDigest) -> list[ChannelResult]:
    """Put the digest into the spool of each channel and deliver it; what fails is tried again later.

    E-mail gets the page as an attachment, a webhook all figures as JSON. Pagers get no digests.

    Raises:
        NotFoundError: no channel is set up, or one is named that does not exist.
        MalformedError: something under `alerts:` is wrong.
        StoreError: the spool cannot be written.
    """
    settings = alert_settings_of(config)
    chosen = _channels(config, settings)
    now = datetime.now(UTC).timestamp()
    spool = AlertSpool(config.store)
    for name in chosen:
        spool.add(name, _envelope(digest, name, settings), now)
    async with Project(config) as project:
        with open_alert_state(config) as state:
            results = await AlertNotifier(settings, state, spool, project.http).flush(now)
    told = {each.channel: each for each in results}
    waiting = "an earlier message waits for this channel"
    return [told.get(name) or ChannelResult(channel=name, delivered=False, failure=waiting) for name in chosen]


def check_digest_channels(config: Config) -> None:
    """Check that every channel named under `monitor: {digest: …}` takes digests.

    Raises:
        NotFoundError: there is no such channel.
        MalformedError: something under `alerts:` or `monitor: {digest: …}` is wrong.
    """
    if digest_settings(config).channels:
        _channels(config, alert_settings_of(config))


def _channels(config: Config, settings: AlertSettings) -> list[str]:
    readers = [name for name, channel in settings.channels.items() if channel.kind not in _PAGERS]
    named = digest_settings(config).channels
    for name in named:
        if name not in readers:
            guess = closest(name, readers)
            hint = f"did you mean {guess!r}?" if guess else f"channels for digests: {', '.join(readers) or 'none'}"
            raise NotFoundError(
                f"no digest can be sent to a channel {name!r}", field="monitor.digest.channels", hint=hint
            )
    if not readers:
        hint = "add e.g. `alerts: {channels: {desk: {slack: https://…}}}` to proctor.yaml"
        raise NotFoundError("there is no channel that takes a digest", hint=hint)
    return list(named) or readers


def _envelope(digest: PeriodDigest, channel: str, settings: AlertSettings) -> dict[str, Any]:
    title = f"{digest_title(digest)}: {headline_text(digest)}"
    group = f"digest/{digest.period.kind}/{digest.period.name}"
    made = envelope_of([], receiver=channel, url=settings.url, title=title, group=group)
    made["commonAnnotations"]["text"] = short_text(digest)
    kind = settings.channels[channel].kind
    if kind == "email":
        page = io.StringIO()
        DIGEST_REPORT.writers[".html"](digest, page)
        made["page"] = page.getvalue()
    elif kind == "webhook":
        made["digest"] = encode(dataclasses.replace(digest, slots=()))
    return made
