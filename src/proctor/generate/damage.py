"""Outputs damaged on purpose: does the verdict change when an answer that was good is made bad?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proctor.core.rule import Rule
from proctor.generate.damage_forms import PREAMBLE, REMARK, Broken, broken, foreign
from proctor.generate.obeying.wishes import parts_of
from proctor.text.predicates import PredicateError, parse

__all__ = ["ANYHOW", "Damage", "damages"]

REFUSAL = "I'm sorry, but I can't help with that."


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A damaged output. ``rule`` is the one it must break by its making; empty when none forbids it by its words."""

    name: str
    text: str
    rule: str = ""


def damages(output: str, rules: Sequence[Rule], inputs: Mapping[str, str]) -> tuple[Damage, ...]:
    """The output damaged once in each way that is sure to break a predicate, and in ways that no rule may forbid.

    That a damage breaks its predicate follows from how it is made, not from asking the predicate: that is the question.
    """
    found: dict[tuple[str, str], Damage] = {}
    for rule in rules:
        for name, text in _by_rule(output, rule, inputs):
            if text is not None and text != output:
                found.setdefault((rule.id, text), Damage(name=name, text=text, rule=rule.id))
    for name, change in ANYHOW.items():
        if (text := change(output)).strip() != output.strip():
            found.setdefault(("", text), Damage(name=name, text=text))
    return tuple(found.values())


def _by_rule(output: str, rule: Rule, inputs: Mapping[str, str]) -> Broken:
    if not rule.predicate:
        return
    try:
        term = parse(rule.predicate).root
    except PredicateError:
        return
    for part in parts_of([term], inputs):
        yield from broken(output, part, inputs)


# Damage that no rule may forbid by its words.
ANYHOW: dict[str, Callable[[str], str]] = {
    "emptied": lambda output: "",
    "refusal": lambda output: REFUSAL,
    "cut in half": lambda output: output[: len(output) // 2],
    "preamble": lambda output: PREAMBLE + output,
    "closing remark": lambda output: output + REMARK,
    "said twice": lambda output: f"{output}\n\n{output}",
    "in another language": lambda output: foreign(output, "en"),
    "words shuffled": lambda output: " ".join(sorted(output.split(), key=lambda word: (word[::-1], word))),
}
