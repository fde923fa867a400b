"""The progress of a campaign run: running rates per scope; only on a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import TextIO

from proctor.core.attack import SCOPES
from proctor.core.report import Result, Spend
from proctor.redteam.attack_entries import read_entries

__all__ = ["CampaignProgress"]

_REDRAW_SECONDS = 0.2


class CampaignProgress:
    """Counts by scope, redrawn as a block of lines at most five times a second."""

    def __init__(self, *, shown: bool = True, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._shown = shown and self._out.isatty()
        self._counts: dict[str, Counter[str]] = {}
        self._total = self._before = self._round = self._lines = 0
        self._started = self._drawn = time.monotonic()
        self.spend: Callable[[], tuple[Spend, ...]] | None = None

    def begin(self, number: int, total: int, done: int) -> None:
        """Begin a round of so many attempts, of which some were made before."""
        self._round, self._total, self._before = number, total, done
        self._counts = {}
        self._started = time.monotonic()

    def heard(self, result: Result) -> None:
        """Count one attempt."""
        for entry in read_entries([result])[0]:
            self._counts.setdefault(entry.attempt.scope, Counter())[entry.result.outcome] += 1
        now = time.monotonic()
        if self._shown and now - self._drawn > _REDRAW_SECONDS:
            self._drawn = now
            self._draw(self.lines(now - self._started))

    def lines(self, seconds: float) -> list[str]:
        """Return the block: one line for the round, and one per scope with its running rate."""
        new = sum(sum(counts.values()) for counts in self._counts.values())
        done, speed = self._before + new, new / seconds if seconds > 0 else 0.0
        head = [f"round {self._round}" if self._round else "", f"{done}/{self._total} attempts", f"{speed:.0f}/s"]
        costs = [spend.cost or 0.0 for spend in self.spend()] if self.spend else []
        head += [f"${sum(costs):.4f}"] if any(costs) else []
        head += [f"{(self._total - done) / speed:.0f} s left"] if speed and done < self._total else []
        return [" · ".join(filter(None, head)), *(self._scope(name) for name in SCOPES if name in self._counts)]

    def clear(self) -> None:
        """Remove the block."""
        if self._shown and self._lines:
            self._out.write(f"\x1b[{self._lines}F\x1b[J")
            self._out.flush()
            self._lines = 0

    def _scope(self, name: str) -> str:
        counts = self._counts[name]
        scored = counts["executed"] + counts["stopped"] + counts["ignored"]
        rate = f"{counts['executed'] / scored:.0%}" if scored else "–"
        others = ", ".join(
            f"{counts[key]} {key.replace('_', ' ')}" for key in ("stopped", "ignored", "not_reached", "unscored")
        )
        return f"  {name:<22} {counts['executed']:>4} of {scored:<5} executed {rate:>5}   {others}"

    def _draw(self, lines: list[str]) -> None:
        self.clear()
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()
        self._lines = len(lines)
