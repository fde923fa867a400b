"""Ordinary conversations at once before the real networks: none is blocked by waiting, and the first is in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.guard_load import hostile_text, measure

from proctor.models.local import model_registry
from proctor.wiring.guard import Guard


@pytest.fixture
def guard(tmp_path: Path) -> Guard:
    (tmp_path / "proctor.yaml").write_text("guard: {mode: enforce}\n")
    return Guard.from_config(tmp_path, record=False)


async def test_thirty_sessions_at_once_and_no_harmless_step_is_stopped(guard: Guard) -> None:
    async with guard:
        load = await measure(guard, 30)
        assert (load.actions["passed"], dict(load.causes)) == (180, {})
        assert guard.health["busy"] == 0


async def test_a_hostile_message_of_a_megabyte_beside_them_is_stopped_and_stops_nobody(guard: Guard) -> None:
    async with guard:
        load = await measure(guard, 10, hostile=hostile_text(1_000_000), once=True, seed=2)
        assert (load.actions["passed"], dict(load.causes)) == (60, {})
        assert dict(load.hostile) == {"block": 1}


async def test_the_first_steps_after_warm_up_are_in_time(guard: Guard) -> None:
    """Every network that a gate may ask is loaded by then: none is loaded in a customer's time."""

    async with guard:
        loaded = model_registry._network.cache_info().currsize
        load = await measure(guard, 1)
        assert (load.actions["passed"], dict(load.causes)) == (6, {})
        assert model_registry._network.cache_info().currsize == loaded >= 3
