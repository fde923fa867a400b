"""The progress of a generation: a line that is redrawn on a terminal, lines at growing intervals elsewhere."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from proctor.generate.plan import GenerationPlan
    from proctor.workflows.generate.generation_models import GenerationProgress

__all__ = ["GenerationLine", "span"]

_TICK_SECONDS = 0.5
_FIRST_LINE_SECONDS = 5.0
_LONGEST_SILENCE_SECONDS = 60.0


class GenerationLine:
    """Reports answers, open calls and, where it can be told, the time that is left."""

    def __init__(self, watching: GenerationProgress, *, shown: bool, out: TextIO | None = None) -> None:
        self._watching = watching
        self._out = out or sys.stderr
        self._shown = shown
        self._redrawn = self._out.isatty()
        self._width = 0
        self._silence = _FIRST_LINE_SECONDS
        self._written = time.monotonic()
        self._work = 0

    def planned(self, plan: GenerationPlan) -> None:
        """Say what will be asked, and keep its size for the estimate."""
        from proctor.workflows.generate.generation_speed import planned_work  # noqa: PLC0415

        self._work = planned_work(plan)
        if self._shown and plan.calls:
            models = ", ".join(dict.fromkeys(row.model for row in plan.rows))
            self._write(f"asking {models}: about {plan.calls} calls, at most {plan.most}")

    async def follow(self) -> None:
        """Report until cancelled."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self.tick()

    def tick(self) -> None:
        """Report once: redraw the line, or write one more if the last is old enough."""
        if not self._shown or self._watching.calls is None:
            return
        text = self.text()
        if self._redrawn:
            self._out.write("\r" + text.ljust(self._width))
            self._out.flush()
            self._width = len(text)
        elif time.monotonic() - self._written >= self._silence:
            self._silence = min(2 * self._silence, _LONGEST_SILENCE_SECONDS)
            self._write(text)

    def text(self) -> str:
        """Return the line."""
        calls = self._watching.calls
        assert calls is not None
        parts = [f"{calls.answered} answers, {len(calls.under_way)} under way", span(calls.seconds)]
        done = sum(calls.work.values())
        if 0 < done < self._work:
            parts.append(f"about {span(calls.seconds * (self._work - done) / done)} left")
        if refused := self._watching.refusals() if self._watching.refusals is not None else 0:
            parts.append(f"the server asked to wait {refused} times (429)")
        return " · ".join(parts)

    def clear(self) -> None:
        """Remove a redrawn line."""
        if self._shown and self._redrawn and self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._out.flush()

    def _write(self, text: str) -> None:
        self.clear()
        self._out.write(text + "\n")
        self._out.flush()
        self._written = time.monotonic()


def span(seconds: float) -> str:
    """Return a time span in words that a person would use."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
