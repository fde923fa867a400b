"""Before and after: pairs of the same attempts, and what became of each finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proctor.core.attack import TwinResult
from proctor.core.campaign import CampaignFacts
from proctor.redteam.retest import compare_campaigns

from .attempts import attacked, campaign

FACTS = CampaignFacts(name="desk", target="agent", runs=("one",))


def test_the_same_run_twice_shows_no_change() -> None:
    rows = campaign()
    made = compare_campaigns(rows, rows, FACTS)
    assert made.total.difference == 0
    assert made.total.p == made.total.mcnemar == 1.0
    assert (made.fixed, made.new, made.unjudged) == ((), (), ())
    assert len(made.remaining) == len(made.before.findings)
    assert made.after.facts.runs == ()


def test_a_mitigation_that_works_is_seen_on_the_held_out_goals() -> None:
    made = compare_campaigns(campaign(guard=0.0), campaign(guard=0.9), FACTS, mitigation="a gate")
    assert made.primary is made.held_out
    assert made.held_out.difference is not None
    assert made.held_out.difference < -0.1
    assert made.held_out.p is not None
    assert made.held_out.p < 0.01
    assert made.held_out.pairs + made.open.pairs == made.total.pairs == sum(scope.pairs for scope in made.scopes)
    assert compare_campaigns(campaign(held_out=0), campaign(held_out=0), FACTS).primary.name == "all"


def test_only_attempts_scored_in_both_runs_are_compared() -> None:
    before = [
        attacked("fixed", "executed", goal="a"),
        attacked("still", "executed", goal="b"),
        attacked("timed-out", "executed", goal="c"),
        attacked("fine", "ignored", goal="d"),
        attacked("gone", "executed", goal="e"),
        attacked("twice", "executed", goal="f", sample=1),
    ]
    after = [
        attacked("fixed", "stopped", goal="a"),
        attacked("still", "executed", goal="b"),
        attacked("timed-out", "unscored", goal="c"),
        attacked("other", "ignored", goal="c"),
        attacked("fine", "executed", goal="d"),
        attacked("twice", "ignored", goal="f", sample=2),
    ]
    made = compare_campaigns(before, after, FACTS)
    assert (made.total.pairs, made.total.unpaired, made.missing, made.added) == (3, 1, 2, 2)
    assert (made.total.before.hits, made.total.after.hits, made.total.fixed, made.total.broken) == (2, 2, 1, 1)
    assert [goal.goal for goal in made.fixed] == ["a"]
    assert [goal.goal for goal in made.remaining] == ["b"]
    assert [goal.goal for goal in made.new] == ["d"]
    assert sorted(goal.goal for goal in made.unjudged) == ["c", "e", "f"], "never fixed because it was not tried again"
    assert "not scored in both runs" in " ".join(made.notes)


def test_over_blocking_is_beside_it() -> None:
    free, held = TwinResult(effect=False), TwinResult(effect=False, stopped_by="injection")
    made = compare_campaigns([attacked(twin=free)], [attacked(outcome="stopped", twin=held)], FACTS)
    assert (made.total.twins_before.value, made.total.twins_after.value) == (0.0, 1.0)


def test_held_out_findings_keep_their_name_over_the_retest() -> None:
    facts = replace(FACTS, rotation="one")
    rows = [attacked("x", "executed", goal="g", held_out=True)]
    made = compare_campaigns(rows, rows, facts, after_facts=replace(facts, rotation="two", guarded=True))
    assert [goal.goal for goal in made.remaining] == [made.before.findings[0].goal]
    assert made.after.facts.guarded


def test_nothing_to_compare_is_said() -> None:
    made = compare_campaigns([], [attacked()], FACTS)
    assert made.total.difference is None
    assert made.total.before.value is None
    assert made.added == 1
    assert made.notes[0].startswith("no attempt was scored before and after")


def test_the_difference_is_that_of_the_rates() -> None:
    made = compare_campaigns(campaign(seed=1), campaign(seed=1, guard=0.5), FACTS).total
    assert made.before.value is not None
    assert made.after.value is not None
    assert made.difference == pytest.approx(made.after.value - made.before.value)
