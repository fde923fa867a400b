"""Mutants of a prompt: one rule dropped, negated, weakened or asked for in another form, the rest unchanged."""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from proctor.core.codec import content_id
from proctor.core.errors import PromptError
from proctor.core.rule import Rule
from proctor.generate.extract.inverse import is_in_tongue
from proctor.generate.extract.tongues import tongue_of
from proctor.generate.mutate_places import Stretch, edited, own_stretch, without
from proctor.generate.mutate_words import negated, swapped, template_parts, weakened
from proctor.generate.spec import Specification
from proctor.prompts.prompt import Prompt
from proctor.prompts.render import compile_prompt
from proctor.text.predicates import PredicateError, parse

__all__ = ["OPERATORS", "LeftOut", "Mutant", "Mutants", "Operator", "choose_mutants", "follows_from", "make_mutants"]

Operator = Literal["drop", "negate", "weaken", "swap"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
Extract = Callable[[Prompt], Sequence[Rule]]
_REWRITTEN = ("", "en", "ja")  # the languages whose words can be rewritten; one that cannot be told counts as English
_CLOSED = ("one of TEXTS", "is TEXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A prompt with one statement changed. ``rules`` are the rules in the changed text.

    ``at`` is the offset in the prompt's text.
    """

    operator: Operator
    rules: tuple[str, ...]
    prompt: Prompt = field(repr=False)
    before: str
    after: str
    at: int = 0

    @property
    def id(self) -> str:
        """The mutant's id: a hash of its prompt."""
        return "m-" + content_id([self.prompt.hash], length=10)

    def diff(self, original: Prompt) -> str:
        """Return the change as a unified diff of the two prompts' texts."""
        lines = difflib.unified_diff(
            original.text.splitlines(), self.prompt.text.splitlines(), "prompt", self.id, lineterm="", n=1
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A change that gave no mutant, and why."""

    rule: str
    operator: Operator | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutants:
    """All mutants of a prompt, and the changes that gave none."""

    made: tuple[Mutant, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def make_mutants(prompt: Prompt, spec: Specification, *, extract: Extract) -> Mutants:
    """Change each enabled rule in each applicable way.

    ``extract`` finds the rules of a prompt by code. A mutant is equivalent if its text differs only in white space, if
    another place repeats what was dropped or weakened, or if only answers that follow the rule remain. No test could
    detect it, so it is left out. Two rules whose changes give the same text share one mutant.
    """
    made: dict[str, Mutant] = {}
    left: list[LeftOut] = []
    spoken = tongue_of(prompt.text)
    for rule in spec.enabled:
        stretch = own_stretch(prompt.text, rule, spec.enabled)
        if stretch is None:
            left.append(LeftOut(rule=rule.id, operator=None, reason="its place in the prompt is not known"))
            continue
        for operator in OPERATORS:
            mutant = _mutant(prompt, spec, rule, operator, stretch, spoken)
            if mutant is None:
                left.append(LeftOut(rule=rule.id, operator=operator, reason=_not_made(operator, spoken)))
                continue
            if why := _equivalent(prompt, rule, mutant, extract(mutant.prompt)):
                left.append(LeftOut(rule=rule.id, operator=operator, reason=f"equivalent: {why}"))
                continue
            twin = made.get(mutant.id, mutant)
            touched = tuple(dict.fromkeys((*twin.rules, *mutant.rules)))
            made[mutant.id] = dataclasses.replace(twin, rules=touched)
    return Mutants(made=tuple(made.values()), left_out=tuple(left))


def choose_mutants(mutants: Sequence[Mutant], *, most: int | None, seed: int = 0) -> tuple[Mutant, ...]:
    """Return at most ``most`` mutants, spread evenly over rules and operators; their order stays."""
    if most is None or len(mutants) <= most:
        return tuple(mutants)
    taken: list[Mutant] = []
    waiting = sorted(mutants, key=lambda each: content_id([seed, each.id]))
    rules: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    while len(taken) < most:
        best = min(waiting, key=lambda each: (min(rules[rule] for rule in each.rules), operators[each.operator]))
        waiting.remove(best)
        taken.append(best)
        rules.update(best.rules)
        operators[best.operator] += 1
    chosen = {each.id for each in taken}
    return tuple(each for each in mutants if each.id in chosen)


def _not_made(operator: Operator, spoken: str) -> str:
    if operator == "drop" or spoken in _REWRITTEN:
        return "nothing in its words can be changed so"
    return f"no rewriting is known in the language of the prompt ({spoken if spoken != 'und' else 'not recognised'})"


def _mutant(
    prompt: Prompt, spec: Specification, rule: Rule, operator: Operator, stretch: Stretch, spoken: str
) -> Mutant | None:
    start, end = stretch
    before = prompt.text[start:end]
    if operator == "drop":
        start, end = without(prompt.text, start, end)
        after: str | None = template_parts(prompt.text[start:end])
    else:
        after = _changes(spec, rule, spoken)[operator](before)
    if after is None or after == before:
        return None
    changed = edited(prompt, start, end, after)
    if changed is None or not _same_variables(prompt, changed):
        return None
    touched = tuple(each.id for each in spec.enabled if each.id == rule.id or _touched(prompt, each, start, end))
    if operator != "drop":  # other rules may share the sentence, but only this one's words were changed
        touched = (rule.id,)
    return Mutant(operator=operator, rules=touched, prompt=changed, before=before, after=after, at=start)


def _changes(spec: Specification, rule: Rule, spoken: str) -> Mapping[str, Callable[[str], str | None]]:
    fitting = (each.text for each in spec.opposites(rule) if not each.disabled and is_in_tongue(each, spoken))
    opposite = next(fitting, "")
    if spoken not in _REWRITTEN:  # the words that are exchanged are English and Japanese
        return {
            "negate": lambda text: f"{template_parts(text)}{opposite}" if opposite else None,
            "weaken": lambda text: None,
            "swap": lambda text: None,
        }
    return {"negate": lambda text: negated(text, opposite), "weaken": weakened, "swap": swapped}


def _touched(prompt: Prompt, rule: Rule, start: int, end: int) -> bool:
    """Whether a rule is completely inside the changed text."""
    span = rule.source
    return span is not None and start <= span.start and span.end <= end and span.end <= len(prompt.text)


def _same_variables(prompt: Prompt, changed: Prompt) -> bool:
    try:
        return compile_prompt(prompt).variables == compile_prompt(changed).variables
    except PromptError:
        return False


def _equivalent(prompt: Prompt, rule: Rule, mutant: Mutant, found: Sequence[Rule]) -> str:
    """Return why no test could distinguish the mutant from the original; empty if one could."""
    if mutant.prompt.text.split() == prompt.text.split():
        return "the same text"
    if mutant.operator not in ("drop", "weaken") or not rule.predicate:
        return ""  # a negated statement contradicts its duplicate, so it has an effect
    end = mutant.at + len(mutant.after)
    spans = [each.source for each in found if each.predicate == rule.predicate and each.source is not None]
    if any(span.end <= mutant.at or span.start >= end for span in spans):
        return "the prompt says the same in another place"
    return "it follows from another rule, whose every answer keeps it" if follows_from(rule.predicate, found) else ""


def follows_from(predicate: str, found: Sequence[Rule]) -> bool:
    """Whether a rule with a closed list of answers excludes all that would break the predicate."""
    try:
        wanted = parse(predicate)
        lists = [parse(rule.predicate) for rule in found if rule.predicate and rule.predicate != predicate]
    except PredicateError:
        return False
    for each in lists:
        parts = each.root.inner if each.root.form == "and" else (each.root,)
        answers = [text for part in parts if part.form in _CLOSED for text in _texts(part.values)]
        if answers and all(wanted.check(answer).ok for answer in answers):
            return True
    return False


def _texts(values: Sequence[object]) -> list[str]:
    return [text for value in values for text in ([value] if isinstance(value, str) else value)]  # type: ignore[attr-defined]
