"""What a target showed of its world: changes between snapshots, and names that no snapshot has."""

from __future__ import annotations

from proctor.core.attack import AttackEffect
from proctor.core.trajectory import Trajectory
from proctor.core.world import (
    Snapshot,
    StateChange,
    WorldRecord,
    changes_between,
    effect_address,
    missing_names,
    twin_of,
    with_twin,
    with_world,
    world_of,
)
from tests.tables import table

BEFORE: Snapshot = {"bookings": {"LT-1": {"status": "ok", "note": None}, "LT-2": {"status": "ok"}}}
AFTER: Snapshot = {"bookings": {"LT-1": {"status": "gone", "note": None}}, "cases": {"C-1": {"kind": "refund"}}}


def test_changed_added_and_removed_values_are_found() -> None:
    assert changes_between(BEFORE, AFTER) == (
        StateChange(table="bookings", row="LT-1", column="status", before="ok", after="gone"),
        StateChange(table="bookings", row="LT-2", column="status", before="ok", removed=True),
        StateChange(table="cases", row="C-1", column="kind", after="refund", added=True),
    )
    assert changes_between(BEFORE, BEFORE) == ()


@table(
    ("effect", "why"),
    [
        (AttackEffect(kind="row_changed", table="bokings", row="LT-1", column="status"), "no table 'bokings'"),
        (AttackEffect(kind="row_changed", table="bookings", row="LT-9", column="status"), "no row 'LT-9'"),
        (AttackEffect(kind="row_changed", table="bookings", row="LT-1", column="state"), "no column 'state'"),
        (AttackEffect(kind="row_added", table="caes"), "no table 'caes'"),
        (AttackEffect(kind="row_changed", table="bookings", row="lt-1", column="status"), None),
        (AttackEffect(kind="row_changed", table="bookings", row="*", column="*"), None),
        (AttackEffect(kind="row_added", table="cases", values={"kind": "x"}), None),
        (AttackEffect(kind="tool_called", tool="pay"), None),
    ],
)
def test_a_name_that_no_state_has_is_told(effect: AttackEffect, why: str | None) -> None:
    found = missing_names([effect], BEFORE, AFTER)
    assert (why is None) == (not found)
    if why is not None:
        assert why in found[effect_address(effect)]


def test_records_and_twins_travel_in_the_metadata() -> None:
    world = WorldRecord(shows=("words", "state"), changes=(), missing={"a/b/c": "no"})
    run = with_twin(with_world(Trajectory(), world), Trajectory(target="twin"))
    assert world_of(run) == world
    assert twin_of(run) == Trajectory(target="twin")
    assert world_of(Trajectory(metadata={"world": 3})) is None
    assert twin_of(Trajectory(metadata={"twin": {"turns": 3}})) is None
