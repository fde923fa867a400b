"""Send a test message to channels and say what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from proctor.config import Config
from proctor.core.alert_record import AlertRecord
from proctor.core.decode import closest
from proctor.core.errors import NotFoundError, ProctorError
from proctor.monitor.channels.envelope import envelope_of
from proctor.monitor.watched_rule import fingerprint_of
from proctor.project import Project
from proctor.wiring.alert_settings import alert_settings_of
from proctor.workflows.alert_channels import ChannelResult, send_envelope

__all__ = ["send_tests"]


async def send_tests(config: Config, names: Sequence[str] = ()) -> list[ChannelResult]:
    """Send a test alert of the lowest tier to channels (default: all).

    Raises:
        NotFoundError: there is no such channel, or none at all.
        MalformedError: something under `alerts:` is wrong.
    """
    settings = alert_settings_of(config)
    for name in names:
        if name not in settings.channels:
            guess = closest(name, settings.channels)
            hint = f"did you mean {guess!r}?" if guess else f"known: {', '.join(settings.channels) or 'none'}"
            raise NotFoundError(f"there is no channel {name!r}", hint=hint)
    chosen = list(names) or list(settings.channels)
    if not chosen:
        hint = "add e.g. `alerts: {channels: {desk: {slack: https://…}}}` to proctor.yaml"
        raise NotFoundError("there is no channel", hint=hint)
    now = time.time()
    fired = AlertRecord(
        fingerprint=fingerprint_of("test", {}, str(now)),
        rule="test",
        kind="test",
        tier="low",
        message="this is a test of the channel; nothing is wrong",
        started=now,
        fired=now,
        updated=now,
        window_start=now,
        window_end=now,
    )
    ended = replace(fired, resolved=now + 0.001, state="resolved")
    async with Project(config) as project:

        async def send(name: str) -> ChannelResult:
            channel = settings.channels[name]
            # What opens an incident closes it too.
            alerts = [fired, ended] if channel.kind in ("pagerduty", "alertmanager") else [fired]
            try:
                for alert in alerts:
                    envelope = envelope_of([alert], receiver=name, url=settings.url)
                    await send_envelope(project.http, channel, envelope, now=now)
            except ProctorError as error:
                return ChannelResult(channel=name, delivered=False, failure=error.message)
            return ChannelResult(channel=name, delivered=True)

        return list(await asyncio.gather(*(send(name) for name in chosen)))
