"""What is going on in production, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from proctor.core.alert_record import AlertRecord, RuleLimit, RuleStatus
from proctor.core.trajectory import Turn
from proctor.core.watch_figures import WatchFigures, WatchRow
from proctor.report.safe_text import one_line

__all__ = ["alert_lines", "conversation_lines", "limit_lines", "row_words", "watch_lines"]

_EXAMPLES_SHOWN = 5
_INTENTS_SHOWN = 8


def watch_lines(seen: WatchFigures) -> Iterator[str]:
    """Yield one look at production: figures beside what is normal, open alerts, and what each rule can see."""
    last = "no event yet" if seen.last_event is None else f"last event {_span(seen.time - seen.last_event)} ago"
    yield f"{_clock(seen.time)} UTC   the last {_span(seen.window)}   {last}"
    yield ""
    yield f"  {'':<26}{'now':>10}{'normal':>10}"
    for row in seen.rows:
        count = f"   {row.count} of {row.of}" if row.of else ""
        yield f"  {row.name:<26}{_value(row.now, row.unit):>10}{_value(row.normal, row.unit):>10}{count}"
    if seen.intents:
        named = list(seen.intents.items())
        shown = ", ".join(f"{one_line(name, 30) or 'unknown'} {many}" for name, many in named[:_INTENTS_SHOWN])
        more = f" and {len(named) - _INTENTS_SHOWN} more" if len(named) > _INTENTS_SHOWN else ""
        yield f"  turns by intent: {shown}{more}"
    if seen.scoring:
        yield "  " + _scoring(seen)
    yield ""
    if not seen.alerts:
        yield "no open alert" if seen.rules else "no alert rule has been watched here; `proctor serve` watches them"
    for alert in seen.alerts:
        yield from alert_lines(alert)
    if seen.rules:
        yield ""
        yield "rules"
        yield from (_rule(status) for status in seen.rules)


def alert_lines(alert: AlertRecord) -> Iterator[str]:
    """Yield an alert with its window, the slices that moved, and its examples."""
    taken = f", taken by {one_line(alert.acked_by, 40)}" if alert.acked is not None else ""
    state = "" if alert.state == "firing" else f" ({alert.state.replace('_', ' ')})"
    yield f"{alert.tier.upper()} {alert.rule}{state}, alert {alert.number}{taken}"
    yield f"  {one_line(alert.message, 300)}"
    yield f"  window    {_clock(alert.window_start)} to {_clock(alert.window_end)} UTC"
    for place, moved in enumerate(alert.moved):
        name = "slice" if place == 0 else ""
        told = f"{moved.dimension} {one_line(moved.value, 60)}: {moved.bad} of {moved.events}"
        yield f"  {name:<9} {told}, normally {moved.expected:.1f}"
    if alert.examples:
        shown = ", ".join(one_line(each, 60) for each in alert.examples[:_EXAMPLES_SHOWN])
        more = f" and {len(alert.examples) - _EXAMPLES_SHOWN} more" if len(alert.examples) > _EXAMPLES_SHOWN else ""
        yield f"  examples  {shown}{more}"


def conversation_lines(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield what was said in a conversation, one line for each message."""
    for turn in turns:
        if turn.asked:
            yield f"    customer  {one_line(turn.asked, 140)}"
        if turn.answer:
            yield f"    agent     {one_line(turn.answer, 140)}"
        for source in turn.sources:
            yield f"    source    {one_line(source.id, 40)}: {one_line(source.text, 100)}"


def limit_lines(limits: Sequence[RuleLimit]) -> Iterator[str]:
    """Yield the smallest spike that each rule can see."""
    for limit in limits:
        yield f"  {_sliced(limit.rule, limit.slice):<16} {one_line(limit.text, 160)}"


def row_words(row: WatchRow) -> str:
    """Return one figure in a few words."""
    normal = f" (normal {_value(row.normal, row.unit)})" if row.normal is not None else ""
    return f"{row.name} {_value(row.now, row.unit)}{normal}"


def _rule(status: RuleStatus) -> str:
    told = status.limit.text if status.limit is not None else status.detail
    return f"  {_sliced(status.rule, status.slice):<16} {status.state.replace('_', ' '):<9} {one_line(told, 140)}"


def _sliced(rule: str, part: object) -> str:
    values = part.values() if isinstance(part, dict) else ()
    return f"{rule} {' '.join(one_line(str(value), 30) for value in values)}".strip()


def _scoring(seen: WatchFigures) -> str:
    known = seen.scoring
    told = f"background scoring: {known['scored']:.0f} scored today, {known['unscored']:.0f} unscored"
    waits = f"{known['waiting']:.0f} waiting, {_span(float(known['lag']))} behind"
    spent = f", {float(known['spent_today']):.2f} dollars" if float(known["spent_today"]) else ""
    why = f"; last problem: {one_line(str(known['last_reason']), 100)}" if known.get("last_reason") else ""
    return f"{told}, {waits}{spent}{why}"


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:.2f} s" if unit == "seconds" else f"{value:.1f}"


def _clock(time: float) -> str:
    return f"{datetime.fromtimestamp(time, UTC):%H:%M:%S}"


def _span(seconds: float) -> str:
    seconds = max(0.0, seconds)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
