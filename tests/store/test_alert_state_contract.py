"""The alert state: the same cases on SQLite and on PostgreSQL, and the engine over both."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.core.alert_record import AlertRecord, RuleStatus, Silence
from proctor.core.errors import NotFoundError, StoreError
from proctor.store.alert_state import AlertFilter, AlertState
from proctor.store.postgres_monitor import PostgresAlertState
from tests.monitor import test_alert_engine

BOTH = pytest.mark.parametrize("kind", ["sqlite", "postgres"])
Opener = Callable[[], AlertState]


@pytest.fixture
def opened(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Open the same state as often as a test likes."""
    url = request.getfixturevalue("postgres").url() if kind == "postgres" else ""
    made: list[AlertState] = []

    def again() -> AlertState:
        made.append(PostgresAlertState(url) if url else AlertState(tmp_path))
        return made[-1]

    yield again
    for each in made:
        each.close()


def alert(fingerprint: str = "f" * 16, *, fired: float = 100.0, **more: Any) -> AlertRecord:
    given: dict[str, Any] = {"rule": "injection", "kind": "rate", "tier": "critical", "updated": fired, **more}
    return AlertRecord(
        fingerprint=fingerprint, started=fired, fired=fired, window_start=fired, window_end=fired + 60, **given
    )


@BOTH
def test_an_alert_is_open_once_and_comes_back_under_its_number(opened: Opener) -> None:
    one, other = opened(), opened()
    first, is_new = one.open_alert(alert(), again_within=600)
    assert (first.number, is_new) == (1, True)
    same, is_new = other.open_alert(alert(fired=130.0), again_within=600)
    assert (same.number, is_new) == (1, False)
    assert [each.number for each in other.alerts(open_only=True)] == [1]
    assert one.resolve(1, by="kim", now=200.0, note="done").resolved == 200.0
    assert other.alerts(open_only=True) == []
    again, is_new = other.open_alert(alert(fired=300.0), again_within=600)
    assert (again.number, again.times, is_new) == (1, 2, True)
    other.resolve(1, by="kim", now=400.0)
    later, _ = other.open_alert(alert(fired=9000.0), again_within=600)
    assert later.number == 2
    assert [each.number for each in one.alerts(since=500.0)] == [2]
    assert [each.number for each in one.alerts()] == [2, 1]


@BOTH
def test_what_a_person_said_outlives_new_figures(opened: Opener) -> None:
    state = opened()
    made, _ = state.open_alert(alert(message="日本語"), again_within=600)
    state.acknowledge(made.number, by="kim", now=110.0, note="on it", new_normal=True)
    state.acknowledge(made.number, by="lee", now=120.0)
    found = state.update_alert(alert(bad=7, number=made.number))
    assert (found.acked, found.acked_by, found.note, found.new_normal, found.bad) == (110.0, "lee", "on it", True, 7)
    state.mark_notified(made.number, 130.0, "fired")
    assert (state.find("1").notified, state.find("#1").told) == (130.0, "fired")
    assert state.find("injection").number == state.find("ffffff").number == made.number
    with pytest.raises(NotFoundError):
        state.find("nothing")
    state.resolve(made.number, by="kim", now=140.0)
    with pytest.raises(StoreError, match="has ended"):
        state.acknowledge(made.number, by="kim", now=150.0)


@BOTH
def test_silences_learnt_values_and_statuses(opened: Opener) -> None:
    one, other = opened(), opened()
    silence = one.add_silence(Silence(match={"rule": "injection"}, until=500.0, by="kim", created=100.0))
    assert [each.number for each in other.silences(200.0)] == [silence.number]
    other.end_silence(silence.number, 300.0)
    assert one.silences(301.0) == []
    with pytest.raises(NotFoundError):
        one.end_silence(silence.number, 400.0)
    one.save_all({"a": {"x": 1}, "b": {"y": [1.5]}})
    one.save_all({"a": {"x": 2}})
    assert (other.load("a"), other.load("b"), other.load("c")) == ({"x": 2}, {"y": [1.5]}, None)
    one.set_status([RuleStatus(rule=name, kind="rate", tier="low", state="ok", since=1.0) for name in ("r", "q")])
    assert [each.rule for each in other.status()] == ["r", "q"]


@BOTH
def test_one_process_decides_until_it_steps_down(opened: Opener) -> None:
    one, other = opened(), opened()
    assert one.lead("a", 100.0, 60.0)
    assert one.lead("a", 110.0, 60.0)
    assert not other.lead("b", 120.0, 60.0)
    one.step_down("a")
    assert other.lead("b", 130.0, 60.0)
    assert not one.lead("a", 140.0, 60.0)


def engine_cases() -> list[Any]:
    found = [each for name, each in vars(test_alert_engine).items() if name.startswith("test_")]
    plain = [each for each in found if set(inspect.signature(each).parameters) == {"state"}]
    return [pytest.param(each, id=each.__name__) for each in plain[:1]]  # a simulated day, with thousands of statements


@pytest.mark.parametrize("kind", ["postgres"])
@pytest.mark.parametrize("case", engine_cases())
def test_the_engine_as_on_sqlite(case: Callable[[AlertState], None], opened: Opener) -> None:
    case(opened())


@BOTH
def test_alerts_are_selected_page_by_page(opened: Opener) -> None:
    state = opened()
    for number in range(5):
        tier = "high" if number % 2 else "critical"
        state.open_alert(alert(f"{number}" * 16, tier=tier, rule=f"rule {number % 2}"), again_within=0.0)
    state.resolve(2, by="ann", now=200.0, note="done")
    found, count = state.select(AlertFilter(), limit=2, offset=1)
    assert ([each.number for each in found], count) == ([4, 3], 5)
    assert [each.number for each in state.select(AlertFilter(state="open", tier="high"))[0]] == [4]
    ended, count = state.select(AlertFilter(state="resolved", rule="rule 1"))
    assert (ended[0].closed_by, ended[0].note, count) == ("ann", "done", 1)
    assert state.select(AlertFilter(fingerprint="3" * 16))[1] == 1
    assert state.rule_names() == ["rule 0", "rule 1"]
