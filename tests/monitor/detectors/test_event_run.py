"""Events that are counted together leave every rule in the state that they leave it in one by one."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

from proctor.core.event_row import EventRow
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import rules_of
from proctor.monitor.detectors.event_run import EventRun, runs_of
from proctor.store.alert_state import AlertState
from tests.profiles import seeds
from tests.tables import table

START = 1_700_000_400.0
RULES: dict[str, Any] = {
    "row": {"in_a_row": "error", "count": 3},
    "slow": {"p95": "latency", "limit": "1 s"},
    "dear": {"p95": "cost", "times": 2},
    "part": {"rate": "gate/injection", "where": {"version": "v1"}},
    "each": {"rate": "gate/injection", "by": "intent"},
    "named": {"rate": "score/grounded"},
}
SIGNALS = ("gate/injection", "error", "escalation", "score/grounded")


def _rows(rng: random.Random, now: float, count: int) -> list[EventRow]:
    made = []
    for number in range(count):
        kind = rng.choices(("turn", "score", "gate"), (30, 1, 1))[0]
        age = (
            rng.choice((0.0, rng.uniform(0, 5), rng.uniform(0, 90))) if rng.random() < 0.98 else rng.choice((2000, -99))
        )
        made.append(
            EventRow(
                b"{}",
                f"{now}-{number}",
                kind,  # type: ignore[arg-type]
                now - age,
                session=f"s-{rng.randrange(50)}",
                intent=rng.choice(("order", "refund", None)),
                version=rng.choice(("v1", "v2")),
                name="grounded" if kind == "score" else None,
                latency=rng.choice((None, math.inf)) if rng.random() < 0.01 else rng.lognormvariate(0, 0.5),
                cost=rng.random() / 100,
                signals=(rng.choice(SIGNALS),) if rng.random() < 0.02 else (),
            )
        )
    return made


@table("seed", seeds(4))
def test_the_state_of_every_rule_is_the_same(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    now = START
    rules = rules_of(RULES)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with AlertState(tmp_path / "a") as one, AlertState(tmp_path / "b") as other:
        alone = AlertEngine(rules, one, clock=lambda: now)
        together = AlertEngine(rules, other, clock=lambda: now)
        for _ in range(40):
            now += rng.choice((20.0, 120.0, 900.0))
            rows = _rows(rng, now, rng.randrange(200))
            for row in rows:
                alone.observe(row)
            together.observe_all(rows)
            assert _kept(together) == _kept(alone)
            assert [each.kind for each in together.tick(now)] == [each.kind for each in alone.tick(now)]
        assert together.figures() == alone.figures()
        assert (together.late, together.seen_until) == (alone.late, alone.seen_until)


def test_rows_keep_their_order_and_short_runs_are_single_rows() -> None:
    rows = _rows(random.Random(1), START, 300)
    found = list(runs_of(rows, START - 900, START + 60))
    flat = [row for each in found for row in (each.rows if isinstance(each, EventRun) else (each,))]
    assert flat == rows
    assert any(isinstance(each, EventRun) for each in found)
    assert not list(runs_of([], 0.0, 1.0))


def _kept(engine: AlertEngine) -> list[dict[str, Any]]:
    return [
        {**each.dump(whole=True), "left_out": each.left_out}
        for each in engine._watched  # what a store keeps of them
    ]
