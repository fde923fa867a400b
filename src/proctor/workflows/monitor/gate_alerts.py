"""Alerts about gates: which of them a decision, or an attack that a gate stopped, belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from proctor.config import Config
from proctor.core.alert_record import AlertRecord
from proctor.store.alert_state import AlertState
from proctor.wiring.alert_settings import alert_settings_of

__all__ = ["alerts_about", "gate_signals"]

_MAX_ALERTS: Final = 500  # that are looked through
_SHOWN: Final = 5


def gate_signals(gates: Iterable[str], kinds: Iterable[str] = ()) -> set[str]:
    """Return what alert rules count when these gates act or find these things."""
    return {f"gate/{name}" for name in gates if name} | {f"finding/{kind}" for kind in kinds if kind}


def alerts_about(
    config: Config,
    state: AlertState,
    signals: Collection[str],
    *,
    time: float | None = None,
    session: str | None = None,
) -> list[AlertRecord]:
    """Return alerts of rules that count one of these signals, the newest first.

    With a time only those whose window it is in, and those that name the conversation as an example.

    Raises:
        MalformedError: a rule in proctor.yaml is wrong.
    """
    rules = _rules(config, signals)

    def is_about(alert: AlertRecord) -> bool:
        if session and session in alert.examples:
            return True
        ends = alert.resolved or alert.updated
        return alert.rule in rules and (time is None or alert.window_start <= time <= ends)

    return [each for each in state.alerts(limit=_MAX_ALERTS) if is_about(each)][:_SHOWN]


def _rules(config: Config, signals: Collection[str]) -> set[str]:
    """Return the names of rules that count a signal; ``gate`` counts those of every gate."""
    settings = alert_settings_of(config)
    families = {each.partition("/")[0] for each in signals}
    return {rule.name for rule in settings.rules if not ({*signals, *families}).isdisjoint(rule.signals)}
