"""Rules of list items that complete the line above them, and of commands after a colon or a dash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.clause_requests import about_input, plain, requested
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["EMPTY_LEAD", "command_after_break", "conditional_item", "led_item", "noted_item", "opened_condition"]

EMPTY_LEAD: Final = Lazy(
    r"\b(?:follow|adhere to|stick to|obey|use|apply|observe|respect|comply with)\s+(?:all\s+|"
    r"strictly\s+)?(?:the|these|this|those|below)?\s*(?:following|below|above|given|exact|"
    r"strict)?\s*(?:[\w-]+\s+)?(?:rules?|guidelines?|instructions?|steps?|format|requirements?|"
    r"constraints?|structure|template|principles?|criteria)\b[^.]*$",
    re.IGNORECASE,
)
_BARE_LEAD: Final = Lazy(
    r"\W*(?P<verb>(?:focus on|concentrate on|pay attention to|emphasi[sz]e|highlight|"
    r"prioriti[sz]e|cover|mention|describe|"
    r"address|consider|look (?:for|at)|check(?: for)?|include|provide|use|keep|ensure|identify|ask about|explain))"
    r"(?: (?:the following|these)(?: \w+)?)?\s*[:：]?\W*$",
    re.IGNORECASE,
)
# ``Refunds are only allowed within 15 days``: it says nothing of the answer, and still binds it.
_BINDS: Final = Lazy(r"\b(?:only|must|cannot|never|always|may not|not|no|required|forbidden|allowed)\b", re.IGNORECASE)
_BINDING_LEAD: Final = Lazy(
    r"\b(?:rules|polic(?:y|ies)|requirements|constraints|restrictions|guidelines)\b", re.IGNORECASE
)
_OF_OTHERS: Final = Lazy(
    r"\b(?:prohibits?|forbids?|violations?|defined? as|means?)\b[^.]{0,20}[:：]?\s*$", re.IGNORECASE
)
_FINITE: Final = Lazy(r"\b(?:is|are|was|were|has|have|had|will|can|may|does|did|you|we|they|i)\b", re.IGNORECASE)
_STRICT_LEAD: Final = Lazy(
    r"\b(?:rules|guidelines|requirements|constraints|restrictions|output|response|must|should|style|tone|format)\b",
    re.IGNORECASE,
)
# ``Answer NO if the message:`` with the cases in a list below it.
_OPENED: Final = Lazy(
    r"(?P<command>[A-Z\"].{2,120}?)\s+(?P<condition>(?:only )?(?:if|when|unless|whenever)"
    r"(?:\s+(?:the \w+|it|they|you|a \w+|any of (?:these|the following)[\w ]{0,20}))?)\s*[:：]?\s*$",
)


def command_after_break(statement: Statement) -> Iterator[Draft]:
    """Yield the command after a colon or a dash in a sentence that is about something else."""
    cut = re.search(r"(?:\s[–—]\s|:\s+)(?=[a-zA-Z])", statement.text)
    if cut is None or EMPTY_LEAD.search(statement.text):
        return
    told = requested(statement.text[cut.end() :])
    if told is not None and "{{" not in told and not about_input(statement.text[cut.end() :]):
        yield Draft(
            text=told,
            start=statement.start + cut.end(),
            end=statement.end,
            kind=kind_of(told),
            priority=priority_of(told),
        )


def led_item(statement: Statement) -> Draft | None:
    """Return the rule of a list item that completes the line above: ``Focus on:`` and ``the materials``."""
    lead = _BARE_LEAD.match(statement.lead) if statement.item else None
    if lead is None or requested(statement.text) is not None or "{{" in statement.text:
        return None
    verb = lead["verb"].lower()
    if verb.split(" ", 1)[0] in ("avoid", "never", "no", "without", "don't", "don’t"):
        return None
    said = plain(statement.text).rstrip(".")
    text = f"{verb[:1].upper()}{verb[1:]} {said if said[:2].isupper() else said[:1].lower() + said[1:]}."
    return Draft(text=text, start=statement.start, end=statement.end, kind=kind_of(text), priority=priority_of(text))


def conditional_item(opened: re.Match[str], statement: Statement) -> Iterator[Draft]:
    """Yield the rule of one list item: the command of the line above, under this condition."""
    told = requested(opened["command"])
    if told is None:
        return
    case = plain(statement.text).rstrip(" ,;.")
    named = re.sub(r"\s+any of .*$", "", opened["condition"])
    condition = f"{named} {case[:1].lower()}{case[1:]}"
    text = f"{condition[:1].upper()}{condition[1:]}, {told[:1].lower()}{told[1:]}"
    yield Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind=kind_of(told, condition=condition, special=True),
        priority=priority_of(opened["command"]),
        condition=condition,
    )


def noted_item(statement: Statement) -> str | None:
    """Return the rule of an item under ``Constraints`` that is not a sentence, such as ``Tone: neutral``."""
    bare = re.sub(r"\"[^\"]*\"|“[^”]*”|`[^`]*`", "", statement.text)
    if not statement.item or statement.section not in ("rules", "output"):
        return None
    if _FINITE.search(bare) and not (_BINDS.search(bare) and _BINDING_LEAD.search(statement.lead)):
        return None
    if bare.rstrip().endswith((":", "：")) or _OF_OTHERS.search(statement.lead):
        return None
    if "{{" in statement.text or not _STRICT_LEAD.search(statement.lead) or len(statement.text.split()) > 25:
        return None
    told = plain(statement.text).rstrip(".")
    return f"{told[:1].upper()}{told[1:]}."


def opened_condition(statement: Statement) -> re.Match[str] | None:
    """Return the command and the open condition of the line above an item: ``Answer NO if the message:``."""
    if not statement.item or statement.section in ("labels", "fields"):
        return None
    return _OPENED.search(statement.lead)
