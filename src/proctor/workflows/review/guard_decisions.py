"""Any decision of the guard's log can be reviewed, not only those that wait in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proctor import registry
from proctor.config import Config
from proctor.core.errors import InputError, NotFoundError
from proctor.store.guard_log import FOLDER
from proctor.store.guard_log_reader import find_row
from proctor.store.guard_queue import review_item
from proctor.store.review import (
    GUARD,
    ReviewItem,
    ReviewVerdict,
    add_items,
    check_word,
    find_item,
    id_of,
    look_up,
    resolve,
)
from proctor.store.runs import RunStore

__all__ = ["item_or_decision", "resolve_all"]


def item_or_decision(config: Config, store: RunStore, name: str) -> ReviewItem:
    """An item of the queue, or a decision of the guard as one, by its id or the beginning of it.

    Raises:
        NotFoundError: neither, or more than one, answers to the name.
    """
    if (item := look_up(store, name)) is not None:
        return item
    if (row := find_row(config.store / FOLDER, name)) is None or row.get("kind") != "gate":
        raise NotFoundError(
            f"{name!r} is no item of the review queue and no decision in the guard's log",
            hint="`proctor review list` shows the items, `proctor guard stats --ids` the last decisions that stopped",
        )
    made = review_item(row)
    made = replace(made, id=id_of(made))
    return look_up(store, made.id) or made


def resolve_all(
    config: Config,
    store: RunStore,
    names: Sequence[str],
    *,
    verdict: ReviewVerdict,
    person: str,
    note: str = "",
    missed: str = "",
) -> list[ReviewItem]:
    """Put on record what a person said of each; nothing is written unless it can be said of all of them.

    Raises:
        InputError: there is no such item or decision, that cannot be said of one, or no gate has the missed one's name.
    """
    found = [item_or_decision(config, store, name) for name in names]
    for item in found:
        check_word(item, verdict=verdict, missed=missed)
        if missed:
            _check_missed(config, item, missed)
    # One that was not in the queue is put there, so that what was said of it has a place.
    add_items(store, [item for item in found if item.origin == GUARD])
    return [
        resolve(store, find_item(store, item.id), verdict=verdict, person=person, note=note, missed=missed)
        for item in found
    ]


def _check_missed(config: Config, item: ReviewItem, missed: str) -> None:
    """Refuse a gate that neither looked at the step nor exists."""
    row = find_row(config.store / FOLDER, item.case_id) or {}
    looked = [str(part.get("gate")) for part in (row.get("metadata") or {}).get("parts", ()) if part.get("gate")]
    others = sorted(set(registry.names("gates")) - set(looked))
    if missed not in (*looked, *others):
        here = f"the gates that looked at it are {', '.join(looked)}; " if looked else ""
        raise InputError(f"there is no gate {missed!r}", field="--missed", hint=f"{here}others are {', '.join(others)}")
