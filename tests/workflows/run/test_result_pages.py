from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proctor.core.attack import AttackAttempt, with_attempt
from proctor.core.attack_mask import HIDDEN
from proctor.store.result_search import ResultFilter
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.run.result_pages import count_of_results, every_result, page_of_results
from tests.store.recorded_runs import add_run, result


def test_held_out_attacks_have_no_reason_and_cannot_be_searched_for(tmp_path: Path) -> None:
    open_one, secret = (
        result("open", "fail", reason="it said: wire it"),
        result("secret", "fail", reason="said: wire it"),
    )
    secret = replace(secret, case=with_attempt(secret.case, AttackAttempt(campaign="c", held_out=True)))
    with RunStore(tmp_path) as store:
        reader = RunReader(store, add_run(store, "r", [open_one, secret], trigger="redteam"))
        rows = page_of_results(store, reader, ResultFilter())
        assert [row.reason for row in rows] == ["it said: wire it", HIDDEN]
        assert page_of_results(store, reader, ResultFilter(text="wire")) == []
        assert count_of_results(store, reader, ResultFilter(text="wire")) == 0
        assert [row.case_id for row in every_result(store, reader, ResultFilter(text="sec"))] == ["secret"]


def test_other_runs_are_searched_by_reason_too(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        reader = RunReader(store, add_run(store, "r", [result("a", "fail", reason="too late")]))
        assert count_of_results(store, reader, ResultFilter(text="LATE")) == 1
