"""Shapes that an English clause names: JSON, CSV, HTML, tags, a code block, a set of characters, a scale, a language.

Amounts, bans and quoted texts are read for every language alike by ``spotted_checks``; this is what it does not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.aspects import NUMBER, Aspect, Scope, number_of, quoted_texts
from proctor.generate.extract.banned_words import pattern_of
from proctor.generate.extract.number_words import in_digits
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_amount_aspects", "find_named_shapes", "find_scale", "find_tags"]

_BEFORE_NOT: Final = Lazy(
    r"\b(?:do not|don[’']t|never|not|none|without|avoid|no|instead of|rather than|nor)\b[^.;]*$", re.IGNORECASE
)
# (predicate, pattern); of the JSON ones the first that is found is used.
_SHAPES: Final = tuple(
    (said, predicate, Lazy(pattern, re.IGNORECASE))
    for said, predicate, pattern in (
        (
            "is a JSON array of {n} strings",
            "is json array of strings and json array length = {n}",
            rf"\bJSON (?:list|array) of (?:exactly )?(?P<n>{NUMBER}) (?:strings|names|words)\b",
        ),
        (
            "is a JSON array of {n} strings",
            "is json array of strings and json array length = {n}",
            rf"\b(?P<n>{NUMBER}) [\w-]+ (?:as|in) a JSON (?:list|array) of strings\b",
        ),
        (
            "is a JSON array of strings",
            "is json array of strings",
            r"\b(?:array|list) of strings\b|\bJSON (?:list|array) of (?:strings|names|words)\b|"
            r"\\?\[\s*\\?\"\w+\\?\"(?:\s*,\s*(?:\\?\"\w+\\?\"|\.\.\.|…))*\s*\]",
        ),
        ("is a JSON array of objects", "is json array of objects", r"\b(?:array|list) of (?:JSON )?objects\b"),
        ("is a JSON array", "is json array", r"\bJSON (?:array|list)\b|\bJSON[- ]formatted (?:array|list)\b"),
        (
            "is a JSON object",
            "is json object",
            r"\b(?:(?:valid|single|flat|one|strict)\s+)*JSON (?:object|dictionary|dict)\b|"
            r"\bJSON with (?:the )?(?:following )?(?:keys|fields|properties)\b",
        ),
        (
            "is valid JSON",
            "is json",
            r"\b(?:in|as|valid|only|raw|pure|return|output|respond with|produce|using) (?:valid |strict |"
            r"well-formed |raw |"
            r"pure |a )*JSON\b|\bJSON (?:format|only|output|response|string|document)\b|\bformatted as JSON\b",
        ),
        (
            "is HTML",
            "is html",
            r"\b(?:in|as|valid|into|only|semantic|return|output|produce) (?:valid |clean |semantic |"
            r"well-formed )*HTML5?\b"
            r"(?! tags?)|\bHTML (?:format|document|page|snippet|fragment)\b",
        ),
        (
            "is a numbered list",
            "numbered items >= 1",
            r"(?:\b(?:as|in|using|use|with|return|provide)\b|^\W*) ?(?:a )?(?:numbered|ordered) (?:list|steps)\b",
        ),
        (
            "is in upper case",
            "case is upper",
            r"\b(?:in|all|use) (?:all )?(?:upper[- ]?case|capital letters|caps|capitals)\b(?: letters)?"
            r"(?=\s*(?:[.,;]|$|only\b|and\b|on\b))",
        ),
        (
            "is in lower case",
            "case is lower",
            r"\b(?:in|all|use|only) (?:all )?lower[- ]?case\b(?: letters)?"
            r"(?=\s*(?:[.;]|,(?! digits)|$|only\b|and (?!digits|numbers|hyphens)|on\b))",
        ),
        *(
            (f"is in {name} case", f"case is {name}", rf"\b(?:in |use |using )?{name}[-_ ]?case\b")
            for name in ("camel", "pascal", "snake", "kebab")
        ),
        ("is CSV", "is csv", r"\b(?:as|in|into|output|return|valid) (?:valid )?CSV\b"),
    )
)
_CODE: Final = Lazy(
    r"\b(?:in|inside|within|as|with) (?:a |an |one |single |fenced |markdown |the )*(?:`{3}\w* ?|"
    r"\w+ )?code (?:block|fence)s?\b",
    re.IGNORECASE,
)
_ALONE: Final = Lazy(r"\b(?:only|just|nothing else|nothing but)\b", re.IGNORECASE)
_KIND_OF_LETTER: Final = (
    r"(?:(?:lower[- ]?case|upper[- ]?case|capital|latin)\s+)?"
    r"(?:letters|digits|numbers|hyphens|dashes|underscores|spaces|dots)"
)
_CHARACTERS: Final = Lazy(
    rf"\bonly\s+(?P<list>{_KIND_OF_LETTER}(?:(?:\s*,\s*(?:and |or )?|\s+and\s+|\s+or\s+){_KIND_OF_LETTER})+)",
    re.IGNORECASE,
)
_CLASSES: Final = (
    (r"lower[- ]?case letters", "a-z"),
    (r"(?:upper[- ]?case|capital) letters", "A-Z"),
    (r"(?<!case )(?<!capital )letters", "A-Za-z"),
    (r"digits|numbers", "0-9"),
    (r"underscores", "_"),
    (r"spaces", " "),
    (r"dots", "."),
    (r"hyphens|dashes", "-"),
)
_TAG: Final = Lazy(
    rf"(?:(?P<least>at least|multiple|several)|(?P<just>exactly|only|a single))?\s*(?P<n>{NUMBER})?\s*"
    r"(?P<more>or more\s+)?<(?P<tag>[a-zA-Z][\w-]*)>(?:\s*(?:tags?|elements?))?",
    re.IGNORECASE,
)
_TAGGED: Final = Lazy(
    r"\b(?:wrap|enclose|put|place|inside|within|in|between)\b[^.;]{0,50}?<(?P<tag>[A-Za-z][\w-]*)>"
    r"(?:\s*(?:and|…|\.\.\.)?\s*</(?P=tag)>)?\s*(?:xml |html )?tags?\b",
    re.IGNORECASE,
)
# ``End every answer with the ticket number in the form “Ticket: C-1234”``
_FORM_AT: Final = Lazy(
    r"\b(?:ends?|conclude|finish|close)\b[^.;\"“`]{0,60}?\b(?:in|of|using|follow(?:s|ing)?) the (?:form|format|pattern)"
    r"(?: of)?:?\s+(?:\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`)",
    re.IGNORECASE,
)
_MARKS: Final = {"period": ".", "full stop": ".", "semicolon": ";", "question mark": "?", "colon": ":"}
_MARK_END: Final = Lazy(rf"\bends?\b[^.;]{{0,30}}\b(?:with|in) an? (?P<mark>{'|'.join(_MARKS)})\b", re.IGNORECASE)
_CODES: Final = {
    name: code
    for code, names in (
        ("en", "english"), ("fr", "french"), ("de", "german"), ("es", "spanish"), ("it", "italian"),
        ("pt", "portuguese"), ("nl", "dutch"), ("ja", "japanese"), ("zh", "chinese"), ("ko", "korean"),
        ("ru", "russian"), ("pl", "polish"), ("sv", "swedish"), ("da", "danish"), ("no", "norwegian"),
        ("fi", "finnish"), ("tr", "turkish"), ("ar", "arabic"), ("he", "hebrew"), ("hi", "hindi"), ("th", "thai"),
        ("vi", "vietnamese"), ("id", "indonesian"), ("el", "greek"), ("cs", "czech"), ("uk", "ukrainian"),
        ("hu", "hungarian"), ("ro", "romanian"),
    )
    for name in names.split()
}  # fmt: skip
_LANGUAGE: Final = Lazy(
    rf"\b(?:(?:in|into|to)\s+(?:\w+\s+)?|(?:use|speak|write|answer|respond|reply)\s+(?:only\s+)?)(?P<name>{'|'.join(_CODES)})\b"
    r"(?=\s*(?:[.,;)]|only\b|$|with\b|using\b|for\b|at\b))",
    re.IGNORECASE,
)
_NOT_ANSWER: Final = Lazy(
    r"\bfrom\s+$|\b(?:the|this|following|input|user[’']?s?|each|given|source|original)\s+(?:text|article|review|message|"
    r"document|input|sentence|question)s?\s+(?:is\s+|are\s+)?(?:written\s+)?$|\b(?:not|n't|never|plain|simple|everyday)\b[^.]*$",
    re.IGNORECASE,
)
_SAME: Final = Lazy(
    r"\b(?:in\s+)?the\s+same\s+language\s+(?:as|that|in which|of|the)\b[^.;]{0,60}|"
    r"\bin\s+the\s+(?:user'?s|customer'?s|input'?s?|original|source)\s+language\b|"
    r"\blanguage (?:of|used by|used in) the (?:user|input|question|customer|text|message)\b",
    re.IGNORECASE,
)
_VARIABLE: Final = Lazy(r"\b(?:in|into|to)\s+\{\{\s*(?P<name>\w*(?:lang|language|locale)\w*)\s*\}\}", re.IGNORECASE)
_SCALE: Final = Lazy(
    r"\b(?:scale|score|rate|rating|rated|number|integer|value|grade|points?)\b[^.;\"]{0,80}?\b(?:from|of|between)?\s*"
    r"(?P<low>-?\d{1,4}(?:\.\d+)?)\s*(?:\([^()]{1,60}\)\s*)?(?:-|–|to|and|through)\s*(?P<high>\d{1,4}(?:\.\d+)?)\b"
    r"(?!\s*(?:words|characters|sentences|%))(?:\s*\([^()]{1,60}\))?",
    re.IGNORECASE,
)
_NUMBER_ALONE: Final = Lazy(
    r"\b(?:only|just|nothing but)\s+(?:with\s+)?(?:the|a|one)?\s*(?:single\s+)?(?:number|score|rating|integer)\b"
    r"(?!\s+(?:of|and|followed))",
    re.IGNORECASE,
)
_NOTHING_ELSE: Final = Lazy(r"\b(?:number|integer|score|rating)\b[^.;]{0,80}\bnothing else\b", re.IGNORECASE)


def find_named_shapes(clause: str, scope: Scope) -> Iterator[Aspect]:
    """Yield the shapes of the whole answer that a clause names."""
    seen = False
    for said, predicate, pattern in _SHAPES:
        match = pattern.search(clause)
        if match is None or _BEFORE_NOT.search(clause, 0, match.start()) or (seen and "json" in predicate):
            continue
        seen = seen or "json" in predicate
        n = str(number_of(match["n"])) if "{n}" in said else ""
        yield _aspect(said.replace("{n}", n), predicate.replace("{n}", n), match)
    if (match := _CODE.search(clause)) and _ALONE.search(clause) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _aspect("is only a code block", "has code block and no extra text", match)
    if (match := _CHARACTERS.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        kinds = [kind for word, kind in _CLASSES if re.search(word, match["list"], re.IGNORECASE)]
        yield _aspect(f"has only {match['list'].strip()}", f"only characters /[{''.join(kinds)}]/", match)
    if (match := _TAGGED.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        yield _aspect(f"has its answer in <{match['tag']}> tags", f'tags "{match["tag"]}" = 1', match)
    if (match := _FORM_AT.search(clause)) and (form := quoted_texts(match.group())[-1]):
        yield _aspect(f"ends in the form {form}", f"matches /{pattern_of(form)}\\W*$/", match)
    if (match := _MARK_END.search(clause)) and not _BEFORE_NOT.search(clause, 0, match.start()):
        mark = _MARKS[match["mark"].lower()]
        yield _aspect(f"ends with a {match['mark']}", f'ends with "{mark}"', match)
    yield from find_tags(clause)
    yield from _languages(clause)
    if (match := _NUMBER_ALONE.search(clause)) and not scope.structured:
        yield _aspect("is only a number", "is number", match)
    if scope.numeric and not scope.structured:
        yield from find_scale(clause)


def find_scale(clause: str) -> Iterator[Aspect]:
    """Yield the range of a number: ``a score from 1 to 5``."""
    match = _SCALE.search(clause)
    if match and float(match["low"]) < float(match["high"]):
        low, high = match["low"], match["high"]
        whole = "is integer and " if re.search(r"\b(?:whole|integer)\b", clause, re.IGNORECASE) else "is number and "
        alone = whole if _NOTHING_ELSE.search(clause) else ""
        yield Aspect(
            text=f"The output is a number from {low} to {high}.",
            predicate=f"{alone}number between {low} and {high}",
            start=match.start() if alone else match.start("low"),
            end=match.end(),
        )


def find_amount_aspects(text: str, code: str = "en") -> Iterator[Aspect]:
    """Yield the amounts of a description, all of them for the whole of what it describes."""
    for each in find_amounts(text, code):
        said = text[each.start : each.end].strip()
        yield Aspect(
            text=f"The output has {said}.", predicate=f"{each.measure} {each.bound}", start=each.start, end=each.end
        )


def find_tags(clause: str) -> Iterator[Aspect]:
    """Yield the numbers of HTML or XML tags: ``at least three <p> tags``."""
    for match in _TAG.finditer(in_digits(clause, "en")):
        if not (match["least"] or match["n"] or match["just"]):
            continue
        n = number_of(match["n"]) if match["n"] else 1 if match["just"] else 2
        form = ">=" if match["least"] or match["more"] else "="
        bound = "at least" if form == ">=" else "exactly"
        tag = match["tag"].lower()
        yield _aspect(f"has {bound} {n} <{tag}> tag{'s' * (n > 1)}", f'tags "{tag}" {form} {n}', match)


def _languages(clause: str) -> Iterator[Aspect]:
    if match := _SAME.search(clause):
        yield _aspect("is in the same language as the input", "same language as the input", match)
    elif match := _VARIABLE.search(clause):
        said = f"is in the language that the input {match['name']} names"
        yield _aspect(said, f'language is the input "{match["name"]}"', match)
    else:
        found = [
            each
            for each in _LANGUAGE.finditer(clause)
            if re.match(r"(?:in)?to\b", each.group(), re.IGNORECASE) or not _NOT_ANSWER.search(clause, 0, each.start())
        ]
        if len({each["name"].lower() for each in found}) == 1:
            name = found[0]["name"]
            yield _aspect(f"is in {name.title()}", f"language is {_CODES[name.lower()]}", found[0])


def _aspect(said: str, predicate: str, match: re.Match[str]) -> Aspect:
    return Aspect(text=f"The output {said}.", predicate=predicate, start=match.start(), end=match.end())
