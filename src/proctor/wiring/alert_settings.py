"""The settings under `alerts:`: rules, channels, which tier goes to which channel, and when."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.config import Config, expand
from proctor.core.alert_record import AlertStore
from proctor.core.decode import closest, decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.handoff import CATEGORIES
from proctor.core.verdict import Severity
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import AlertRule, rules_of
from proctor.monitor.channels.channel_settings import ChannelSettings, HttpReceiver
from proctor.registry import names

__all__ = ["AlertSettings", "alert_settings_of", "engine_of", "known_signals"]

_TIERS: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low")
_CLOCK: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_PAGERS: Final = frozenset({"pagerduty", "alertmanager"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """`alerts:` as it is written."""

    webhook: Any = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    false_pages: float = 1.0
    channels: Mapping[str, Any] = field(default_factory=dict)
    routes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    daily: str = "09:00"
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSettings:
    """All that is set about alerts: ``routes`` are the channels of each tier, ``daily`` when summaries go out (UTC)."""

    rules: tuple[AlertRule, ...]
    channels: Mapping[str, ChannelSettings]
    routes: Mapping[str, tuple[str, ...]]
    daily: float = 9 * 3600.0
    url: str = ""

    def channels_of(self, rule: str, tier: str) -> tuple[str, ...]:
        """Return the channels for a rule's alerts."""
        own = next((each.channels for each in self.rules if each.name == rule), ())
        return own or self.routes.get(tier, ())


def alert_settings_of(config: Config) -> AlertSettings:
    """Return the settings under `alerts:`.

    Raises:
        MalformedError: a rule, a channel or a route is wrong; all of them are named with their fields.
    """
    file = str(config.path) if config.path else None
    written = _decoded(config, file)
    problems: list[Problem] = []
    channels = _channels(config, written, problems)
    try:
        rules = rules_of(
            written.rules,
            known=known_signals() | set(written.signals),
            false_pages=written.false_pages,
            channels=channels,
        )
    except MalformedError as error:
        problems += error.problems
        rules = ()
    routes = _routes(written, channels, problems)
    if not _CLOCK.fullmatch(written.daily):
        problems.append(Problem(("alerts", "daily"), f"expected a time such as 09:00, found {written.daily!r}"))
    if written.url and not written.url.startswith(("http://", "https://")):
        problems.append(Problem(("alerts", "url"), "must begin with http:// or https://"))
    if problems:
        raise MalformedError(problems, file=file)
    hour, minute = map(int, written.daily.split(":"))
    return AlertSettings(
        rules=rules, channels=channels, routes=routes, daily=hour * 3600.0 + minute * 60.0, url=written.url
    )


def engine_of(
    config: Config, state: AlertStore, *, clock: Callable[[], float] | None = None, save_every: float = 10.0
) -> AlertEngine:
    """Return the engine for the rules of a project.

    Raises:
        MalformedError: something under `alerts:` is wrong.
    """
    rules = alert_settings_of(config).rules
    given: dict[str, Any] = {} if clock is None else {"clock": clock}
    return AlertEngine(rules, state, save_every=save_every, **given)


def known_signals() -> set[str]:
    """Return the signals that registered scorers and gates, and the parts of an event, can give."""
    found = {"error", "escalation", "csat/low", "gate/broken"}
    found |= {f"escalation/{each}" for each in CATEGORIES}
    found |= {f"score/{each}" for each in names("scorers")} | {f"gate/{each}" for each in names("gates")}
    return found


def _decoded(config: Config, file: str | None) -> _Written:
    try:
        written = decode(_Written, config.settings.alerts, strict=True)
    except MalformedError as error:
        found = [each.under("alerts") for each in error.problems]
        raise MalformedError(found, file=file) from error
    if not (math.isfinite(written.false_pages) and written.false_pages > 0):
        problem = Problem(("alerts", "false_pages"), f"must be more than 0 a week, not {written.false_pages:g}")
        raise MalformedError([problem], file=file)
    return written


def _channels(config: Config, written: _Written, problems: list[Problem]) -> dict[str, ChannelSettings]:
    made: dict[str, ChannelSettings] = {}
    given = {**written.channels}
    if written.webhook is not None:
        given.setdefault("webhook", {"webhook": written.webhook})
    for name, value in given.items():
        path = (
            ("alerts", "webhook")
            if name == "webhook" and name not in written.channels
            else ("alerts", "channels", name)
        )
        try:
            made[name] = decode(ChannelSettings, expand(value, config.environment), strict=True)
        except MalformedError as error:
            problems += [each.under(*path) for each in error.problems]
            made[name] = ChannelSettings(webhook=HttpReceiver(url="http://wrong.invalid"))  # only its name is used
    return made


def _routes(
    written: _Written, channels: Mapping[str, ChannelSettings], problems: list[Problem]
) -> dict[str, tuple[str, ...]]:
    readers = tuple(name for name, each in channels.items() if each.kind not in _PAGERS)
    routes: dict[str, tuple[str, ...]] = dict.fromkeys(_TIERS, readers)
    routes["critical"] = tuple(channels)
    for tier, chosen in written.routes.items():
        if tier not in _TIERS:
            guess = closest(tier, _TIERS)
            hint = f"did you mean {guess!r}?" if guess else f"one of {', '.join(_TIERS)}"
            problems.append(Problem(("alerts", "routes", tier), "there is no such tier", hint))
        for place, name in enumerate(chosen):
            if name not in channels:
                guess = closest(name, channels)
                hint = f"did you mean {guess!r}?" if guess else "name it under `alerts: {channels: …}`"
                problems.append(Problem(("alerts", "routes", tier, place), f"there is no channel {name!r}", hint))
        routes[tier] = chosen
    return routes
