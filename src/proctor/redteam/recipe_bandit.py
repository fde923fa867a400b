"""Learn which choices of a recipe bring attempts nearer, per goal and over all goals (a bandit)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from random import Random
from typing import Final, TypeVar

from proctor.redteam.assemble import AttackRecipe
from proctor.redteam.attempt_progress import NEARNESS, AttemptObservation

__all__ = ["RecipeBandit", "features_of"]

Choice = TypeVar("Choice")

_OWN_GOAL: Final = 3.0  # weight of an attempt on the same goal against one on another
_BLAMED, _NOT_BLAMED = 3.0, 0.3  # weights of a refusal whose reason names the technique, or another one
_UNKNOWN, _PRIOR = 0.5, 8.0  # of a choice without attempts; maximum weight of what other goals showed
_WORD: Final = re.compile("[a-z0-9]{3,}")


def features_of(recipe: AttackRecipe) -> tuple[str, ...]:
    """Return the choices of a recipe that can be learnt about."""
    return (*recipe.techniques, f"language:{recipe.language}", f"place:{recipe.carrier}:{recipe.place}")


class RecipeBandit:
    """Weights of success and failure by choice; each is drawn from a beta distribution (Thompson sampling)."""

    def __init__(self) -> None:
        self._won: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._lost: defaultdict[tuple[str, str], float] = defaultdict(float)

    def learn(self, recipe: AttackRecipe, seen: AttemptObservation) -> None:
        """Count one attempt. A refusal that names one technique counts against that one alone."""
        if seen.sight == "unscored":
            return
        reward = NEARNESS[seen.sight]
        named = set(_named(recipe.techniques, seen.reason)) if seen.sight == "refused" else set[str]()
        for feature in features_of(recipe):
            blame = 1.0 if not named else _BLAMED if feature in named else _NOT_BLAMED
            for goal, weight in ((recipe.goal, _OWN_GOAL), ("", 1.0)):
                self._won[goal, feature] += weight * reward
                self._lost[goal, feature] += weight * (1 - reward) * blame

    def draw(self, goal: str, feature: str, random: Random) -> float:
        """Return a random estimate of how far a choice gets; surer the more was seen."""
        own_won, own_lost = self._won[goal, feature], self._lost[goal, feature]
        # What all goals showed is the prior: a gate is the same for every goal. It counts as a few own attempts.
        shared = self._won["", feature] + self._lost["", feature]
        prior = self._won["", feature] / shared if shared else _UNKNOWN
        strength = min(_PRIOR, 1 + shared)
        return random.betavariate(own_won + strength * prior + 0.1, own_lost + strength * (1 - prior) + 0.1)

    def best(self, goal: str, choices: Sequence[Choice], features: Sequence[str], random: Random) -> Choice:
        """Return the choice with the highest draw; ``features`` are the names of the choices."""
        drawn = [self.draw(goal, feature, random) for feature in features]
        return choices[max(range(len(choices)), key=drawn.__getitem__)]


def _named(techniques: Iterable[str], reason: str) -> list[str]:
    """Return the techniques that a gate's reason names by all words of their names."""
    words = set(_WORD.findall(reason.casefold()))
    return [name for name in techniques if (parts := set(_WORD.findall(name.replace("_", " ")))) and parts <= words]
