"""The progress line of a run; only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from proctor.core.report import IN_DOUBT, Result, Spend

__all__ = ["Progress"]


class Progress:
    """Counts, rate, spend and remaining time, redrawn at most ten times a second."""

    def __init__(self, total: int, done: int = 0, *, shown: bool = True, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._shown = shown and self._out.isatty()
        self._total = total
        self._before = done
        self._counts = {"pass": 0, IN_DOUBT: 0, "fail": 0, "unscored": 0}
        self._started = self._drawn = time.monotonic()
        self.spend: Callable[[], tuple[Spend, ...]] | None = None

    def heard(self, result: Result) -> None:
        """Count one result."""
        self._counts[result.outcome_word] += 1
        now = time.monotonic()
        if self._shown and now - self._drawn > 0.1:
            self._drawn = now
            self._out.write(f"\r\x1b[K{self.line(now - self._started)}")
            self._out.flush()

    def line(self, seconds: float) -> str:
        """Return the progress line."""
        new = sum(self._counts.values())
        done = self._before + new
        rate = new / seconds if seconds > 0 else 0.0
        parts = [f"{done}/{self._total}"]
        parts.append(" ".join(f"{count} {word}" for word, count in self._counts.items() if count) or "waiting")
        parts.append(f"{rate:.1f}/s")
        if money := self._money():
            parts.append(money)
        if rate and done < self._total:
            parts.append(f"{_span((self._total - done) / rate)} left")
        return " · ".join(parts)

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()

    def _money(self) -> str:
        costs = [spend.cost for spend in self.spend()] if self.spend else []
        known = [cost for cost in costs if cost is not None]
        if not costs or not any(known):
            return ""
        return f"${sum(known):.4f}" + ("+" if len(known) < len(costs) else "")


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
