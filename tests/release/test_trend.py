from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.release.floors import Floor, Floors
from proctor.release.trend import TrendPoint, alarms, points, series, streak
from tests.release.making import case, even, run


def _history(*values: float) -> list[TrendPoint]:
    return [
        TrendPoint(run=f"r{place}", intent="faq", dimension="relevance", value=value, cases=10)
        for place, value in enumerate(values)
    ]


def test_every_figure_of_a_run_is_a_point() -> None:
    found = {(each.intent, each.dimension): each for each in points(run("a", even(8, ("faq", "chitchat"))))}
    names = {"relevance", "factual_accuracy", "relevance.intent", "quality", "pass_rate"}
    assert found.keys() == {(intent, name) for intent in ("all", "faq", "chitchat") for name in names}
    assert found["faq", "relevance"].cases == 4


def test_what_has_no_value_makes_no_point() -> None:
    found = points(run("a", [case("one", relevance=None, outcome="unscored")]))
    assert found == ()


def test_an_alarm_after_so_many_runs_under_the_floor() -> None:
    floors = Floors(by_intent={"faq": {"relevance": Floor(least=0.75, consecutive=3)}})
    assert not alarms(_history(0.7, 0.7), floors)
    assert not alarms(_history(0.7, 0.7, 0.8, 0.7), floors)
    (alarm,) = alarms(_history(0.8, 0.7, 0.74, 0.6), floors)
    assert alarm.runs == ("r1", "r2", "r3")
    assert alarm.message == "faq relevance under 0.75 in the last 3 runs (0.700, 0.740, 0.600)"


def test_one_run_is_enough_unless_told_otherwise() -> None:
    floors = Floors(by_intent={"default": {"relevance": Floor(least=0.75)}})
    (alarm,) = alarms(_history(0.8, 0.7), floors)
    assert "in the last run" in alarm.message
    assert not alarms(_history(0.8, 0.7), floors, consecutive=2)
    assert not alarms([], floors)


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0, 1))
def test_a_streak_is_the_end_of_the_history_and_no_longer(values: list[float], least: float) -> None:
    history = _history(*values)
    found = streak(history, least)
    assert all(point.value < least for point in found)
    assert tuple(history[len(history) - len(found) :]) == found
    assert len(found) == len(history) or history[len(history) - len(found) - 1].value >= least


def test_points_are_sorted_into_series_in_their_order() -> None:
    assert [point.run for point in series(_history(0.1, 0.2))["faq", "relevance"]] == ["r0", "r1"]
