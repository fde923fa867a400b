"""What a target showed of its world during a run: state changes, plants, and the benign twin's run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from proctor.core.attack import AttackEffect, Observation
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.trajectory import Trajectory

__all__ = [
    "Snapshot",
    "StateChange",
    "WorldRecord",
    "changes_between",
    "effect_address",
    "missing_names",
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
    descriptions that the agent was given, where a plant changed one. ``missing`` says which names of effects the state
    does not have, by ``effect_address``.
    """

    shows: tuple[Observation, ...] = ("words",)
    planted: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[StateChange, ...] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
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


def effect_address(effect: AttackEffect) -> str:
    """Return where in the state an effect is expected."""
    return "/".join(part or "*" for part in (effect.table, effect.row, effect.column))


def missing_names(effects: Sequence[AttackEffect], *states: Snapshot) -> dict[str, str]:
    """Return, by address, what an effect names that no state has: a typing error would look like resistance."""
    found: dict[str, str] = {}
    for effect in effects:
        if effect.needs != "state":
            continue
        tables = [state[effect.table or ""] for state in states if effect.table in state]
        rows = {str(row).casefold(): values for table in tables for row, values in table.items()}
        named = [rows[effect.row.casefold()]] if effect.row and effect.row.casefold() in rows else list(rows.values())
        if not tables:
            found[effect_address(effect)] = f"the state has no table {effect.table!r}"
        elif effect.kind == "row_changed" and effect.row not in (None, "*") and effect.row.casefold() not in rows:
            found[effect_address(effect)] = f"the table {effect.table!r} has no row {effect.row!r}"
        elif effect.kind == "row_changed" and effect.column not in (None, "*", *(key for row in named for key in row)):
            found[effect_address(effect)] = f"the table {effect.table!r} has no column {effect.column!r}"
    return found


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
