"""Plan a campaign: goals, techniques, languages and places become attempts, spread evenly and reproducible by seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from proctor.core.attack import CHANNELS, NEEDS, SCOPES, Channel, Goal, Observation, Scope, attempt_of
from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.sockets import Attack
from proctor.redteam.assemble import AttackRecipe, AttemptLabels, build_attempt, unfit_technique
from proctor.redteam.choose_recipe import RecipeChooser
from proctor.redteam.options import is_far, options_for
from proctor.redteam.technique_registry import choose_attacks, load_attacks

__all__ = ["AttackPlan", "PlanSettings", "ScopeCount", "is_held_out", "plan_attempts"]

FAR_SHARE: Final = 2 / 3  # minimum share of attempts that are indirect or over several turns
_TRIES: Final = 48  # recipes that are tried for one attempt before its goal is passed over


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """What to plan. ``attempts`` are per scope; empty ``languages`` and ``techniques`` mean all.

    ``held_out`` is the share of goals that reports never show in clear; another ``rotation`` holds out other goals.
    """

    campaign: str = ""
    attempts: int = 200
    scopes: tuple[Scope, ...] = SCOPES
    languages: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    seed: int = 0
    held_out: float = 0.2
    rotation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeCount:
    """What was planned for one scope. ``indirect`` and ``multi_turn`` do not overlap: an indirect one counts there."""

    scope: Scope
    goals: int
    held_out: int
    attempts: int
    indirect: int
    multi_turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackPlan:
    """The planned attempts in order, counts per scope, and notes on what was left out and why."""

    attempts: tuple[Case, ...]
    scopes: tuple[ScopeCount, ...]
    notes: tuple[str, ...] = ()


def plan_attempts(
    goals: Sequence[Goal],
    settings: PlanSettings | None = None,
    *,
    shows: Collection[Observation] = ("words", "tools", "state"),
    channels: Collection[Channel] = CHANNELS,
    attacks: Mapping[str, Attack] | None = None,
) -> AttackPlan:
    """Return the attempts of a campaign. The same arguments give the same plan; nothing is sent.

    ``shows`` is what the target shows of itself, ``channels`` where a payload can be put for it. Goals and techniques
    that need more are left out with a note. ``attacks`` are the registered ones unless given.

    Raises:
        NotFoundError: ``settings.techniques`` has an unknown name.
    """
    settings = settings or PlanSettings()
    chosen = load_attacks(settings.techniques) if attacks is None else choose_attacks(attacks, settings.techniques)
    notes: list[str] = []
    attempts: list[Case] = []
    counts: list[ScopeCount] = []
    for scope in settings.scopes:
        mine = [goal for goal in goals if goal.scope == scope]
        judged = [goal for goal in mine if _can_judge(goal, shows, notes)]
        made = _ScopePlan(scope, settings, chosen, frozenset(channels), notes).run(judged)
        attempts += made
        counts.append(_count(scope, judged, made, settings))
        if len(made) < settings.attempts and mine:
            notes.append(f"{scope}: {len(made)} of {settings.attempts} attempts; no more combinations fit")
        if not mine:
            notes.append(f"{scope}: no goals")
    return AttackPlan(attempts=tuple(attempts), scopes=tuple(counts), notes=tuple(notes))


def is_held_out(goal: str, settings: PlanSettings) -> bool:
    """Whether a goal belongs to the held-out share of this rotation."""
    return int(content_id([goal, settings.rotation], length=8), 16) < settings.held_out * 16**8


def _can_judge(goal: Goal, shows: Collection[Observation], notes: list[str]) -> bool:
    missing = sorted({NEEDS[effect.kind] for effect in goal.effects} - set(shows))
    if any(effect.needs in shows for effect in goal.effects):
        return True
    notes.append(f"{goal.scope}: goal {goal.id!r} is left out: the target does not show its {' or '.join(missing)}")
    return False


class _ScopePlan:
    """The attempts of one scope in the making."""

    def __init__(
        self,
        scope: Scope,
        settings: PlanSettings,
        attacks: Mapping[str, Attack],
        channels: frozenset[Channel],
        notes: list[str],
    ) -> None:
        self._scope, self._settings, self._attacks = scope, settings, attacks
        self._channels, self._notes = channels, notes
        self._random = Random(f"{settings.seed}/{scope}")  # noqa: S311 - seeded on purpose
        self._chooser = RecipeChooser(attacks, self._random)
        self._seen: set[str] = set()
        self._far = 0

    def run(self, goals: Sequence[Goal]) -> list[Case]:
        """Go round the goals until there are enough attempts, or no goal has another one."""
        options = {goal.id: options_for(goal, self._attacks, self._channels) for goal in goals}
        languages = {goal.id: self._languages(goal) for goal in goals}
        for goal in goals:
            if not options[goal.id] or not languages[goal.id]:
                what = "delivery fits its places" if languages[goal.id] else "instruction is in the chosen languages"
                self._notes.append(f"{self._scope}: goal {goal.id!r} is left out: no {what}")
        waiting = [goal for goal in goals if options[goal.id] and languages[goal.id]]
        self._random.shuffle(waiting)
        made: list[Case] = []
        while waiting and len(made) < self._settings.attempts:
            for goal in tuple(waiting):
                if len(made) == self._settings.attempts:
                    break
                case = self._next(goal, options[goal.id], languages[goal.id], len(made))
                if case is None:
                    waiting.remove(goal)
                else:
                    made.append(case)
        self._note_share(made)
        return made

    def _languages(self, goal: Goal) -> tuple[str, ...]:
        wanted = self._settings.languages
        return tuple(each for each in goal.instruction if not wanted or each in wanted)

    def _next(
        self, goal: Goal, options: Sequence[tuple[str, int, int | None]], languages: Sequence[str], made: int
    ) -> Case | None:
        # The quota holds at every length of the plan, so that a campaign that is cut short keeps it.
        wants_far = self._far < FAR_SHARE * (made + 1)
        labels = AttemptLabels(campaign=self._settings.campaign, held_out=is_held_out(goal.id, self._settings))
        avoid: set[Hashable] = set()  # what failed for this attempt: most techniques fit some languages only
        for attempt in range(_TRIES):
            fitting = [each for each in options if is_far(goal, each, self._attacks) == wants_far]
            # Where a goal has only one kind of delivery, or this kind is used up, the other one is taken.
            fitting = fitting if fitting and attempt < _TRIES - 12 else list(options)
            recipe = self._chooser.choose(goal, fitting, languages, avoid)
            case = self._build(goal, recipe, labels)
            if case is None or case.id in self._seen:
                unfit = unfit_technique(recipe, goal, self._attacks) if case is None else None
                avoid.add(unfit or self._chooser.shape_of(recipe))
                continue
            self._seen.add(case.id)
            self._chooser.use(recipe)
            self._far += _is_far_case(case)
            return case
        return None

    def _build(self, goal: Goal, recipe: AttackRecipe, labels: AttemptLabels) -> Case | None:
        try:
            return build_attempt(recipe, goal, self._attacks, labels)
        except Exception as error:  # a third-party technique may raise anything; the plan goes on without it
            note = f"{', '.join(recipe.techniques)} failed: {type(error).__name__}: {error}"
            if note not in self._notes:
                self._notes.append(note)
            return None

    def _note_share(self, made: Sequence[Case]) -> None:
        if made and self._far < FAR_SHARE * len(made) - 1:
            share = f"{self._far} of {len(made)}"
            self._notes.append(
                f"{self._scope}: {share} attempts are indirect or multi-turn; the goals have no more places"
            )


def _is_far_case(case: Case) -> bool:
    attempt = attempt_of(case)
    return attempt is not None and (attempt.channel != "message" or len(case.turns) > 1)


def _count(scope: Scope, goals: Sequence[Goal], made: Sequence[Case], settings: PlanSettings) -> ScopeCount:
    kinds = Counter(
        "indirect" if a.channel != "message" else "multi" if len(case.turns) > 1 else "single"
        for case in made
        if (a := attempt_of(case)) is not None
    )
    return ScopeCount(
        scope=scope,
        goals=len(goals),
        held_out=sum(is_held_out(goal.id, settings) for goal in goals),
        attempts=len(made),
        indirect=kinds["indirect"],
        multi_turn=kinds["multi"],
    )
