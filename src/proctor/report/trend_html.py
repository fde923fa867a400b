"""Figures over time as a self-contained page: a chart for each, floors, alarms, and what changed between runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor as down
from typing import TextIO

from proctor.report.number_format import moment
from proctor.report.page_parts import decision_section
from proctor.report.release_view import number, signed
from proctor.report.standalone_page import END, asset, head, line_of, scripts
from proctor.report.trend_view import TrendSeries, TrendView

__all__ = ["write"]

_STATES = {"alarm": "fail", "under": "fail", "ok": "pass", "": "info"}
_WORDS = {"alarm": "ALARM", "under": "under its floor", "ok": "above its floor"}
_MOST = 600  # charts on a page
_SMALLEST_STEP = 0.0005
_WIDTH, _HEIGHT, _PAD = 320.0, 76.0, 6.0


def write(view: TrendView, out: TextIO) -> None:
    """Write the page."""
    state = (
        ("fail", "ALARM") if view.alarms else ("pass" if any(each.floor for each in view.lines) else "info", "TREND")
    )
    title = f"{state[1]}: {view.suite}"
    out.write(head(title, name=view.suite, styles=asset("trend.css"), chip=state, scripted=True))
    out.write(_summary(view, state))
    if not view.lines:
        out.write('<p class="notice">No run has been scored yet.</p>\n')
    whole = [each for each in view.lines if "." not in each.dimension]
    parts = [each for each in view.lines if "." in each.dimension]
    low = _lowest(whole)
    everywhere = [each for each in whole if each.intent is None]
    if everywhere:
        out.write(_panel("Over all intents", everywhere, low, place="all"))
    by_intent = [each for each in whole if each.intent is not None]
    if by_intent:
        out.write(_tools(by_intent))
        for intent in dict.fromkeys(each.intent for each in by_intent):
            some = [each for each in by_intent if each.intent == intent]
            out.write(_panel(line_of(intent), some, low, intent=intent or ""))
    if parts:
        charts = "".join(_chart(each, _lowest(parts), named=True) for each in parts[:_MOST])
        out.write(
            f'<details class="panel wide parts"><summary>{len(parts):,} sub-scores</summary>'
            f'<div class="charts">{charts}</div></details>\n'
        )
    out.write(scripts("dom.js", "theme.js", "trend.js"))
    out.write(END)


def _summary(view: TrendView, state: tuple[str, str]) -> str:
    under = sum(each.state in ("alarm", "under") for each in view.lines)
    said = f"{view.runs} run{'' if view.runs == 1 else 's'}; "
    floors = sum(each.floor is not None for each in view.lines)
    said += f"{under} of {floors} figures with a floor are under it" if floors else "gate.yaml sets no floors"
    facts = [("Suite", view.suite), ("Target", view.target), ("Drawn", moment(view.time) if view.time else "")]
    alarms = "".join(f"<li dir=auto>{line_of(each, 400)}</li>" for each in view.alarms)
    below = f"<ul class=alarms>{alarms}</ul>" if alarms else ""
    return decision_section(state[1], said, state[0], facts, below=below)


def _tools(lines: Sequence[TrendSeries]) -> str:
    intents = list(dict.fromkeys(each.intent or "" for each in lines))
    options = "".join(f'<option value="{line_of(each)}">{line_of(each, 80)}</option>' for each in intents)
    return (
        '<section class="trend-tools" role="search"><h2>By intent</h2>'
        f'<select id="intent" aria-label="All intents"><option value="">All intents</option>{options}</select>'
        '<label><input type="checkbox" id="moved"> Only what moved or is under its floor</label>'
        '<span id="shown" role="status" class="muted small"></span></section>\n'
    )


def _panel(title: str, lines: Sequence[TrendSeries], low: float, *, intent: str | None = None, place: str = "") -> str:
    charts = "".join(_chart(each, low) for each in lines[:_MOST])
    hint = f"from {low:g} to 1; dashed: floor; a tick: suite, scorers, models or target changed"
    name = f' id="{place}"' if place else ""
    data = f' data-intent="{line_of(intent)}"' if intent is not None else ""
    return (
        f'<section class="panel wide intent"{name}{data}><div class="panel-head"><h2 dir="auto">{title}</h2>'
        f'<span class="hint">{hint if place else ""}</span></div>'
        f'<div class="charts">{charts}</div></section>\n'
    )


def _chart(line: TrendSeries, low: float, *, named: bool = False) -> str:
    state = _STATES[line.state]
    moved = line.state in ("alarm", "under") or abs(line.step or 0.0) >= 10 * _SMALLEST_STEP
    where = f'<span class="tag" dir="auto">{line_of(line.intent or "all intents", 60)}</span>' if named else ""
    step = f'<span class="step">{signed(line.step)}</span>' if abs(line.step or 0.0) >= _SMALLEST_STEP else ""
    least = f" · floor {line.floor:g}" if line.floor is not None else ""
    count = line.moments[-1].cases if line.moments else 0
    chip = f'<span class="chip {state}">{_WORDS[line.state]}</span>' if line.state else ""
    caption = f'<span class="name">{line_of(line.title)}</span>{where}<b>{number(line.newest, 3)}</b>{step}'
    return (
        f'<figure class="trend {state}" data-moved="{int(moved)}"><figcaption>{caption}</figcaption>'
        f'{_drawn(line, low)}<div class="under muted small"><span>{_span(line)}</span>'
        f"<span>{count:,} cases{least}</span>{chip}</div></figure>"
    )


def _drawn(line: TrendSeries, low: float) -> str:
    """Return the line as a drawing; runs without a value leave a gap."""
    count = len(line.moments)

    def across(place: int) -> float:
        return _WIDTH / 2 if count == 1 else _PAD + (_WIDTH - 2 * _PAD) * place / (count - 1)

    def height(value: float) -> float:
        return _PAD + (_HEIGHT - 2 * _PAD) * (1 - (max(low, min(1.0, value)) - low) / (1 - low))

    drawn = [f'<path class="grid" d="M0 {height(1.0):.1f}H{_WIDTH:.0f}M0 {height(low):.1f}H{_WIDTH:.0f}"/>']
    if line.floor is not None:
        drawn.append(f'<path class="floor" d="M0 {height(line.floor):.1f}H{_WIDTH:.0f}"/>')
    path, pen = "", "M"
    for place, each in enumerate(line.moments):
        if each.changed:
            drawn.append(f'<path class="tick" d="M{across(place):.1f} {_HEIGHT:.0f}v-8"/>')
        if each.mean is None:
            pen = "M"
            continue
        path += f"{pen}{across(place):.1f} {height(each.mean):.1f}"
        pen = "L"
    drawn.append(f'<path class="line" d="{path}"/>' if path else "")
    for place, each in enumerate(line.moments):
        if each.mean is not None:
            below = " below" if line.floor is not None and each.mean < line.floor else ""
            changed = f"; changed before it: {', '.join(each.changed)}" if each.changed else ""
            told = f"{each.time:%Y-%m-%d %H:%M} {each.run}: {each.mean:.3f} of {each.cases} cases{changed}"
            drawn.append(
                f'<circle class="dot{below}" cx="{across(place):.1f}" cy="{height(each.mean):.1f}" r="3">'
                f"<title>{line_of(told)}</title></circle>"
            )
    values = ", ".join(number(each.mean) for each in line.moments[-12:])
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" '
        f'aria-label="{line_of(f"{line.title}: {values}")}">{"".join(drawn)}</svg>'
    )


def _span(line: TrendSeries) -> str:
    if not line.moments:
        return ""
    first, last = line.moments[0].time, line.moments[-1].time
    if first.date() == last.date():
        return f"{last:%Y-%m-%d}"
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _lowest(lines: Sequence[TrendSeries]) -> float:
    """Return the lower end of the common scale: a tenth under everything that is drawn, and room enough above it."""
    values = [each.mean for line in lines for each in line.moments if each.mean is not None]
    values += [line.floor for line in lines if line.floor is not None]
    return max(0.0, min(0.8, down(min(values, default=0.0) * 10 + 1e-9) / 10))
