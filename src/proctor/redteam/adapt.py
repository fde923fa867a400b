"""The adaptive attacker: read what a caller sees of finished attempts, and mutate those that came nearest.

Pure and seeded: the next round follows from the goals, the settings and the attempts seen so far. No model is used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from proctor.core.attack import CHANNELS, Channel, Goal, attempt_of
from proctor.core.case import Case
from proctor.core.sockets import Attack
from proctor.redteam.assemble import AttackRecipe, AttemptLabels, build_attempt, recipe_of
from proctor.redteam.attempt_progress import NEARNESS, AttemptObservation
from proctor.redteam.mutate_recipe import RecipeMutator
from proctor.redteam.recipe_bandit import RecipeBandit
from proctor.redteam.technique_registry import load_attacks

__all__ = ["AdaptSettings", "next_round"]

_DRAWS: Final = 40  # recipes drawn for one attempt before the goal is passed over in this round


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptSettings:
    """How to search. ``tries`` is the budget of attempts a goal, ``batch`` how many of them go into one round.

    ``beam`` attempts a goal are mutated; the share ``explore`` of a round is drawn afresh. ``held_out`` names goals.
    """

    campaign: str = ""
    tries: int = 100
    batch: int = 10
    beam: int = 4
    explore: float = 0.3
    seed: int = 0
    languages: tuple[str, ...] = ()
    held_out: frozenset[str] = frozenset()


def next_round(
    goals: Sequence[Goal],
    seen: Sequence[AttemptObservation],
    settings: AdaptSettings | None = None,
    *,
    channels: Collection[Channel] = CHANNELS,
    attacks: Mapping[str, Attack] | None = None,
    variants: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Case, ...]:
    """Return the next attempts on the goals that were not reached and have tries left; empty when there are none.

    ``seen`` are all finished attempts of the search, of any round, unscored ones too. ``variants`` are a writer's
    instructions by ``goal/language``.
    """
    settings = settings or AdaptSettings()
    attacks = load_attacks() if attacks is None else attacks
    finished = [(each, attempt) for each in seen if (attempt := attempt_of(each.case)) is not None]
    number = 1 + max((attempt.round for _, attempt in finished), default=0)
    credit = RecipeBandit()
    nodes: dict[str, list[_Node]] = {goal.id: [] for goal in goals}
    for each, attempt in finished:
        recipe = recipe_of(attempt)
        if recipe is not None and attempt.goal in nodes:
            credit.learn(recipe, each)
            nodes[attempt.goal].append(_Node(seen=each, recipe=recipe, parent=attempt.parent))
    made: list[Case] = []
    for goal in goals:
        random = Random(f"{settings.seed}/{number}/{goal.id}")  # noqa: S311 - seeded on purpose
        mutator = RecipeMutator(
            attacks=attacks,
            channels=channels,
            languages=settings.languages,
            variants=variants or {},
            credit=credit,
            random=random,
        )
        made += _GoalRound(goal, nodes[goal.id], settings, mutator, number).run()
    return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A finished attempt in the search tree."""

    seen: AttemptObservation
    recipe: AttackRecipe
    parent: str | None


class _GoalRound:
    """The next attempts on one goal."""

    def __init__(
        self, goal: Goal, nodes: Sequence[_Node], settings: AdaptSettings, mutator: RecipeMutator, number: int
    ) -> None:
        self._goal, self._nodes, self._settings = goal, nodes, settings
        self._mutator, self._number = mutator, number
        self._known = {node.seen.case.id for node in nodes}

    def run(self) -> list[Case]:
        if any(node.seen.sight == "executed" for node in self._nodes):
            return []
        left = min(self._settings.batch, self._settings.tries - len(self._nodes))
        beam = self._beam()
        made: list[Case] = []
        for _ in range(left):
            case = self._next(beam)
            if case is None:
                break
            made.append(case)
        return made

    def _beam(self) -> list[_Node]:
        """Return the nearest attempts; of equals, those with fewer children, then the newer ones."""
        children: dict[str, int] = {}
        reasons = {node.seen.case.id: (node.seen.gate, node.seen.reason) for node in self._nodes}
        for node in self._nodes:
            if node.parent is not None:
                children[node.parent] = children.get(node.parent, 0) + 1

        def rank(at: int) -> tuple[float, int, int]:
            node = self._nodes[at]
            now = (node.seen.gate, node.seen.reason)
            # A refusal for another reason than the parent's got past one gate.
            moved = node.parent in reasons and reasons[node.parent] != now
            near = NEARNESS[node.seen.sight] + (0.1 if moved and node.seen.sight == "refused" else 0.0)
            return near, -children.get(node.seen.case.id, 0), at

        scored = [at for at, node in enumerate(self._nodes) if node.seen.sight != "unscored"]
        order = sorted(scored, key=rank, reverse=True)
        return [self._nodes[at] for at in order[: self._settings.beam]]

    def _next(self, beam: Sequence[_Node]) -> Case | None:
        random, goal = self._mutator.random, self._goal
        for _ in range(_DRAWS):
            parent = random.choice(beam) if beam and random.random() >= self._settings.explore else None
            recipe = self._mutator.fresh(goal) if parent is None else self._mutator.neighbour(goal, parent.recipe)
            if recipe is None:
                continue
            labels = AttemptLabels(
                campaign=self._settings.campaign,
                held_out=goal.id in self._settings.held_out,
                round=self._number,
                parent=None if parent is None else parent.seen.case.id,
            )
            try:
                case = build_attempt(recipe, goal, self._mutator.attacks, labels)
            except Exception:  # noqa: S112 - a third-party technique may raise anything; another recipe is drawn
                continue
            if case is not None and case.id not in self._known:
                self._known.add(case.id)
                return case
        return None
