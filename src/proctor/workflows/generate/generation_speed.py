"""How fast models answered on this machine, to estimate how long a generation with a local model takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from proctor.generate.plan import GenerationPlan
from proctor.store.private_files import private_folder, write_private
from proctor.workflows.generate.calls import Shared, work_of

__all__ = ["is_local", "keep_speed", "planned_seconds", "planned_work"]

_FILE: Final = "speed.json"
_LEAST_WORK = 200  # tokens; fewer say little about the speed
_LOCAL: Final = "local:"


def is_local(model: str) -> bool:
    """Whether a model runs in this process, so that its answers take this machine's time."""
    return model.startswith(_LOCAL)


def planned_work(plan: GenerationPlan) -> int:
    """Return the size of a plan, in the unit of ``Shared.work``."""
    return sum(work_of(row.usage) for row in plan.rows)


def keep_speed(store: Path, shared: Shared) -> None:
    """Remember how much work a second each local model did; a failure to write is not important."""
    done = {name: work for name, work in shared.work.items() if is_local(name) and work >= _LEAST_WORK}
    if not done or shared.seconds <= 0:
        return
    total = sum(shared.work.values())
    known = dict(_known(store))
    # The calls of several models share the time by their work.
    known |= {name: total / shared.seconds for name in done}
    with suppress(OSError):
        private_folder(store / "generate")
        write_private(store / "generate" / _FILE, json.dumps(known, sort_keys=True).encode())


def planned_seconds(store: Path, plan: GenerationPlan) -> float | None:
    """Return how long the local models of a plan will take, by earlier generations; ``None`` if that is unknown."""
    known = _known(store)
    seconds = 0.0
    for row in plan.rows:
        if not is_local(row.model):
            continue
        if row.model not in known:
            return None
        seconds += work_of(row.usage) / known[row.model]
    return seconds


def _known(store: Path) -> Mapping[str, float]:
    with suppress(OSError, ValueError):
        data = json.loads((store / "generate" / _FILE).read_text("utf-8"))
        if isinstance(data, dict):
            return {str(name): float(speed) for name, speed in data.items() if speed and float(speed) > 0}
    return {}
