"""Extract limits on the length of an output and on counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import NUMBER, Aspect, Scope, number_of
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_lengths"]

# Units as prompts write them -> units of predicates.
_UNITS: Final = {
    r"words?(?! counts?| limits?| choices?| order)": "words",
    r"(?:characters?|chars)": "characters",
    r"letters?": "letters",
    r"sentences?": "sentences",
    r"lines?(?! breaks?| items?| lengths?| numbers?| spacing)": "lines",
    r"paragraphs?": "paragraphs",
    r"(?:bullet[- ]?points?|bullets?|bulleted items)": "bullets",
    r"(?:numbered (?:items?|steps?|points?))": "numbered items",
    r"(?:headings?|headers?)": "headings",
    r"(?:links?|urls?|hyperlinks?)": "links",
    r"emojis?": "emoji",
    r"question marks?": 'count "?"',
    r"exclamation (?:marks?|points?)": 'count "!"',
    r"hashtags?": "count /#[^\\s#]+/",
    r"<(?P<tag>[a-zA-Z][\w-]*)>(?:\s*(?:tags?|elements?))?": "tags",
}
_UNIT: Final = "(?P<unit>" + "|".join(_UNITS) + ")"
_N: Final = f"(?P<n>{NUMBER})"
_ADJECTIVES: Final = (
    r"(?:\s+(?:short|brief|concise|simple|clear|complete|full|long|relevant|plain|different|separate|well-\w+|of))?"
)
_MOST: Final = (
    r"(?:at most|no more than|not more than|no longer than|not longer than|"
    r"(?:a )?max(?:imum)?(?:[\s-]+length)?(?:\s+(?:of|is))?:?|up to|"
    r"not exceed(?:ing)?|(?:n't|never|not|without) exceed(?:ing)?|within|limited to|(?:limit(?:ing)?|keep(?:ing)?|"
    r"restrict(?:ing)?)\b[^.;]{0,40}?\bto|capped at|"
    r"(?:n't|not|never) (?:use|write|be|have|include|go over|exceed|contain)?\s*(?:more than|longer than|over))"
)
_UNDER: Final = r"(?:under|less than|fewer than|below|shorter than)"
_LEAST: Final = r"(?:at least|no fewer than|no less than|not less than|(?:a )?min(?:imum)?(?:\s+(?:of|is|:))?:?)"
_OVER: Final = r"(?:more than|over|longer than|exceeding)"
_JUST: Final = (
    r"(?:exactly|precisely|in|of|is|be|as|has|have|using|use|with|into|to|only|just|contains?|"
    r"includes?|write|add|provide|give|return|output|produce|generate)"
)
_LOOSE: Final = Lazy(
    r"\b(?:about|around|approximately|roughly|approx\.?|circa|ideally|preferably|typically|usually|"
    r"aim for|~)\s*(?:of\s+)?$|~\s*$",
    re.IGNORECASE,
)
_PATTERNS: Final = tuple(
    (form, Lazy(pattern, re.IGNORECASE))
    for form, pattern in (
        ("between", rf"\b(?:between|from)\s+{_N}\s+(?:and|to)\s+(?P<m>{NUMBER}){_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        (
            "<=",
            rf"\b(?:under|within|below|at most|max(?:imum)?(?: of)?|up to)\s+\d{{1,4}}\s*(?:-|–|"
            rf"to)\s*{_N}[\s-]+{_UNIT}(?!\w)",
        ),
        ("between", rf"\b{_N}\s*(?:-|–|—|to|or)\s*(?P<m>{NUMBER}){_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        ("<=", rf"{_MOST}\s+{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        (
            "<=",
            rf"\b{_N}{_ADJECTIVES}[\s-]+{_UNIT}\s*"
            r"(?:or (?:less|fewer|shorter)|max(?:imum)?\b|at (?:the )?(?:very )?most|limit\b)",
        ),
        (">=", rf"\b{_N}{_ADJECTIVES}[\s-]+{_UNIT}\s*(?:or more|min(?:imum)?\b|at (?:the )?(?:very )?least)"),
        (">=", rf"{_LEAST}\s+{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        ("<", rf"\b{_UNDER}\s+{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        (">", rf"\b{_OVER}\s+{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        (">=", rf"\b(?P<n>multiple|several)\s+{_UNIT}(?!\w)"),
        ("=", rf"\b{_JUST}\s+(?:(?:a|exactly|only|just)\s+)*{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?!\w)"),
        ("=", rf"\b{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?:\s+long)?\s*[.!]?$"),
        ("=", rf"^\W*{_N}{_ADJECTIVES}[\s-]+{_UNIT}(?=\s*(?::|\())"),
        ("=", rf"\b(?P<n>singular|single)\s+{_UNIT}(?!\w)"),
    )
)
_SAID: Final = {
    "<=": "at most {n} {unit}",
    ">=": "at least {n} {unit}",
    "<": "fewer than {n} {unit}",
    ">": "more than {n} {unit}",
    "=": "exactly {n} {unit}",
    "between": "between {n} and {m} {unit}",
}
# ``Start with a short analysis (1-2 sentences)``: the length of what the answer starts with.
_OPENS: Final = Lazy(
    r"\W*(?:then |finally |also |please |always )*(?:start|begin|end|finish|open|close|"
    r"conclude|add|append|include|follow|insert|"
    r"attach|provide|give)\b(?! (?:with |in |your |the )*(?:answer|response|output|reply|"
    r"exactly|at most|no more|up to|only|\d))"
    r"[^.;]*\($",
    re.IGNORECASE,
)
_PLACE: Final = Lazy(r"\b(?:start|begin|end|finish|open|close)\w*\b[^.;]{0,30}$", re.IGNORECASE)
_AFTER: Final = Lazy(
    r"\s*,?\s+(?:without|excluding|not counting|not including)\b|"
    r"\s+(?:each\b|per\b(?! (?:message|reply|response|turn|answer|output))|for each\b|apiece\b|"
    r"or (?:more )?letters|that\b|which\b|from the|"
    r"of the (?:text|input|article|document|original)|longer\b|in the (?:text|input|title|subject))",
    re.IGNORECASE,
)


def find_lengths(clause: str, scope: Scope) -> Iterator[Aspect]:
    """Yield every exact limit on the whole output in the clause."""
    taken: list[tuple[int, int]] = []
    for form, pattern in _PATTERNS:
        for match in pattern.finditer(clause):
            if any(low < match.end() and match.start() < high for low, high in taken):
                continue
            taken.append(match.span())
            if _PLACE.search(clause, 0, match.end("n")) or _OPENS.match(clause[: match.start()].rstrip(" ~")):
                continue
            if not _LOOSE.search(clause, 0, match.start("n")) and not _AFTER.match(clause, match.end()):
                found = _aspect(form, match)
                listed = scope.array and found.predicate.startswith(("bullets ", "numbered items "))
                yield _of_array(found) if listed else found


def _aspect(form: str, match: re.Match[str]) -> Aspect:
    word = match.group("n").lower()
    n = {"multiple": 2, "several": 2, "singular": 1}.get(word) or number_of(word)
    unit, said = _unit(match)
    if form == "=" and n == 1 and unit in ("words", "sentences", "lines", "paragraphs"):
        one = {"words": "a single word", "lines": "on a single line"}.get(unit, f"a single {unit.removesuffix('s')}")
        return Aspect(text=f"The output is {one}.", predicate=f"{unit} = 1", start=match.start(), end=match.end())
    if form == "between":
        m = number_of(match.group("m"))
        predicate = f"{unit} between {min(n, m)} and {max(n, m)}"
        text = _SAID[form].format(n=min(n, m), m=max(n, m), unit=said)
    else:
        if form == "=" and unit in ("links", "emoji") and word in ("a", "an"):
            form = ">="
        predicate = f"{unit} {form} {n}"
        text = _SAID[form].format(n=n, unit=said if n != 1 else said.removesuffix("s"))
    return Aspect(text=f"The output has {text}.", predicate=predicate, start=match.start(), end=match.end())


def _of_array(found: Aspect) -> Aspect:
    """If the answer is a JSON array, count the items of the array."""
    counted = re.sub(r"^(?:bullets|numbered items)", "json array length", found.predicate)
    return replace(
        found, text=re.sub(r"(?:bullets?|numbered items?)\.$", "items in its array.", found.text), predicate=counted
    )


def _unit(match: re.Match[str]) -> tuple[str, str]:
    if match.group("tag"):
        tag = match.group("tag").lower()
        return f'tags "{tag}"', f"<{tag}> tags"
    for pattern, name in _UNITS.items():
        if re.fullmatch(pattern, match.group("unit"), re.IGNORECASE):
            return name, {'count "?"': "question marks", 'count "!"': "exclamation marks"}.get(
                name, "hashtags" if "#" in name else name
            )
    return "words", "words"
