"""Silence alerts: which ones a person means, for how long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from proctor.config import Config
from proctor.core.alert_record import Silence
from proctor.core.decode import closest
from proctor.core.errors import InputError
from proctor.store.alert_state import AlertState
from proctor.text.spans import span_seconds
from proctor.wiring.alert_settings import alert_settings_of

__all__ = ["SILENCE_FIELDS", "silence_alerts", "silence_match"]

SILENCE_FIELDS: Final = ("rule", "tier", "intent", "model", "version", "source")


def silence_match(config: Config, written: Iterable[str]) -> dict[str, str]:
    """Return what a silence matches; each text is NAME=VALUE, or the name of a rule.

    Raises:
        InputError: a name is not known, a value is missing, or there is no such rule.
    """
    found: dict[str, str] = {}
    for each in written:
        name, equals, value = each.partition("=")
        name, value = (name, value) if equals else ("rule", name)
        if name not in SILENCE_FIELDS or not value:
            raise InputError(f"{each!r} is no match: write one of {', '.join(SILENCE_FIELDS)}, then =VALUE")
        found[name] = value
    rules = [each.name for each in alert_settings_of(config).rules]
    if "rule" in found and found["rule"] not in rules:
        guess = closest(found["rule"], rules)
        hint = f"did you mean {guess!r}?" if guess else f"the rules are {', '.join(rules)}"
        raise InputError(f"there is no rule {found['rule']!r}", hint=hint if rules else "no alert rule is set")
    return found


def silence_alerts(
    state: AlertState, match: dict[str, str], span: str, *, by: str, now: float, note: str = ""
) -> Silence:
    """Tell nobody of matching alerts for a span of time such as ``2 h``; they are recorded all the same.

    Raises:
        InputError: the span is no length of time, or nothing is matched.
    """
    if not match:
        raise InputError("a silence of everything is not possible", hint="name a rule, a tier or a slice")
    try:
        seconds = span_seconds(span)
    except ValueError as error:
        raise InputError(str(error), field="for", hint="write 30 min, 2 h or 3 days") from error
    return state.add_silence(Silence(match=match, until=now + seconds, by=by, note=note, created=now))
