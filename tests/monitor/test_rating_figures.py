from __future__ import annotations

from typing import Any

from proctor.core.task import Task
from proctor.monitor.rating_figures import RatingFigures, is_resolved
from tests.monitor.logs import at


def _task(state: Any = "completed", csat: float | None = None, **more: Any) -> Task:
    return Task(intent="faq", state=state, reason="because", started=at(0), ended=at(1), csat=csat, **more)


def test_resolved_means_completed_by_the_agent_alone_and_for_good() -> None:
    assert is_resolved(_task()) is True
    assert is_resolved(_task("not completed")) is False
    assert is_resolved(_task(escalated=True)) is False
    assert is_resolved(_task(repeated=True)) is False
    assert is_resolved(_task(repeated=None)) is True
    assert is_resolved(_task("unknown")) is None
    assert is_resolved(_task("open")) is None


def test_ratings_that_contradict_the_outcome_are_counted_and_shown() -> None:
    figures = RatingFigures(examples=2)
    for _ in range(3):
        figures.add(_task("not completed", csat=1.0, session="happy"))
    figures.add(_task(csat=0.25, session="angry"))
    figures.add(_task(csat=0.5))
    figures.add(_task(csat=1.0))
    figures.add(_task("unknown", csat=0.0))
    total = figures.total
    assert (total.judged, total.resolved, total.ratings.count) == (6, 3, 7)
    assert (total.apart, total.rated(True), total.rated(False)) == (4, 3, 3)
    assert [task.session for task in figures.pleased] == ["happy", "happy"]
    assert [task.session for task in figures.displeased] == ["angry"]
    assert figures.intents["faq"].good == 4
