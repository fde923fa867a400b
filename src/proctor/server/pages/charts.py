"""Charts of the dashboard, drawn by the server: lines over time, bars with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import Any, Final, Literal

__all__ = ["BarChart", "BarRow", "Drawing", "Series", "TimeChart", "picture", "value_text", "words"]

_WIDTH: Final = 640
_LEFT: Final = 52
_RIGHT: Final = 12
_TOP: Final = 8
_FOOT: Final = 24
_BAR: Final = 24
_TICKS: Final = 4
_LABEL: Final = 22  # characters that fit beside a bar
_BARS_WIDTH: Final = 520  # narrower than lines, so that names can be read on a phone
_DAY: Final = 86_400
_HUGE: Final = 1e15  # larger values are no figures of ours
_TINY: Final = 1e-12
_COLOURS: Final = ("--accent", "--fail-fill", "--pass-fill", "--unscored-fill", "--ink-2")  # as in series.js
Unit = Literal["count", "share", "score", "seconds", "money"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line: a value for each time, ``None`` where there is none."""

    label: str
    values: Sequence[float | None]
    colour: str = ""  # a variable of the theme, such as --fail-fill


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeChart:
    """Lines over time. In the browser the script draws them again so that one can point at them."""

    title: str
    times: Sequence[float]
    series: Sequence[Series]
    unit: Unit = "count"
    range: tuple[float, float] | None = None
    height: int = 180

    def data(self) -> Mapping[str, Any] | None:
        """Return the series for the script; what is no number is unknown."""
        return {
            "times": list(self.times),
            "series": [
                {
                    "label": each.label,
                    "values": [_known(value) for value in each.values],
                    **({"colour": each.colour} if each.colour else {}),
                }
                for each in self.series
            ],
            "unit": self.unit,
            "height": self.height,
            **({"range": list(self.range)} if self.range else {}),
        }

    def svg(self, *, inline: bool = True) -> str:
        """Return the drawing."""
        low, high = self.range or _range(
            [known for each in self.series for value in each.values if (known := _known(value)) is not None]
        )
        height = self.height
        bottom = height - _FOOT
        first, last = (self.times[0], self.times[-1]) if self.times else (0.0, 1.0)
        reach = max(last - first, 1e-9)

        def x(time: float) -> float:
            return _LEFT + (time - first) / reach * (_WIDTH - _LEFT - _RIGHT)

        def y(value: float) -> float:
            return bottom - (value - low) / (high - low) * (bottom - _TOP)

        made = []
        for step in range(_TICKS + 1):
            value = low + (high - low) * step / _TICKS
            at = y(value)
            made.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            made.append(words(_LEFT - 6, at + 4, value_text(value, self.unit), anchor="end"))
        for step in range(_TICKS + 1):
            time = first + reach * step / _TICKS
            anchor = "start" if step == 0 else "end" if step == _TICKS else "middle"
            made.append(words(x(time), height - 6, _time_text(time, reach), anchor=anchor))
        for number, each in enumerate(self.series):
            path = _path(
                [
                    (x(time), y(known) if (known := _known(value)) is not None else None)
                    for time, value in zip(self.times, each.values, strict=True)
                ]
            )
            colour = each.colour or _COLOURS[number % len(_COLOURS)]
            own = f'class="line" stroke="var({escape(colour)})"'
            made.append(f'<path {own} d="{path}"><title>{escape(each.label)}</title></path>')
        return picture(made, height, self.title, inline=inline)


@dataclass(frozen=True, slots=True, kw_only=True)
class BarRow:
    """A bar: its name, value, interval, and whether it is good or bad."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    state: Literal["", "pass", "fail"] = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Bars beside their names, with intervals."""

    title: str
    rows: Sequence[BarRow]
    unit: Unit = "share"
    top: float | None = None  # the end of the scale

    def data(self) -> Mapping[str, Any] | None:
        """Return nothing: bars are only drawn by the server."""
        return None

    def svg(self, *, inline: bool = True) -> str:
        """Return the drawing."""
        ends = [end for row in self.rows for end in map(_known, (row.value, row.low, row.high)) if end is not None]
        top = self.top or (1.0 if self.unit in ("share", "score") else _range(ends)[1])
        bottom = max(min((0.0, *ends)), -top)  # bars of values below 0 lead to the left
        left, right = 196, 92
        height = _TOP + _BAR * max(1, len(self.rows)) + 4
        wide = _BARS_WIDTH - left - right

        def x(value: float) -> float:
            return left + (min(max(value, bottom), top) - bottom) / (top - bottom) * wide

        made = []
        for number, row in enumerate(self.rows):
            at = _TOP + number * _BAR
            label = row.label if len(row.label) <= _LABEL else f"{row.label[: _LABEL - 1]}…"
            made.append(words(left - 8, at + 16, label, anchor="end", kind="name", whole=row.label))
            if (value := _known(row.value)) is not None:
                kind = f"bin-{row.state}" if row.state else "bin"
                begin, end = sorted((x(0.0), x(value)))
                place = f'x="{begin:.1f}" y="{at + 5}" width="{max(1.0, end - begin):.1f}" height="{_BAR - 10}"'
                made.append(f'<rect class="{kind}" {place} rx="2"/>')
            if _known(row.low) is not None and _known(row.high) is not None:
                middle = at + _BAR / 2
                ends_at = f'x1="{x(row.low or 0.0):.1f}" x2="{x(row.high or 0.0):.1f}"'
                made.append(f'<line class="whisker" {ends_at} y1="{middle}" y2="{middle}"/>')
            text = "–" if value is None else value_text(value, self.unit)
            made.append(words(_BARS_WIDTH - right + 8, at + 16, f"{text} {row.note}".strip()))
        return picture(made, height, self.title, inline=inline, width=_BARS_WIDTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A drawing that another part has made; its texts are escaped."""

    title: str
    inline_svg: str
    file_svg: str = ""

    def data(self) -> Mapping[str, Any] | None:
        """Return nothing: it is drawn already."""
        return None

    def svg(self, *, inline: bool = True) -> str:
        """Return the drawing."""
        return self.inline_svg if inline or not self.file_svg else self.file_svg


def value_text(value: float, unit: Unit) -> str:
    """Return a value with its unit, short."""
    if unit == "share":
        return f"{100 * value:.3g} %"
    if unit == "seconds":
        return f"{1000 * value:.3g} ms" if abs(value) < 1 else f"{value:.3g} s"
    if unit == "money":
        return f"${value:,.2f}"
    if unit == "score":
        return f"{value:.2f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _known(value: float | None) -> float | None:
    return value if value is not None and abs(value) < _HUGE else None


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return a round scale from 0 (or below) that holds the values."""
    high = max(0.0, max(values, default=1.0))
    low = min(0.0, min(values, default=0.0))
    if high - low < _TINY:
        high = low + 1.0
    size = 10.0 ** math.floor(math.log10(high - low))
    step = next((each for each in (1, 2, 2.5, 5) if (high - low) / size <= each), 10)
    return low, low + size * step


def _path(points: Sequence[tuple[float, float | None]]) -> str:
    made, is_down = [], False
    for at, height in points:
        if height is None:
            is_down = False
            continue
        made.append(f"{'L' if is_down else 'M'}{at:.1f} {height:.1f}")
        is_down = True
    return "".join(made)


def _time_text(time: float, reach: float) -> str:
    moment = datetime.fromtimestamp(time, UTC)
    return f"{moment:%H:%M}" if reach <= 2 * _DAY else f"{moment:%d %b}"


def picture(made: Sequence[str], height: int, title: str, *, inline: bool, width: int = _WIDTH) -> str:
    """Return a whole drawing of these parts."""
    styles = "" if inline else f"<style>{_file_styles()}</style>"
    own = "" if inline else ' xmlns="http://www.w3.org/2000/svg"'
    own += ' class="narrow"' if width < _WIDTH else ""
    frame = f'<svg{own} viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'
    return f"{frame}{styles}{''.join(made)}</svg>"


def words(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "tick", whole: str = "") -> str:
    """Return a text in a drawing, escaped; ``whole`` is shown when one points at it."""
    more = f"<title>{escape(whole)}</title>" if whole and whole != text else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}{more}</text>'


def _file_styles() -> str:
    """Return the colours and the styles of drawings, for a file of its own."""
    theme = files("proctor.report").joinpath("static", "theme.css").read_text("utf-8")
    start = theme.index(":root {")
    rules = files("proctor.server.pages").joinpath("static", "ui.css").read_text("utf-8")
    kept = [line for line in rules.splitlines() if line.startswith("svg .")]
    return (theme[start : theme.index("}", start) + 1] + "\n".join(kept)).replace("<", "")
