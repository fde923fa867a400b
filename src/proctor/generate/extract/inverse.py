"""Negate a rule as one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from proctor.core.rule import Rule
from proctor.generate.extract.tongues import tongue_of
from proctor.generate.extract.verbs import COMMANDS

__all__ = ["invert", "is_in_tongue"]

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


_FRAMES: Final[Mapping[str, str]] = {
    "de": "Die Ausgabe verstößt gegen diese Regel: ",
    "es": "La respuesta incumple esta regla: ",
    "fr": "La réponse enfreint cette règle : ",
    "it": "La risposta viola questa regola: ",
    "pt": "A resposta viola esta regra: ",
    "zh": "输出违反以下规则：",
}
_OURS: Final = "The output"  # how the extractor begins a rule in its own words
_FRAME: Final = "The output breaks this rule: "  # of English rules, and of languages without a frame
_TURNED: Final = ("", "en", "ja")  # languages whose sentences are turned by their words


def invert(rule: Rule, tongue: str = "") -> Rule:
    """Return the rule that an output follows exactly if it breaks this one; linked by ``inverse_of``.

    ``tongue`` is the language of the prompt, for rules too short to tell theirs.
    """
    return Rule(
        text=_opposite(rule.text, tongue),
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


def is_in_tongue(opposite: Rule, tongue: str) -> bool:
    """Whether an opposite may stand in a prompt of this language; an English one only in English."""
    if tongue in _TURNED:
        return True
    return not opposite.text.startswith(_OURS) and tongue_of(opposite.text) != "en"


def _opposite(text: str, tongue: str) -> str:
    spoken = "en" if text.startswith(_OURS) else tongue_of(text) or tongue
    if spoken not in _TURNED:
        known = spoken if spoken in _FRAMES else tongue  # a short sentence is taken for a related language
        return f"{_FRAMES.get(known, _FRAME)}{text}"
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
    return f"{_FRAME}{text}"
