"""Choose the least used delivery, language and techniques for the next attempt, ties by a seeded draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from random import Random
from typing import Final, TypeVar

from proctor.core.attack import Goal
from proctor.core.sockets import Attack
from proctor.redteam.assemble import AttackRecipe
from proctor.redteam.options import Option
from proctor.redteam.technique_registry import Family, family_of

__all__ = ["SHAPES", "RecipeChooser"]

Choice = TypeVar("Choice")

# The families of techniques before the delivery, in order of application. ``encoding, framing`` leaves the framing in
# clear; ``framing, encoding`` encodes all of it.
SHAPES: Final[Mapping[Family, tuple[tuple[Family, ...], ...]]] = {
    "message": (
        (),
        ("framing",),
        ("encoding",),
        ("framing", "framing"),
        ("encoding", "framing"),
        ("framing", "encoding"),
        ("framing", "hiding"),
    ),
    "place": (
        (),
        ("framing",),
        ("hiding",),
        ("framing", "framing"),
        ("framing", "hiding"),
        ("encoding", "framing"),
        ("framing", "encoding"),
    ),
    "conversation": ((), ("framing",), ("encoding", "framing"), ("hiding",)),
}


class RecipeChooser:
    """Counts what was used, and chooses what was used least."""

    def __init__(self, attacks: Mapping[str, Attack], random: Random) -> None:
        self._families: dict[Family, list[str]] = {}
        for name, attack in attacks.items():
            self._families.setdefault(family_of(attack), []).append(name)
        self._attacks, self._random = attacks, random
        self._used: Counter[Hashable] = Counter()

    def choose(
        self, goal: Goal, options: Sequence[Option], languages: Sequence[str], avoid: Collection[Hashable] = ()
    ) -> AttackRecipe:
        """Return the next recipe for a goal, where possible without the techniques and shapes to avoid."""
        delivery, carrier, place = self._least(
            [each for each in options if each[0] not in avoid] or options,
            lambda each: (each[0], (goal.id, each[0]), (goal.id, each), (goal.id, each[1])),
        )
        language = self._least(languages, lambda each: ((goal.id, each), each))
        shapes = SHAPES.get(family_of(self._attacks[delivery]), SHAPES["message"])
        known = [shape for shape in shapes if all(self._has(family, shape.count(family)) for family in shape)]
        known = [shape for shape in known if shape not in avoid] or known
        shape = self._least(known, lambda each: (("shape", each), ("shape", goal.id, each)))
        techniques: list[str] = []
        for family in shape:
            unused = [name for name in self._families[family] if name not in techniques]
            free = [name for name in unused if name not in avoid] or unused
            techniques.append(self._least(free, lambda each: (each, (goal.id, each))))
        return AttackRecipe(
            goal=goal.id,
            language=language,
            techniques=(*techniques, delivery),
            carrier=carrier,
            place=place,
            seed=self._random.getrandbits(32),
        )

    def _has(self, family: Family, count: int) -> bool:
        return len(self._families.get(family, ())) >= count

    def shape_of(self, recipe: AttackRecipe) -> tuple[Family, ...]:
        """Return the families of the techniques before the delivery."""
        return tuple(family_of(self._attacks[name]) for name in recipe.techniques[:-1])

    def use(self, recipe: AttackRecipe) -> None:
        """Count a recipe that became an attempt."""
        goal, shape = recipe.goal, self.shape_of(recipe)
        option = (recipe.techniques[-1], recipe.carrier, recipe.place)
        self._used.update((recipe.language, (goal, recipe.language), ("shape", shape), ("shape", goal, shape)))
        self._used.update((goal, name) for name in recipe.techniques)
        self._used.update(recipe.techniques)
        self._used.update(((goal, option), (goal, recipe.carrier)))

    def _least(self, choices: Sequence[Choice], keys: Callable[[Choice], tuple[Hashable, ...]]) -> Choice:
        """Return the choice with the lowest counts, compared key by key."""
        return min(choices, key=lambda each: (*(self._used[key] for key in keys(each)), self._random.random()))
