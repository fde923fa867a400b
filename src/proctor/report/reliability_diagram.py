"""The reliability diagram: confidence against how often it was right, as one SVG picture."""

from __future__ import annotations

from html import escape

from proctor.core.calibration_report import CalibrationReport, ReliabilityBin
from proctor.report.number_format import p_text, percent

__all__ = ["RELIABILITY_STYLES", "reliability_diagram"]

_WIDTH, _HEIGHT = 480, 560
_LEFT, _TOP, _SIDE = 62, 54, 390  # of the square
_BARS_TOP, _BARS_HEIGHT = 478, 40
RELIABILITY_STYLES = """
.rd-text { font: 12px system-ui, "Segoe UI", "Noto Sans", Arial, sans-serif; fill: var(--ink-2, #4c4f55); }
.rd-title { font-size: 14px; font-weight: 600; fill: var(--ink, #1b1c1e); }
.rd-ground { fill: var(--surface, #ffffff); }
.rd-grid { stroke: var(--line, #e3e3df); stroke-width: 1; }
.rd-frame { fill: none; stroke: var(--line-strong, #cfcfca); stroke-width: 1; }
.rd-even { stroke: var(--ink-3, #6c7078); stroke-width: 1.5; stroke-dasharray: 5 4; }
.rd-usual { fill: var(--bar-fill, #7f8fb8); opacity: 0.28; }
.rd-span { stroke: var(--fail-fill, #d4581f); stroke-width: 1.5; }
.rd-point { fill: var(--fail-fill, #d4581f); }
.rd-line { fill: none; stroke: var(--fail-fill, #d4581f); stroke-width: 1.5; opacity: 0.6; }
.rd-bar { fill: var(--bar-fill, #7f8fb8); }
"""
_DARK = """
@media (prefers-color-scheme: dark) { svg.rd { --surface: #1a1d21; --line: #2b2f35; --line-strong: #3d434b;
 --ink: #eceded; --ink-2: #b9bdc4; --ink-3: #8f959e; --bar-fill: #6478ad; --fail-fill: #dc6330; } }
"""


def reliability_diagram(report: CalibrationReport, *, is_inline: bool = False, is_styled: bool = True) -> str:
    """Return the diagram. A point is a bin: its mean confidence and the share that was right, with its interval.

    The band is what a calibrated agent would show with as many labels; the bars below are how many labels a bin has.
    ``is_inline`` is for a page that has the theme's colours; a file of its own brings them. Without ``is_styled`` the
    page has RELIABILITY_STYLES too: a strict page refuses styles inside a drawing.
    """
    error = percent(report.debiased.value)
    label = f"Reliability diagram of {report.count:,} labels: calibration error {error} beyond chance"
    styles = RELIABILITY_STYLES + ("" if is_inline else _DARK)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rd" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" aria-label="{label}">',
        f"<title>{label}</title>{f'<style>{styles}</style>' if is_styled else ''}",
        f'<rect class="rd-ground" width="{_WIDTH}" height="{_HEIGHT}"/>',
        *_headings(report),
        *_axes(),
        *_bands(report.bins),
        f'<line class="rd-even" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>',
        *_points(report.bins),
        *_bars(report.bins),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _headings(report: CalibrationReport) -> list[str]:
    low, high = report.debiased.low, report.debiased.high
    span = "" if low is None or high is None else f" ({low * 100:.1f}–{high * 100:.1f} %)"
    over = "too high" if report.gap > 0 else "too low"
    told = f"mean confidence {abs(report.gap) * 100:.1f} points {over}"
    first = f"Calibration error beyond chance {percent(report.debiased.value)}{span}"
    shown = p_text(report.p)
    p = f"p {escape(shown)}" if shown.startswith("<") else f"p = {shown}"
    second = f"n = {report.count:,} · raw {percent(report.ece)}, by chance {percent(report.chance)} · {p}"
    return [
        f'<text class="rd-text rd-title" x="14" y="22">{first}</text>',
        f'<text class="rd-text" x="14" y="41">{second}</text>',
        f'<text class="rd-text" x="{_x(1) - 8}" y="{_y(0) - 10}" text-anchor="end">{told}</text>',
    ]


def _axes() -> list[str]:
    found = []
    for step in range(0, 11, 2):
        share = step / 10
        found.append(f'<line class="rd-grid" x1="{_x(share)}" y1="{_y(0)}" x2="{_x(share)}" y2="{_y(1)}"/>')
        found.append(f'<line class="rd-grid" x1="{_x(0)}" y1="{_y(share)}" x2="{_x(1)}" y2="{_y(share)}"/>')
        found.append(f'<text class="rd-text" x="{_x(share)}" y="{_y(0) + 17}" text-anchor="middle">{share:.1f}</text>')
        found.append(f'<text class="rd-text" x="{_LEFT - 8}" y="{_y(share) + 4}" text-anchor="end">{share:.1f}</text>')
    middle = _TOP + _SIDE / 2
    found.append(f'<rect class="rd-frame" x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>')
    found.append(
        f'<text class="rd-text" transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">share right</text>'
    )
    return found


def _bands(bins: tuple[ReliabilityBin, ...]) -> list[str]:
    if len(bins) < 2:
        return [_band(each, each.confidence - 0.02, each.confidence + 0.02) for each in bins]
    top = [f"{_x(each.confidence)},{_y(each.usual_high)}" for each in bins]
    bottom = [f"{_x(each.confidence)},{_y(each.usual_low)}" for each in reversed(bins)]
    return [f'<polygon class="rd-usual" points="{" ".join(top + bottom)}"/>']


def _band(each: ReliabilityBin, left: float, right: float) -> str:
    left, right = max(0.0, left), min(1.0, right)
    height = _y(each.usual_low) - _y(each.usual_high)
    return (
        f'<rect class="rd-usual" x="{_x(left)}" y="{_y(each.usual_high)}" width="{_x(right) - _x(left):.1f}" '
        f'height="{height:.1f}"/>'
    )


def _points(bins: tuple[ReliabilityBin, ...]) -> list[str]:
    line = " ".join(f"{_x(each.confidence)},{_y(each.accuracy.value or 0.0)}" for each in bins)
    found = [f'<polyline class="rd-line" points="{line}"/>'] if len(bins) > 1 else []
    for each in bins:
        x, share = _x(each.confidence), each.accuracy.value or 0.0
        low, high = each.accuracy.low or 0.0, each.accuracy.high or 0.0
        told = f"confidence {each.confidence:.3f}, right {percent(share)} of {each.count:,}"
        found.append(f'<line class="rd-span" x1="{x}" y1="{_y(low)}" x2="{x}" y2="{_y(high)}"/>')
        found.append(f'<circle class="rd-point" cx="{x}" cy="{_y(share)}" r="4"><title>{told}</title></circle>')
    return found


def _bars(bins: tuple[ReliabilityBin, ...]) -> list[str]:
    """Return the density of confidences: bins hold equally many, so a narrow one is a high one."""
    density = [each.share / max(each.high - each.low, 0.01) for each in bins]
    most = max(density, default=1.0)
    found = []
    for each, height in zip(bins, density, strict=True):
        tall = max(1.0, _BARS_HEIGHT * height / most)
        left = min(each.low, each.high - 0.01)
        width = max(1.5, _x(each.high) - _x(left) - 0.5)
        found.append(
            f'<rect class="rd-bar" x="{_x(left)}" y="{_BARS_TOP + _BARS_HEIGHT - tall:.1f}" width="{width:.1f}" '
            f'height="{tall:.1f}"/>'
        )
    base = _BARS_TOP + _BARS_HEIGHT
    found.append(f'<line class="rd-grid" x1="{_x(0)}" y1="{base}" x2="{_x(1)}" y2="{base}"/>')
    place = f'x="{_LEFT + _SIDE / 2}" y="{base + 24}" text-anchor="middle"'
    found.append(f'<text class="rd-text" {place}>confidence, and how often each is given</text>')
    return found


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * min(1.0, max(0.0, share)), 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - min(1.0, max(0.0, share))), 1)
