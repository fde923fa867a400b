"""Queue gates' decisions for review: borderline ones, and a sample of what passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from proctor.store.review import GUARD, ReviewItem, add_items
from proctor.store.runs import RunStore

__all__ = ["queue_up", "review_item"]

_MAX_REASON_CHARS: Final = 300


def queue_up(store: Path, rows: Sequence[Mapping[str, Any]]) -> int:
    """Add decisions from the log to the review queue. Return how many are new.

    Raises:
        StoreError: a database error.
    """
    if not rows:
        return 0
    with RunStore(store) as opened:
        return add_items(opened, map(review_item, rows))


def review_item(row: Mapping[str, Any]) -> ReviewItem:
    """Convert a decision from the log to an item of the review queue."""
    told: Mapping[str, Any] = row.get("verdict") or {}
    shadow = told.get("shadow")
    verdict = shadow if isinstance(shadow, Mapping) else told  # in shadow mode, the decision not acted on
    return ReviewItem(
        origin=GUARD,
        run="",
        target=str(told.get("by") or told.get("gate") or row.get("name") or ""),
        case_id=str(row["id"]),
        intent=row.get("intent"),
        dimension=str(row.get("name") or verdict.get("gate") or ""),
        part=str(verdict.get("action") or ""),
        reason=(str(verdict.get("reason") or "") or "sampled: was it right to let this pass?")[:_MAX_REASON_CHARS],
    )
