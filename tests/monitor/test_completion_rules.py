from __future__ import annotations

from typing import Any

import pytest

from proctor.core.errors import MalformedError
from proctor.monitor.completion_rules import read_rules
from tests.tables import table


def test_the_defaults_are_the_documents_table() -> None:
    rules = read_rules(None)
    windows = {name: rule.seconds / 3600 for name, rule in rules.intents.items()}
    assert windows == {"policy_inquiry": 24, "booking_change": 1, "cancellation": 2, "post_trip_issue": 48}
    assert rules.repeat_contact.seconds == 24 * 3600


def test_an_intent_that_is_given_replaces_its_rule_and_leaves_the_others() -> None:
    rules = read_rules({"intents": {"Booking change": {"within": "3 h", "completed": ["outcome/booking_changed"]}}})
    name, rule = rules.rule_of("booking-change")
    assert name == "Booking change"
    assert rule is not None
    assert rule.seconds == 3 * 3600
    assert rules.rule_of("cancellation request")[0] == "cancellation"
    assert len(rules.intents) == 4


def test_an_intent_without_a_rule_has_the_default_or_none() -> None:
    assert read_rules({}).rule_of("browsing") == ("browsing", None)
    rules = read_rules({"default": {"failed": ["repeat_contact"]}})
    assert rules.rule_of("browsing")[1] is rules.default


@table(
    ("data", "told"),
    [
        ({"intents": {"x": {"within": "soon", "failed": ["escalation"]}}}, "a length of time"),
        ({"intents": {"x": {"within": "0 h", "failed": ["escalation"]}}}, "longer than nothing"),
        ({"intents": {"x": {"completed": ["outcomes/done"]}}}, "did you mean 'outcome'"),
        ({"intents": {"x": {}}}, "needs signals"),
        ({"intents": {"x": {"failed": ["escalation"], "also": ["y"]}, "Y": {"failed": ["escalation"]}}}, "both answer"),
        ({"repeat_contact": {"similarity": 2}}, "similarity"),
        ({"repeat_contact": {"gap": "2 days"}}, "must not be longer"),
        ({"late": "later"}, "a length of time"),
        ({"intent": {}}, "unknown key"),
    ],
)
def test_what_is_wrong_is_told(data: dict[str, Any], told: str) -> None:
    with pytest.raises(MalformedError, match=told):
        read_rules(data)
