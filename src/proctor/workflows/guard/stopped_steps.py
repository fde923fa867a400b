"""How many steps the guard has stopped, from the index of its log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from proctor.core.verdict import STOPS
from proctor.store.guard_index import GuardIndex

__all__ = ["stopped_steps"]

_SECONDS: Final = 0.1  # for reading what is new in the log while a reader waits


def stopped_steps(index: GuardIndex, since: datetime) -> tuple[int, int]:
    """Return how many steps were stopped, and of how many decisions, in whole days in UTC; shadow mode stops nothing.

    Raises:
        StoreError: the log or the database cannot be read.
    """
    index.catch_up(seconds=_SECONDS)
    stopped = total = 0
    for tally in index.tallies(f"{since.astimezone(UTC):%Y-%m-%d}").values():
        for counts in tally.chains.values():
            for (action, _, _, is_shadow, *_), count in counts.marks.items():
                total += count
                stopped += count if action in STOPS and not is_shadow else 0
    return stopped, total
