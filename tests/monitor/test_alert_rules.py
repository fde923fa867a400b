"""Rules from the settings: defaults, changes, and an error for each that cannot work."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.core.errors import MalformedError
from proctor.monitor.alert_rules import DEFAULT_RULES, opportunity_of, rules_of
from tests.tables import table

KNOWN = {"score/grounded", "gate/injection", "gate/citations", "gate/grounding", "escalation", "error", "csat/low"}


def test_the_default_rules() -> None:
    rules = {rule.name: rule for rule in rules_of({}, known=KNOWN)}
    assert set(rules) == set(DEFAULT_RULES)
    assert rules["hallucination"].signals == ("score/grounded", "gate/citations", "gate/grounding")
    assert rules["escalation"].tier == "high"
    assert rules["ingest_lag"].limit == 120
    # Four rules can ring by chance; together once a week.
    assert [rule.false_alarms for rule in rules.values()] == [0.25] * 6


def test_a_default_is_changed_in_part_or_removed() -> None:
    rules = {
        rule.name: rule for rule in rules_of({"latency": {"limit": "8 s"}, "injection": "off", "no_traffic": False})
    }
    assert rules["latency"].limit == 8
    assert rules["latency"].tier == "critical"
    assert "injection" not in rules
    assert "no_traffic" not in rules
    assert rules["escalation"].false_alarms == pytest.approx(1 / 3)


def test_a_rule_of_every_kind() -> None:
    made = rules_of(
        {
            "one": {"rate": "csat/low", "by": "intent", "window": "30 min", "where": {"model": "small"}},
            "two": {"in_a_row": ["gate/broken", "error"], "count": 3, "tier": "critical", "remind": "1 h"},
            "three": {"absence": "score/grounded", "window": "1 h", "least": 10},
            "four": {"p95": "cost", "limit": 0.5},
            "five": {"lag": "10 min", "runbook": "https://runbook.example"},
            "six": {"rate": "finding/secret", "of": ["gate"]},
        },
        known=KNOWN | {"gate/broken"},
    )
    rules = {rule.name: rule for rule in made}
    assert rules["one"].by == "intent"
    assert rules["one"].window == 1800
    assert rules["two"].remind == 3600
    assert rules["three"].signals == ("score/grounded",)
    assert rules["four"].limit == 0.5
    assert rules["five"].limit == 600
    assert rules["six"].of == ("gate",)


@table(
    ("rule", "field", "words"),
    [
        ({"rate": "score/groundet"}, "rate", "unknown score 'groundet'"),
        ({"rate": "gate/inject"}, "rate", "unknown gate 'inject'"),
        ({"rate": "scores"}, "rate", "unknown signal 'scores'"),
        ({"rate": "score/"}, "rate", "unknown score"),
        ({"rate": "error", "window": "5 s"}, "window", "cannot work"),
        ({"rate": "error", "window": "2 weeks"}, "window", "cannot work"),
        ({"rate": "error", "window": "soon"}, "window", "expected a length of time"),
        ({"rate": "error", "p95": "latency"}, "rate", "exactly one of"),
        ({"tier": "high"}, "rate", "found none"),
        ({"rate": "error", "count": 3}, "count", "means nothing"),
        ({"p95": "latency", "limit": "fast"}, "limit", "no limit"),
        ({"p95": "latency", "limit": 0}, "limit", "no limit"),
        ({"p95": "latency", "least": 5}, "least", "cannot be judged"),
        ({"p95": "latency", "limit": 3, "times": 2.0}, "times", "not both"),
        ({"p95": "latency", "times": 0.5}, "times", "more than 1"),
        ({"p95": "speed"}, "p95", "expected one of latency, cost"),
        ({"in_a_row": "error", "count": 1}, "count", "must be from 2"),
        ({"absence": "turns"}, "absence", "no kind of event"),
        ({"absence": "turn", "least": 0}, "least", "at least 1"),
        ({"lag": "0 s"}, "lag", "cannot be watched"),
        ({"rate": "error", "remind": "1 s"}, "remind", "a minute apart"),
        ({"rate": "error", "where": {"customer": "x"}}, "where", "cannot select by"),
        ({"rate": "error", "channels": ["pagr"]}, "channels", "no channel 'pagr'"),
        ({"rate": "error", "tier": "urgent"}, "tier", "expected one of"),
        ({"rates": "error"}, "rates", "unknown key"),
        ("error", "", "expected a mapping"),
    ],
)
def test_what_cannot_work_is_an_error_at_start(rule: Any, field: str, words: str) -> None:
    with pytest.raises(MalformedError) as caught:
        rules_of({"mine": rule}, known=KNOWN, channels=["pager"], file="proctor.yaml")
    problem = next(each for each in caught.value.problems if words in each.message)
    assert problem.where.startswith(f"alerts.rules.mine.{field}" if field else "alerts.rules.mine")
    assert caught.value.file == "proctor.yaml"


@pytest.mark.parametrize("written", [{"limit": "8 s"}, "off", False])
def test_a_mistyped_default_rule_is_guessed(written: Any) -> None:
    with pytest.raises(MalformedError) as caught:
        rules_of({"latncy": written})
    (problem,) = caught.value.problems
    assert problem.where.startswith("alerts.rules.latncy")
    assert problem.hint == "did you mean `latency`?"


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(MalformedError) as caught:
        rules_of({"a": {"rate": "nothing"}, "b": {"lag": "x"}}, known=KNOWN, false_pages=0.0)
    assert len(caught.value.problems) == 3


@table(
    ("signal", "of", "kinds", "name"),
    [
        ("score/grounded", (), {"score"}, "grounded"),
        ("gate/pii", (), {"turn", "gate"}, None),
        ("escalation/knowledge_gap", (), {"turn"}, None),
        ("csat/low", (), {"csat"}, None),
        ("gate/pii", ("gate",), {"gate"}, None),
    ],
)
def test_what_a_signal_can_come_with(signal: str, of: tuple[str, ...], kinds: set[str], name: str | None) -> None:
    assert opportunity_of(signal, of) == (frozenset(kinds), name)
