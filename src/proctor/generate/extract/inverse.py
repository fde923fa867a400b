"""Negate a rule as one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from proctor.core.rule import Rule
from proctor.generate.extract.verbs import base_form, third_person

__all__ = ["invert"]

_TURNS: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"\bhas at most (\d+)"), r"has more than \1"),
    (re.compile(r"\bhas at least (\d+)"), r"has fewer than \1"),
    (re.compile(r"\bhas exactly (\d+)"), r"has more or fewer than \1"),
    (re.compile(r"\bhas fewer than (\d+)"), r"has \1 or more"),
    (re.compile(r"\bhas more than (\d+)"), r"has \1 or fewer"),
    (re.compile(r"\bhas between (\d+) and (\d+)"), r"has fewer than \1 or more than \2"),
    (re.compile(r"\bhas none of\b"), "has at least one of"),
    (re.compile(r"\bhas no (\w+)"), r"has \1"),
    (re.compile(r"\bis one of\b"), "is something other than one of"),
    (re.compile(r"\bis (only|just) "), r"is more than \1 "),
    (re.compile(r"\bdoes not (\w+)"), lambda match: third_person(match.group(1))),
    (re.compile(r"\b(?:must|should|shall) not be\b"), "is"),
    (re.compile(r"\b(?:must|should|shall) not (\w+)"), lambda match: third_person(match.group(1))),
    (re.compile(r"\b(?:must|should|shall) be\b"), "is not"),
    (re.compile(r"\b(?:must|should|shall) (\w+)"), r"does not \1"),
    (re.compile(r"\b(is|are) not\b"), r"\1"),
    (re.compile(r"\bnever (\w+)"), r"\1"),
    (re.compile(r"\b(always|only) (\w+)"), lambda match: f"does not {match[1]} {base_form(match[2])}"),
    (re.compile(r"\b(is|are)\b"), r"\1 not"),
    (re.compile(r"\b(has|have)\b"), "does not have"),
)
_BEFORE: Final = re.compile(r".{1,600}?, (?=the output\b|in the output\b)", re.DOTALL)
_SAID: Final = re.compile(r"(?:the|The) output (?P<verb>[a-z]+s)\b")
_JAPANESE: Final = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")


def invert(rule: Rule) -> Rule:
    """Return the rule that an output follows exactly if it breaks this one; linked by ``inverse_of``."""
    return Rule(
        text=_opposite(rule.text),
        polarity="negative",
        inverse_of=rule.id,
        source=rule.source,
        kind=rule.kind,
        predicate=None,
        weight=rule.weight,
        priority=rule.priority,
        groundedness=rule.groundedness,
        origin="extractor",
    )


def _opposite(text: str) -> str:
    condition = match.group() if (match := _BEFORE.match(text)) else ""  # it stays unchanged
    told = text[len(condition) :]
    if _JAPANESE.search(told) and not told.isascii() and "output" not in told:
        return f"出力は次に反する：{told.removeprefix('出力は次を守る：')}"
    subject = _SAID.match(told)
    if subject and subject.group("verb") not in ("is", "has", "does", "always"):
        return (
            f"{condition}{told[: subject.start('verb')]}does not {base_form(subject.group('verb'))}"
            f"{told[subject.end('verb') :]}"
        )
    for pattern, turn in _TURNS:
        turned, count = pattern.subn(turn, told, count=1)
        if count:
            return condition + turned
    return f"It is not so that: {text}"
