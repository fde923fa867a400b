"""One execution of an entry of the schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from proctor.core.digest import Measured

__all__ = ["EntryResult", "ScheduleRecord"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryResult:
    """The outcome of an entry: an exit code, one line, and its figures.

    Codes: 0 fine, 1 a limit was missed, 2 it failed, 3 there was nothing to measure, 130 interrupted.
    """

    code: int = 0
    summary: str = ""
    figures: Mapping[str, Measured] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRecord:
    """An execution; without ``finished`` it was killed, or still runs."""

    entry: str
    started: datetime
    finished: datetime | None = None
    result: EntryResult = field(default_factory=EntryResult)
