"""Rules of list items that complete the line above them, and of commands after a colon or a dash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.clause_requests import about_input, plain, requested
from proctor.generate.extract.clauses import split_condition
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.verbs import COMMANDS
from proctor.text.lazy_pattern import Lazy

__all__ = [
    "EMPTY_LEAD",
    "command_after_break",
    "completed_item",
    "conditional_item",
    "is_open_lead",
    "led_item",
    "noted_item",
    "noted_line",
    "opened_condition",
    "under_condition",
]

EMPTY_LEAD: Final = Lazy(
    r"\b(?:follow|adhere to|stick to|obey|use|apply|observe|respect|comply with)\s+(?:all\s+|"
    r"strictly\s+)?(?:the|these|this|those|below)?\s*(?:following|below|above|given|exact|"
    r"strict)?\s*(?!same\b)(?:[\w-]+\s+)?(?:rules?|guidelines?|instructions?|steps?|format|requirements?|"
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
_LABELLED: Final = Lazy(
    r"\W*(?:tone|style|voice|language|register|audience|target audience|reading level|length|"
    r"format|point of view|mood|perspective)"
    r"(?: of (?:voice|the \w+))?\*{0,2}\s*[:：]\*{0,2}\s*(?P<said>[^\n]{3,160})$",
    re.IGNORECASE,
)
_OPEN_END: Final = Lazy(
    r"(?P<condition>\b(?:if|when|unless|whenever|where)\b(?!.*,)[^.:;]{1,90})\s*[:：]\s*$|"
    r"\b(?:that|which|who|to|should|must|shall|by|and|or|so that|such that)\s*[:：]\s*$",
    re.IGNORECASE,
)
_VERB_END: Final = Lazy(
    r"\W*(?:please )?(?:you |the (?:assistant|model|bot) )(?:must|should|shall|may|can|will|"
    r"need to|have to)(?: always| only| also)? "
    r"(?:allow|accept|include|cover|mention|respect|consider|preserve|keep|check|provide|use|"
    r"support|report|flag|approve|reject)\s*[:：]\s*$",
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


def is_categories(lead: str) -> bool:
    """Whether a line names kinds of things, which its list enumerates."""
    return re.search(r"\b(?:categories|criteria|reasons|situations|conditions)\W*$", lead, re.IGNORECASE) is not None


def is_open_lead(text: str) -> bool:
    """Whether a line needs the list below it: ``Reject it if it contains:``, ``Write a reply that:``."""
    bare = plain(text).rstrip("*_ ")
    return bare.endswith((":", "：")) and (_OPEN_END.search(bare) is not None or _VERB_END.match(bare) is not None)


def completed_item(statement: Statement) -> Draft | None:
    """Return the rule of an item together with its open line: ``Reject it if it contains`` and ``spam``."""
    if not statement.item or "{{" in statement.lead or not is_open_lead(statement.lead):
        return None
    lead, said = plain(statement.lead).rstrip(":： *_"), plain(statement.text).rstrip(" .;,")
    opened = _OPEN_END.search(statement.lead)
    begins = re.match(r"[A-Za-z']+", said)
    if begins and begins[0].lower() in COMMANDS | {"do", "don't", "never", "always"}:
        return None  # a command of its own
    joint = (
        ": "
        if re.search(
            r"\b(?:following|these|those|categories|cases|conditions|criteria|situations|"
            r"reasons)\b[^:]{0,20}$",
            lead,
        )
        else " "
    )
    text = f"{lead[:1].upper()}{lead[1:]}{joint}{said if said[1:2].isupper() else said[:1].lower() + said[1:]}."
    condition = opened["condition"] if opened and opened["condition"] else ""
    kind = kind_of(text, condition=condition, special=False)
    return Draft(
        text=text, start=statement.start, end=statement.end, kind=kind, priority=priority_of(lead), condition=condition
    )


def under_condition(statement: Statement) -> Draft | None:
    """Return the rule of an item below ``If the user asks, also provide:``, with the condition."""
    condition, rest = split_condition(plain(statement.lead))
    if not condition or not rest:
        return None
    said = plain(statement.text).rstrip(" .;,")
    asked = re.sub(r"\s*(?:the following)?\s*[:：]?$", "", rest)
    text = f"{condition[:1].upper()}{condition[1:]}, {asked} {said[:1].lower()}{said[1:]}."
    return Draft(
        text=text, start=statement.start, end=statement.end, kind=kind_of(text), priority=1, condition=condition
    )


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
    if re.match(r"\W*(?:the|our|this|a|an) (?:[\w-]+ ){1,4}?[a-z]+s\b", bare, re.IGNORECASE) and not _BINDS.search(
        bare
    ):
        return None  # a fact, with a verb of its own
    if bare.rstrip().endswith((":", "：")) or _OF_OTHERS.search(statement.lead):
        return None
    if "{{" in statement.text or not _STRICT_LEAD.search(statement.lead) or len(statement.text.split()) > 25:
        return None
    told = plain(statement.text).rstrip(".")
    return f"{told[:1].upper()}{told[1:]}."


def noted_line(statement: Statement) -> Draft | None:
    """Return the rule of a line such as ``Tone: practical, premium``, which is no sentence and no item."""
    match = _LABELLED.match(statement.text)
    if (
        match is None
        or "{{" in statement.text
        or statement.section in ("labels", "fields", "format", "input", "example")
    ):
        return None
    if requested(match["said"]) is not None:
        return None
    text = f"{plain(statement.text).rstrip('.')}."
    return Draft(text=text, start=statement.start, end=statement.end, kind=kind_of(text), priority=1)


def opened_condition(statement: Statement) -> re.Match[str] | None:
    """Return the command and the open condition of the line above an item: ``Answer NO if the message:``."""
    if not statement.item or statement.section in ("labels", "fields") or is_categories(statement.lead):
        return None
    return _OPENED.search(statement.lead)
