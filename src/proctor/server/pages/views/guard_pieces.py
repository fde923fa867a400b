"""What the guard's pages share: periods, chips of actions, and texts with what was found in them marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

from proctor.core.errors import InputError
from proctor.server.pages.charts import Series, TimeChart
from proctor.server.pages.page import PageRequest
from proctor.server.pages.table import Chip
from proctor.server.pages.table import Share as ShareCell
from proctor.workflows.guard.activity import TimeCounts

__all__ = [
    "ACTIONS",
    "PERIODS",
    "POINTS",
    "action_chip",
    "address",
    "marked",
    "period_start",
    "share_cell",
    "time_chart",
    "window_of",
]

ACTIONS: Final = ("block", "escalate", "redact", "allow")
POINTS: Final = ("input", "tool_call", "tool_result", "output")
PERIODS: Final[Mapping[str, str]] = {
    "1": "the last day",
    "7": "7 days",
    "30": "30 days",
    "90": "90 days",
    "all": "everything",
}
_MAX_SERIES: Final = 5
_COLOURS: Final = {"block": "--fail-fill", "escalate": "--accent", "redact": "--pass-fill", "allow": "--unscored-fill"}
_SHORTEST_QUOTE: Final = 2
_LATEST: Final = 4e9  # seconds since 1970
_CUT: Final = "…"


def address(path: str, **asked: object) -> str:
    """Return an address of the dashboard with the parameters that are not empty."""
    query = urlencode({name: str(value) for name, value in asked.items() if value not in ("", None)})
    return f"/ui{quote(path)}" + (f"?{query}" if query else "")


def period_start(request: PageRequest, default: str = "30") -> tuple[str, datetime | None]:
    """Return the chosen period and its first moment: the beginning of a day in UTC."""
    chosen = request.choice("days", tuple(PERIODS), default) or default
    if chosen == "all":
        return chosen, None
    now = datetime.fromtimestamp(request.now, UTC)
    first = now - timedelta(days=int(chosen) - 1)
    return chosen, first.replace(hour=0, minute=0, second=0, microsecond=0)


def window_of(request: PageRequest) -> tuple[float | None, float | None]:
    """Return the window that an address names with ``since`` and ``until``, such as that of an alert.

    Raises:
        InputError: one of them is no time of our age.
    """
    bounds = request.time("since"), request.time("until")
    for name, bound in zip(("since", "until"), bounds, strict=True):
        if bound is not None and not 0 <= bound < _LATEST:
            raise InputError(f"{name} is no time", field=name, hint="write 2026-11-17 or 2026-11-17T15:00Z")
    return bounds


def action_chip(action: str, *, shadow: bool = False) -> Chip:
    """Return what was done to a step, as a chip."""
    word = f"{action} (shadow)" if shadow else action
    return Chip("fail" if action in ("block", "escalate") else "pass" if action == "allow" else "info", word)


def share_cell(share: Any) -> ShareCell:
    """Return a share with its interval for a table."""
    return ShareCell(share.value, share.low, share.high, share.total if share.value is not None else None)


def time_chart(title: str, counts: TimeCounts, *, only: Sequence[str] = ()) -> TimeChart | None:
    """Return the most frequent series as lines; the rest is one line more. ``None`` if nothing was counted."""
    series = {name: values for name, values in counts.series.items() if not only or name in only}
    if not series or len(counts.times) < 1:
        return None
    names = list(series)
    shown = names if len(names) <= _MAX_SERIES else names[: _MAX_SERIES - 1]
    lines = [Series(label=name, values=list(series[name]), colour=_COLOURS.get(name, "")) for name in shown]
    if rest := names[len(shown) :]:
        added = [sum(column) for column in zip(*(series[name] for name in rest), strict=True)]
        lines.append(Series(label=f"{len(rest)} others", values=added))
    return TimeChart(title=title, times=list(counts.times), series=lines, height=170)


def marked(text: str, quotes: Iterable[str]) -> list[tuple[str, bool]]:
    """Split a text into parts, and say which of them a gate has found.

    The text is masked, so that places in the original no longer fit: the quotes are looked for.
    """
    wanted = {each.strip().strip(_CUT).strip() for each in quotes}
    found = sorted((each for each in wanted if len(each) >= _SHORTEST_QUOTE), key=len, reverse=True)
    if not found:
        return [(text, False)]
    pattern = re.compile("|".join(r"\s+".join(map(re.escape, each.split())) for each in found))
    parts: list[tuple[str, bool]] = []
    end = 0
    for hit in pattern.finditer(text):
        parts += [(text[end : hit.start()], False), (hit.group(), True)]
        end = hit.end()
    return [part for part in (*parts, (text[end:], False)) if part[0]]
