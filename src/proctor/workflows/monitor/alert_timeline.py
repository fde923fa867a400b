"""The course of an alert: what its rule counts, before, in and after the window that fired it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from proctor.config import Config
from proctor.core.alert_record import AlertRecord, RuleStatus
from proctor.core.conversation_summary import ConversationSummary
from proctor.core.errors import StoreError
from proctor.core.rollup_cell import MINUTE, RollupCell
from proctor.monitor.alert_rules import AlertRule, opportunity_of
from proctor.store.alert_state import AlertState
from proctor.store.conversation_part import PartRequest
from proctor.store.history import History
from proctor.wiring.alert_settings import alert_settings_of

__all__ = ["AlertExample", "AlertTimeline", "examples_of", "rule_statuses", "timeline_of", "value_unit_of"]

AlertUnit = Literal["share", "seconds", "count", "money", "span"]

_MOST_POINTS: Final = 150
_STEPS: Final = (60, 300, 900, 3600, 14_400, 86_400)
_LEAST_BEFORE: Final = 3600.0
_LEAST_AFTER: Final = 1800.0
_NOT_WATCHED: Final = "nothing has been watched yet: start `proctor serve`"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTimeline:
    """A value for each step of time; ``None`` where nothing was counted. ``usual`` is what the rule took as normal."""

    what: str
    unit: Literal["share", "seconds", "count", "money"]
    step: int
    times: tuple[float, ...]
    values: tuple[float | None, ...]
    usual: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertExample:
    """A conversation behind an alert, as far as the history still has it."""

    session: str
    summary: ConversationSummary | None = None
    question: str = ""
    answer: str = ""


def timeline_of(history: History, config: Config, alert: AlertRecord, now: float) -> AlertTimeline | None:
    """Return what an alert's rule counts around its window; ``None`` if the rule counts nothing that is stored."""
    rule = _rule_of(config, alert)
    if rule is None or rule.kind == "lag" or alert.window_end <= alert.window_start:
        return None
    length = alert.window_end - alert.window_start
    since = alert.window_start - max(_LEAST_BEFORE, 3 * length)
    until = min(now, (alert.resolved or alert.window_end) + max(_LEAST_AFTER, length))
    until = min(max(until, alert.window_end), alert.window_end + 86_400.0)
    step = next((each for each in _STEPS if (until - since) / each <= _MOST_POINTS), _STEPS[-1])
    cells = _cells(history, alert.slice, since, until, step)
    measured = [(cell.start, _value(rule, cell)) for cell in cells]
    what, unit = _what(rule)
    usual = alert.baseline if unit in ("share", "seconds") and rule.kind in ("rate", "p95") else None
    return AlertTimeline(
        what=what,
        unit=unit,
        step=step,
        times=tuple(float(start) for start, _ in measured),
        values=tuple(value for _, value in measured),
        usual=usual,
    )


def value_unit_of(config: Config, alert: AlertRecord) -> AlertUnit | None:
    """Return the unit of an alert's own value, which need not be that of its course; ``None`` if it is not known.

    A rule for events in a row counts them, and one that watches how late events arrive measures a time.
    """
    if alert.kind == "lag":
        return "span"
    if alert.kind in ("in_a_row", "absence"):
        return "count"
    if (rule := _rule_of(config, alert)) is not None:
        return _what(rule)[1]
    return "share" if alert.kind == "rate" else None


def examples_of(history: History, alert: AlertRecord) -> list[AlertExample]:
    """Return the conversations behind an alert with the turn that was first in its window, or the last one."""
    found = []
    for session in alert.examples:
        try:
            part = history.conversation_part(session, PartRequest(count=1, at=alert.window_start))
        except StoreError:  # sealed, and DuckDB is not installed: the alert can be read all the same
            part = None
        known = part.summary if part is not None else history.indexer.conversations.get(session)
        turn = next((each.turn for each in part.events if each.turn is not None), None) if part is not None else None
        asked, answer = (turn.asked, turn.answer) if turn is not None else ("", "")
        found.append(AlertExample(session=session, summary=known, question=asked, answer=answer))
    return found


def rule_statuses(config: Config, state: AlertState, now: float) -> list[RuleStatus]:
    """Return the state of every rule of the settings, with what each can see; ``unknown`` where nobody has watched."""
    known: dict[str, list[RuleStatus]] = {}
    for status in state.status():
        known.setdefault(status.rule, []).append(status)
    found: list[RuleStatus] = []
    for rule in alert_settings_of(config).rules:
        found += known.get(rule.name) or [
            RuleStatus(rule=rule.name, kind=rule.kind, tier=rule.tier, state="unknown", since=now, detail=_NOT_WATCHED)
        ]
    return found


def _rule_of(config: Config, alert: AlertRecord) -> AlertRule | None:
    """Return the rule of an alert; ``None`` if it was removed from the settings since."""
    return next((each for each in alert_settings_of(config).rules if each.name == alert.rule), None)


def _cells(history: History, part: Mapping[str, str], since: float, until: float, step: int) -> list[RollupCell]:
    """Return one cell for each step, of the slice of an alert."""
    if not part:
        return history.windows(since, until, step=step)
    start, end = int(since // step) * step, -int(-until // step) * step
    found = {at: RollupCell(start=at, step=step) for at in range(start, end, step)}
    length = MINUTE if step < 3600 else 3600 if step < 86_400 else 86_400
    for cell in history.indexer.rollups.cells(start, end, step=length, intent=part.get("intent")):
        if all(getattr(cell.slice, name, None) == value for name, value in part.items()):
            found[cell.start // step * step].merge(cell)
    return list(found.values())


def _what(rule: AlertRule) -> tuple[str, Literal["share", "seconds", "count", "money"]]:
    if rule.kind == "p95":
        return ("P95 latency", "seconds") if rule.measure == "latency" else ("Cost of a turn", "money")
    if rule.kind in ("rate", "in_a_row"):
        return f"Share with {', '.join(rule.signals)}", "share"
    return (f"{rule.signals[0]} events" if rule.signals else "Turns"), "count"


def _value(rule: AlertRule, cell: RollupCell) -> float | None:
    if rule.kind == "p95":
        if rule.measure == "latency":
            return cell.quantile(0.95)
        return cell.cost / cell.turns if cell.turns else None
    if rule.kind in ("rate", "in_a_row"):
        bad = sum(cell.signals.get(signal, 0) for signal in rule.signals)
        total = _opportunities(rule, cell)
        return min(1.0, bad / total) if total else None
    return float(cell.events.get(rule.signals[0], 0)) if rule.signals else float(cell.turns)


def _opportunities(rule: AlertRule, cell: RollupCell) -> int:
    """Return how many events could have had a signal; of several kinds those about turns, as the rule says it."""
    among = {opportunity_of(signal, rule.of) for signal in rule.signals}
    turns = [each for each in among if "turn" in each[0]]
    if len(among) > 1 and turns and cell.turns:
        among = {min(turns, key=lambda each: len(each[0]))}
    names = {f"score/{name}" if name and kind == "score" else kind for kinds, name in among for kind in kinds}
    return sum(cell.events.get(name, 0) for name in names)
