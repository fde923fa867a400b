"""Pages of the review queue: what waits, what was said, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from proctor.store.review import ReviewItem, item_columns, item_of_row
from proctor.store.runs import RunStore

__all__ = ["QueueQuery", "next_open", "queue_count", "queue_page", "queue_values"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueQuery:
    """Which items: of an origin and a state; ``target`` and ``part`` are the gate and the action of a decision."""

    origin: str
    state: Literal["open", "resolved", "all"] = "open"
    target: str = ""
    part: str = ""

    def where(self) -> tuple[str, list[Any]]:
        """Return the condition and its values."""
        made = {"open": "resolved IS NULL", "resolved": "resolved IS NOT NULL", "all": "1"}[self.state]
        values: list[Any] = [self.origin]
        for name in ("target", "part"):
            if wanted := getattr(self, name):
                made += f" AND {name} = ?"
                values.append(wanted)
        return f"origin = ? AND {made}", values


def queue_page(store: RunStore, query: QueueQuery, *, limit: int, offset: int = 0) -> list[ReviewItem]:
    """Return items: those that wait the oldest first, others the newest first."""
    where, values = query.where()
    order = "n" if query.state == "open" else "resolved DESC, n DESC"
    rows = store.database.execute(
        f"SELECT {item_columns()} FROM review WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?", (*values, limit, offset)
    )
    return [item_of_row(row) for row in rows]


def queue_count(store: RunStore, query: QueueQuery) -> int:
    """Return how many items match."""
    where, values = query.where()
    found: int = store.database.execute(f"SELECT count(*) FROM review WHERE {where}", values).fetchone()[0]
    return found


def queue_values(store: RunStore, query: QueueQuery) -> dict[str, list[str]]:
    """Return the targets and the parts that items of this origin and state have."""
    where, values = QueueQuery(origin=query.origin, state=query.state).where()
    return {
        name: [row[0] for row in store.database.execute(
            f"SELECT DISTINCT {name} FROM review WHERE {where} AND {name} != '' ORDER BY {name}", values)]
        for name in ("target", "part")
    }  # fmt: skip


def next_open(store: RunStore, query: QueueQuery, *, after: str = "", back: bool = False) -> ReviewItem | None:
    """Return the item that waits after another one, or before it; at the end of the queue it begins again."""
    where, values = query.where()
    sign, order = ("<", "n DESC") if back else (">", "n")
    select = f"SELECT {item_columns()} FROM review WHERE {where} AND id != ?"
    row = None
    if after:
        row = store.database.execute(
            f"{select} AND n {sign} (SELECT n FROM review WHERE id = ?) ORDER BY {order} LIMIT 1",
            (*values, after, after),
        ).fetchone()
    if row is None:
        row = store.database.execute(f"{select} ORDER BY {order} LIMIT 1", (*values, after)).fetchone()
    return None if row is None else item_of_row(row)
