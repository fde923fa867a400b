"""The gate's two figures as one picture: false holds on the left, drops caught on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from proctor.stats.interval import Interval

__all__ = ["Bar", "Curve", "picture"]

_WIDTH, _HEIGHT = 960, 380
_TOP, _BOTTOM = 64, 320
_LEFT = (200, 440)  # where the bars begin and end
_RIGHT = (540, 860)
_MOST = 0.08
_COLOURS = ("#9db7d5", "#6a94c4", "#3f6fa8", "#1d3f6e")
_INK, _SOFT, _LIMIT = "#1f2933", "#7b8794", "#c2410c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One share with its interval."""

    name: str
    share: float
    span: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The share caught at each size of a drop."""

    name: str
    points: Sequence[tuple[float, float]]


def picture(bars: Sequence[Bar], curves: Sequence[Curve]) -> str:
    """The picture as SVG, with a background of its own so that it reads on any page."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">',
        "<title>How often the gate holds: a system compared with itself, and a drop of relevance</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        _text(24, 30, "A system compared with itself is held", size=15, weight=600),
        _text(_RIGHT[0] - 44, 30, "A drop of relevance is caught", size=15, weight=600),
        *_bars(bars),
        *_axes(),
        *(line for place, curve in enumerate(curves) for line in _curve(curve, _COLOURS[place % 4])),
        *_named(curves),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _bars(bars: Sequence[Bar]) -> list[str]:
    step = (_BOTTOM - _TOP) / max(1, len(bars))
    found = []
    for share in (0.0, 0.02, 0.04, 0.06, 0.08):
        x = _across(share)
        found.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_BOTTOM}" stroke="#e4e7eb"/>')
        found.append(_text(x, _BOTTOM + 18, f"{share:.0%}", colour=_SOFT, anchor="middle"))
    for place, bar in enumerate(bars):
        y = _TOP + step * (place + 0.5)
        found.append(_text(_LEFT[0] - 10, y + 4, bar.name, anchor="end"))
        found.append(
            f'<rect x="{_LEFT[0]}" y="{y - step * 0.3:.1f}" width="{_across(bar.share) - _LEFT[0]:.1f}" '
            f'height="{step * 0.6:.1f}" rx="2" fill="{_COLOURS[2]}"/>'
        )
        if bar.span is not None:
            low, high = _across(bar.span.low), _across(bar.span.high)
            found.append(f'<line x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}" stroke="{_INK}"/>')
            found.append(_text(high + 6, y + 4, f"{bar.share:.1%}"))
    x = _across(0.05)
    found.append(
        f'<line x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{_BOTTOM}" stroke="{_LIMIT}" stroke-width="1.5"/>'
    )
    found.append(_text(x, _TOP - 14, "at most 5 %", colour=_LIMIT, anchor="middle"))
    found.append(
        _text((_LEFT[0] + _LEFT[1]) / 2, _BOTTOM + 38, "share of comparisons held", colour=_SOFT, anchor="middle")
    )
    return found


def _axes() -> list[str]:
    found = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _up(share)
        found.append(f'<line x1="{_RIGHT[0]}" y1="{y:.1f}" x2="{_RIGHT[1]}" y2="{y:.1f}" stroke="#e4e7eb"/>')
        found.append(_text(_RIGHT[0] - 8, y + 4, f"{share:.0%}", colour=_SOFT, anchor="end"))
    for drop in (0.0, 0.05, 0.10, 0.15, 0.20):
        found.append(_text(_along(drop), _BOTTOM + 18, f"{drop:.2f}", colour=_SOFT, anchor="middle"))
    x = _along(0.14)
    found.append(
        f'<line x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{_BOTTOM}" stroke="{_LIMIT}" stroke-dasharray="4 3"/>'
    )
    found.append(_text(x, _TOP - 14, "0.82 → 0.68", colour=_LIMIT, anchor="middle"))
    label = "true drop of the mean, eight intents together"
    found.append(_text((_RIGHT[0] + _RIGHT[1]) / 2, _BOTTOM + 38, label, colour=_SOFT, anchor="middle"))
    return found


def _curve(curve: Curve, colour: str) -> list[str]:
    places = " ".join(f"{_along(drop):.1f},{_up(share):.1f}" for drop, share in curve.points)
    dots = [f'<circle cx="{_along(d):.1f}" cy="{_up(s):.1f}" r="2.5" fill="{colour}"/>' for d, s in curve.points]
    return [f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def _named(curves: Sequence[Curve]) -> list[str]:
    """The names at the right, in the order of the curves' ends and never one over the other."""
    found, last = [], float("-inf")
    order = sorted(range(len(curves)), key=lambda place: (_up(curves[place].points[-1][1]), -place))
    for place in order:
        last = max(_up(curves[place].points[-1][1]) + 4, last + 15)
        found.append(_text(_RIGHT[1] + 8, last, curves[place].name, colour=_COLOURS[place % 4], weight=600))
    return found


def _across(share: float) -> float:
    return _LEFT[0] + (_LEFT[1] - _LEFT[0]) * min(share, _MOST) / _MOST


def _along(drop: float) -> float:
    return _RIGHT[0] + (_RIGHT[1] - _RIGHT[0]) * drop / 0.2


def _up(share: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * share


def _text(
    x: float, y: float, words: str, *, colour: str = _INK, anchor: str = "start", size: int = 12, weight: int = 400
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )
