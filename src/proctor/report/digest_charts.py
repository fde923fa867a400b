"""Drawings of a digest: a figure with its interval beside the one before, and counts by hour or day."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.core.digest import DigestFigure, Measured, TimeSlot
from proctor.report.digest_text import measured_text
from proctor.report.standalone_page import line_of

__all__ = ["DIGEST_CHART_STYLES", "figure_bar", "scale_of", "scale_text", "slot_columns"]

DIGEST_CHART_STYLES = """
.interval { display: block; vertical-align: middle; }
.interval .base { fill: var(--sunken); }
.interval .span { stroke: var(--ink-2); stroke-width: 2; }
.interval .mean { fill: var(--ink-2); }
.interval .was { stroke: var(--ink-3); stroke-width: 1; }
.interval .was-mean { fill: var(--surface); stroke: var(--ink-3); stroke-width: 1.2; }
.interval.better .span { stroke: var(--pass-fill); }
.interval.better .mean { fill: var(--pass-fill); }
.interval.worse .span { stroke: var(--fail-fill); }
.interval.worse .mean { fill: var(--fail-fill); }
.slots { display: grid; grid-template-columns: 46px minmax(0, 1fr); gap: 3px 8px; }
.slots + .slots { margin-top: 14px; }
.slots h3 { grid-column: 1 / -1; margin: 0; font-size: 12.5px; font-weight: 600; color: var(--ink-2); }
.slots svg { width: 100%; height: 84px; overflow: visible; }
.slots .bar { fill: var(--bar-fill); }
.slots .bar.alarm { fill: var(--fail-fill); }
.slots .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.slots .scale { display: flex; flex-direction: column; justify-content: space-between; height: 84px; }
.slots .scale, .slots .slot-ticks { font-size: 11px; color: var(--ink-3); text-align: right; }
.slots .slot-ticks { grid-column: 2; display: grid; text-align: left; }
"""
_WIDTH, _HEIGHT = 132, 20  # pixels
_CHART_WIDTH, _CHART_HEIGHT = 600.0, 84.0
_MAX_TICKS = 7
_SHARE_ENDS = (0.05, 0.1, 0.25, 0.5)


def scale_of(figures: Sequence[DigestFigure]) -> tuple[float, float] | None:
    """Return the common scale of figures of one unit, shorter for small shares; None if they have none."""
    units = {figure.unit for figure in figures}
    if len(units) != 1 or (unit := units.pop()) not in ("share", "score", "rating"):
        return None
    if unit != "share":
        return (1.0, 5.0) if unit == "rating" else (0.0, 1.0)
    highs = [each.high for figure in figures for each in (figure.now, figure.before) if each.high is not None]
    return 0.0, next((end for end in _SHARE_ENDS if max(highs, default=1.0) <= end), 1.0)


def scale_text(scale: tuple[float, float], unit: str) -> str:
    """Return the ends of a scale."""
    return f"0 to {scale[1]:.0%}".replace("%", " %") if unit == "share" else f"{scale[0]:g} to {scale[1]:g}"


def figure_bar(figure: DigestFigure, scale: tuple[float, float]) -> str:
    """Return a figure on a scale: now with its interval above, before below; empty without a value."""
    if figure.now.value is None:
        return ""
    label = f"now {measured_text(figure.now, figure.unit)}"
    parts = [f'<rect class="base" x="0" y="4" width="{_WIDTH}" height="12" rx="3"/>']
    if figure.before.value is not None:
        label += f", before {measured_text(figure.before, figure.unit)}"
        parts.append(_mark(figure.before, scale, y=13, span="was", mean="was-mean", radius=2.4))
    parts.append(_mark(figure.now, scale, y=8, span="span", mean="mean", radius=3.4))
    return (
        f'<svg class="interval {figure.trend}" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="{line_of(label)}"><title>{line_of(label)}</title>{"".join(parts)}</svg>'
    )


def slot_columns(
    title: str, slots: Sequence[TimeSlot], counts: Sequence[float], *, hourly: bool, unit: str = ""
) -> str:
    """Return counts by hour or day as columns; empty if all are zero."""
    most = max(counts, default=0.0)
    if not most:
        return ""
    step = _CHART_WIDTH / len(slots)
    bars = []
    for place, (slot, count) in enumerate(zip(slots, counts, strict=True)):
        height = _CHART_HEIGHT * count / most
        when = slot.begin.strftime("%H:%M" if hourly else "%Y-%m-%d")
        bars.append(
            f'<rect class="bar" x="{place * step + step * 0.1:.1f}" y="{_CHART_HEIGHT - height:.1f}" '
            f'width="{step * 0.8:.1f}" height="{height:.1f}"><title>{when}: {_number(count, unit)}</title></rect>'
        )
    every = max(1, -(-len(slots) // _MAX_TICKS))
    columns = " ".join(f"{min(every, len(slots) - place)}fr" for place in range(0, len(slots), every))
    ticks = "".join(f"<span>{slot.begin.strftime('%H:%M' if hourly else '%m-%d')}</span>" for slot in slots[::every])
    label = f"{title}: at most {_number(most, unit)}"
    return (
        f'<div class="slots"><h3>{line_of(title)}</h3>'
        f'<div class="scale"><span>{_number(most, unit)}</span><span>0</span></div>'
        f'<svg viewBox="0 0 {_CHART_WIDTH:.0f} {_CHART_HEIGHT:.0f}" preserveAspectRatio="none" role="img" '
        f'aria-label="{line_of(label)}"><path class="grid" d="M0 0H600M0 42H600M0 84H600"/>{"".join(bars)}</svg>'
        f'<div class="slot-ticks" style="grid-template-columns:{columns}">{ticks}</div></div>'
    )


def _mark(measured: Measured, scale: tuple[float, float], *, y: int, span: str, mean: str, radius: float) -> str:
    low, high = scale

    def at(value: float) -> float:
        inside = (min(high, max(low, value)) - low) / (high - low)
        return 5 + (_WIDTH - 10) * inside

    assert measured.value is not None
    drawn = ""
    if measured.low is not None and measured.high is not None:
        drawn = f'<line class="{span}" x1="{at(measured.low):.1f}" x2="{at(measured.high):.1f}" y1="{y}" y2="{y}"/>'
    return drawn + f'<circle class="{mean}" cx="{at(measured.value):.1f}" cy="{y}" r="{radius}"/>'


def _number(value: float, unit: str) -> str:
    return f"{value:.1%}".replace("%", " %") if unit == "share" else f"{value:,.0f}"
