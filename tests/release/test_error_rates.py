"""A short look at what benchmarks/gate measures at length."""

from __future__ import annotations

import numpy as np
from benchmarks.gate_draws import SHAPES, Fault, System

from proctor.release.compare import compare
from proctor.release.decide import decide
from proctor.release.policy import Policy
from tests.profiles import scaled


def test_a_system_compared_with_itself_is_rarely_held() -> None:
    source = np.random.default_rng(11)
    held, rounds = 0, max(10, scaled(30))
    for _ in range(rounds):
        system = System.drawn(SHAPES[0], 120, source)
        held += decide(compare(system.run("a", source), system.run("b", source)), Policy()).outcome == "hold"
    assert held <= rounds // 10


def test_a_fall_from_082_to_068_on_200_cases_is_caught() -> None:
    source = np.random.default_rng(12)
    for _ in range(8):
        system = System.drawn(SHAPES[0], 200, source)
        found = decide(compare(system.run("a", source), system.run("b", source, Fault())), Policy())
        assert found.outcome == "hold"
        assert any(reason.dimension == "relevance" and reason.intent == "all" for reason in found.reasons)
