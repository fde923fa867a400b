"""The settings of `guard: {escalate: …}`: where escalated steps are sent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["EscalateSettings", "EscalationWebhook"]

_MAX_RETRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationWebhook:
    """A URL that receives each escalation as JSON by POST.

    With a ``secret`` each request is signed: ``X-Proctor-Signature: t=TIME,v1=HEX``, where HEX is the HMAC-SHA256 of
    ``TIME.BODY``. A failed request is repeated ``retries`` times, first after ``backoff`` seconds; the delay doubles
    each time.
    """

    SHORTHAND = "url"

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    secret: str | None = field(default=None, repr=False)
    timeout: float = 10.0
    retries: int = 4
    backoff: float = 0.5

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ValueError("url must begin with http:// or https://")
        if self.secret is not None and not self.secret:
            raise ValueError("secret is empty; give it a value, or leave it out")
        for name in ("timeout", "backoff"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"{name} must be more than 0 seconds, not {getattr(self, name):g}")
        if not 0 <= self.retries <= _MAX_RETRIES:
            raise ValueError(f"retries must be from 0 to {_MAX_RETRIES}, not {self.retries}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalateSettings:
    """The receivers of an escalated step: a webhook, a function, and the review queue.

    ``callable`` is ``module:function`` or ``file.py:function``, plain or async; it is called with the escalation as a
    mapping. ``content`` sets whether texts are masked as in the guard's log or sent unchanged. At most ``waiting``
    escalations are queued; further ones are dropped and counted.
    """

    webhook: EscalationWebhook | None = None
    callable: str | None = None
    queue: bool = True
    content: Literal["masked", "full"] = "masked"
    waiting: int = 1_000
    timeout: float = 30.0

    def __post_init__(self) -> None:
        if self.waiting < 1:
            raise ValueError(f"waiting must be at least 1, not {self.waiting}")
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")

    @property
    def has_receiver(self) -> bool:
        """Whether there is a receiver besides the review queue."""
        return self.webhook is not None or self.callable is not None
