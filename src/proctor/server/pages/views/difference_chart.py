"""Differences with their intervals around zero: left is worse, right is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.report.release_view import signed
from proctor.server.pages.charts import picture, words

__all__ = ["DifferenceChart", "DifferenceRow"]

_WIDTH: Final = 640
_LEFT: Final = 150
_RIGHT: Final = 165
_ROW: Final = 26
_LABEL: Final = 22
_COLOURS: Final = {"pass": "bin-pass", "fail": "bin-fail"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRow:
    """One difference: its name, its interval, and whether it counts as better or worse."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    state: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceChart:
    """Points with intervals on a scale with zero in its middle."""

    title: str
    rows: Sequence[DifferenceRow]

    def data(self) -> Mapping[str, Any] | None:
        """Return nothing: it is only drawn by the server."""
        return None

    def svg(self, *, inline: bool = True) -> str:
        """Return the drawing."""
        ends = [abs(end) for row in self.rows for end in (row.value, row.low, row.high) if end is not None]
        top = max(0.02, *ends) * 1.1
        height = _ROW * len(self.rows) + 26

        def x(value: float) -> float:
            return _LEFT + (value + top) / (2 * top) * (_WIDTH - _LEFT - _RIGHT)

        made = []
        for tick in (-top, -top / 2, 0.0, top / 2, top):
            at = f"{x(tick):.1f}"
            kind = "axis" if tick == 0 else "grid"
            made.append(f'<line class="{kind}" x1="{at}" x2="{at}" y1="4" y2="{height - 20}"/>')
            made.append(words(x(tick), height - 5, _tick(tick), anchor="middle"))
        for number, row in enumerate(self.rows):
            made += _drawn(row, 4 + number * _ROW, x)
        return picture(made, height, self.title, inline=inline)


def _drawn(row: DifferenceRow, top: float, x: Callable[[float], float]) -> list[str]:
    middle = top + _ROW / 2
    label = row.label if len(row.label) <= _LABEL else f"{row.label[: _LABEL - 1]}…"
    made = [words(_LEFT - 8, middle + 4, label, anchor="end", kind="name", whole=row.label)]
    if row.low is not None and row.high is not None:
        reach = f'x1="{x(row.low):.1f}" x2="{x(row.high):.1f}"'
        made.append(f'<line class="whisker" {reach} y1="{middle}" y2="{middle}"/>')
    if row.value is not None:
        made.append(f'<circle class="{_COLOURS.get(row.state, "bin")}" cx="{x(row.value):.1f}" cy="{middle}" r="4.5"/>')
    text = " ".join(filter(None, (signed(row.value), row.note)))
    made.append(words(_WIDTH - _RIGHT + 8, middle + 4, text))
    return made


def _tick(value: float) -> str:
    return "0" if value == 0 else f"{value:+.2g}".replace("-", "−")
