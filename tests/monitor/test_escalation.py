from __future__ import annotations

from proctor.core.event import Label
from proctor.core.handoff import HandOff
from proctor.monitor.escalation import EscalationFigures


def _hand_off(name: str, category: str | None, intent: str | None = "policy_inquiry") -> HandOff:
    return HandOff(id=name, turn=0, category=category, intent=intent)


def _said(name: str, value: str, by: str = "kim") -> Label:
    return Label(subject=name, dimension="escalation", value=value, by=by, note="why")


def test_only_two_causes_count_against_the_agent() -> None:
    figures = EscalationFigures()
    for found in (
        _hand_off("a", "knowledge_gap"),
        _hand_off("b", "confidence_failure"),
        _hand_off("c", "explicit_request", None),
        _hand_off("d", "sentiment_trigger"),
        _hand_off("e", None),
        None,
        None,
        None,
    ):
        figures.add(found)
    table = figures.table()
    assert (table.handoffs.hits, table.handoffs.total) == (5, 8)
    assert (table.against.hits, table.against.total) == (2, 4), "a cause that is not known counts neither way"
    against = {row.category: row.against for row in table.rows}
    assert against["knowledge_gap"] is True
    assert against["policy_complexity"] is False
    assert against["unknown"] is None
    assert table.by_intent["no intent"] == {"explicit_request": 1}


def test_where_people_see_it_otherwise_is_shown() -> None:
    labels = {
        "a": [_said("a", "knowledge_gap")],
        "b": [_said("b", "policy_complexity"), _said("b", "knowledge_gap", "lee")],
    }
    figures = EscalationFigures(labels)
    figures.add(_hand_off("a", "knowledge_gap"))
    figures.add(_hand_off("b", "knowledge_gap"))
    figures.add(_hand_off("c", "explicit_request"))
    found = figures.table().agreement
    assert found is not None
    assert (found.labelled, found.same.hits) == (3, 2)
    assert [(each.id, each.said, each.by) for each in found.disagreements] == [("b", "policy_complexity", "kim")]
    assert EscalationFigures().table().agreement is None
