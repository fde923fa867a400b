"""Check predicates before they are written: against answers the author gives, and against each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from proctor.core.rule import Rule
from proctor.generate.extract.layout import blocks_of
from proctor.generate.witness_answers import witnesses
from proctor.prompts.prompt import Prompt
from proctor.prompts.test_config import split_sample
from proctor.text.predicates import Predicate, parse

__all__ = ["KnownAnswer", "known_answers", "settle_predicates"]

# A few-shot answer in the prompt's text: the line after its question.
_SHOWN: Final = re.compile(
    r"(?m)^[ \t>*-]*(?:\*\*)?(?P<ask>input|q|question|user|human|text|review|tweet|"
    r"sentence|customer|query|request|message)"
    r"(?: ?\d{1,2})?"
    r"(?:\*\*)?\s*[:：](?:\*\*)?[ \t]*(?P<asked>[^\n{}]{2,600})\n+[ \t>*-]*(?:\*\*)?"
    r"(?:output|a|answer|assistant|ai|bot|response|sentiment|label|category|agent|result|reply|expected output)"
    r"(?: ?\d{1,2})?"
    r"(?:\*\*)?\s*[:：](?:\*\*)?[ \t]*(?P<answer>[^\n]{1,600})$",
    re.IGNORECASE,
)
_MADE_AT_WILL: Final = re.compile(
    r"(?:(?:words|characters|letters|sentences|lines|paragraphs|items|bullets|numbered items|emoji|questions|"
    r"exclamations) (?:=|<|>|between)|case is|language is|one of|is \"|starts with|ends with|is yes|is number|"
    r"is integer)"
)
# ``throw away the logs -> rm *.log``
_ARROW: Final = re.compile(
    r"(?m)^[ \t>*-]*(?P<asked>[^\n{}]{2,600}?)[ \t]+(?P<sign>->|=>|→|⇒)[ \t]+(?P<answer>\S[^\n]{0,600})$"
)
_TURN: Final = re.compile(r"(?m)^[ \t*]*(?P<label>[^\W\d_][^\n:：.!?{}]{0,30})[:：][ \t]*(?P<said>[^\n]*)$")
_PLACE_OF_INPUT: Final = re.compile(r"(?m)^\W*(?P<label>[^\W\d_][^\n:：.!?{}]{0,30})[:：]\W*\{\{")
_LEAST_ARROWS: Final = 2
_ENOUGH_ANSWERS: Final = 3  # answers that keep a tentative predicate, after which it decides
_SHOWN_IN_PROMPT: Final = "an answer shown in the prompt"
_PLACEHOLDER: Final = re.compile(r"\{\{|<[a-z_ ]+>|\[[A-Za-z_ ]+\]|\.\.\.$|^\W*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswer:
    """An answer that keeps all rules, its inputs, and where it is from."""

    text: str
    inputs: Mapping[str, Any]
    where: str


def known_answers(prompt: Prompt, samples: Sequence[Mapping[str, Any]] = ()) -> tuple[KnownAnswer, ...]:
    """Return the expected answers of samples, the assistant's turns in the prompt, and answers of shown examples."""
    return tuple(_answers(prompt, samples))


def _answers(prompt: Prompt, samples: Sequence[Mapping[str, Any]]) -> Iterator[KnownAnswer]:
    for sample in samples:
        values, expected = split_sample(prompt, sample)
        if expected:
            yield KnownAnswer(text=expected, inputs=values, where="an expected answer of the author's")
    name = next(iter(prompt.inputs), "input")
    messages = prompt.messages
    for before, message, after in zip(messages, messages[1:], messages[2:], strict=False):
        said = message.text.strip()
        if message.role == "assistant" and before.role == "user" and after.role == "user" and said and "{{" not in said:
            yield KnownAnswer(text=said, inputs={name: before.text.strip()}, where=_SHOWN_IN_PROMPT)
    for shown in _SHOWN.finditer(prompt.text):
        answer = shown["answer"].strip().strip('"“”')
        asks = re.escape(shown["ask"])
        taken = re.search(rf"(?im)^\W*{asks}\W*[:：]\W*\{{\{{", prompt.text)  # the same label holds the input
        if taken and not _PLACEHOLDER.search(answer):
            yield KnownAnswer(text=answer, inputs={name: shown["asked"].strip()}, where=_SHOWN_IN_PROMPT)
    yield from _examples(prompt, name)


def _examples(prompt: Prompt, name: str) -> Iterator[KnownAnswer]:
    """Yield the answers under headings and tags of examples: behind an arrow, or in the last turn."""
    said = _example_texts(prompt)
    arrows = [match for text in said for match in _ARROW.finditer(text)]
    if len(arrows) >= _LEAST_ARROWS and len({match["sign"] for match in arrows}) == 1:
        for match in arrows:
            asked = match["asked"].strip(' "“”')
            yield KnownAnswer(text=match["answer"].strip(), inputs={name: asked}, where=_SHOWN_IN_PROMPT)
    inputs = {*prompt.inputs, *(match["label"].strip() for match in _PLACE_OF_INPUT.finditer(prompt.text))}
    for text in said:
        first = _TURN.search(text)
        label = first["label"].strip() if first else ""
        rest = prompt.text.replace(text, "")
        if label not in inputs and re.search(rf"(?m)^\W*{re.escape(label)}\W*[:：]", rest):
            continue  # the example shows an answer only
        examples = re.split(rf"(?m)^(?={re.escape(label)}\s*[:：])", text) if label else []
        answered = [shown for example in examples if (shown := _last_turn(example, inputs))]
        for asked, answer in answered:
            if "\n\n" not in answer:  # what stands below a blank line may be no part of the example
                yield KnownAnswer(text=answer, inputs={name: asked}, where=_SHOWN_IN_PROMPT)


def _last_turn(example: str, inputs: Collection[str]) -> tuple[str, str] | None:
    """Return what is asked and answered in an example: two turns, or an input by its name and all below it."""
    turns = list(_TURN.finditer(example))
    if not turns or _PLACEHOLDER.search(example):
        return None
    below = example[turns[0].end() :].strip()
    follows = _TURN.match(below)
    asked = turns[0]["said"].strip()
    if not below or (follows and follows["label"].strip() in inputs):
        return None
    if follows and len(turns) == 2:
        return asked, (follows["said"] + below[follows.end() :]).strip()
    known = turns[0]["label"].strip() in inputs
    return (asked, re.sub(r"^(?:->|=>|→|⇒)\s*", "", below)) if known else None


def _example_texts(prompt: Prompt) -> list[str]:
    """Return the texts of the examples, those of one section as one."""
    found: list[str] = []
    end = -1
    for block in blocks_of(prompt.messages):
        if block.section != "example" or block.kind in ("heading", "code"):
            continue
        text = prompt.text[block.start : block.end]
        if found and not prompt.text[end : block.start].strip():
            found[-1] += prompt.text[end : block.start] + text
        else:
            found.append(text)
        end = block.end
        if re.match(r"\s*<[^/\s]", prompt.text[end:]):
            found[-1] = ""  # the answer goes on in tags
    return found


def settle_predicates(rules: Sequence[Rule], answers: Sequence[KnownAnswer] = ()) -> tuple[Rule, ...]:
    """Return the rules; one whose predicate fails a known answer, or excludes another's, is left to a judge."""
    kept = _one_start([_against_answers(rule, answers) for rule in rules])
    checks = {rule.id: parse(rule.predicate) for rule in kept if rule.predicate}
    against = _exclusive(checks)
    return tuple(
        _judged(rule, f"its predicate `{rule.predicate}` {against[rule.id]}") if rule.id in against else rule
        for rule in kept
    )


def _against_answers(rule: Rule, answers: Sequence[KnownAnswer]) -> Rule:
    if not rule.predicate or rule.locked or rule.origin == "person":
        return rule
    check = parse(rule.predicate)
    found = [check.check(answer.text, inputs=dict(answer.inputs)).ok for answer in answers]
    if False in found:
        return _judged(rule, f"{answers[found.index(False)].where} breaks its predicate `{rule.predicate}`")
    return replace(rule, tentative=None) if rule.tentative and found.count(True) >= _ENOUGH_ANSWERS else rule


def _exclusive(checks: Mapping[str, Predicate]) -> dict[str, str]:
    """Return the rules whose predicates no answer keeps together, with the other predicate.

    A pair for which no common answer was made excludes each other only if answers for both kinds can be made at will:
    amounts, closed lists, letter case, language, fixed beginnings and ends.
    """
    plain = {name: check for name, check in checks.items() if _MADE_AT_WILL.match(check.text)}
    if len(plain) < 2:
        return {}
    tried = witnesses([check.text for check in plain.values()])
    keeping = {name: {at for at, text in enumerate(tried) if _keeps(check, text)} for name, check in plain.items()}
    known = [each for each in keeping.values() if each]
    if not known or set.intersection(*known):
        return {}
    found: dict[str, str] = {}
    names = list(plain)
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            # Where one alone has no witness, nothing is known of the two.
            if not keeping[one] or not keeping[other] or keeping[one] & keeping[other]:
                continue
            if not any(
                _keeps(plain[one], text) and _keeps(plain[other], text)
                for text in witnesses([plain[one].text, plain[other].text])
            ):
                found[one] = f"and `{plain[other].text}` exclude each other"
                found[other] = f"and `{plain[one].text}` exclude each other"
    return found


def _one_start(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules; where two fix the beginning, the one for the first line does, and the other is contained."""
    first = [rule for rule in rules if "first line: starts with" in (rule.predicate or "")]
    starts = [
        rule
        for rule in rules
        if re.match(r'(?:when \w+ > \d+: )?starts with "(?:[^"\\]|\\.)*"(?: or one of .*)?$', rule.predicate or "")
    ]
    if not first or not starts:
        return tuple(rules)
    weaker = {
        rule.id: (rule.predicate or "").replace("starts with", "contains", 1)
        for rule in starts
        if (rule.predicate or "").split(" or one of ")[0] not in (first[0].predicate or "")
    }
    return tuple(replace(rule, predicate=weaker[rule.id]) if rule.id in weaker else rule for rule in rules)


def _keeps(check: Predicate, text: str) -> bool:
    return check.check(text, inputs={}).ok is True


def _judged(rule: Rule, why: str) -> Rule:
    return replace(rule, predicate=None, tentative=None, extra={**rule.extra, "note": f"left to a judge: {why}"})
