"""Change one thing of a recipe: framing, encoding, markup, language, delivery, order, or only the wording."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from proctor.core.attack import Channel, Goal
from proctor.core.sockets import Attack
from proctor.redteam.assemble import AttackRecipe
from proctor.redteam.choose_recipe import SHAPES
from proctor.redteam.options import Option, options_for
from proctor.redteam.recipe_bandit import RecipeBandit
from proctor.redteam.technique_registry import Family, family_of

__all__ = ["RecipeMutator"]

_MOST_CHANGES: Final = 3  # techniques before the delivery
_KINDS: Final[tuple[Family, ...]] = ("framing", "encoding", "hiding")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeMutator:
    """Makes new recipes for a goal: fresh ones, and neighbours of one that came near. Choices follow the credit."""

    attacks: Mapping[str, Attack]
    channels: Collection[Channel]
    languages: Collection[str]
    variants: Mapping[str, Sequence[str]]  # by goal and language (``goal/en``): a writer's instructions
    credit: RecipeBandit
    random: Random

    def fresh(self, goal: Goal) -> AttackRecipe | None:
        """Return a recipe that shares nothing with earlier ones but what was learnt."""
        options = options_for(goal, self.attacks, self.channels)
        languages = self._languages(goal)
        if not options or not languages:
            return None
        delivery, carrier, place = self._option(goal, options)
        shape = self.random.choice(SHAPES.get(family_of(self.attacks[delivery]), SHAPES["message"]))
        techniques: list[str] = []
        for family in shape:
            if named := self._named(family, techniques):
                techniques.append(self._technique(goal, named))
        return self._with_variant(
            AttackRecipe(
                goal=goal.id,
                language=self._language(goal, languages),
                techniques=(*techniques, delivery),
                carrier=carrier,
                place=place,
                seed=self.random.getrandbits(32),
            )
        )

    def neighbour(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        """Return the recipe with one thing changed; ``None`` if the drawn change is not possible."""
        changes = (self._swap, self._swap, self._add, self._drop, self._deliver, self._translate, self._reorder)
        changed = self.random.choice((*changes, self._reword))(goal, recipe)
        return None if changed is None else replace(changed, seed=self.random.getrandbits(32))

    def _swap(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        before = list(recipe.techniques[:-1])
        if not before:
            return self._add(goal, recipe)
        at = self.random.randrange(len(before))
        named = self._named(family_of(self.attacks[before[at]]), before)
        if not named:
            return None
        before[at] = self._technique(goal, named)
        return replace(recipe, techniques=(*before, recipe.techniques[-1]))

    def _add(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        before = list(recipe.techniques[:-1])
        named = self._named(self.random.choice(_KINDS), before)
        if len(before) >= _MOST_CHANGES or not named:
            return None
        before.insert(self.random.randint(0, len(before)), self._technique(goal, named))
        return replace(recipe, techniques=(*before, recipe.techniques[-1]))

    def _drop(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        before = list(recipe.techniques[:-1])
        if not before:
            return None
        del before[self.random.randrange(len(before))]
        return replace(recipe, techniques=(*before, recipe.techniques[-1]))

    def _deliver(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        now = (recipe.techniques[-1], recipe.carrier, recipe.place)
        options = [each for each in options_for(goal, self.attacks, self.channels) if each != now]
        if not options:
            return None
        delivery, carrier, place = self._option(goal, options)
        return replace(recipe, techniques=(*recipe.techniques[:-1], delivery), carrier=carrier, place=place)

    def _translate(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        languages = [each for each in self._languages(goal) if each != recipe.language]
        if not languages:
            return None
        return self._with_variant(replace(recipe, language=self._language(goal, languages), variant=None))

    def _reorder(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe | None:
        before = list(recipe.techniques[:-1])
        if len(before) < 2:
            return None
        self.random.shuffle(before)
        return replace(recipe, techniques=(*before, recipe.techniques[-1]))

    def _reword(self, goal: Goal, recipe: AttackRecipe) -> AttackRecipe:
        """Return the same recipe; another seed draws other sentences, and a writer's variant if there is one."""
        return self._with_variant(recipe)

    def _with_variant(self, recipe: AttackRecipe) -> AttackRecipe:
        written = self.variants.get(f"{recipe.goal}/{recipe.language}", ())
        return replace(recipe, variant=self.random.choice((None, *written))) if written else recipe

    def _languages(self, goal: Goal) -> list[str]:
        return [each for each in goal.instruction if not self.languages or each in self.languages]

    def _language(self, goal: Goal, languages: Sequence[str]) -> str:
        return self.credit.best(goal.id, languages, [f"language:{each}" for each in languages], self.random)

    def _option(self, goal: Goal, options: Sequence[Option]) -> Option:
        # The delivery first, then one of its places: a delivery with many places is not more likely.
        deliveries = sorted({each[0] for each in options})
        delivery = self.credit.best(goal.id, deliveries, deliveries, self.random)
        mine = [each for each in options if each[0] == delivery]
        return self.credit.best(goal.id, mine, [f"place:{each[1]}:{each[2]}" for each in mine], self.random)

    def _named(self, family: Family, without: Collection[str]) -> list[str]:
        return [name for name, attack in self.attacks.items() if family_of(attack) == family and name not in without]

    def _technique(self, goal: Goal, names: Sequence[str]) -> str:
        return self.credit.best(goal.id, names, names, self.random)
