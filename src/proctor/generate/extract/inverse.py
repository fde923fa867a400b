"""Negate a rule as one sentence."""

from __future__ import annotations

import re
from typing import Final

from proctor.core.rule import Rule
from proctor.generate.extract.verbs import COMMANDS

__all__ = ["invert"]

_TURNS: Final = (
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
    (re.compile(r"\bdoes not\b"), "does"),
    (re.compile(r"\b(must|should|shall) (?:not|never)\b"), r"\1"),
    (re.compile(r"\bnever "), ""),
    (re.compile(r"\b(must|should|shall)\b"), r"\1 not"),
    (re.compile(r"\b(is|are) not\b"), r"\1"),
    (re.compile(r"\b(is|are)\b"), r"\1 not"),
    (re.compile(r"\b(has|have)\b"), "does not have"),
)
_CONDITION: Final = re.compile(
    r"in the output, |(?:if|when|whenever|unless|only if)\b.{1,600}?, "
    rf"(?=the output\b|in the output\b|do not\b|don[’']t\b|never\b|always\b|(?:{'|'.join(sorted(COMMANDS))})\b)",
    re.DOTALL | re.IGNORECASE,
)
_DENIED: Final = re.compile(r"(?:do not|don[’']t|never) (?P<rest>\w)", re.IGNORECASE)
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
    condition = match.group() if (match := _CONDITION.match(text)) else ""  # it stays unchanged
    told = text[len(condition) :]
    if _JAPANESE.search(told) and not told.isascii() and "output" not in told:
        return f"出力は次に反する：{told.removeprefix('出力は次を守る：')}"
    if denied := _DENIED.match(told):
        first = denied["rest"] if condition else denied["rest"].upper()
        return f"{condition}{first}{told[denied.end() :]}"
    word = told.split(" ", 1)[0].lower()
    if word in COMMANDS or word in ("always", "only"):
        return f"{condition}{'do' if condition else 'Do'} not {told[:1].lower()}{told[1:]}"
    for pattern, turn in _TURNS:
        turned, count = pattern.subn(turn, told, count=1)
        if count:
            return condition + turned
    return f"The output breaks this rule: {text}"
