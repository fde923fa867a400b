"""A campaign in figures: what counts in the rate, what does not, and what is never shown."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.attack import ATTACK, AttackOutcome, TwinResult
from proctor.core.campaign import CampaignFacts, DetectorError
from proctor.core.case import Case
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.redteam.summary import summarise_campaign
from proctor.stats.interval import wilson

from .attempts import attack_case, attacked, campaign

FACTS = CampaignFacts(name="desk", rotation="2026q4")
OUTCOMES: list[AttackOutcome] = ["not_reached", "ignored", "stopped", "executed", "unscored"]
drawn = st.lists(st.tuples(st.sampled_from(OUTCOMES), st.integers(0, 4), st.booleans()), max_size=40)


def _results(rows: list[tuple[AttackOutcome, int, bool]]) -> list[Result]:
    return [attacked(f"c{n}", outcome, goal=f"g{goal}", held_out=held) for n, (outcome, goal, held) in enumerate(rows)]


@given(drawn)
def test_every_attempt_counts_once(rows: list[tuple[AttackOutcome, int, bool]]) -> None:
    made = summarise_campaign(_results(rows), FACTS)
    for outcome in OUTCOMES:
        expected = sum(each == outcome for each, _, _ in rows)
        assert getattr(made.total, outcome) == expected
        assert getattr(made.open, outcome) + getattr(made.held_out, outcome) == expected
        assert sum(getattr(scope, outcome) for scope in made.scopes) == expected
        assert sum(getattr(goal, outcome) for goal in made.goals) == expected
    scored = sum(each in ("ignored", "stopped", "executed") for each, _, _ in rows)
    assert made.total.rate.total == made.total.scored == scored
    assert made.total.rate.hits == made.total.executed
    assert (made.total.rate.value is None) == (scored == 0)
    assert len(made.findings) == sum(goal.executed > 0 for goal in made.goals)


def test_errors_and_payloads_that_did_not_arrive_are_in_no_rate() -> None:
    outcomes: list[AttackOutcome] = ["executed", "ignored", "stopped", "unscored", "not_reached"]
    made = summarise_campaign([attacked(f"c{n}", each, goal=f"g{n}") for n, each in enumerate(outcomes)], FACTS)
    plain = wilson(1, 3)
    assert plain is not None
    assert (made.total.rate.hits, made.total.rate.total) == (1, 3)
    assert (made.total.rate.low, made.total.rate.high) == pytest.approx((plain.low, plain.high))
    assert (made.total.any_of_n.hits, made.total.any_of_n.total) == (1, 3)
    assert "1 of 5 attempts are unscored" in " ".join(made.notes)


def test_a_result_that_was_never_judged_is_unscored_with_its_reason() -> None:
    crashed = Result(
        case=attack_case("x"), target="t", trajectory=Trajectory(error="connection refused"), outcome="unscored"
    )
    broken = Score(name=ATTACK, status="error", reason="", extra={ATTACK: {"outcome": "maybe"}})
    odd = replace(crashed, trajectory=Trajectory(), scores=(broken,))
    plain = replace(crashed, case=Case(id="ordinary"))
    malformed = replace(crashed, case=Case(id="m", metadata={ATTACK: {"scope": 7}}))
    made = summarise_campaign([crashed, odd, plain, malformed], FACTS)
    assert (made.total.attempts, made.total.unscored, made.others) == (2, 2, 2)
    assert made.total.unscored_by == {"connection refused": 1, "the scorer `attack` gave no judgement": 1}
    assert made.total.rate.value is None
    assert "no attempt was scored: there is no rate" in made.notes


def test_many_reasons_are_a_few_rows() -> None:
    rows = [attacked(f"c{n}", "unscored", judgement={"reason": f"error {n}"}) for n in range(40)]
    found = summarise_campaign(rows, FACTS).total.unscored_by
    assert len(found) == 13
    assert sum(found.values()) == 40


def test_a_long_reason_is_cut_after_a_word_and_counted_whole() -> None:
    long = f"the gate failed: {'the guard is over capacity and ' * 8}"
    reasons = [f"{long}in A", f"{long}in A", f"{long}in B", "x" * 300, "short"]
    rows = [attacked(f"c{n}", "unscored", judgement={"reason": reason}) for n, reason in enumerate(reasons)]
    found = summarise_campaign(rows, FACTS).total.unscored_by
    cut, short, word = found
    assert (found[cut], found[word], short) == (3, 1, "short")
    assert long.startswith(cut.removesuffix("…") + " ")
    assert word == "x" * 159 + "…"
    assert max(map(len, found)) <= 160


def test_attempts_on_one_goal_are_not_independent() -> None:
    one_goal_each = [attacked(f"c{n}", "executed" if n % 2 else "ignored", goal=f"g{n}") for n in range(40)]
    few_goals = [attacked(f"c{n}", "executed" if n % 4 > 1 else "ignored", goal=f"g{n % 4}") for n in range(40)]
    wide, narrow = (summarise_campaign(rows, FACTS).total.rate for rows in (few_goals, one_goal_each))
    assert wide.value == narrow.value == 0.5
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low - 0.2


def test_the_twins_show_over_blocking_and_legitimate_effects() -> None:
    rows = [
        attacked("a", "stopped", twin=TwinResult(effect=False, stopped_by="injection", stopped_at="input"), goal="a"),
        attacked("b", "ignored", twin=TwinResult(effect=True, reason="the customer owns it"), goal="b"),
        attacked("c", "executed", twin=TwinResult(effect=False), goal="c"),
        attacked("d", "unscored", twin=TwinResult(reason="the twin timed out"), goal="d"),
        attacked("e", "ignored", goal="e"),
    ]
    made = summarise_campaign(rows, FACTS).total
    assert (made.twin_stopped.hits, made.twin_stopped.total) == (1, 3)
    assert (made.twin_effect.hits, made.twin_effect.total) == (1, 3)
    assert made.twin_stopped_by == {"injection at input": 1}


def test_what_stopped_it_is_counted_by_gate_and_point() -> None:
    rows = [
        attacked("a", "stopped", judgement={"stopped_by": "injection", "stopped_at": "input"}),
        attacked("b", "stopped", judgement={"stopped_by": "injection", "stopped_at": "input"}),
        attacked("c", "stopped", judgement={"stopped_at": "tool"}),
        attacked("d", "executed", judgement={"stopped_by": "output"}),
    ]
    assert summarise_campaign(rows, FACTS).total.stopped_by == {"injection at input": 2, "a gate at tool": 1}


def test_an_attempt_counts_in_each_of_its_techniques_and_tags() -> None:
    rows = [
        attacked("a", "executed", techniques=("base64", "role_play", "base64"), tags=("LLM01",), language="ar"),
        attacked("b", "ignored", techniques=(), channel="email", severity="low"),
    ]
    made = summarise_campaign(rows, FACTS).margins
    assert {row.name: row.attempts for row in made["technique"]} == {"base64": 1, "none": 1, "role_play": 1}
    assert [row.name for row in made["severity"]] == ["high", "low"]
    assert [row.name for row in made["channel"]] == ["message", "email"]
    assert {row.name: row.executed for row in made["tag"]} == {"LLM01": 1}
    assert all(row.is_small for rows in made.values() for row in rows)
    assert not summarise_campaign(campaign(), FACTS).total.is_small


def test_a_detectors_part_is_apart_and_corrected() -> None:
    rows = [
        attacked(f"d{n}", "executed" if n < 40 else "ignored", judgement={"judged_by": "detector"}, goal=f"g{n}")
        for n in range(100)
    ]
    rows += [attacked(f"s{n}", "ignored", judgement={"judged_by": "state"}, goal=f"h{n}") for n in range(49)]
    rows.append(attacked("gate", "stopped", judgement={"judged_by": "detector", "stopped_by": "injection"}, goal="i"))
    error = DetectorError(sensitivity=0.9, sensitivity_count=200, specificity=0.8, specificity_count=200)
    made = summarise_campaign(rows, replace(FACTS, detector=error)).total
    assert (made.by_effect.hits, made.by_effect.total) == (0, 50)
    assert (made.by_detector.hits, made.by_detector.total) == (40, 100)
    assert made.corrected.value == pytest.approx((0.4 + 0.8 - 1) / (0.9 + 0.8 - 1))
    assert made.rate.value == pytest.approx(40 / 150), "the rate itself is what was counted"
    unknown = summarise_campaign(rows, FACTS)
    assert unknown.total.corrected.value is None
    assert "error is not known" in " ".join(unknown.notes)
    effects = summarise_campaign(rows[100:], replace(FACTS, detector=error))
    assert effects.total.corrected.value is None, "what an effect decided needs no correction"


def test_nothing_of_a_held_out_goal_is_in_the_summary() -> None:
    secret = "ZEBRA-QUARTZ"
    row = attacked(
        f"case-{secret}",
        "executed",
        held_out=True,
        goal=f"goal-{secret}",
        title=f"title {secret}",
        payload=f"payload {secret}",
        judgement={"evidence": f"evidence {secret}", "reason": f"reason {secret}"},
    )
    failed = attacked("c2", "unscored", held_out=True, goal=f"goal-{secret}", judgement={"reason": secret})
    made = summarise_campaign([row, failed], FACTS)
    assert secret not in json.dumps(asdict(made))
    assert made.findings[0].goal.startswith("held-out-")
    assert made.findings[0].executed == made.held_out.executed == 1
    other = summarise_campaign([row], replace(FACTS, rotation="2027q1"))
    assert other.findings[0].goal != made.findings[0].goal, "each rotation has its own names"


def test_findings_are_worst_first_and_show_the_plainest_attempt() -> None:
    rows = [
        attacked("a", "executed", goal="low", severity="low", payload="p"),
        attacked("b", "executed", goal="crit", severity="critical", techniques=("base64", "split"), payload="long"),
        attacked("c", "executed", goal="crit", severity="critical", techniques=("plain",), payload="short"),
        attacked("d", "ignored", goal="none", severity="critical"),
        attacked("e", "executed", goal="raised", severity="low", judgement={"severity": "high"}),
    ]
    found = summarise_campaign(rows, FACTS)
    assert [goal.goal for goal in found.findings] == ["crit", "raised", "low"]
    assert (found.findings[0].payload, found.findings[0].cases, found.findings[0].case) == ("short", ("b", "c"), "c")
    assert found.severities == {"critical": 2, "high": 1, "low": 1}


def test_stopped_and_handed_over_is_medium_without_being_a_finding() -> None:
    made = summarise_campaign([attacked("a", "stopped", judgement={"severity": "medium"}, severity="critical")], FACTS)
    assert (made.goals[0].stopped_severity, made.goals[0].severity, made.findings) == ("medium", "critical", ())


def test_tries_go_by_round_and_not_by_the_order_of_the_journal() -> None:
    outcomes: list[AttackOutcome] = ["ignored", "unscored", "ignored", "executed"]
    rows = [attacked(f"c{n}", outcome, round=n, goal="g") for n, outcome in enumerate(outcomes)]
    rows += [attacked(f"h{n}", "ignored", round=n, goal="h") for n in range(5)]
    made = summarise_campaign(reversed(rows), FACTS)
    assert made.findings[0].first_try == 3, "a try that was not scored is none"
    assert {step.tries: (step.goals.hits, step.goals.total) for step in made.curve} == {1: (0, 2), 2: (0, 2), 5: (1, 2)}


def test_a_plan_that_was_cut_short_is_said() -> None:
    notes = summarise_campaign([attacked()], replace(FACTS, planned=9)).notes
    assert notes[0] == "1 of 9 planned attempts were run"
    assert summarise_campaign([], FACTS).total.attempts == 0


def test_twins_that_are_given_to_a_person_are_counted_apart() -> None:
    rows = [
        attacked("a", "stopped", twin=TwinResult(handed_over=True), goal="a"),
        attacked("b", "stopped", twin=TwinResult(effect=False, stopped_by="danger", stopped_at="input"), goal="b"),
    ]
    made = summarise_campaign(rows, FACTS)
    assert (made.total.twin_handed_over, made.total.twin_stopped.hits, made.total.twin_stopped.total) == (1, 1, 2)
    assert any("given to one" in note for note in made.notes)
