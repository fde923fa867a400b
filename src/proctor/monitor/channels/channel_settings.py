"""The settings of channels: exactly one receiver each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

__all__ = [
    "AlertmanagerReceiver",
    "ChannelSettings",
    "EmailReceiver",
    "HttpReceiver",
    "PagerDutyReceiver",
    "SlackReceiver",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReceiver:
    """A URL that receives the envelope as JSON by POST."""

    SHORTHAND = "url"

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        _check_url(self.url, self.timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackReceiver:
    """The URL of an incoming webhook of Slack (or of Mattermost, which reads the same)."""

    SHORTHAND = "url"

    url: str = field(repr=False)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        _check_url(self.url, self.timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagerDutyReceiver:
    """The routing key of a service in PagerDuty, by events API version 2."""

    SHORTHAND = "key"

    key: str = field(repr=False)
    url: str = "https://events.pagerduty.com/v2/enqueue"
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not self.key.strip():
            raise ValueError("key must be the routing key of a service")
        _check_url(self.url, self.timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertmanagerReceiver:
    """The address of Alertmanager; alerts are pushed to its API version 2, and again while they are open."""

    SHORTHAND = "url"

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 10.0

    def __post_init__(self) -> None:
        _check_url(self.url, self.timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailReceiver:
    """Addresses, and the SMTP server that takes mail for them."""

    to: tuple[str, ...]
    sender: str
    host: str = "localhost"
    port: int = 25
    security: Literal["none", "starttls", "tls"] = "none"
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout: float = 20.0

    def __post_init__(self) -> None:
        if not self.to:
            raise ValueError("`to` needs at least one address")
        for address in (*self.to, self.sender):
            if address.count("@") != 1 or any(c.isspace() for c in address):
                raise ValueError(f"{address!r} is no e-mail address")
        if not 0 < self.port < 65_536:
            raise ValueError(f"port must be from 1 to 65535, not {self.port}")
        if (self.user is None) != (self.password is None):
            raise ValueError("`user` and `password` go together")
        if self.password is not None and self.security == "none" and self.host not in ("localhost", "127.0.0.1", "::1"):
            raise ValueError("a password is sent only over starttls or tls")
        _check_timeout(self.timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """One channel: a webhook, Slack, PagerDuty, e-mail or Alertmanager."""

    webhook: HttpReceiver | None = None
    slack: SlackReceiver | None = None
    pagerduty: PagerDutyReceiver | None = None
    email: EmailReceiver | None = None
    alertmanager: AlertmanagerReceiver | None = None

    def __post_init__(self) -> None:
        chosen = [each.name for each in fields(self) if getattr(self, each.name) is not None]
        if len(chosen) != 1:
            known = ", ".join(each.name for each in fields(self))
            raise ValueError(f"a channel has exactly one of {known}; found {' and '.join(chosen) or 'none'}")

    @property
    def kind(self) -> str:
        """The kind of receiver."""
        return next(each.name for each in fields(self) if getattr(self, each.name) is not None)


def _check_url(url: str, timeout: float) -> None:
    if not url.startswith(("http://", "https://")):
        raise ValueError("url must begin with http:// or https://")  # not quoted: it may contain a secret
    _check_timeout(timeout)


def _check_timeout(timeout: float) -> None:
    if not (math.isfinite(timeout) and timeout > 0):
        raise ValueError(f"timeout must be more than 0 seconds, not {timeout:g}")
