"""Collect the rules of a prompt: those kept, those found by a model, and those found by code."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from proctor.core.rule import Rule
from proctor.core.sockets import Model
from proctor.generate.extract import cross_check, extract_rules
from proctor.generate.generation_request import Makers, Order
from proctor.generate.reuse_existing import Kept, with_flags
from proctor.generate.settle_predicates import known_answers, settle_predicates
from proctor.generate.stages import check_rule, find_rules
from proctor.generate.task_group import Trouble

__all__ = ["FoundRules", "check_grounds", "find_all_rules"]

EXTRACTOR = "extractor"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRules:
    """The positive rules in order, with the known opposites by the id of their rule.

    ``only_code`` and ``only_model`` are the new rules that only one of the two found; ``left_out`` counts those beyond
    the requested number.
    """

    rules: tuple[Rule, ...] = ()
    opposites: Mapping[str, tuple[Rule, ...]]
    only_code: tuple[Rule, ...] = ()
    only_model: tuple[Rule, ...] = ()
    left_out: int = 0


async def find_all_rules(
    order: Order, makers: Makers, kept: Kept, earlier: Mapping[str, Rule], trouble: Trouble
) -> FoundRules:
    """Return the kept rules and, if the prompt may have more, the new ones, in the order of the prompt.

    ``earlier`` are the previous rules by id: a person's settings are kept if a rule is found again.
    """
    stay = [rule for rule in kept.rules if rule.polarity == "positive"]
    opposites = {rule.id: tuple(each for each in kept.rules if each.inverse_of == rule.id) for rule in stay}
    if not kept.rules_stale:
        return FoundRules(rules=tuple(stay), opposites=opposites)
    only_code: Sequence[Rule] = ()
    only_model: Sequence[Rule] = ()
    extracted = _extracted(order)
    stay = _with_marks(stay, extracted)
    coded = _new(extracted, stay, kept)
    if makers.writer is None:
        fresh = coded
    else:
        asked = await trouble.spare("rules", _asked(makers.writer_of("rules"), order, stay), None)
        found = _new(asked or (), stay, kept)
        only_code, only_model = _compared(coded, found, stay)
        if not order.cross_check and asked is not None:
            only_code = ()
        fresh = [*found, *sorted(only_code, key=lambda rule: -rule.priority)]
    fresh = [*_new(order.own_rules, stay, kept), *fresh]
    room = None if order.effort.most_rules is None else max(0, order.effort.most_rules - len(stay))
    apart = {rule.id for rule in only_code} if makers.writer is not None else set()
    taken = fresh if room is None else _first(fresh, room, apart)
    taken = [with_flags(rule, earlier) for rule in sorted(taken, key=_place)]
    there = {rule.id for rule in taken}
    return FoundRules(
        rules=(*stay, *taken),
        opposites=opposites,
        only_code=tuple(rule for rule in only_code if rule.id in there),
        only_model=tuple(rule for rule in only_model if rule.id in there),
        left_out=len(fresh) - len(taken),
    )


def _with_marks(stay: Sequence[Rule], extracted: Sequence[Rule]) -> list[Rule]:
    """Return the kept rules; whether one is tentative follows the prompt as it is now, unless a person has said so."""
    now = {(rule.id, rule.predicate): rule.tentative for rule in extracted}
    return [
        rule
        if rule.origin != EXTRACTOR or rule.locked or rule.tentative is False
        else replace(rule, tentative=now.get((rule.id, rule.predicate), rule.tentative))
        for rule in stay
    ]


async def check_grounds(judge: Model, order: Order, rule: Rule, trouble: Trouble) -> Rule:
    """Return the rule with its groundedness; a rule the prompt does not state at all is disabled."""
    if rule.groundedness is not None or rule.locked or rule.origin in ("person", EXTRACTOR):
        return rule
    said = await trouble.spare("groundedness", check_rule(judge, order.prompt, rule), None)
    off = said is not None and said <= 0.0
    return replace(rule, groundedness=said, disabled=rule.disabled or off)


def _extracted(order: Order) -> tuple[Rule, ...]:
    """Return what the extractor finds; predicates that the author's own answers contradict are left to a judge."""
    return settle_predicates(extract_rules(order.prompt), known_answers(order.prompt, order.samples))


async def _asked(model: Model, order: Order, known: Sequence[Rule]) -> tuple[Rule, ...] | None:
    most = order.effort.most_rules
    room = None if most is None else most - len(known)
    if room is not None and room <= 0:
        return ()
    words = order.words("rules")
    return await find_rules(model, order.prompt, known=known, most=room, keep_all=True, instructions=words)


def _new(found: Sequence[Rule], stay: Sequence[Rule], kept: Kept) -> list[Rule]:
    """Return the rules that are new, also in wording, and that nobody has removed."""
    ids = {rule.id for rule in stay}
    quotes = {rule.source.quote for rule in stay if rule.source is not None}
    new = {
        rule.id: rule
        for rule in found
        if rule.id not in ids and rule.id not in kept.gone and (rule.source is None or rule.source.quote not in quotes)
    }
    return list(new.values())


def _compared(
    coded: Sequence[Rule], found: Sequence[Rule], stay: Sequence[Rule]
) -> tuple[Sequence[Rule], Sequence[Rule]]:
    only_code, only_model = cross_check(coded, (*stay, *found))
    ids = {rule.id for rule in stay}
    return only_code, tuple(rule for rule in only_model if rule.id not in ids)


def _first(rules: Sequence[Rule], most: int, only_code: Collection[str] = ()) -> list[Rule]:
    """Return the most important rules: a model's before those only code found; then safety, predicates, priority."""
    return sorted(
        rules,
        key=lambda rule: (
            rule.id in only_code,
            rule.kind not in ("safety", "refusal"),
            not rule.is_checked,
            -rule.priority,
        ),
    )[:most]


def _place(rule: Rule) -> tuple[int, int]:
    return (0, rule.source.start) if rule.source is not None else (1, 0)
