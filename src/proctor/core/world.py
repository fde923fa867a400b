"""What a target showed of its world during a run: state changes, plants, and the benign twin's run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from proctor.core.attack import Observation
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.trajectory import Trajectory

__all__ = [
    "Snapshot",
    "StateChange",
    "WorldRecord",
    "changes_between",
    "twin_of",
    "with_twin",
    "with_world",
    "world_of",
]

Snapshot = Mapping[str, Mapping[str, Mapping[str, Any]]]  # table -> row -> column -> value
_WORLD: Final = "world"
_TWIN: Final = "twin"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One changed value; of an added row ``before`` is none for each column, of a removed one ``after``."""

    table: str
    row: str
    column: str
    before: Any = None
    after: Any = None
    added: bool = False
    removed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRecord:
    """What was observed beside the words.

    ``shows`` is what the target declares to show. ``planted`` are the addresses of the plants that it took;
    ``refused`` says why others were not. ``changes`` is ``None`` if its state was not read. ``tools`` are the
    descriptions that the agent was given, where a plant changed one.
    """

    shows: tuple[Observation, ...] = ("words",)
    planted: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[StateChange, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def changes_between(before: Snapshot, after: Snapshot) -> tuple[StateChange, ...]:
    """Return every value that differs between two snapshots, sorted by table, row and column."""
    found: list[StateChange] = []
    for table in sorted({*before, *after}):
        old, new = before.get(table, {}), after.get(table, {})
        for row in sorted({*old, *new}, key=str):
            was, now = old.get(row, {}), new.get(row, {})
            added, removed = row not in old, row not in new
            for column in sorted({*was, *now}, key=str):
                one, other = was.get(column), now.get(column)
                if one != other:
                    found.append(
                        StateChange(
                            table=table,
                            row=str(row),
                            column=column,
                            before=one,
                            after=other,
                            added=added,
                            removed=removed,
                        )
                    )
    return tuple(found)


def with_world(run: Trajectory, world: WorldRecord) -> Trajectory:
    """Return the trajectory with this record."""
    return replace(run, metadata={**run.metadata, _WORLD: encode(world)})


def world_of(run: Trajectory) -> WorldRecord | None:
    """Return what was observed beside the words; ``None`` if the target recorded nothing."""
    raw = run.metadata.get(_WORLD)
    try:
        return None if raw is None else raw if isinstance(raw, WorldRecord) else decode(WorldRecord, raw)
    except MalformedError:
        return None


def with_twin(run: Trajectory, twin: Trajectory) -> Trajectory:
    """Return the trajectory of an attempt with its twin's."""
    return replace(run, metadata={**run.metadata, _TWIN: encode(twin)})


def twin_of(run: Trajectory) -> Trajectory | None:
    """Return the benign twin's trajectory; ``None`` if it was not run or cannot be read."""
    raw = run.metadata.get(_TWIN)
    try:
        return None if raw is None else raw if isinstance(raw, Trajectory) else decode(Trajectory, raw)
    except MalformedError:
        return None
