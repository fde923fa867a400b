"""Extract the keys of a JSON answer, and the requirements on their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import Aspect, Scope, quoted
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.labels import listed
from proctor.generate.extract.language_words import TONGUES
from proctor.generate.extract.named_shapes import find_amount_aspects, find_named_shapes, find_scale
from proctor.generate.extract.templates import json_keys
from proctor.text.lazy_pattern import Lazy

__all__ = ["blank_values", "choices_in", "described_keys", "field_of", "find_fields", "keys_in", "named_fields"]

_KEY: Final = r"(?:[`\"“'][\w.-]{1,60}[`\"”']|[A-Za-z_][\w-]{0,60})(?:\s*\([^()\n]{1,300}\))?"
_LIST: Final = rf"(?P<list>{_KEY}(?:(?:\s*,\s*(?:and |or )?|\s+and\s+){_KEY})*)"
_END: Final = (
    r"(?=\s*(?:[.;:)]|$|[–—])|,\s*(?:where|each|with|and (?:nothing|no)|no|nothing|in)\b|"
    r"\s+(?:and (?:nothing|no)|only)\b)"
)
_KEYS: Final = Lazy(
    r"\b(?:keys?|fields?|properties|property|attributes)\b(?:\s+(?:called|named|are|is))?:?\s+" + _LIST + _END,
    re.IGNORECASE,
)
_WITH: Final = Lazy(
    r"\b(?:each|objects?|json)\s+(?:with|containing|having|that has)\s+(?:the\s+)?"
    r"(?P<list>[`\"“'][\w.-]{1,60}[`\"”'](?:(?:\s*,\s*(?:and )?|\s+and\s+)[`\"“'][\w.-]{1,60}[`\"”'])+)",
    re.IGNORECASE,
)
_NAME: Final = Lazy(r"[`\"“']?(?P<name>[A-Za-z_][\w.-]*)[`\"”']?(?:\s*\([^()]*\))?")
_STRUCTURED: Final = Lazy(r"\bjson\b|\bobjects?\b", re.IGNORECASE)
_ONLY: Final = Lazy(
    r"\b(?:exactly|precisely|only|just)\s+(?:(?:the|these|those|this|following|two|three|four|"
    r"five|six|seven|\d+)\s+)*"
    r"(?:keys?|fields?|properties)\b|"
    r"\bno (?:other|extra|additional|further|more) (?:keys?|fields?|properties)\b|\bnothing else\b|"
    r"\b(?:keys|fields|properties) only\b",
    re.IGNORECASE,
)
_TAIL: Final = Lazy(r",?\s*(?:and\s+)?(?:nothing else|no other \w+|no additional \w+)\b", re.IGNORECASE)
_PHRASE: Final = r"(?P<noun>(?:[\w-]+\s+){0,3}?[`\"“']?[\w-]+[`\"”']?(?:\s+(?:field|key|value|property))?)"
_SUBJECT: Final = Lazy(
    rf"\W*(?:(?:the value (?:of|for)|the|its|your|each|every|in)\s+)*{_PHRASE}[`\"”']?,?\s+(?:must|"
    rf"should|shall|is|are|has|"
    r"have|can|needs?|may|contains?|does|cannot|consists?|has to|use|cannot|will|holds?)\b",
    re.IGNORECASE,
)
_OBJECT: Final = Lazy(
    r"\W*(?:(?:please|always|you (?:must|should)|then|and|make sure to)[,\s]\s*)*(?:write|keep|limit|restrict|make|"
    r"provide|give|include|set|add|put|shorten|phrase|express|format|use)\s+(?:(?:the|a|an|"
    r"your|its|one|each|every)\s+)"
    rf"{_PHRASE}(?=\s+(?:to|under|below|within|at|as|in|of|with|short|no|between|less|fewer|that|up|for|from|on|"
    r"around|using|by|and|than|not)\b|\s*[,.;:(]|\s*$)",
    re.IGNORECASE,
)
_LISTED: Final = Lazy(r"\W{0,4}(?P<noun>[A-Za-z_][\w.-]{0,60})[`\"”'*]{0,3}\s*(?:[:：(（]|\s[-–—]\s)")
_CHOICE: Final = Lazy(
    r"\b(?:one of|either|choose from|chosen from|any of)\b(?:\s+(?:the following|these|"
    r"those))?(?:\s+(?:values|options|strings|"
    r"labels|words))?:?\s+(?P<list>[^.;)\n]+)",
    re.IGNORECASE,
)
_Q: Final = r"(?:\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|`[^`\n]{1,60}`|'[^'\n]{1,60}')"
_QUOTED: Final = Lazy(
    rf"(?:\b(?:be|is|are)\b|[:(])\s*(?P<list>{_Q}(?:(?:\s*,\s*(?:or )?|\s+or\s+|\s*[/|]\s*){_Q})+)", re.IGNORECASE
)
_PIPED: Final = Lazy(r"[\"(:]\s*(?P<list>[\w -]{1,30}(?:\s*\|\s*[\w -]{1,30})+)\s*(?:[\").,]|$)")
_A_TYPE: Final = Lazy(
    r"(?:string|number|integer|boolean|null|none|array|object|float|Y{2,4}-M{1,2}-D{1,2})", re.IGNORECASE
)
_KINDS: Final = (
    ("is true or false", 'one of "true", "false"', r"\b(?:true or false|true/false|boolean|bool)\b"),
    ("is an integer", "is integer", r"\b(?:an? |as an? |whole )?(?:integer|whole number|int)\b"),
    (
        "is a number",
        "is number",
        r"(?:^|[:：(（–—]|\bis|\bmust be|\bshould be|\bas)\s*(?:an? |the )?(?:plain |single |decimal )?"
        r"(?:number|float|decimal|numeric(?: value)?)\b(?! of| or id|/)|,\s*as a (?:plain )?number\b|\bas a number\b|"
        r"\bnumeric value only\b|\(float\)|\(number\)",
    ),
    (
        "is a date like 2025-01-31",
        "is iso date",
        r"\bYYYY-MM-DD\b|\bISO(?:[ -]?8601)\b(?! (?:language|country|currency))|\bISO (?:date|format|timestamp)\b",
    ),
)
_TEXTUAL: Final = Lazy(r"\s*[:：(（–—-]?\s*(?:string|text)\b(?!\s*in (?:ISO|the form))", re.IGNORECASE)
_MOST_ITEMS: Final = Lazy(
    r"\b(?:array|list)\b[^.;]{0,40}?\(?\b(?:max(?:imum)?(?: of)?|at most|"
    r"up to)\s+(?P<n>\d{1,3})(?:\s+(?:items?|entries|strings|elements))?\b"
    r"(?!\s*(?:words|characters|sentences))",
    re.IGNORECASE,
)
_NEAR_RANGE: Final = Lazy(
    r"(?<![\d.-])(?P<low>\d+(?:\.\d+)?)\s*(?:-|–|to|"
    r"and)\s*(?P<high>\d+(?:\.\d+)?)(?=\s*(?:\((?:float|number|integer|int|decimal)|"
    r"$|[,;).]))(?!\s*(?:words|characters|sentences|%))",
    re.IGNORECASE,
)
_RANGE: Final = Lazy(r"^\W*(?P<low>\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(?P<high>\d+(?:\.\d+)?)\W*$")
_MISSING: Final = Lazy(
    r"\b(?:values?|fields?|keys?|information|details?|data|items?|one|it|they|anything|"
    r"properties|property|entry|for)\b"
    r"[^.\n]{0,30}?"
    r"\b(?:missing|not (?:found|present|mentioned|available|given|known|stated|provided|specified|in the)|unknown|"
    r"absent|cannot be (?:found|determined)|no value|does not (?:appear|mention|say|state))\b[^.\n]{0,80}?"
    r"\b(?:use|set|write|return|put|be|to|with|as|is|leave|fill)\b[^.\n]{0,40}?"
    r"(?:(?P<null>\bnull\b|\bnone\b)|[\"“`'](?P<word>[^\"”`'\n]{1,30})[\"”`']|(?P<empty>\bempty\b|\bblank\b))",
    re.IGNORECASE,
)
_NULL: Final = Lazy(
    r"\|\s*null\b|\b(?:or|ou|oder|o|或) (?:use |set (?:it )?to |be )?[\"`]?null\b|\bnull (?:if|when|"
    r"where)\b",
    re.IGNORECASE,
)


def keys_in(clause: str) -> Aspect | None:
    """Return ``a JSON object with the keys "a" and "b"`` as one checkable aspect."""
    if not _STRUCTURED.search(clause):
        return None
    match = _KEYS.search(clause) or _WITH.search(clause)
    names = _names(match.group("list")) if match else ()
    if match is None and (shown := json_keys(clause[at:])) if (at := clause.find("{")) >= 0 else ():
        begin = re.search(r"\bJSON\b", clause, re.IGNORECASE)
        return Aspect(
            text=f"The output is a JSON object with the keys {_and(shown)}.",
            predicate=f"is json object and json has {quoted(shown)}",
            start=min(at, begin.start() if begin else at),
            end=max(at, clause.rfind("}") + 1),
        )
    if match is None or (len(names) < 2 and not re.search(r"[`\"“']", match.group("list"))):
        return None
    only = bool(_ONLY.search(clause))
    many = re.search(r"\b(?:array|list) of (?:JSON )?objects?\b|\barray\b[^.]{0,40}\bobjects\b", clause, re.IGNORECASE)
    base = "is json array of objects" if many else "is json object"
    what = "a JSON array of objects" if many else "a JSON object"
    tail = _TAIL.match(clause, match.end("list"))
    begin = re.search(r"\b(?:(?:valid|single|flat|one|strict)\s+)*JSON\b", clause, re.IGNORECASE)
    return Aspect(
        text=f"The output is {what} with the keys {_and(names)}{' and no others' if only else ''}.",
        predicate=f"{base} and json has {quoted(names)}" + (f" and json only has {quoted(names)}" if only else ""),
        start=min(begin.start() if begin else match.start(), match.start()),
        end=tail.end() if tail else match.end("list"),
    )


def described_keys(clause: str) -> Iterator[tuple[str, str, int]]:
    """Yield the keys described in brackets, with the description and its offset."""
    if match := _KEYS.search(clause):
        for each in re.finditer(
            r"[`\"“']?(?P<name>[\w.-]+)[`\"”']?\s*\((?P<said>[^()\n]{1,300})\)", match.group("list")
        ):
            yield each["name"], each["said"], match.start("list") + each.start("said")


def _names(text: str) -> tuple[str, ...]:
    bare = re.sub(r"\([^()]*\)", "", text)
    return tuple(dict.fromkeys(each["name"] for each in _NAME.finditer(bare) if each["name"] not in ("and", "or")))


def _and(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


def named_fields(text: str) -> tuple[str, ...]:
    """Return the keys that a sentence about JSON names."""
    if not _STRUCTURED.search(text):
        return ()
    match = _KEYS.search(text) or _WITH.search(text)
    if match is None and "{" in text and not text.lstrip().startswith(("If", "if")):
        return json_keys(text[text.find("{") :])
    names = _names(match.group("list")) if match else ()
    return names if match and (len(names) > 1 or re.search(r"[`\"“']", match.group("list"))) else ()


def blank_values(texts: Iterable[str]) -> tuple[str, ...]:
    """Return what a prompt requires for a missing value: ``null``, a word, or nothing."""
    told = list(texts)
    found = [match for text in told if (match := _MISSING.search(text))]
    blanks = ["" if each["empty"] else (each["word"] or "null") for each in found]
    general = [text for text in told if not _LISTED.match(text)]  # not the description of one key
    if any(re.search(r"(?<![A-Za-z])null(?![A-Za-z])", text) and is_conditional(text) for text in general):
        blanks.append("null")
    return tuple(dict.fromkeys(blanks))


def field_of(text: str, scope: Scope, *, item: bool = False) -> tuple[str, int] | None:
    """Return the key that a clause is about, and where its name ends; None if there is none."""
    if not scope.fields or not scope.structured:
        return None
    for pattern in (_SUBJECT, _OBJECT, *((_LISTED,) if item else ())):
        if (match := pattern.match(text)) and (name := _known(match.group("noun"), scope)):
            return name, match.end("noun")
    return None


def _known(noun: str, scope: Scope) -> str | None:
    said = re.sub(r"\s+(?:field|key|value|property)$", "", noun.strip(" `\"“”'").lower())
    for name in scope.fields:
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", name).lower()
        if said in (plain, name.lower()) or re.search(
            rf"(?:^|\s)[`\"“']?{re.escape(plain)}(?:\s+(?:score|text|value|line))?$", said
        ):
            return name
    return None


def find_fields(clause: str, scope: Scope, *, item: bool = False) -> Iterator[Aspect]:
    """Yield what the clause requires of the value of one key."""
    found = field_of(clause, scope, item=item)
    if found is None:
        return
    name, end = found
    rest = " " * end + clause[end:]
    begin = 0
    for aspect in _asked(rest, clause, scope):
        told = aspect.text.removeprefix("The output ").removeprefix("The number in the output ")
        if told == aspect.text and scope.language in TONGUES:
            told = f"– {told[:1].lower()}{told[1:]}"  # the words of the prompt
        blank = tuple(dict.fromkeys((*(["null"] if _NULL.search(rest) else []), *scope.blank)))
        words = f" or is {' or '.join(each or 'empty' for each in blank)}" if blank else ""
        excused = [f"is {quoted([each])}" if each else "is empty" for each in blank]
        predicate = " or ".join(
            [f"({aspect.predicate})" if " and " in aspect.predicate else aspect.predicate, *excused]
        )
        yield replace(
            aspect,
            text=f'In the output, the field "{name}" {told.rstrip(".")}{words}.',
            predicate=f"json field {quoted([name])} ({predicate})",
            start=begin if begin == 0 else aspect.start,
        )
        begin = 1


def _asked(rest: str, clause: str, scope: Scope) -> Iterator[Aspect]:
    if choice := choices_in(rest):
        yield choice
        return
    yield from find_amount_aspects(rest, scope.language or "en")
    if limit := _MOST_ITEMS.search(rest):
        said = f"has at most {limit['n']} items in its array"
        predicate = f"json array length <= {limit['n']}"
        yield Aspect(text=f"The output {said}.", predicate=predicate, start=limit.start(), end=limit.end())
    scaled = list(find_scale(clause))
    yield from scaled
    for each in find_named_shapes(rest, replace(scope, numeric=False)):
        if not re.search(r"json|html|csv|code", each.predicate):
            yield each
    counted = not scaled and re.search(
        r"\b(?:number|float|integer|int|score|decimal|rating|scale)\b", rest, re.IGNORECASE
    )
    if bare := _RANGE.search(rest) or (_NEAR_RANGE.search(rest) if counted else None):
        low, high = bare["low"], bare["high"]
        yield Aspect(
            text=f"The output is from {low} to {high}.",
            predicate=f"number between {low} and {high}",
            start=0,
            end=len(rest),
        )
    if scaled or bare:
        return
    if _TEXTUAL.match(rest.lstrip(" ")):
        return
    for told, predicate, pattern in _KINDS:
        if (match := re.search(pattern, rest, re.IGNORECASE)) and not re.search(r"\bnot\b", rest[: match.start()]):
            yield Aspect(text=f"The output {told}.", predicate=predicate, start=match.start(), end=match.end())
            return


def choices_in(rest: str) -> Aspect | None:
    """Return the values that a description allows: ``one of "a", "b"``."""
    for pattern in (_CHOICE, _QUOTED, _PIPED):
        match = pattern.search(rest)
        if match is None or re.search(r"\bnot\b", rest[: match.start()]):
            continue
        labels = listed(match.group("list").replace("|", ","))
        if any(_A_TYPE.fullmatch(label) for label in labels):
            continue
        if len(labels) >= 2:
            return Aspect(
                text=f"The output is one of {', '.join(labels[:-1])} or {labels[-1]}.",
                predicate=f"one of {quoted(labels)}",
                start=match.start(),
                end=match.end(),
            )
    return None
