"""Split a sentence into clauses with one requirement each, and their conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.statements import Statement, protected, trimmed
from proctor.generate.extract.verbs import COMMANDS, OFTEN_NOUNS, from_gerund, looks_like_command
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["Clause", "clauses_of", "split_condition"]

_CONDITION: Final = Lazy(
    r"(?P<lead>(?:and|but|however|also|otherwise|note that|please)?,?\s*)"
    r"(?P<condition>(?:(?:only |even )?if|when|whenever|unless|in case|once|"
    r"in an?\b(?=[^,]{0,30}\bemergency)|in all other cases|"
    r"for (?:any|all|other|anything|everything|questions?|topics?|requests?|unrelated|off-topic|"
    r"invalid|unclear|inputs?)(?=[^,]{0,60}\b(?:other|else|outside|not|unrelated|off-topic|invalid|"
    r"unclear|without)\b))\b"
    r"(?:[^,\"“`(:;]|\"[^\"]*\"|“[^”]*”|`[^`]*`|\([^)]*\)|:(?=\s(?:true|false|null|\d|\"))|"
    r",(?=\d)|,\s*(?:and|or|but)\s){1,400}?)"
    r"(?:,\s*(?:then\s+)?|\s+then\s+|:\s+(?!true\b|false\b|null\b|\d|\"))(?=\S)",
    re.IGNORECASE,
)
_TRAILING: Final = Lazy(
    r"(?<=[,\s])(?P<condition>(?:only if|even if|if|when|unless|whenever|in case)\s+[^\n]+)$", re.IGNORECASE
)
_OTHERWISE: Final = Lazy(r"(?:otherwise|else)\b,?\s*", re.IGNORECASE)
_LABEL: Final = Lazy(
    r"(?:\*\*|__)?[^*\n:]{2,60}(?:\*\*\s*:|:\s*\*\*)\s*(?=[A-Z\"][\w'’]*\s+\S)|(?:\*\*|"
    r"__)?[A-Z][\w/&' -]{1,30}?(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(?=[A-Z\"*][\w'’]*\s+\S)"
)
_JOINT: Final = Lazy(
    r"\s*;\s*(?:and\s+|but\s+|instead,?\s+|rather,?\s+|then\s+)?|\s*,?\s+(?:and then|and finally|"
    r"and also|and|but|then)\s+"
    r"|,\s*(?:and then |then |finally |and finally |and )?",
    re.IGNORECASE,
)
_VERBAL: Final = Lazy(
    r"(?P<adverb>(?:(?:do not|don[’']t|never|always|only|please|also|then|"
    r"instead)\s+)*)(?P<verb>[A-Za-z]+)\b(?!-)(?:\s+(?P<next>\S+))?",
    re.IGNORECASE,
)
_FINITE: Final = Lazy(
    r"(?:is|are|has|have|does|do not|don't|must|should|shall|may not|cannot|will|can only|needs? to|"
    r"contains?|includes?|starts?|ends?|never|always)\s+\S",
    re.IGNORECASE,
)
_MODAL_LEAD: Final = Lazy(r"\b(?:must|should|shall|needs to|has to)(?: not| never)?$", re.IGNORECASE)
_OF_LIST: Final = Lazy(r"(?:focus(?:ing)?|concentrat(?:e|ing)|work|insist)\s+on\s+|aim (?:at|for)\s+", re.IGNORECASE)
_SUBJECT: Final = Lazy(
    r"(?P<subject>[^,;:]{1,80}?)\s+(?:must|should|shall|is|are|has|have|does|do|needs? to|will|cannot|"
    r"can|may|contains?|includes?)\b",
    re.IGNORECASE,
)
_MANNER: Final = Lazy(
    r"(?P<head>(?:the|your|each|every|all|it)\b[^,;:]{0,60}?\s+(?:must|should|shall|has to|have to|"
    r"needs? to)\s+be)\s+(?P<list>[^,;:]{2,80}(?:,\s+[^,;:]{2,100}){1,6})[.!]?$",
    re.IGNORECASE,
)
# ``You must not invent steps, guess at solutions, or answer from memory``: the rest is denied as well.
_NEGATED: Final = Lazy(
    r"\W*(?:(?:you|the (?:assistant|model|bot))\s+)?(?:(?:must|should|may|can|shall|will|do|"
    r"are)\s*not|never|do not|don[’']t|"
    r"cannot|avoid|refrain from)\b",
    re.IGNORECASE,
)
# ``Your role:`` and the like are about the model, so the items below are commands to it.
_OF_THE_MODEL: Final = Lazy(
    r"\b(?:roles?|tasks?|jobs?|goals?|responsibilit(?:y|ies)|guidelines|rules|instructions|"
    r"approach|behaviou?r|duties|workflow|process|"
    r"objectives?|mission|priorities|constraints|requirements|steps|principles|capabilities)$",
    re.IGNORECASE,
)
_TOLD_TO: Final = Lazy(
    r"\b(?:tell|ask|advise|instruct|remind|encourage|invite|urge|recommend|"
    r"direct)\b\s+(?:them|him|her|users?|the \w+|people|customers?)"
    r"\s+to\b[^.;]*$",
    re.IGNORECASE,
)
_ADDED_BY_GERUND: Final = worded(
    "ensure make avoid keep use include limit maintain emphasize highlight focus preserve "
    "follow omit cite start end begin provide"
)
_OCCASION: Final = Lazy(r"\W*(?:if|when|unless|whenever)\b[^,]*$", re.IGNORECASE)
_DENIES: Final = Lazy(r"\W*(?:no|without)\s+\w", re.IGNORECASE)
_NONE: Final = Lazy(r"none (?:of (?:them|the \w+|these) )?(?:is|are|has|have|may|must|should|\w+s)\b", re.IGNORECASE)
_MODAL_CAPS: Final = Lazy(r"\b(?:MUST|SHOULD|SHALL|NOT|NEVER)\b")
_YOU_WILL: Final = Lazy(r"you(?:'ll| will| should| must| are to| need to)\s+\w", re.IGNORECASE)
_STARTS_OBJECT: Final = Lazy(
    r"(?:the|a|an|it|them|your|any|all|each|every|this|these|its|only|no)\b|[\"“`]", re.IGNORECASE
)
_PLACE: Final = Lazy(
    r"\W*(?:(?:then|first|finally|next|also|please)\b[,\s]*)*(?:inside|within|in|for|at|on|based|using|"
    r"from|with|given|under|below|above|after|before|as|during|to|by)\b",
    re.IGNORECASE,
)
_NOUN_PART: Final = Lazy(r"(?:part|value|field|key|property|column|entry|cell)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause with one requirement: its text, completed if its subject is implied, and its span."""

    start: int
    end: int
    text: str
    condition: str = ""
    whole: str = ""  # its sentence
    first: bool = True
    borrowed: bool = False
    trails: bool = False

    @property
    def of_part(self) -> bool:
        """Whether the condition is about a part of the output, such as one field."""
        return bool(_NOUN_PART.search(self.condition)) and not re.search(r"\bcolumn of the input\b", self.condition)


def clauses_of(statement: Statement) -> Iterator[Clause]:
    """Yield the clauses of a statement, with offsets into the prompt's text."""
    text, base = statement.text, statement.start
    begin = label.end() if (label := _LABEL.match(text)) else 0
    if (
        (listed := _MANNER.match(text, begin))
        and "followed by" not in listed.group("list")
        and not re.search(r"[\"“`]|,\s*(?:which|that|who|where|so|because|as)\b", listed.group("list"))
        and not re.match(r"(?:an?|the|one|exactly|\d+|in|written|at)\b", listed.group("list"), re.IGNORECASE)
    ):
        yield from _manners(text, base, listed)
        return
    condition, opened, labelled = "", begin, 0
    if (match := _CONDITION.match(text, begin)) and 1 < len(match.group("condition").split()) < 60:
        condition, begin = match.group("condition").strip(), match.end()
        if (listed_to := _end_of_list(text, begin)) is not None:
            condition, begin = text[match.start("condition") : listed_to[0]].strip(), listed_to[1]
    elif otherwise := _OTHERWISE.match(text, begin):
        condition, begin = "otherwise", otherwise.end()
    subject = _subject_of(statement)
    for number, (condition_at, end) in enumerate(_pieces(text, begin)):
        own, at, start = condition, end, condition_at
        inner = None if condition else _CONDITION.match(text, start, end)
        if inner and number and 1 < len(inner.group("condition").split()) < 40:
            own, start = inner.group("condition").strip(), inner.end()
        trailing = None if own else _TRAILING.search(text, start, end)
        if (
            trailing
            and not any(low < trailing.start() < high for low, high in protected(text))
            and not re.fullmatch(r"(?:if|when|unless) the \w+\W*", trailing.group("condition"), re.IGNORECASE)
        ):
            own, at = trailing.group("condition").strip(" .!"), trailing.start()
        first, last = trimmed(text, start, at, " \t\r\n,;")
        # The quote of a conditional rule includes the condition.
        begun = opened if condition else labelled if number == 0 and not own else min(first, condition_at)
        low, high = trimmed(text, begun, max(end, last), " \t\r\n,;*_")
        said = text[first:last]
        if not any(map(str.isalnum, said)):
            continue
        borrowed = bool(subject and (_FINITE.match(said) or (number == 0 and _MODAL_LEAD.search(subject))))
        if not borrowed and (found := _SUBJECT.match(said)):
            subject = found.group("subject")
        yield Clause(
            start=base + low,
            end=base + high,
            text=_lent(subject, said) if borrowed else said,
            condition=own,
            whole=text,
            first=number == 0,
            borrowed=borrowed,
            trails=trailing is not None and own != condition,
        )


def split_condition(text: str) -> tuple[str, str]:
    """Return the condition that a sentence begins with and the rest; an empty condition if there is none."""
    match = _CONDITION.match(text)
    if match is None:
        return "", text
    ends = _end_of_list(text, match.end()) or (match.end("condition"), match.end())
    return text[match.start("condition") : ends[0]].strip(), text[ends[1] :]


def _end_of_list(text: str, begin: int) -> tuple[int, int] | None:
    """Return where a list in a condition ends and where its command begins: ``on smoke, fire or a shock, tell …``."""
    if _starts_request(text, begin):
        return None
    for comma in re.finditer(r",\s*(?:then\s+)?", text):
        if comma.start() > begin and re.search(r"\b(?:or|and)\b", text[begin : comma.start()]):
            return (comma.start(), comma.end()) if _starts_request(text, comma.end()) else None
    return None


def _starts_request(text: str, at: int) -> bool:
    match = _VERBAL.match(text, at)
    if match is None:
        return True
    verb, following = match["verb"].lower(), (match["next"] or "").strip(":")
    if looks_like_command(verb, following, adverb=match["adverb"]) and verb not in OFTEN_NOUNS:
        return True
    return re.match(
        r"(?:you|your|the|it|this|these|its|all|no|any|a)\b[^,]{0,80}?\b(?:must|should|is|are|"
        r"will|shall|can|may)\b",
        text[at:],
        re.IGNORECASE,
    ) is not None or not re.search(r",", text[at:])


def _lent(subject: str, said: str) -> str:
    """Join ``New names MUST`` and ``Be short`` to one sentence."""
    word = said.split(" ", 1)[0]
    begun = said[:1].lower() + said[1:] if word[1:].islower() or len(word) == 1 else said
    return f"{_MODAL_CAPS.sub(lambda found: found[0].lower(), subject)} {begun}"


def _subject_of(statement: Statement) -> str:
    """Return the line above an item that continues it: ``The title:`` above ``must be short``."""
    if not statement.item or not re.search(r"[:：]\s*$", statement.lead):
        return ""
    lead = statement.lead.rstrip(":： *_")
    if _OF_THE_MODEL.search(lead):
        return ""
    named = re.fullmatch(r"(?:the|your|each|every|all)\s+(?:[\w-]+\s*){1,4}", lead, re.IGNORECASE)
    return (
        lead
        if named
        or re.fullmatch(
            r"(?:the|your|each|every|all|new|any)\s+(?:[\w-]+\s+){1,4}(?:must|should|shall|needs to|"
            r"has to)(?: not| never)?",
            lead,
            re.IGNORECASE,
        )
        else ""
    )


def _manners(text: str, base: int, listed: re.Match[str]) -> Iterator[Clause]:
    """Yield one clause per adjective: ``The reply should be polite, short, and signed``."""
    at = listed.start("list")
    for number, piece in enumerate(re.finditer(r"(?:[^,\"“`]|\"[^\"]*\"|“[^”]*”|`[^`]*`)+", listed.group("list"))):
        start, end = at + piece.start(), at + piece.end()
        bare = re.sub(r"^\s*(?:and|or|but)\s+", "", text[start:end])
        start = end - len(bare)
        first, last = trimmed(text, start, end, " \t\r\n,;.")
        low = 0 if number == 0 else first
        if first < last:
            again = re.match(r"(?:must|should|be|is|has|have|contain|include)\b", text[first:last], re.IGNORECASE)
            head = listed.group("head") if not again else listed.group("head").rsplit(" ", 2)[0]
            yield Clause(
                start=base + low, end=base + last, text=f"{head} {text[first:last]}", whole=text, first=number == 0
            )


def _pieces(text: str, begin: int) -> Iterator[tuple[int, int]]:
    safe = protected(text)
    start = begin
    listed = _OF_LIST.search(text, begin) is not None
    for joint in _JOINT.finditer(text, begin):
        if joint.start() <= start or any(low <= joint.start() < high for low, high in safe):
            continue
        before, rest = text[start : joint.start()], text[joint.end() :]
        if not listed and not _says_something(before):
            continue
        if _begins(rest, joint.group(), before, listed=listed):
            yield start, joint.start()
            start = joint.end()
    yield start, len(text)


def _says_something(piece: str) -> bool:
    """Whether there is a verb before the conjunction: a place or an occasion alone is no clause."""
    if len(piece.split()) < 2:
        return False
    if not _PLACE.match(piece):
        return True
    after = re.sub(r"^\W*(?:(?:then|first|finally|next|also|please)\b[,\s]*)+", "", piece, flags=re.IGNORECASE)
    return bool(re.search(r"[,:]\s*\w+", after))


def _begins(rest: str, joint: str, before: str, *, listed: bool) -> bool:
    """Whether a separate clause follows a conjunction: a command, a gerund, or a verb with the same subject."""
    match = _VERBAL.match(rest)
    if ";" in joint or match is None:
        return ";" in joint
    if len(re.split(r"[,.;]", rest)[0].split()) < 2:
        return False  # ``be concise and direct``
    if _OCCASION.match(before) or (_TOLD_TO.search(before) and ";" not in joint and not match.group("adverb")):
        return False
    said_on = match.group("adverb") or re.match(r"(?:must|should|shall|has to|needs to|is|are)\b", rest)
    if _NEGATED.match(before) and not said_on and "but" not in joint and "then" not in joint:
        return False
    if _YOU_WILL.match(rest) or (_DENIES.match(rest) and _DENIES.match(before)) or _NONE.match(rest):
        return True
    return _is_verbal(match, rest, joint, before, listed=listed)


def _is_verbal(match: re.Match[str], rest: str, joint: str, before: str, *, listed: bool) -> bool:
    verb, following = match.group("verb").lower(), match.group("next") or ""
    bare = joint.strip() == "," and not match.group("adverb") and not _STARTS_OBJECT.match(following)
    if bare and (verb in OFTEN_NOUNS or (from_gerund(verb) or "") in OFTEN_NOUNS):
        return False
    if looks_like_command(verb, following, adverb=match.group("adverb")):
        return not (verb in COMMANDS and re.match(r"(?:of|or)\b", following))
    root = from_gerund(verb)
    if root is not None and re.search(r"\b(?:a|an|the|your|in an?)\s+[\w-]+$", before) and joint.strip() == ",":
        return False  # ``a short, engaging tweet``
    if root is not None and following and ("," in joint or (listed and "and" in joint)):
        if "and" not in joint and root not in _ADDED_BY_GERUND:
            return False  # ``…, serving as a general question``: it goes on about the same
        if root == "include":
            return following.lower() in ("words", "phrases", "terms", "expressions", "at", "the")
        return not (listed and "and" not in joint and re.search(r"\b(?:a|an|the)\s+[\w-]+$", before)) and root not in (
            "follow",
            "accord",
        )
    if "and" in joint or "but" in joint:
        return bool(_FINITE.match(rest))
    return bool(re.match(r"(?:must|should|shall|cannot|is|are|has)\s+(?:not\s+|never\s+)?\w", rest)) and bool(
        _SUBJECT.match(before)
    )
