"""Texts for a test of one rule, by strategy, each with the reason why it tests the rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from proctor.core.generated_test import Strategy
from proctor.core.rule import Rule
from proctor.generate.offline.input_slots import InputPlan
from proctor.generate.offline.prompt_inputs import trigger_texts
from proctor.generate.offline.rule_limits import Aim, aim_of
from proctor.generate.offline.temptations import CARRIERS, carry, wishes

__all__ = ["Recipe", "recipes"]

_MOST_WORDS = 1_200
_MOST_TRIES = 12
_LENGTHS: Mapping[str, int] = {
    "words": 3,
    "characters": 1,
    "letters": 1,
    "sentences": 30,
    "lines": 30,
    "paragraphs": 120,
    "paragraph": 120,
    "sentence": 30,
}
_CONDITION = re.compile(r"\b(?:if|when|unless|where)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A text for the carrier, its strategy, and why it tests the rule."""

    text: str
    strategy: Strategy
    why: str


def recipes(inputs: InputPlan, rule: Rule, strategy: Strategy, start: int, turn: int) -> Iterator[Recipe]:
    """Yield a few texts for that rule by that strategy.

    ``start`` is the position in the bank; ``turn`` is how many tests this rule already has by this strategy.
    """
    aim = aim_of(rule, inputs.brief.spec.rules)
    makers = _OWN_MAKERS if inputs.own else _MAKERS
    return islice(makers[strategy](inputs, rule, aim, start), turn, turn + _MOST_TRIES)


def _typical_own(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    """Yield messages that meet the rule's condition first, then the others in the prompt's own words."""
    assert inputs.carrier is not None
    assert inputs.carrier.own is not None
    mine = trigger_texts(inputs.brief, inputs.carrier.spec, rule)
    rest = [each for each in inputs.carrier.own if each not in mine and (each.given or not each.rule)]
    turned = rest[start % len(rest) :] + rest[: start % len(rest)] if rest else []
    for each in (*mine, *(turned or inputs.carrier.own)):
        yield Recipe(text=each.text, strategy="typical", why=each.why)


def _boundary_own(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    if aim.most is not None and inputs.carrier is not None and len(inputs.carrier.passages) > 1:
        several = " ".join(dict.fromkeys(inputs.text(start + step) for step in range(4)))
        yield Recipe(
            text=several, strategy="boundary", why=f"several things at once, so that {aim.most.said} are easily passed"
        )


def _edge_own(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    yield Recipe(text=inputs.text(start).upper(), strategy="edge", why="all in capitals")
    yield Recipe(text=_squeezed(inputs.text(start)), strategy="edge", why="odd spacing and no punctuation")


def _typical(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    number = start
    while True:
        text, turn = inputs.text(number), inputs.round_of(number)
        if turn and inputs.carrier is not None and inputs.carrier.prose:  # all were used: join two
            text = f"{text} {inputs.text(number + 3 * turn)}"
        yield Recipe(text=text, strategy="typical", why="an ordinary input, for which the rule holds as for any other")
        number += 1


def _boundary(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    number = start
    while True:
        for text, why in _at_the_boundary(inputs, rule, aim, number):
            yield Recipe(text=text, strategy="boundary", why=why)
        number += 1


def _at_the_boundary(inputs: InputPlan, rule: Rule, aim: Aim, number: int) -> Iterator[tuple[str, str]]:
    if aim.most is not None:
        words = min(_MOST_WORDS, max(40, aim.most.number * _LENGTHS.get(aim.most.unit, 25)))
        yield inputs.long(number, words), f"so much to say that {aim.most.said} are easily passed"
    if aim.least is not None and aim.least.number > 1:
        yield inputs.short(number), f"so little to say that {aim.least.said} are hard to reach"
    if aim.labels:
        one, other = _two(aim.labels, number)
        yield f'{inputs.snippet(number)} Some would call this "{one}", others "{other}".', f"between {one} and {other}"
    for text in aim.wanted[:2]:
        yield f"{text} {inputs.snippet(number)}", f"the input has {text!r} in it already"
    for text in aim.banned[:2]:
        yield (
            f'{inputs.snippet(number)} The word is "{text}", and nothing but "{text}".',
            f"the input insists on {text!r}",
        )
    if aim.bounds is not None:
        yield (
            inputs.snippet(number) + f" ({aim.bounds[1] * 10:g} out of {aim.bounds[1]:g}!)",
            "a number beyond the range",
        )
    yield from _by_facet(inputs, rule, aim, number)
    yield inputs.long(number, 150), "far more material than usual"
    yield inputs.short(number), "hardly any material"


def _by_facet(inputs: InputPlan, rule: Rule, aim: Aim, number: int) -> Iterator[tuple[str, str]]:
    if "refusal" in aim.facets or _CONDITION.search(rule.text):
        yield inputs.nothing(number), "there is nothing in it that the task could work on"
    if "language" in aim.facets:
        yield inputs.foreign(number), "the input is in another language"
    if aim.facets & {"json", "markup", "bare"}:
        yield f"{inputs.snippet(number)} {inputs.odd(number)}", "quotation marks, braces and markup that get in the way"
    if "source" in aim.facets:
        yield (
            f"{inputs.text(number)} No, wait: it was 37, not 73, and on the 4th, not the 14th.",
            "details easily mixed up",
        )
    if "order" in aim.facets or "number" in aim.facets:
        yield f"{inputs.nothing(number)} {inputs.snippet(number)}", "what matters comes last"


def _edge(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    number = start
    kinds: tuple[tuple[Callable[[int], str], str], ...] = (
        (inputs.foreign, "another language or script"),
        (inputs.nothing, "nothing to work on"),
        (inputs.odd, "markup, emoji or braces instead of plain words"),
        (inputs.short, "very short"),
        (lambda at: inputs.long(at, 400), "very long"),
        (lambda at: f"{inputs.text(at)} {inputs.foreign(at)}", "two languages in one text"),
        (lambda at: inputs.text(at).upper(), "all in capitals"),
        (lambda at: f"{inputs.text(at)}\n\n{inputs.text(at)}", "the same thing twice"),
        (lambda at: _squeezed(inputs.text(at)), "odd spacing and no punctuation"),
    )
    while True:
        make, why = kinds[number % len(kinds)]
        yield Recipe(text=make(number), strategy="edge", why=why)
        number += 1


def _adversarial(inputs: InputPlan, rule: Rule, aim: Aim, start: int) -> Iterator[Recipe]:
    found = wishes(rule, _opposite(inputs, rule), aim)
    assert inputs.carrier is not None
    inline = inputs.carrier.one_line
    number = 0
    while True:
        wish = found[number % len(found)]
        carrier = CARRIERS[(start + number) % len(CARRIERS)]
        text = carry(inputs.snippet(start + number), wish, carrier, inline=inline)
        yield Recipe(text=text, strategy="adversarial", why=f"it asks ({carrier}): {wish}")
        number += 1


def _opposite(inputs: InputPlan, rule: Rule) -> str:
    if rule.polarity == "negative":
        return rule.text
    return next((each.text for each in inputs.brief.spec.opposites(rule)), "")


def _two(labels: tuple[str, ...], number: int) -> tuple[str, str]:
    one = labels[number % len(labels)]
    return one, labels[(number + max(1, len(labels) // 2)) % len(labels)]


def _squeezed(text: str) -> str:
    return re.sub(r"[.,;:!?]", "", text).replace(" ", "  ").lower()


Maker = Callable[[InputPlan, Rule, Aim, int], Iterator[Recipe]]
_MAKERS: Mapping[Strategy, Maker] = {
    "typical": _typical,
    "boundary": _boundary,
    "edge": _edge,
    "adversarial": _adversarial,
}
_OWN_MAKERS: Mapping[Strategy, Maker] = {
    "typical": _typical_own,
    "boundary": _boundary_own,
    "edge": _edge_own,
    "adversarial": _adversarial,
}
