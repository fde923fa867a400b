from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.store.review import GUARD, ReviewItem, add_items, items, resolve
from proctor.store.review_queue import QueueQuery, next_open, queue_count, queue_page, queue_values
from proctor.store.runs import RunStore

OPEN = QueueQuery(origin=GUARD)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore(tmp_path) as opened:
        gates = ("injection", "pii", "injection", "danger")
        made = [
            ReviewItem(
                origin=GUARD, run="", target=gate, case_id=f"e{number}", dimension="input",
                part="block" if gate == "injection" else "allow",
            )
            for number, gate in enumerate(gates)
        ]  # fmt: skip
        add_items(opened, [*made, ReviewItem(origin="gate", run="r", target="t", case_id="c")])
        yield opened


def _names(found: list[ReviewItem]) -> list[str]:
    return [each.case_id for each in found]


def test_pages_of_what_waits_and_of_what_was_said(store: RunStore) -> None:
    assert _names(queue_page(store, OPEN, limit=3)) == ["e0", "e1", "e2"]
    assert _names(queue_page(store, OPEN, limit=3, offset=3)) == ["e3"]
    for item in items(store, origin=GUARD)[:2]:
        resolve(store, item, verdict="right", person="ben")
    resolved = QueueQuery(origin=GUARD, state="resolved")
    assert _names(queue_page(store, resolved, limit=9)) == ["e1", "e0"]
    assert (queue_count(store, OPEN), queue_count(store, resolved)) == (2, 2)
    assert queue_count(store, QueueQuery(origin=GUARD, state="all", target="injection", part="block")) == 2
    assert queue_values(store, OPEN) == {"target": ["danger", "injection"], "part": ["allow", "block"]}


def test_the_next_item_begins_again_at_the_end_and_is_never_the_same(store: RunStore) -> None:
    ids = {each.case_id: each.id for each in items(store, origin=GUARD)}

    def after(name: str, **more: bool) -> str | None:
        found = next_open(store, OPEN, after=ids[name], **more)
        return found.case_id if found else None

    assert next_open(store, OPEN) is not None
    assert (after("e0"), after("e3")) == ("e1", "e0")
    assert (after("e2", back=True), after("e0", back=True)) == ("e1", "e3")
    only = QueueQuery(origin=GUARD, target="pii")
    assert next_open(store, only, after=ids["e1"]) is None
