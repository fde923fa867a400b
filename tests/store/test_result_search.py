from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proctor.core.errors import NotFoundError
from proctor.core.report import Outcome
from proctor.core.score import Score
from proctor.store.result_search import Neighbours, ResultFilter, count_results, neighbours, search_results
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore
from tests.store.recorded_runs import add_run, result


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[RunStore, RunRecord]]:
    made = [
        result("a", value=0.9, tags=("smoke", "en")),
        result("b", "fail", value=0.1, intent="returns"),
        result("b", "fail", value=0.2, intent="returns", target="other", sample=1),
        result("c", "unscored", intent=None, tags=("smoke 2",)),
        result("d 100%", "fail", value=0.4),
    ]
    with RunStore(tmp_path) as store:
        yield store, add_run(store, "r", made)


def _cases(opened: tuple[RunStore, RunRecord], sort: str = "", **wanted: str) -> list[str]:
    store, run = opened
    found = search_results(store, run, ResultFilter(**wanted), sort=sort)  # type: ignore[arg-type]
    assert count_results(store, run, ResultFilter(**wanted)) == len(found)  # type: ignore[arg-type]
    return [each.case_id for each in found]


def test_results_are_found_by_each_field(opened: tuple[RunStore, RunRecord]) -> None:
    assert _cases(opened) == ["a", "b", "b", "c", "d 100%"]
    assert _cases(opened, outcome="fail") == ["b", "b", "d 100%"]
    assert _cases(opened, outcome="fail", target="other") == ["b"]
    assert _cases(opened, intent="returns") == ["b", "b"]
    assert _cases(opened, tag="smoke") == ["a"]
    assert _cases(opened, failing="factual_accuracy") == ["b", "b", "c", "d 100%"]
    assert _cases(opened, failing="relevance") == []
    assert _cases(opened, text="100%") == ["d 100%"]
    assert _cases(opened, text="ACCURACY OF B") == ["b", "b"]
    assert _cases(opened, case="b") == ["b", "b"]


def test_results_in_doubt_are_found_whatever_their_reason_says(tmp_path: Path) -> None:
    sure = Score(name="conversation", value=1.0, threshold=0.5)
    doubtful = Score(name="conversation", value=0.5, threshold=0.5, in_doubt=True)
    made = [
        result("a", scores=(sure,), reason="in doubt is only a word here"),
        result("b", scores=(doubtful,), reason="7 of 13 checked"),
        result("c", "fail", scores=(doubtful, Score(name="gate", value=0.0, threshold=1.0))),
        result("d", scores=(doubtful,)),
    ]
    with RunStore(tmp_path) as store:
        run = add_run(store, "r", made)
        assert _cases((store, run), outcome="doubt") == ["b", "d"]
        assert [each.in_doubt for each in search_results(store, run, ResultFilter())] == [False, True, False, True]
        assert store.counts(run).in_doubt == 2
        reader = RunReader(store, run)
        assert [(row.case_id, row.in_doubt) for row in reader.rows(outcome="doubt")] == [("b", True), ("d", True)]
        first = search_results(store, run, ResultFilter(case="b"))[0]
        after = neighbours(store, run, first.seq, outcome="doubt").after
        assert after is not None
        assert reader.result(after).case.id == "d"


def test_a_search_does_not_look_into_reasons_that_are_not_shown(opened: tuple[RunStore, RunRecord]) -> None:
    store, run = opened
    assert search_results(store, run, ResultFilter(text="accuracy", is_secret=True)) == []
    assert len(search_results(store, run, ResultFilter(text="B", is_secret=True))) == 2


def test_missing_values_come_last_in_both_orders(opened: tuple[RunStore, RunRecord]) -> None:
    assert _cases(opened, "value") == ["b", "b", "d 100%", "a", "c"]
    assert _cases(opened, "-value") == ["a", "d 100%", "b", "b", "c"]
    assert _cases(opened, "-case")[0] == "d 100%"


def test_pages_and_neighbours(opened: tuple[RunStore, RunRecord]) -> None:
    store, run = opened
    assert [each.key for each in search_results(store, run, ResultFilter(), limit=2, offset=3)] == [4, 5]
    assert neighbours(store, run, 2) == Neighbours(before=1, after=3)
    assert neighbours(store, run, 3, outcome="fail") == Neighbours(before=2, after=5)
    assert neighbours(store, run, 5) == Neighbours(before=4, after=None)


def test_results_and_neighbours_are_in_the_order_of_the_suite_however_they_finished(tmp_path: Path) -> None:
    places = {"old": None, "d": 3, "b": 1, "older": None, "a": 0, "c": 2}
    outcomes: dict[str, Outcome] = {"d": "fail", "older": "fail", "a": "fail"}
    made = [
        replace(result(name, outcomes.get(name, "pass")), extra={} if place is None else {"place": place})
        for name, place in places.items()
    ]
    with RunStore(tmp_path) as store:
        run = add_run(store, "r", made)
        # Those of an earlier version have no place.
        for outcome, wanted in (("", ["old", "older", "a", "b", "c", "d"]), ("fail", ["older", "a", "d"])):
            found = search_results(store, run, ResultFilter(outcome=outcome))
            assert [each.case_id for each in found] == wanted
            assert [row.case_id for row in RunReader(store, run).rows(outcome=outcome or None)] == wanted
            keys = [None, *(each.key for each in found), None]
            for number, each in enumerate(found):
                beside = neighbours(store, run, each.seq, outcome=outcome)
                assert beside == Neighbours(before=keys[number], after=keys[number + 2])


def test_one_result_is_read_by_its_key_and_cases_by_page(opened: tuple[RunStore, RunRecord]) -> None:
    reader = RunReader(*opened)
    assert reader.result(3).target == "other"
    with pytest.raises(NotFoundError):
        reader.result(77)
    assert reader.case_page(limit=2, offset=1) == (["b", "c"], 4)
    assert reader.case_page(outcome="fail") == (["b", "d 100%"], 2)
    assert [each.case.id for each in reader.graded(only=["b", "x"])] == ["b", "b"]
    assert list(reader.graded(only=[])) == []
