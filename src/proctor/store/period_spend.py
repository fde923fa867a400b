"""What the runs of a period cost."""

from __future__ import annotations

from datetime import UTC, datetime

from proctor.store.db import explained
from proctor.store.runs import RunStore

__all__ = ["cost_between"]


def cost_between(store: RunStore, begin: datetime, end: datetime) -> float | None:
    """Return the known cost of the runs that started in [begin, end); ``None`` if there was none or no price is known.

    Raises:
        StoreError: the database cannot be read.
    """
    # Times are stored in UTC, so that their texts sort by time.
    bounds = tuple(each.astimezone(UTC).isoformat() for each in (begin, end))
    with explained(store.folder):
        row = store.database.execute(
            "SELECT sum(s.cost) AS cost FROM spend s JOIN runs r ON r.n = s.run WHERE r.started >= ? AND r.started < ?",
            bounds,
        ).fetchone()
    return None if row["cost"] is None else float(row["cost"])
