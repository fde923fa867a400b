from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from proctor.core.errors import InputError, NotFoundError
from proctor.store.db import MIGRATIONS
from proctor.store.review import GUARD, ReviewItem, add_items, find_item, guard_verdicts, items, open_count, resolve
from proctor.store.runs import RunStore


def _item(case: str, run: str = "r1") -> ReviewItem:
    return ReviewItem(
        origin="gate", run=run, target="agent", case_id=case, intent="faq", dimension="relevance", before=0.9, after=0.2
    )


def test_the_same_trouble_is_one_item_however_often_it_is_found(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        assert add_items(store, [_item("a"), _item("b")]) == 2
        assert add_items(store, [_item("a"), _item("c"), _item("a", run="r2")]) == 1
        assert [(each.case_id, each.run) for each in items(store)] == [("a", "r2"), ("b", "r1"), ("c", "r1")]
        assert [each.case_id for each in items(store, run="r2")] == ["a"]
        done = items(store)[0]
        resolve(store, done, verdict="worse", person="kim")
        assert add_items(store, [_item("a", run="r2")]) == 0, "it was looked at in this run"
        assert add_items(store, [_item("a", run="r3")]) == 1, "it is bad again in a later one"
        assert len(items(store, limit=2)) == 2


def test_a_resolved_item_leaves_the_queue_and_stays_on_record(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        add_items(store, [_item("a"), _item("b")])
        first = items(store)[0]
        done = resolve(store, first, verdict="acceptable", person="kim", note="fine")
        assert (done.verdict, done.person, done.note) == ("acceptable", "kim", "fine")
        assert done.resolved is not None
        assert open_count(store) == 1
        assert [each.case_id for each in items(store, state="resolved")] == ["a"]
        assert len(items(store, state="all")) == 2
        assert add_items(store, [_item("a")]) == 0, "what was looked at is not put up again"
        assert resolve(store, done, verdict="worse", person="lee").verdict == "worse"


def test_an_item_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        add_items(store, [_item(str(number)) for number in range(40)])
        whole = items(store)[0]
        assert find_item(store, whole.id) == whole
        assert find_item(store, whole.id[:8]).case_id == whole.case_id
        with pytest.raises(NotFoundError, match="begin with"):
            find_item(store, "")
        with pytest.raises(NotFoundError, match="no item 'zz%'"):
            find_item(store, "zz%")


def _decision(event: str, action: str = "block") -> ReviewItem:
    return ReviewItem(origin=GUARD, run="", target="injection", case_id=event, dimension="input", part=action)


def test_a_gates_decision_is_right_or_wrong_and_a_case_is_neither(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        add_items(store, [_decision("e1"), _decision("e2", "allow"), _item("a")])
        stopped, passed, case = items(store)
        with pytest.raises(InputError, match="is a gate's decision") as caught:
            resolve(store, stopped, verdict="worse", person="kim")
        assert caught.value.hint == "say right or wrong"
        with pytest.raises(InputError, match="is a case of a run"):
            resolve(store, case, verdict="right", person="kim")
        with pytest.raises(InputError, match="misses only what was let pass"):
            resolve(store, stopped, verdict="wrong", person="kim", missed="pii")
        with pytest.raises(InputError, match="misses only what was let pass"):
            resolve(store, passed, verdict="right", person="kim", missed="pii")
        assert guard_verdicts(store) == {}
        resolve(store, stopped, verdict="right", person="kim")
        assert resolve(store, passed, verdict="wrong", person="kim", missed="pii").missed == "pii"
        assert guard_verdicts(store) == {"e1": (True, ""), "e2": (False, "pii")}
        assert [each.case_id for each in items(store, state="all", origin=GUARD)] == ["e1", "e2"]
        assert (open_count(store), open_count(store, origin=GUARD)) == (1, 0)


def test_a_queue_of_an_earlier_version_takes_gates_decisions(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "proctor.db")
    for number, script in enumerate(MIGRATIONS[:4], start=1):
        database.executescript(f"{script}\nPRAGMA user_version = {number};")
    database.execute(
        "INSERT INTO review (id, origin, run, target, case_id, dimension, part, reason, opened)"
        " VALUES ('x1', 'gate', 'r', 't', 'c', 'd', '', '', '2026-11-15T00:00:00+00:00')"
    )
    database.commit()
    database.close()
    with RunStore(tmp_path) as store:
        assert add_items(store, [_decision("e1")]) == 1
        assert [(each.id, each.missed) for each in items(store, origin="gate")] == [("x1", "")]


def test_an_empty_queue_is_empty(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        assert items(store) == []
        assert open_count(store) == 0
        assert add_items(store, []) == 0
