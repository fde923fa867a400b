"""A release decision as a self-contained page without scripts or requests, also for print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from proctor.report.number_format import moment
from proctor.report.release_view import (
    FigureChange,
    FlippedCase,
    ReleaseView,
    WorseCaseView,
    chance,
    count_shown,
    number,
    place_of,
    signed,
)
from proctor.report.standalone_page import END, head, line_of

__all__ = ["write"]

# Styles of this page only.
_OWN_STYLES = """
.reasons { display: grid; gap: 4px; padding-left: 18px; list-style: disc; }
.names { display: flex; flex-wrap: wrap; gap: 4px 6px; }
.interval .axis { stroke: var(--line-strong); stroke-width: 1; }
.interval .span { stroke: var(--state, var(--ink-3)); stroke-width: 2; }
.interval .mean { fill: var(--state, var(--ink-3)); }
.whisker-cell { width: 120px; }
tr.fail > td:first-child { font-weight: 600; }
.interval { vertical-align: middle; }
"""
_ROWS = 500
_CASES = 300


def write(view: ReleaseView, out: TextIO) -> None:
    """Write the page."""
    chip = (view.state, view.word)
    out.write(head(f"{view.word}: {view.suite}", name=view.suite, styles=_OWN_STYLES, chip=chip))
    out.write(_decision(view))
    out.writelines(f'<p class="notice">{line_of(note, 400)}</p>\n' for note in view.notes)
    out.write(_flips(view))
    out.write(_changes(view.shown))
    out.write(_worse(view))
    for heading, names in (("Missing from this run", view.missing), ("New in this run", view.added)):
        if names:
            shown = " ".join(f'<span class="tag">{line_of(name, 120)}</span>' for name in names[:_CASES])
            out.write(_panel(heading, f"{len(names):,}", f'<p class="names">{shown}</p>'))
    out.write(END)


def _decision(view: ReleaseView) -> str:
    facts = [("Suite", view.suite), ("Run", view.run), ("Target", view.target)]
    facts += [("Baseline", view.other), ("Rules", view.policy)]
    facts += [("Decided", moment(view.time) if view.time else "")]
    shown = "".join(f"<div><dt>{name}</dt><dd>{line_of(value, 120)}</dd></div>" for name, value in facts if value)
    reasons = "".join(f"<li>{line_of(each.text, 600)}</li>" for each in view.reasons)
    return (
        f'<section class="decision {view.state}"><div class="decision-line"><h1>{view.word}</h1>'
        f'<p class="reason">{line_of(view.headline, 600)}</p></div>'
        f'{f"<ul class=reasons>{reasons}</ul>" if reasons else ""}<dl class="facts">{shown}</dl></section>\n'
    )


def _panel(title: str, hint: str, inside: str) -> str:
    head = f'<div class="panel-head"><h2>{title}</h2><span class="hint">{hint}</span></div>'
    return f'<section class="panel wide">{head}{inside}</section>\n'


def _table(heads: Iterable[tuple[str, bool]], rows: Iterable[str]) -> str:
    made = "".join(f"<th{' class=number' if figure else ''}>{name}</th>" for name, figure in heads)
    return f'<div class="small-table"><table><thead><tr>{made}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


_STATES = {"regression": "fail", "improvement": "pass", "not enough data": "unscored"}


def _changes(changes: Sequence[FigureChange]) -> str:
    if not changes:
        return ""
    heads = [("Dimension", False), ("Intent", False), ("Cases", True), ("Before", True), ("After", True)]
    heads += [("Difference", True), ("", False), ("p", True), ("Detectable", True), ("Verdict", False)]
    reach = max(
        (abs(end) for each in changes for end in (each.low, each.high, each.difference) if end is not None), default=0
    )
    rows = [_change(each, max(reach, 0.02)) for each in changes[:_ROWS]]
    hint = (
        "paired by case; the bar is the 95 % interval of the difference around no change; p is corrected for all rows"
    )
    return _panel("What changed", hint, _table(heads, rows))


def _change(each: FigureChange, reach: float) -> str:
    cells = [number(each.before), number(each.after), signed(each.difference)]
    figures = "".join(f"<td class=number>{cell}</td>" for cell in (f"{each.cases:,}", *cells))
    state = _STATES.get(each.verdict, "info")
    return (
        f"<tr class={state}><td>{line_of(place_of(each))}</td><td>{line_of(each.intent or 'all')}</td>{figures}"
        f"<td class=whisker-cell>{_whisker(each, reach)}</td><td class=number>{line_of(chance(each.p))}</td>"
        f"<td class=number>{number(each.detectable)}</td>"
        f'<td><span class="chip {state}">{line_of(each.verdict)}</span></td></tr>'
    )


def _whisker(each: FigureChange, reach: float) -> str:
    """Return the interval of a difference as a bar; all rows share one scale with zero in the middle."""
    if each.low is None or each.high is None or each.difference is None:
        return ""

    def at(value: float) -> float:
        return 60 + 56 * max(-1.0, min(1.0, value / reach))

    low, high, mean = at(each.low), at(each.high), at(each.difference)
    label = f"{signed(each.low)} to {signed(each.high)}"
    return (
        f'<svg class="interval" width="120" height="14" role="img" aria-label="{label}"><title>{label}</title>'
        '<line x1="60" x2="60" y1="0" y2="14" class="axis"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="7" y2="7" class="span"/>'
        f'<circle cx="{mean:.1f}" cy="7" r="3" class="mean"/></svg>'
    )


def _flips(view: ReleaseView) -> str:
    if not view.newly_failing:
        return ""
    heads = [("Case", False), ("Intent", False), ("Check", False), ("By", False)]
    heads += [("Passed before", True), ("Now", True), ("Why", False)]
    shown = view.newly_failing[:_CASES]
    count = count_shown(len(shown), len(view.newly_failing))
    return _panel("Cases that passed and now fail", count, _table(heads, (_flip(each) for each in shown)))


def _flip(each: FlippedCase) -> str:
    return (
        f"<tr class=fail><td>{line_of(each.case, 120)}</td><td>{line_of(each.intent or '')}</td>"
        f"<td>{line_of(each.check, 80)}</td><td>{'a rule' if each.by_rule else 'judgement'}</td>"
        f"<td class=number>{line_of(each.before)}</td><td class=number>{line_of(each.after)}</td>"
        f'<td class="model">{line_of(each.reason, 400)}</td></tr>'
    )


def _worse(view: ReleaseView) -> str:
    if not view.worse:
        return ""
    heads = [("Case", False), ("Intent", False), ("Where", False), ("Before", True), ("After", True), ("Why", False)]
    total = max(view.worse_in_all, len(view.worse))
    shown = view.worse[:_CASES]
    hint = f"{total:,}" if len(shown) == total else f"{len(shown)} of {total:,}"
    return _panel("Cases that got worse", hint, _table(heads, (_case(each) for each in shown)))


def _case(each: WorseCaseView) -> str:
    quote = f'<div class="muted small">“{line_of(each.quote, 240)}”</div>' if each.quote else ""
    return (
        f"<tr><td>{line_of(each.case, 120)}</td><td>{line_of(each.intent or '')}</td><td>{line_of(place_of(each))}</td>"
        f"<td class=number>{number(each.before)}</td><td class=number>{number(each.after)}</td>"
        f'<td class="model">{line_of(each.reason, 400)}{quote}</td></tr>'
    )
