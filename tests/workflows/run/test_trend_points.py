from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.case import Case
from proctor.core.report import Fingerprint, Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.store.ledger import RunLedger
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.run.trend_points import cells_of_run


def _result(number: int, intent: str | None, relevance: float | None) -> Result:
    status = "ok" if relevance is not None else "error"
    part = Score(name="intent_relevance", value=relevance, status=status, cost=0.01)  # type: ignore[arg-type]
    dimension = Score(name="relevance", value=relevance, status=status, parts=(part,), cost=0.02)  # type: ignore[arg-type]
    skipped = Score(name="consistency", status="skipped")
    whole = Score(name="quality", value=relevance, status=status, threshold=0.5, parts=(dimension, skipped))  # type: ignore[arg-type]
    return Result(
        case=Case(id=f"c{number}", input="q", intent=intent),
        target="agent",
        trajectory=Trajectory(),
        scores=(whole,),
        outcome="unscored" if relevance is None else "pass" if relevance >= 0.5 else "fail",
        value=relevance,
    )


def test_a_run_becomes_a_cell_for_each_dimension_part_and_intent(tmp_path: Path) -> None:
    results = [_result(1, "faq", 0.4), _result(2, "faq", 0.8), _result(3, "faq", None), _result(4, None, 1.0)]
    with RunStore(tmp_path) as store:
        run = store.begin("r", name="s", fingerprint=Fingerprint(), settings={}, total=4)
        ledger = RunLedger(store, run)
        for key, result in enumerate(results):
            ledger.keep_trajectory(key, case=result.case, target="agent", sample=0, trajectory=result.trajectory)
            ledger.keep_result(key, result)
        ledger.close()
        cells = {(cell.dimension, cell.intent): cell for cell in cells_of_run(RunReader(store, run))}
    faq = cells["relevance", "faq"]
    assert (faq.cases, faq.unscored) == (2, 1)
    assert faq.mean == pytest.approx(0.6)
    assert faq.cost == pytest.approx(0.06)
    assert cells["relevance", None].mean == pytest.approx((0.4 + 0.8 + 1.0) / 3)
    assert cells["pass_rate", "faq"].mean == 0.5
    assert cells["quality", "other"].mean == 1.0
    assert cells["relevance.intent_relevance", "faq"].cases == 2
    assert not any(dimension == "consistency" for dimension, _ in cells), "what did not apply has no cell"
