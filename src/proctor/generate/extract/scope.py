"""Determine what is known of a prompt as a whole: nouns for its output, labels, special answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.aspects import Scope
from proctor.generate.extract.clauses import clauses_of
from proctor.generate.extract.japanese import is_japanese, japanese_special
from proctor.generate.extract.labels import special_answer
from proctor.generate.extract.other_languages import tongue_of
from proctor.generate.extract.statements import Statement
from proctor.prompts.prompt import Prompt
from proctor.text.lazy_pattern import Lazy

__all__ = ["of_part", "scope_of", "speaks_of_whole", "with_output", "without_subject"]

_MADE: Final = Lazy(
    r"\b(?:write|generate|create|compose|draft|produce|craft|return|provide|give|output|suggest|"
    r"come up with|tell|make|design|prepare|build)\s+(?:me |us |only )?(?:a|an|the|one|just the|"
    r"only the)\s+"
    r"(?P<noun>(?:[\w-]+\s+){0,4}?[\w-]+?)(?=\s+(?:for|of|to|in|that|which|about|based|from|with|"
    r"using|on|as|by|under|and|or|between|no|at|describing|summari\w+|explaining)\b|[,.;:]|$)",
    re.IGNORECASE,
)
_MAKER: Final = Lazy(
    r"\byou (?:write|make|create|draft|compose|produce)\s+(?:[\w-]+\s+)?(?P<noun>\w+s)\b(?=\s+(?:for|"
    r"about|in|from|of)\b|[.,])",
    re.IGNORECASE,
)
_ADDED: Final = Lazy(
    r"\b(?:add|include|append|insert|attach|(?:followed|accompanied) by)\s+(?:a|an|"
    r"one)\s+(?P<noun>(?:[\w-]+\s+){0,3}?[\w-]+?)(?=\s+(?:for|of|to|in|that|which|about|with|at|under|"
    r"between|no)\b|[,.;:]|$)",
    re.IGNORECASE,
)
_INTO: Final = Lazy(
    r"\b(?:transform|convert|turn|rewrite|"
    r"change)\s+(?P<of>[\w' -]{1,40}?)\s+into\s+(?P<noun>(?:[\w-]+\s+){0,3}?[\w-]+?)(?=\s+(?:for|of|"
    r"to|in|that|which|with)\b|[,.;:]|$)",
    re.IGNORECASE,
)
_DERIVED: Final = {
    "summari": "summary",
    "translat": "translation",
    "paraphras": "paraphrase",
    "explain": "explanation",
    "rate\\b": "rating",
}
_ALONE: Final = Lazy(
    r"\b(?:only|just|nothing (?:but|else)|no (?:other|extra|additional) (?:text|words)|a single|"
    r"exactly one|one)\s+(?:the\s+|a\s+|one\s+|with\s+|of\s+)*(?:\S+\s+){0,4}?(?:tag|label|category|"
    r"class|word|name|intent|sentiment|number|letter|option|value|answer|code|id)\b|"
    r"(?:tag|label|category|class|intent|sentiment|number|name)(?: name)? only\b|\bnothing else\b|"
    r"\bwithout (?:any )?(?:explanation|other text|additional text)|\b(?:no|do not (?:provide|include|"
    r"add|give|write)(?: any)?|don[’']t (?:provide|include|add|give|explain)(?: any)?)\s+(?:other |"
    r"extra |additional )?(?:explanations?|text|commentary|words)\b|"
    r"のみ(?:を)?(?:出力|回答|返|とし|にし)|だけ(?:を)?(?:出力|回答|返|答え)",
    re.IGNORECASE,
)
_LABELLED: Final = Lazy(
    r"\b(?:categor(?:y|ies)|labels?|class(?:es)?|tags?|intents?|sentiments?|options?|choices?|values|"
    r"ratings?|verdict|decision|article|text|review|tweet|message|ticket|you)\b",
    re.IGNORECASE,
)
_NUMERIC: Final = Lazy(
    r"\b(?:only|just)\s+(?:with\s+|return\s+|output\s+)?(?:the|a|an|"
    r"one)?\s*(?:single\s+)?(?:numeric(?:al)?\s+|integer\s+)?(?:number|score|rating|integer|digit)\b|"
    r"\b(?:whole number|number|score|integer)\b[^.;]{0,60}\band nothing else\b|\b(?:number|score|"
    r"rating|integer) only\b|\bnumeric score, followed by\b|\bnothing but (?:the|"
    r"a) (?:number|score)\b",
    re.IGNORECASE,
)
_STRUCTURED: Final = Lazy(r"(?<![A-Za-z])(?:JSON|XML|YAML)(?![A-Za-z])", re.IGNORECASE)
_SEVERAL: Final = Lazy(
    r"\b(?:[2-9]|1\d|two|three|four|five|six|ten|several|multiple)\s+(?:\w+\s+){0,2}?"
    r"(?:replies|answers|responses|options|variants|variations|versions|posts|tweets|captions|drafts|"
    r"suggestions|alternatives|headlines|titles)\b",
    re.IGNORECASE,
)
_OF_SEVERAL: Final = Lazy(r"\b(?:replies|answers|responses|posts|tweets|captions|it|them|each)\b", re.IGNORECASE)
_IN_SECTION: Final = Lazy(
    r"\bin (?:a|the|its own) (?:\w+ )?section\b|\binto a section\b|\bsection (?:called|named)\b", re.IGNORECASE
)
_CLOSED: Final = Lazy(
    r"\b(?:exactly|precisely|only) (?:these|those|the (?:above|listed|"
    r"following)) (?:\w+ )?(?:keys|fields|properties)\b|"
    r"\bno (?:other|extra|additional) (?:keys|fields|properties)\b|"
    r"\bdo not add (?:any )?(?:other )?(?:keys|fields)\b",
    re.IGNORECASE,
)
_ARRAY: Final = Lazy(r"\bJSON (?:array|list)\b(?! of (?:JSON )?objects)|\barray of strings\b", re.IGNORECASE)
_SUBJECT: Final = Lazy(
    r"\W*(?:(?:ensur\w+|make sure|making sure|that)\s+)*(?P<each>the|your|each|every|all|any|new|these|those|"
    r"its)\s+(?P<noun>(?:[\w'’-]+\s+){0,4}?[\w'’-]+)\s+(?:\*\*)?(?:must|should|shall|is|are|has|have|"
    r"does|do|needs?|may|can|will|cannot|ought|contains?|includes?|exceeds?|stays?)\b",
    re.IGNORECASE,
)
_OBJECT: Final = Lazy(
    r"\W*(?:(?:please|always|you (?:must|should)|then|and|make sure to|be sure to)[,\s]\s*)*(?:keep|limit|"
    r"restrict|make|write|begin|start|end|finish|prefix|hold|cap|shorten|wrap|format|use|include|"
    r"provide|add|give|generate|create|return|put|present)\s+(?P<each>the|your|each|every|all|any|a|"
    r"an|its|one)\s+"
    r"(?P<noun>(?:[\w'’-]+\s+){0,3}?[\w'’-]+?)(?=\s+(?:to|under|below|within|at|as|in|of|with|short|"
    r"no|between|less|fewer|that|up|for|on|around|about|inside|using|by|and|from|than|not)\b|"
    r"\s*[,.;:]|\s*$)",
    re.IGNORECASE,
)
_EACH: Final = Lazy(r"\b(?:each|every|per|all)\s+(?:of the\s+)?(?P<noun>[\w-]+)", re.IGNORECASE)
_GENERIC: Final = Lazy(
    r"\b(?:rules?|guidelines?|requirements?|instructions?|constraints?|output|response|answer|format|"
    r"important|must|should|always|never|notes?|length|style|tone|language|tasks?|reply|formatting|条件|"
    r"ルール|注意|制約|出力|形式|指示|要件|回答)\b|条件|ルール|注意|制約|出力|形式|指示|要件|回答",
    re.IGNORECASE,
)


_KEYED: Final = ("fields", "format")


def scope_of(prompt: Prompt, statements: Sequence[Statement]) -> Scope:
    """Scan a prompt once for what its single clauses do not contain."""
    nouns, parts = _nouns(statements)
    special = []
    spoken = tongue_of(prompt.text)
    for statement in statements:
        if spoken not in ("", "en", "ja"):
            continue  # see fixed_replies
        for clause in clauses_of(statement):
            asked = clause.condition and not clause.of_part and not statement.code and not _of_thing(clause.text)
            answer = special_answer(clause.text) if asked else None
            if answer:
                special.append(answer)
        if is_japanese(statement.text) and (answer := japanese_special(statement.text)):
            special.append(answer)
    alone = any(_ALONE.search(statement.text) for statement in statements if not statement.code)
    return Scope(
        nouns=nouns,
        parts=parts,
        special=tuple(dict.fromkeys(special)),
        alone=alone,
        numeric=any(_NUMERIC.search(statement.text) for statement in statements if not statement.code),
        structured=any(_STRUCTURED.search(statement.text) for statement in statements),
        array=any(
            _ARRAY.search(each.text)
            for each in statements
            if not each.code and not (each.item and each.section in _KEYED)
        ),
        inputs=tuple(prompt.inputs),
        language=spoken,
        several=any(_SEVERAL.search(statement.text) for statement in statements if not statement.code),
        closed=any(_CLOSED.search(statement.text) for statement in statements if not statement.code),
    )


def _of_thing(clause: str) -> bool:
    """Whether a clause is about something in the output: ``the decision must be "ask"``."""
    match = re.match(
        r"\W*(?:the|its|each|this)\s+(?:[\w-]+\s+){0,2}?([\w-]+)\s+(?:must|should|shall|has to) be\b",
        clause,
        re.IGNORECASE,
    )
    return match is not None and not Scope().means_output(match[1])


def _nouns(statements: Sequence[Statement]) -> tuple[frozenset[str], frozenset[str]]:
    made: list[str] = []
    same: set[str] = set()
    added: set[str] = set()
    for statement in statements:
        if statement.code or statement.section in ("labels", "fields", "input", "tools"):
            continue
        for match in _INTO.finditer(statement.text):
            made.append(_head(match.group("noun")))
            same.add(_head(match.group("of")))
        if not _INTO.search(statement.text):
            made.extend(_head(match.group("noun")) for match in _MADE.finditer(statement.text))
        same.update(_head(match.group("noun")) for match in _MAKER.finditer(statement.text))
        added.update(_head(match.group("noun")) for match in _ADDED.finditer(statement.text))
        same.update(noun for stem, noun in _DERIVED.items() if re.search(rf"\b{stem}", statement.text, re.IGNORECASE))
    kinds = list(dict.fromkeys(noun for noun in made if noun not in ("list", "response", "answer", "output", "reply")))
    parts = {*kinds[1:], *added} - set(kinds[:1])
    return frozenset({*kinds[:1], *same} - parts), frozenset(parts)


def _head(phrase: str) -> str:
    noun = phrase.rsplit(maxsplit=1)[-1].lower()
    return re.sub(r"ies$", "y", noun) if noun.endswith("ies") else noun.removesuffix("s")


def speaks_of_whole(clause: str, statement: Statement, scope: Scope) -> bool:
    """Whether a clause is about the output as a whole, not about a title or an item in it."""
    if statement.item and re.match(
        r"(?:an?|one|the|\d+)\s+(?!max|min|total|single|limit|output|response|answer|reply)[^.]*\(",
        clause,
        re.IGNORECASE,
    ):
        return False  # ``A headline (max 10 words)`` names one part of several
    for match in _EACH.finditer(re.sub(r"\bone \w+ per \w+", "", clause, flags=re.IGNORECASE)):
        noun = match.group("noun")
        if noun.lower() in ("of", "with", "under", "at"):
            return False
        if noun.lower() in ("in", "lower", "upper"):
            continue
        if not scope.means_output(noun) and not re.fullmatch(
            r"(?:questions?|quer(?:y|ies)|messages?|requests?|inputs?)", noun, re.IGNORECASE
        ):
            return False
    several = scope.several and _OF_SEVERAL.search(clause)
    if several or _IN_SECTION.search(clause):
        return False
    if re.search(r"\byour (?:final )?(?:answer|response|output|reply)\b(?! to)", clause, re.IGNORECASE):
        return True
    named = _named_whole(clause, scope)
    if named is not None:
        return named
    if statement.item and statement.lead and statement.section in ("plain", "include", "fields"):
        return bool(_GENERIC.search(statement.lead))
    return not (set(re.findall(r"[a-z]+", clause.lower())) & scope.parts)


def _named_whole(clause: str, scope: Scope) -> bool | None:
    """Whether the noun of a clause means the whole output; None if there is none."""
    if re.search(r"\b(?:subject|title|header|heading) lines?\b", clause, re.IGNORECASE):
        return False
    if other := re.match(r"\W*an?\s+([\w-]+)\s+(?:must|should|has to|needs to)\b", clause, re.IGNORECASE):
        return scope.means_output(other[1])
    named = _SUBJECT.match(clause) or _OBJECT.match(clause)
    if named is None:
        return None
    noun, each = named.group("noun").split()[-1], named.group("each").lower()
    if each in ("new", "these", "those"):
        return False
    return _head(noun) not in scope.parts if each in ("a", "an", "one") else scope.means_output(noun)


def without_subject(clause: str, scope: Scope) -> str:
    """Replace the subject of the clause by blanks if it is the output itself."""
    match = _SUBJECT.match(clause)
    if match and scope.means_output(match.group("noun").split()[-1]):
        return " " * match.end("noun") + clause[match.end("noun") :]
    return clause


def of_part(text: str, scope: Scope) -> bool:
    """Whether a list of values is for a part of the output: ``Status must be one of …``."""
    match = _SUBJECT.match(text) or re.match(r"(?P<noun>[A-Z]?\w+)\s+(?:must|should)\b", text)
    if match is None:
        return False
    noun = match.group("noun").split()[-1]
    return not scope.means_output(noun) and not _LABELLED.search(match.group("noun"))


def with_output(clause: str, scope: Scope) -> str:
    """Replace ``the story`` by ``the output``, if the story is the output."""
    match = _SUBJECT.match(clause)
    if match and match.group("each").lower() in ("the", "your") and scope.means_output(match.group("noun").split()[-1]):
        return f"{clause[: match.start('each')]}the output{clause[match.end('noun') :]}"
    return clause
