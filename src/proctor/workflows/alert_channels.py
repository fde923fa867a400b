"""Tell people of alerts: at once, daily or weekly; from a spool on disk, until the receiver has accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any, Final

from proctor.core.alert_record import AlertChange, AlertRecord
from proctor.core.codec import dumps
from proctor.core.errors import (
    ModelError,
    OverloadedError,
    ProctorError,
    RateLimitedError,
    TimedOutError,
    UnreachableError,
)
from proctor.core.record import dataclass
from proctor.core.sockets import Http
from proctor.models.smtp import MailServer, send_mail
from proctor.monitor.channels.channel_settings import ChannelSettings, EmailReceiver
from proctor.monitor.channels.envelope import envelope_of, grouped
from proctor.monitor.channels.shapes import (
    alertmanager_alerts,
    pagerduty_events,
    plain_text,
    slack_message,
    subject_of,
)
from proctor.store.alert_spool import AlertSpool, SpooledMessage
from proctor.store.alert_state import AlertState
from proctor.wiring.alert_settings import AlertSettings

__all__ = ["AlertNotifier", "ChannelResult", "send_envelope"]

_DAY: Final = 86_400.0
_STILL_OPEN: Final = 300.0  # Alertmanager ends an alert that is not sent again in this time
_SENT_AGAIN: Final = 60.0
_LATER: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_AT_ONCE: Final = "critical"
_MAX_REPLY: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelResult:
    """What became of one message to one channel."""

    channel: str
    delivered: bool
    failure: str = ""


class AlertNotifier:
    """Hands changes of alerts to the channels of their tier.

    Critical ones go out at once. High ones wait for the summary of the day, medium and low ones for that of the week
    (Monday). A message is on disk before its alert counts as told, and is tried again until it is accepted.
    """

    def __init__(self, settings: AlertSettings, state: AlertState, spool: AlertSpool, http: Http) -> None:
        self.settings, self.state, self.spool = settings, state, spool
        self._http = http
        self._pushed = 0.0

    def say(self, changes: Sequence[AlertChange], now: float) -> int:
        """Put the messages about some changes into the spool; return how many."""
        told = [each for each in changes if not each.silenced]
        count = 0
        for group in grouped([each for each in told if each.alert.tier == _AT_ONCE]):
            alerts = [each.alert for each in group]
            first = alerts[0]
            for channel in self.settings.channels_of(first.rule, first.tier):
                envelope = envelope_of(alerts, receiver=channel, url=self.settings.url)
                self.spool.add(channel, envelope, now)
                count += 1
        for each in told:
            self.state.mark_notified(each.alert.number, now, each.kind)
        return count

    def summarise(self, now: float) -> int:
        """Put the summaries that are due into the spool; return how many messages."""
        moment = datetime.fromtimestamp(now, UTC)
        if now % _DAY < self.settings.daily:
            return 0
        kept = dict(self.state.load("summaries") or {})
        today = moment.date().isoformat()
        due: list[tuple[str, tuple[str, ...], float]] = []
        if kept.get("daily") != today:
            due.append(("daily", ("high",), _DAY))
        if moment.weekday() == 0 and kept.get("weekly") != today:
            due.append(("weekly", ("medium", "low"), 7 * _DAY))
        count = 0
        for name, tiers, seconds in due:
            count += self._summary(name, tiers, now - seconds, now)
            kept[name] = today
        if due:
            self.state.save_all({"summaries": kept})
        return count

    def _summary(self, name: str, tiers: tuple[str, ...], since: float, now: float) -> int:
        found = [each for each in self.state.alerts(since=since) if each.tier in tiers]
        silences = self.state.silences(now)
        found = [each for each in found if not any(silence.covers(each, now) for silence in silences)]
        by_channel: dict[str, list[AlertRecord]] = {}
        for alert in found:
            for channel in self.settings.channels_of(alert.rule, alert.tier):
                by_channel.setdefault(channel, []).append(alert)
        for channel, alerts in by_channel.items():
            open_ones = sum(each.is_open for each in alerts)
            title = f"{name.capitalize()} summary: {len(alerts)} alerts ({', '.join(tiers)}), {open_ones} still open"
            day = datetime.fromtimestamp(now, UTC).date().isoformat()
            envelope = envelope_of(
                alerts, receiver=channel, url=self.settings.url, title=title, group=f"summary/{name}/{day}"
            )
            self.spool.add(channel, envelope, now)
        return len(by_channel)

    async def flush(self, now: float) -> list[ChannelResult]:
        """Deliver what is due, in order for each channel; a channel that fails keeps the rest for later."""
        results: list[ChannelResult] = []
        with self.spool.delivering() as free:
            if not free:
                return []
            stuck: set[str] = set()
            for message in self.spool.waiting():
                if message.channel in stuck:
                    continue
                if message.due > now:
                    stuck.add(message.channel)
                    continue
                result = await self._deliver(message, now)
                results.append(result)
                if not result.delivered:
                    stuck.add(message.channel)
            results += await self._push_open(now)
        return results

    async def _deliver(self, message: SpooledMessage, now: float) -> ChannelResult:
        channel = self.settings.channels.get(message.channel)
        if channel is None:
            self.spool.failed(message, "there is no such channel any more", now, final=True)
            return ChannelResult(channel=message.channel, delivered=False, failure="there is no such channel any more")
        try:
            await send_envelope(self._http, channel, message.envelope, now=now)
        except ProctorError as error:
            final = not isinstance(error, (UnreachableError, TimedOutError, OverloadedError, RateLimitedError))
            self.spool.failed(message, error.message, now, final=final)
            return ChannelResult(channel=message.channel, delivered=False, failure=error.message)
        self.spool.delivered(message)
        return ChannelResult(channel=message.channel, delivered=True)

    async def _push_open(self, now: float) -> list[ChannelResult]:
        """Send open alerts to Alertmanager again: there an alert ends that nobody repeats."""
        receivers = {name: each for name, each in self.settings.channels.items() if each.kind == "alertmanager"}
        if not receivers or now - self._pushed < _SENT_AGAIN:
            return []
        self._pushed = now
        silences = self.state.silences(now)
        results = []
        for name, channel in receivers.items():
            alerts = [
                each
                for each in self.state.alerts(open_only=True)
                if name in self.settings.channels_of(each.rule, each.tier)
                and each.notified is not None
                and not any(silence.covers(each, now) for silence in silences)
            ]
            if not alerts:
                continue
            try:
                await send_envelope(
                    self._http, channel, envelope_of(alerts, receiver=name, url=self.settings.url), now=now
                )
                results.append(ChannelResult(channel=name, delivered=True))
            except ProctorError as error:
                results.append(ChannelResult(channel=name, delivered=False, failure=error.message))
        return results


async def send_envelope(http: Http, channel: ChannelSettings, envelope: Mapping[str, Any], *, now: float) -> None:
    """Send one message in the shape of its receiver.

    Raises:
        ModelError: the receiver is unreachable, or refused.
    """
    if channel.webhook is not None:
        await _post(
            http, channel.webhook.url, envelope, channel.webhook.headers, channel.webhook.timeout, "the webhook"
        )
    elif channel.slack is not None:
        await _post(http, channel.slack.url, slack_message(envelope), {}, channel.slack.timeout, "Slack")
    elif channel.pagerduty is not None:
        for event in pagerduty_events(envelope, channel.pagerduty.key):
            await _post(http, channel.pagerduty.url, event, {}, channel.pagerduty.timeout, "PagerDuty")
    elif channel.alertmanager is not None:
        receiver = channel.alertmanager
        body = alertmanager_alerts(envelope, now=now, seconds=_STILL_OPEN)
        url = f"{receiver.url.rstrip('/')}/api/v2/alerts"
        await _post(http, url, body, receiver.headers, receiver.timeout, "Alertmanager")
    elif channel.email is not None:
        receiver_server = MailServer(
            host=channel.email.host,
            port=channel.email.port,
            security=channel.email.security,
            user=channel.email.user,
            password=channel.email.password,
            timeout=channel.email.timeout,
        )
        await send_mail(receiver_server, _mail(channel.email, envelope))


def _mail(receiver: EmailReceiver, envelope: Mapping[str, Any]) -> EmailMessage:
    message = EmailMessage()
    message["From"] = receiver.sender
    message["To"] = ", ".join(receiver.to)
    message["Subject"] = " ".join(subject_of(envelope).split())[:200]
    message["X-Proctor-Group"] = " ".join(str(envelope["groupKey"]).split())[:200]
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(plain_text(envelope))
    if page := envelope.get("page"):
        name = f"{'-'.join(subject_of(envelope).split(':')[0].lower().split())[:80]}.html"
        message.add_attachment(str(page).encode(), maintype="text", subtype="html", filename=name)
    return message


async def _post(http: Http, url: str, body: Any, headers: Mapping[str, str], seconds: float, who: str) -> None:
    reply = await http.request(
        "POST",
        url,
        headers={"Content-Type": "application/json", **headers},
        body=dumps(body),
        timeout=seconds,
        max_bytes=_MAX_REPLY,
    )
    if 200 <= reply.status < 300:
        return
    kind: type[ModelError] = (
        RateLimitedError if reply.status == 429 else OverloadedError if reply.status in _LATER else ModelError
    )
    raise kind(f"{who} answered with status {reply.status}")
