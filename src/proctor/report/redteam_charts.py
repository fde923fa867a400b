"""Small drawings of an attack campaign: a rate with its interval, outcomes as a bar, tries as steps."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.campaign import AttackFigures, TryCount
from proctor.core.share import Share
from proctor.report.number_format import percent, share_text

__all__ = ["CHART_STYLES", "outcome_bar", "outcome_legend", "rate_bar", "try_steps"]

CHART_STYLES = """
.rate-bar, .outcomes { display: block; vertical-align: middle; }
.rate-bar .base { fill: var(--sunken); }
.rate-bar .half { stroke: var(--line-strong); stroke-width: 1; }
.rate-bar .span { stroke: var(--state, var(--ink-2)); stroke-width: 2; }
.rate-bar .mean { fill: var(--state, var(--ink-2)); }
.o-executed { fill: var(--fail-fill); background: var(--fail-fill); }
.o-stopped { fill: var(--pass); background: var(--pass); }
.o-ignored { fill: var(--bar-fill); background: var(--bar-fill); }
.o-not_reached { fill: var(--line-strong); background: var(--line-strong); }
.o-unscored { fill: var(--unscored-fill); background: var(--unscored-fill); }
.legend i { width: 10px; height: 10px; border-radius: 2px; display: inline-block; }
.tries { display: grid; grid-template-columns: 42px minmax(0, 1fr); gap: 4px 8px; margin-bottom: 14px; }
.tries svg { width: 100%; height: 120px; overflow: visible; }
.tries .reach { fill: var(--fail-soft); }
.tries .line { fill: none; stroke: var(--fail-fill); stroke-width: 2; vector-effect: non-scaling-stroke; }
.tries .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.tries .scale { display: flex; flex-direction: column; justify-content: space-between; height: 120px; }
.tries .scale, .tries .ticks { font-size: 11px; color: var(--ink-3); text-align: right; }
.tries .ticks { grid-column: 2; }
"""
_OUTCOMES = ("executed", "stopped", "ignored", "not_reached", "unscored")
_WIDTH, _HEIGHT = 110, 14  # pixels


def rate_bar(share: Share) -> str:
    """Return the rate on a line from 0 to 100 % with its interval; empty if nothing was counted."""
    if share.value is None or share.low is None or share.high is None:
        return ""

    def at(value: float) -> float:
        return 4 + (_WIDTH - 8) * value

    label = share_text(share)
    return (
        f'<svg class="rate-bar" width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{label}">'
        f"<title>{label}</title>"
        f'<rect class="base" x="0" y="5" width="{_WIDTH}" height="4" rx="2"/>'
        f'<line class="half" x1="{_WIDTH / 2}" x2="{_WIDTH / 2}" y1="3" y2="11"/>'
        f'<line class="span" x1="{at(share.low):.1f}" x2="{at(share.high):.1f}" y1="7" y2="7"/>'
        f'<circle class="mean" cx="{at(share.value):.1f}" cy="7" r="3.5"/></svg>'
    )


def outcome_bar(row: AttackFigures) -> str:
    """Return the outcomes of a group as parts of one bar."""
    if not row.attempts:
        return ""
    parts, begin = [], 0.0
    for name in _OUTCOMES:
        width = _WIDTH * getattr(row, name) / row.attempts
        if width:
            parts.append(f'<rect class="o-{name}" x="{begin:.1f}" y="2" width="{width:.1f}" height="10"/>')
        begin += width
    label = ", ".join(f"{getattr(row, name)} {name.replace('_', ' ')}" for name in _OUTCOMES if getattr(row, name))
    return (
        f'<svg class="outcomes" width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )


def outcome_legend() -> str:
    """Return the names of the outcomes beside their colours."""
    names = "".join(f'<span><i class="o-{name}"></i>{name.replace("_", " ")}</span>' for name in _OUTCOMES)
    return f'<div class="legend">{names}</div>'


def try_steps(curve: Sequence[TryCount]) -> str:
    """Return the share of goals reached by number of tries, the tries evenly spaced; empty for fewer than two."""
    shown = [(step.tries, step.goals) for step in curve if step.goals.value is not None]
    if len(shown) < 2:
        return ""
    places = [600 * place / (len(shown) - 1) for place in range(len(shown))]

    def point(x: float, y: float | None) -> str:
        return f"{x:.1f},{120 - 120 * (y or 0.0):.1f}"

    values = [share for _, share in shown]
    top = [point(x, share.high) for x, share in zip(places, values, strict=True)]
    bottom = [point(x, share.low) for x, share in zip(places, values, strict=True)]
    middle = [point(x, share.value) for x, share in zip(places, values, strict=True)]
    ticks = "".join(
        f'<span style="left:{place / 6:.1f}%"{" class=last" if place == 600 else ""}>{tries:,}</span>'
        for place, (tries, _) in zip(places, shown, strict=True)
    )
    label = ", ".join(f"{tries}: {percent(share.value)}" for tries, share in shown)
    return (
        '<div class="tries"><div class="scale"><span>100 %</span><span>50 %</span><span>0 %</span></div>'
        f'<svg viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label="{label}"><title>{label}</title>'
        '<path class="grid" d="M0 0H600M0 60H600M0 120H600"/>'
        f'<polygon class="reach" points="{" ".join(top + bottom[::-1])}"/>'
        f'<polyline class="line" points="{" ".join(middle)}"/></svg><div class="ticks">{ticks}</div></div>'
    )
