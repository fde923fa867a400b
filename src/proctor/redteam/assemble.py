"""Turn a recipe into a finished attempt: draft, techniques in order, case with its benign twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from proctor.core.attack import (
    AttackAttempt,
    AttackDraft,
    AttackEffect,
    Carrier,
    Channel,
    Goal,
    Plant,
    PlantSite,
    with_attempt,
)
from proctor.core.case import Ask, Case
from proctor.core.codec import content_id, encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.sockets import Attack
from proctor.redteam.framing_texts import texts_of
from proctor.redteam.payload_site import carries_payload, plant

__all__ = [
    "AttackRecipe",
    "AttemptLabels",
    "assemble",
    "begin_draft",
    "build_attempt",
    "recipe_of",
    "turns_in",
    "unfit_technique",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRecipe:
    """The choices that make one attempt; the same recipe always gives the same attempt.

    ``techniques`` are names in the order in which they are applied; the last one delivers. ``carrier`` and ``place``
    are positions in the goal's lists. ``variant`` replaces the goal's instruction, e.g. by a writer's paraphrase.
    """

    goal: str
    language: str
    techniques: tuple[str, ...]
    carrier: int = 0
    place: int | None = None
    seed: int = 0
    variant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLabels:
    """What an attempt carries besides its content; no part of its id."""

    campaign: str = ""
    held_out: bool = False
    round: int = 0
    parent: str | None = None


def build_attempt(
    recipe: AttackRecipe, goal: Goal, attacks: Mapping[str, Attack], labels: AttemptLabels | None = None
) -> Case | None:
    """Return the attempt of a recipe; ``None`` if one of its techniques does not fit.

    Raises:
        ValueError: the techniques lost the payload, or not exactly one of them delivers.
    """
    chain = [attacks[name] for name in recipe.techniques]
    if sum(attack.delivers for attack in chain) != 1 or not chain[-1].delivers:
        raise ValueError(f"{', '.join(recipe.techniques) or 'nothing'}: exactly the last technique must deliver")
    draft, unfit = _apply(recipe, goal, attacks)
    return None if unfit else assemble(draft, labels=labels, recipe=recipe)


def unfit_technique(recipe: AttackRecipe, goal: Goal, attacks: Mapping[str, Attack]) -> str:
    """Return the technique because of which a recipe does not fit; the delivery if each one fits by itself."""
    try:
        return _apply(recipe, goal, attacks)[1] or recipe.techniques[-1]
    except Exception:  # third-party code may raise anything
        return recipe.techniques[0]


def _apply(recipe: AttackRecipe, goal: Goal, attacks: Mapping[str, Attack]) -> tuple[AttackDraft, str | None]:
    """Return the draft after the techniques, and the one that did not fit."""
    random = Random(recipe.seed)  # noqa: S311 - seeded on purpose
    draft = begin_draft(goal, recipe)
    for name in recipe.techniques:
        changed = attacks[name].apply(draft, random)
        if changed is None:
            return draft, name
        draft = changed
    return draft, None


def begin_draft(goal: Goal, recipe: AttackRecipe) -> AttackDraft:
    """Return the draft that the first technique gets: the instruction and the carrier's harmless turns."""
    carrier = goal.carriers[recipe.carrier]
    return AttackDraft(
        goal=goal,
        carrier=carrier,
        language=recipe.language,
        payload=recipe.variant or goal.instruction[recipe.language],
        turns=turns_in(carrier, recipe.language),
        place=None if recipe.place is None else carrier.places[recipe.place],
    )


def turns_in(carrier: Carrier, language: str) -> tuple[str, ...]:
    """Return the harmless turns in a language; one that is missing uses ``en``."""
    return carrier.turns[language] if language in carrier.turns else carrier.turns["en"]


def assemble(
    draft: AttackDraft, *, labels: AttemptLabels | None = None, recipe: AttackRecipe | None = None
) -> Case | None:
    """Return the attempt of a delivered draft; ``None`` if its effects need a turn that the techniques removed.

    Raises:
        ValueError: the payload is not in the turns, and no place carries it.
    """
    labels = labels or AttemptLabels()
    if draft.place is None and draft.payload not in "\n".join(draft.turns):
        raise ValueError(f"{', '.join(draft.techniques)}: the payload is not in the conversation")
    carried = _carried_turns(draft)
    effects = _renumbered(draft.goal.effects, carried)
    if effects is None:
        return None
    plants, twin_plants = _plants(draft)
    goal = draft.goal
    attempt = AttackAttempt(
        campaign=labels.campaign,
        goal=goal.id,
        scope=goal.scope,
        title=goal.title,
        severity=goal.severity,
        effects=effects,
        channel=_channel(draft),
        language=draft.language,
        techniques=draft.techniques,
        payload=draft.payload,
        plants=plants,
        twin_turns=_twin_turns(draft, carried),
        twin_plants=twin_plants,
        new_session=draft.new_session,
        wants_person=draft.carrier.wants_person or any(each.kind == "not_escalated" for each in goal.effects),
        tags=goal.tags,
        held_out=labels.held_out,
        round=labels.round,
        parent=labels.parent,
        extra={} if recipe is None else {"recipe": encode(recipe)},
    )
    content = [goal.id, draft.turns, [encode(each) for each in plants], draft.new_session, dict(draft.carrier.page)]
    case = Case(
        id=content_id(content),
        turns=tuple(Ask(text=text) for text in draft.turns),
        page=draft.carrier.page,
        tags=goal.tags,
        description="" if labels.held_out else goal.title,
    )
    return with_attempt(case, attempt)


def recipe_of(attempt: AttackAttempt) -> AttackRecipe | None:
    """Return the recipe that an attempt was made from; ``None`` for an imported or hand-written one."""
    raw: Any = attempt.extra.get("recipe")
    try:
        return None if raw is None else decode(AttackRecipe, raw)
    except MalformedError:
        return None


def _channel(draft: AttackDraft) -> Channel:
    if draft.place is not None:
        return draft.place.channel
    return "session" if draft.new_session else "message"


def _plants(draft: AttackDraft) -> tuple[tuple[Plant, ...], tuple[Plant, ...]]:
    """Return the plants of the attempt and of the twin; fixed rows such as canaries are in both."""
    fixed = tuple(plant(site, "") for site in draft.carrier.places if not carries_payload(site))
    if draft.place is None:
        return fixed, fixed
    site: PlantSite = draft.place
    return (*fixed, plant(site, draft.payload)), (*fixed, plant(site, ""))


def _carried_turns(draft: AttackDraft) -> list[int | None]:
    """Return, for each harmless turn of the carrier, the position of the turn that carries it."""
    found: list[int | None] = []
    at = 0
    for turn in turns_in(draft.carrier, draft.language):
        same = [i for i in range(at, len(draft.turns)) if draft.turns[i] == turn]
        inside = [i for i in range(at, len(draft.turns)) if _holds(draft.turns[i], turn, draft.payload)]
        position = next(iter(same or inside), None)
        found.append(position)
        at = at if position is None else position + 1
    return found


def _holds(said: str, turn: str, payload: str) -> bool:
    return turn in said or _squeezed(said.replace(payload, " ")) == _squeezed(turn)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _renumbered(effects: Sequence[AttackEffect], carried: list[int | None]) -> tuple[AttackEffect, ...] | None:
    """Return the effects with the turn numbers of the attempt instead of the carrier's."""
    made: list[AttackEffect] = []
    for effect in effects:
        turns = [carried[turn - 1] for turn in effect.turns]
        # Without the request for a person, nobody is called by itself: that is no success of the attack.
        wanted = carried if effect.kind == "not_escalated" else turns
        if any(turn is None for turn in wanted):
            return None
        made.append(replace(effect, turns=tuple(turn + 1 for turn in turns if turn is not None)))
    return tuple(made)


def _twin_turns(draft: AttackDraft, carried: list[int | None]) -> tuple[str, ...]:
    """Return the harmless conversation. Where turn numbers matter, a neutral turn stands for each added one."""
    harmless = turns_in(draft.carrier, draft.language)
    if not draft.new_session and not any(effect.turns for effect in draft.goal.effects):
        return harmless
    neutral = texts_of("neutral", draft.language)
    back = {position: text for position, text in zip(carried, harmless, strict=True) if position is not None}
    return tuple(back.get(at, neutral[at % len(neutral)]) for at in range(len(draft.turns)))
