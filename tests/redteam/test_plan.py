"""A plan is even, reproducible, and says what it left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.attack import AttackAttempt, AttackDraft, Goal, attempt_of
from proctor.core.errors import NotFoundError
from proctor.redteam.plan import AttackPlan, PlanSettings, is_held_out, plan_attempts
from proctor.redteam.technique_registry import family_of, load_attacks
from tests.redteam.sample_goals import goal, goals

ATTACKS = load_attacks()


def some(count: int, name: str = "grant-refund") -> list[Goal]:
    return [replace(goal(name), id=f"{name}-{number}") for number in range(count)]


def attempts(plan: AttackPlan) -> list[AttackAttempt]:
    return [found for case in plan.attempts if (found := attempt_of(case))]


def test_a_plan_is_even_over_goals_languages_and_techniques() -> None:
    plan = plan_attempts(some(10), PlanSettings(scopes=("policy_bypass",)), attacks=ATTACKS)
    found = attempts(plan)
    assert len(found) == 200
    assert len({case.id for case in plan.attempts}) == 200
    assert set(Counter(each.goal for each in found).values()) == {20}
    languages = Counter(each.language for each in found)
    assert max(languages.values()) <= 1.2 * min(languages.values())
    used = Counter(name for each in found for name in each.techniques)
    for family in ("framing", "hiding"):
        counts = [used[name] for name, attack in ATTACKS.items() if family_of(attack) == family]
        assert max(counts) <= min(counts) + 4, family
    encodings = [used[name] for name, attack in ATTACKS.items() if family_of(attack) == "encoding"]
    assert min(encodings) >= 1
    assert max(encodings) <= 3


@pytest.mark.parametrize("attempts_a_scope", [30, 101])
def test_two_thirds_are_indirect_or_over_several_turns(attempts_a_scope: int) -> None:
    plan = plan_attempts(
        [*some(5), *some(5, "say-orchid"), *some(5, "cancel-other-booking")],
        PlanSettings(attempts=attempts_a_scope, scopes=("policy_bypass", "direct_injection", "indirect_injection")),
        attacks=ATTACKS,
    )
    for count in plan.scopes:
        assert count.attempts == attempts_a_scope
        assert count.indirect + count.multi_turn >= attempts_a_scope * 2 / 3 - 1, count
    by_scope = {count.scope: count for count in plan.scopes}
    assert by_scope["direct_injection"].indirect == 0
    assert by_scope["indirect_injection"].indirect == attempts_a_scope
    bypass = [case for case in plan.attempts if (found := attempt_of(case)) and found.scope == "policy_bypass"]
    for end in range(3, len(bypass) + 1):  # a campaign that is cut short keeps the share
        far = [case for case in bypass[:end] if len(case.turns) > 1 or ((found := attempt_of(case)) and found.plants)]
        assert len(far) >= end * 2 / 3 - 1


def test_the_same_seed_gives_the_same_plan_and_another_another() -> None:
    one = plan_attempts(goals(), PlanSettings(attempts=20), attacks=ATTACKS)
    assert one == plan_attempts(goals(), PlanSettings(attempts=20), attacks=ATTACKS)
    other = plan_attempts(goals(), PlanSettings(attempts=20, seed=1), attacks=ATTACKS)
    assert {case.id for case in one.attempts} != {case.id for case in other.attempts}


def test_a_shorter_plan_is_the_beginning_of_a_longer_one() -> None:
    one = plan_attempts(goals(), PlanSettings(attempts=15, scopes=("policy_bypass",)), attacks=ATTACKS)
    more = plan_attempts(goals(), PlanSettings(attempts=30, scopes=("policy_bypass",)), attacks=ATTACKS)
    assert more.attempts[:15] == one.attempts


def test_a_goal_that_the_target_does_not_show_is_left_out_with_the_reason() -> None:
    plan = plan_attempts(goals(), PlanSettings(attempts=5), shows={"words"}, attacks=ATTACKS)
    assert "cancel-other-booking" not in {each.goal for each in attempts(plan)}
    assert any("'cancel-other-booking' is left out: the target does not show its state" in note for note in plan.notes)
    assert {each.goal for each in attempts(plan)} == {"say-orchid", "grant-refund", "fee-contradiction"}


def test_a_channel_that_the_target_cannot_fill_is_not_used() -> None:
    plan = plan_attempts(goals(), PlanSettings(attempts=20), channels={"message", "memory"}, attacks=ATTACKS)
    assert {each.channel for each in attempts(plan)} == {"message", "memory"}
    nothing = plan_attempts(goals(), PlanSettings(attempts=20), channels={"message"}, attacks=ATTACKS)
    assert any("no delivery fits its places" in note for note in nothing.notes)


def test_languages_and_techniques_can_be_chosen() -> None:
    wanted = PlanSettings(attempts=20, languages=("ja", "zh"), techniques=("base64", "override", "place", "message"))
    plan = plan_attempts(goals(), wanted, attacks=ATTACKS)
    assert {each.language for each in attempts(plan)} == {"ja", "zh"}
    allowed = {"base64", "override"} | {n for n, a in ATTACKS.items() if family_of(a) in ("place", "message")}
    assert {name for each in attempts(plan) for name in each.techniques} <= allowed
    assert any("no instruction is in the chosen languages" in note for note in plan.notes)
    with pytest.raises(NotFoundError):
        plan_attempts(goals(), PlanSettings(techniques=("rot14",)), attacks=ATTACKS)


def test_a_small_space_is_used_up_and_the_plan_says_so() -> None:
    few = PlanSettings(
        attempts=50, techniques=("hex", "message_alone"), languages=("fr",), scopes=("direct_injection",)
    )
    plan = plan_attempts(goals(), few, attacks=ATTACKS)
    assert 1 <= len(plan.attempts) < 50
    assert any("no more combinations fit" in note for note in plan.notes)


def test_a_broken_technique_is_noted_and_the_plan_goes_on() -> None:
    class Broken:
        name: ClassVar[str] = "broken"
        version: ClassVar[str] = "1"
        delivers: ClassVar[bool] = False

        def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
            raise RuntimeError("no luck")

    plan = plan_attempts(goals(), PlanSettings(attempts=10), attacks={**ATTACKS, "broken": Broken()})
    assert len(plan.attempts) == 40
    assert any("broken" in note and "RuntimeError: no luck" in note for note in plan.notes)


def test_held_out_goals_rotate() -> None:
    names = [f"goal-{number}" for number in range(1000)]
    first = {name for name in names if is_held_out(name, PlanSettings())}
    assert 150 <= len(first) <= 250
    second = {name for name in names if is_held_out(name, PlanSettings(rotation="2"))}
    assert len(first & second) < 80
    assert not any(is_held_out(name, PlanSettings(held_out=0.0)) for name in names)
    assert all(is_held_out(name, PlanSettings(held_out=1.0)) for name in names)
    plan = plan_attempts(goals(), PlanSettings(attempts=5), attacks=ATTACKS)
    assert all(each.held_out == is_held_out(each.goal, PlanSettings()) for each in attempts(plan))


def test_contradictions_are_planned_with_the_turns_they_need() -> None:
    plan = plan_attempts(goals(), PlanSettings(attempts=40, scopes=("cross_turn",)), attacks=ATTACKS)
    assert len(plan.attempts) == 40
    for case in plan.attempts:
        attempt = attempt_of(case)
        assert attempt is not None
        for turn, said in zip(attempt.effects[0].turns, goal("fee-contradiction").carriers[0].turns["en"], strict=True):
            assert attempt.twin_turns[turn - 1] == said
            assert all(word in case.turns[turn - 1].text for word in said.split())


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 25))
def test_every_attempt_carries_its_payload_and_its_twin_does_not(seed: int, count: int) -> None:
    plan = plan_attempts(goals(), PlanSettings(attempts=count, seed=seed), attacks=ATTACKS)
    for case in plan.attempts:
        attempt = attempt_of(case)
        assert attempt is not None
        where = "\n".join([*(ask.text for ask in case.turns), *(plant.text for plant in attempt.plants)])
        assert attempt.payload in where
        twin = "\n".join([*attempt.twin_turns, *(plant.text for plant in attempt.twin_plants)])
        assert attempt.payload not in twin
        assert ATTACKS[attempt.techniques[-1]].delivers
        assert not any(ATTACKS[name].delivers for name in attempt.techniques[:-1])


def test_a_technique_is_used_once_in_an_attempt() -> None:
    few = {name: ATTACKS[name] for name in ("authority", "rot13", "message_alone", "message_after")}
    plan = plan_attempts(some(4), PlanSettings(scopes=("policy_bypass",), attempts=60), attacks=few)
    found = [each.techniques for each in attempts(plan)]
    assert found
    assert [names for names in found if len(set(names)) < len(names)] == []
