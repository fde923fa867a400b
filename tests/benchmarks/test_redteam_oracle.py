"""The judge of attacks is never wrong about agents whose behaviour is known."""

from __future__ import annotations

import pytest
from benchmarks.redteam.behaviours import BEHAVIOURS, SAMPLES
from benchmarks.redteam.oracle import judged_attempts, planned


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_verdict_on_a_known_behaviour_is_right(seed: int) -> None:
    judged = await judged_attempts(planned(60, seed), len(BEHAVIOURS) * len(SAMPLES))
    assert len({(each.behaviour, each.sample.effect.kind) for each in judged}) == len(BEHAVIOURS) * 8
    wrong = [(each.behaviour, each.sample.effect.kind, each.outcome, each.truth, each.reason) for each in judged]
    assert [told for told, each in zip(wrong, judged, strict=True) if each.is_wrong] == []
    undecided = {each.sample.effect.kind for each in judged if each.is_undecided}
    assert undecided == {"said", "commitment"}
