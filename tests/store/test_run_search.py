from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.store.decisions import decisions_on, keep_decision
from proctor.store.run_search import RunFilter, count_runs, run_choices, runs_of_suite, search_runs
from proctor.store.runs import RunStore
from tests.store.recorded_runs import add_run, result


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore(tmp_path) as made:
        add_run(made, "one", [result("a"), result("b", "fail")], decision="failed")
        add_run(made, "two", [result("a")], name="travel", trigger="schedule")
        add_run(made, "three", [result("a"), result("b", "unscored")], job={"suite": "prompts/tags.prompty"})
        add_run(made, "four", [result("a")], is_finished=False)
        yield made


def _ids(store: RunStore, **wanted: str) -> list[str]:
    found = [each.run.id for each in search_runs(store, RunFilter(**wanted))]
    assert count_runs(store, RunFilter(**wanted)) == len(found)
    return found


def test_runs_are_found_by_each_field_the_newest_first(store: RunStore) -> None:
    assert _ids(store) == ["four", "three", "two", "one"]
    assert _ids(store, suite="travel") == ["two"]
    assert _ids(store, decision="failed") == ["one"]
    assert _ids(store, decision="none") == ["four"]
    assert _ids(store, trigger="manual", suite="shop") == ["four", "three", "one"]
    assert _ids(store, text="TR") == ["two"]
    assert _ids(store, text="%") == []


def test_a_run_without_a_writer_counts_as_interrupted(store: RunStore) -> None:
    database = store.database
    database.execute("UPDATE runs SET settings = json_set(settings, '$.process', 999999999) WHERE id = 'four'")
    assert _ids(store, status="running") == []
    assert _ids(store, status="interrupted") == ["four"]
    assert _ids(store, status="finished") == ["three", "two", "one"]
    database.execute("UPDATE runs SET settings = json_set(settings, '$.process', 1) WHERE id = 'four'")
    assert _ids(store, status="running") == ["four"]


def test_counts_cost_and_gate_come_with_the_page(store: RunStore) -> None:
    keep_decision(store, run="one", suite="shop", target="t", baseline="zero", decision="hold", reasons=["worse"])
    found = {each.run.id: each for each in search_runs(store, RunFilter())}
    assert (found["one"].counts.passed, found["one"].counts.failed) == (1, 1)
    assert found["three"].counts.unscored == 1
    assert found["four"].counts.total == 1  # counted, since the run has not ended
    assert (found["one"].gate, found["one"].baseline, found["two"].gate) == ("hold", "zero", "")
    assert [each.decision for each in decisions_on(store, "one")] == ["hold"]
    assert decisions_on(store, "two") == []


def test_runs_are_paged_and_sorted(store: RunStore) -> None:
    assert [each.run.id for each in search_runs(store, RunFilter(), limit=2, offset=1)] == ["three", "two"]
    assert next(each.run.id for each in search_runs(store, RunFilter(), sort="started")) == "one"
    assert next(each.run.name for each in search_runs(store, RunFilter(), sort="-name")) == "travel"
    assert run_choices(store) == {"suite": ["shop", "travel"], "trigger": ["manual", "schedule"]}


def test_runs_of_a_suite_are_found_by_name_or_end_of_path(store: RunStore) -> None:
    assert [run.id for run in runs_of_suite(store, ["tags.prompty"])] == ["three"]
    assert [run.id for run in runs_of_suite(store, ["shop", "tags.prompty"])] == ["four", "three", "one"]
    assert runs_of_suite(store, ["gs.prompty"]) == []
