"""Selectors: which steps a word or name in a predicate means: ``answer``, ``write``, ``get_*``, ``"refund"``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from typing import Final

from proctor.core.transcript import failed
from proctor.scorers.conversation.steps.fields import values_of
from proctor.scorers.conversation.steps.scanner import StepScanner
from proctor.scorers.conversation.steps.step import StepsView, TraceStep
from proctor.text.find_phrase import occurrences
from proctor.text.predicates.comparable_text import folded
from proctor.text.predicates.values import OpenError, Pattern, written
from proctor.text.split import spread

__all__ = ["NOUNS", "QUALIFIERS", "Selector", "read_selector"]

_MOST_PLACES: Final = 200
Picks = Callable[[TraceStep, StepsView], bool]

NOUNS: Final[dict[str, tuple[str, Picks]]] = {
    "answer": ("words of the agent that stand by themselves", lambda step, _: step.kind == "answer"),
    "remark": ("words of the agent in the same message as a call", lambda step, _: step.kind == "remark"),
    "message": ("anything the agent says", lambda step, _: step.kind in ("answer", "remark")),
    "question": ("words of the agent that ask something", lambda step, _: step.asks),
    "request": ("a message of the customer", lambda step, _: step.kind == "request"),
    "confirmation": ("a message of the customer that agrees to what was asked", lambda step, _: step.agrees),
    "call": ("a call of any tool", lambda step, _: step.call is not None),
    "write": (
        "a call of a tool that changes something",
        lambda step, view: step.call is not None and view.effect(step.call.name) in ("changes", "unknown"),
    ),
    "read": (
        "a call of a tool that only looks",
        lambda step, view: step.call is not None and view.effect(step.call.name) == "reads",
    ),
    "hand-off": (
        "the conversation is given to a person",
        lambda step, view: (
            step.kind == "hand-off" or (step.call is not None and view.effect(step.call.name) == "hands_off")
        ),
    ),
}
_ALSO: Final = {
    "answers": "answer", "reply": "answer", "replies": "answer", "remarks": "remark", "messages": "message",
    "questions": "question", "ask": "question", "asking": "question", "requests": "request", "confirmations":
    "confirmation", "confirm": "confirmation", "calls": "call", "writes": "write", "reads": "read",
    "hand-offs": "hand-off", "handoff": "hand-off", "escalation": "hand-off",
}  # fmt: skip
QUALIFIERS: Final = (
    ('STEP with "argument"', "the argument is given", 'never refund without "reason"'),
    (
        'STEP with "argument" OP VALUE',
        "and compares so with a number, a text, true or false",
        'never refund with "amount" > 100',
    ),
    ('STEP returning "field" OP VALUE', "the call's result has it so", 'never refund returning "status" = "denied"'),
    ('STEP saying "text"', "these words stand in it", 'never answer saying "guaranteed"'),
    ("STEP matching /regex/", "a regular expression matches in it", r"never answer matching /\bSSN\b/"),
    ("STEP where (PREDICATE)", "a predicate of an output holds of its words", "never answer where (words > 120)"),
    ("failed STEP | successful STEP", "a call that came to nothing, or did not", "answer after failed call"),
    ("any of STEP, STEP", "one of these", "any of get_policy, get_faq before answer"),
    ('"text" | /regex/', "a message of the customer that has it", 'create_case after "complaint"'),
)
_CALLS: Final = ("write", "read", "hand-off")  # nouns that mean calls
# Reserved words. A tool with such a name is written in backticks.
_OWN_WORDS: Final = """
    a after always an and any are at before beside but by call count do each every failed first for happen happens if in
    is its known last matching mentions must never no not of once one only or repeat returning same saying some
    successful than the then times to turn turns using when where with without words
"""
_RESERVED: Final = frozenset(_OWN_WORDS.split())


@dataclass(frozen=True, slots=True)
class Selector:
    """A set of steps; two selectors with the same text are equal."""

    text: str
    picks: Picks = field(compare=False, repr=False)

    def of(self, view: StepsView) -> list[TraceStep]:
        """Return the selected steps of a conversation, in order."""
        return [step for step in view.steps if self.picks(step, view)]


def read_selector(scan: StepScanner) -> Selector:
    """Parse a selector.

    Raises:
        PredicateError: there is none at this position.
    """
    outcome = next((word for word in ("failed", "successful") if scan.take_word(word)), "")
    if scan.take_words("any", "of"):
        several = [_single(scan)]
        # Only a comma continues the list: a bare `or` joins rules.
        while scan.take(","):
            scan.take_word("or")
            several.append(_single(scan))
        found = _any_of(several) if len(several) > 1 else several[0]
    else:
        found = _single(scan)
    if outcome:
        found = _by_outcome(found, outcome)
    while (qualified := _qualified(scan, found)) is not None:
        found = qualified
    return found


def _single(scan: StepScanner) -> Selector:
    scan.take_word("the") or scan.take_word("a") or scan.take_word("an")
    if scan.at_text:
        text = scan.read_text()
        if not text.strip():
            raise scan.failed("a text to look for is empty")
        return _said("request", (text,), written(text))
    if scan.text[scan.at : scan.at + 1] == "/":
        return _matching("request", scan.read_regex().searching())
    ticked = scan.text[scan.at : scan.at + 1] == "`"
    word = "" if ticked else scan.word()
    noun = _ALSO.get(word, word)
    if noun in NOUNS:
        scan.take_word(word)
        if noun == "call" and (named := _named_call(scan)) is not None:
            return named
        return Selector(noun, NOUNS[noun][1])
    found = scan.tool()
    if found is None or (word in _RESERVED and not ticked):
        hint = 'a step is answer, question, request, confirmation, call, write, read, hand-off, a tool or a "text"'
        raise scan.failed(f"a step was expected, not {scan.here()}", hint)
    scan.go(found[1])
    return _tool(found[0])


def _named_call(scan: StepScanner) -> Selector | None:
    """Parse ``call of search`` or ``call search``, which mean the same as the tool name alone."""
    begin = scan.at
    of = scan.take_word("of") or scan.take_word("to")
    found = scan.tool()
    word = scan.word()
    noun = _ALSO.get(word, word)
    if found is None or word in _RESERVED or (noun in NOUNS and not of and noun not in _CALLS):
        scan.at = begin
        return None
    if noun in NOUNS:
        return _single(scan)
    scan.go(found[1])
    return _tool(found[0])


def _tool(name: str) -> Selector:
    shape = re.compile(translate(name.casefold()))
    plain = re.fullmatch(r"[^\W\d][\w*]*(?:[.:/-][\w*]+)*|\*", name) and name.lower() not in _RESERVED
    text = name if plain and _ALSO.get(name.lower(), name.lower()) not in NOUNS else f"`{name}`"
    return Selector(
        text, lambda step, _: step.call is not None and shape.fullmatch(step.call.name.casefold()) is not None
    )


def _any_of(several: Sequence[Selector]) -> Selector:
    text = "any of " + ", ".join(each.text for each in several)
    return Selector(text, lambda step, view: any(each.picks(step, view) for each in several))


def _by_outcome(inner: Selector, outcome: str) -> Selector:
    wanted = outcome == "failed"

    def picks(step: TraceStep, view: StepsView) -> bool:
        return step.call is not None and failed(step.call) is wanted and inner.picks(step, view)

    return Selector(f"{outcome} {inner.text}", picks)


def _said(noun: str, texts: Sequence[str], text: str, inner: Selector | None = None) -> Selector:
    base = inner.picks if inner else NOUNS[noun][1]

    def picks(step: TraceStep, view: StepsView) -> bool:
        return base(step, view) and any(_has(step.written, each) for each in texts)

    return Selector(text, picks)


def _has(text: str, phrase: str) -> bool:
    """Whether a word of the text begins with the phrase: "complaint" matches "complaints", "sue" not "issue"."""
    whole = folded(text, True)
    return any(
        not start or not _joins(whole.text[start - 1]) or not _joins(whole.text[start])
        for start, _ in occurrences(phrase, whole, most=_MOST_PLACES)
    )


def _joins(character: str) -> bool:
    """Whether the character is part of a word in a script with spaces between words."""
    return character.isalnum() and spread(character) == character


def _matching(noun: str, pattern: Pattern, inner: Selector | None = None) -> Selector:
    base = inner.picks if inner else NOUNS[noun][1]

    def picks(step: TraceStep, view: StepsView) -> bool:
        try:
            return base(step, view) and pattern.search(step.written) is not None
        except OpenError:
            return False

    return Selector(f"{inner.text} matching {pattern.text}" if inner else pattern.text, picks)


def _qualified(scan: StepScanner, inner: Selector) -> Selector | None:
    """Return the selector with the qualifier that follows; None if there is none."""
    if scan.take_word("with"):
        return _with(scan, inner, "with")
    if scan.take_word("without"):
        name = scan.read_text()
        return Selector(
            f"{inner.text} without {written(name)}",
            lambda step, view: inner.picks(step, view) and step.call is not None and not _given(step, name),
        )
    if scan.take_word("returning"):
        return _with(scan, inner, "returning")
    if scan.take_word("saying"):
        texts = scan.read_texts()
        if not all(text.strip() for text in texts):
            raise scan.failed("a text to look for is empty")
        return _said("", texts, f"{inner.text} saying {written(texts)}", inner)
    if scan.take_word("matching"):
        return _matching("", scan.read_regex().searching(), inner)
    begin = scan.at
    if scan.take_word("where"):
        if not scan.take("("):
            raise scan.failed(f"a parenthesis was expected after `where`, not {scan.here()}", "where (words <= 80)")
        predicate = scan.read_predicate()
        if not scan.take(")"):
            raise scan.failed(f"a closing parenthesis was expected, not {scan.here()}")
        return Selector(
            f"{inner.text} where ({predicate.text})",
            lambda step, view: inner.picks(step, view) and bool(predicate.check(step.written).ok),
        )
    scan.at = begin
    return None


def _with(scan: StepScanner, inner: Selector, how: str) -> Selector:
    name = scan.read_text()
    condition = scan.read_condition()

    def picks(step: TraceStep, view: StepsView) -> bool:
        if not inner.picks(step, view) or step.call is None:
            return False
        data = step.call.arguments if how == "with" else step.result
        return any(condition.holds(value) for value in values_of(data, name))

    return Selector(f"{inner.text} {how} {written(name)} {condition.text}".rstrip(), picks)


def _given(step: TraceStep, name: str) -> bool:
    return step.call is not None and any(
        value not in (None, "", [], {}) for value in values_of(step.call.arguments, name)
    )
