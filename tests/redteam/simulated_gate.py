"""A gate that knows most techniques, and an agent behind it that obeys a few: for the search of the attacker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from proctor.core.attack import CHANNELS, Goal, attempt_of
from proctor.core.case import Case
from proctor.core.sockets import Attack
from proctor.redteam.adapt import AdaptSettings, next_round
from proctor.redteam.assemble import build_attempt
from proctor.redteam.attempt_progress import AttemptObservation
from proctor.redteam.mutate_recipe import RecipeMutator
from proctor.redteam.recipe_bandit import RecipeBandit
from proctor.redteam.technique_registry import family_of
from tests.redteam.sample_goals import goal


def many_goals(count: int) -> list[Goal]:
    return [replace(goal("grant-refund"), id=f"goal-{number}") for number in range(count)]


@dataclass(frozen=True)
class World:
    """``known`` techniques are refused by the gate. An agent obeys by goal: a delivery and a weak spot, both rare."""

    known: frozenset[str]
    deliveries: dict[str, frozenset[str]]
    weak: dict[str, frozenset[str]]

    def see(self, case: Case) -> AttemptObservation:
        attempt = attempt_of(case)
        assert attempt is not None
        used, delivery = set(attempt.techniques), attempt.techniques[-1]
        if self.known & used:
            return AttemptObservation(case=case, sight="refused", gate="injection", reason="looks like an attack")
        right = delivery in self.deliveries[attempt.goal]
        weak = bool(self.weak[attempt.goal] & used)
        if right and weak:
            return AttemptObservation(case=case, sight="executed")
        return AttemptObservation(case=case, sight="different" if right or weak else "answered")


def make_world(goals: Sequence[Goal], attacks: dict[str, Attack], seed: int) -> World:
    random = Random(seed)
    changes = [name for name, attack in attacks.items() if not attack.delivers]
    deliveries = [name for name, attack in attacks.items() if attack.delivers and family_of(attack) != "place"]
    known = frozenset(random.sample(changes, len(changes) * 4 // 5))
    open_ones = sorted(set(changes) - known)
    return World(
        known=known,
        deliveries={each.id: frozenset(random.sample(deliveries, 2)) for each in goals},
        weak={each.id: frozenset(random.sample(open_ones, 2)) for each in goals},
    )


def search(
    goals: Sequence[Goal], world: World, attacks: dict[str, Attack], settings: AdaptSettings
) -> list[AttemptObservation]:
    seen: list[AttemptObservation] = []
    while cases := next_round(goals, seen, settings, attacks=attacks):
        seen += map(world.see, cases)
    return seen


def draw_at_random(
    goals: Sequence[Goal], world: World, attacks: dict[str, Attack], settings: AdaptSettings
) -> list[AttemptObservation]:
    """The same number of different attempts, each drawn without looking at the ones before."""
    seen: list[AttemptObservation] = []
    for each in goals:
        mutator = RecipeMutator(
            attacks=attacks,
            channels=CHANNELS,
            languages=(),
            variants={},
            credit=RecipeBandit(),
            random=Random(f"{settings.seed}/{each.id}"),
        )
        cases: dict[str, Case] = {}
        while len(cases) < settings.tries:
            recipe = mutator.fresh(each)
            case = None if recipe is None else build_attempt(recipe, each, attacks)
            if case is not None:
                cases[case.id] = case
        seen += map(world.see, cases.values())
    return seen


def goals_reached(seen: Sequence[AttemptObservation]) -> set[str]:
    """Return the goals that were reached."""
    return {found.goal for each in seen if each.sight == "executed" and (found := attempt_of(each.case))}
