"""Extract requirements on each part of an output: each bullet, sentence, line, or array item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import Aspect, Scope
from proctor.generate.extract.lengths import find_lengths
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_parts", "without_parts"]

_FORMS: Final = (
    (r"bullet(?:[- ]?point)?s?|items?|points?|steps?|entr(?:y|ies)|takeaways?", "each item", "item"),
    (r"sentences?", "each sentence", "sentence"),
    (r"lines?", "each line", "line"),
    (r"paragraphs?", "each paragraph", "paragraph"),
)
_UNITS: Final = (
    r"(?:bullet[- ]?points?|bullets?|items?|points?|steps?|entr(?:y|ies)|takeaways?|sentences?|lines?|"
    r"paragraphs?|strings?|"
    r"elements?|\w+s)"
)
_SUBJECT: Final = Lazy(
    r"\b(?:each|every|all)\s+(?:of the\s+)?(?:(?!must|should|has|have|is|are)[\w-]+\s+)?"
    r"(?P<noun>(?!must|should|shall|has\b|have|is\b|are\b)[\w-]+(?: point)?)\s+"
    r"(?:must|should|shall|has|have|is|are|contains?|needs? to|does|do|uses?|stays?|with|of|at|under|"
    r"to)\b(?P<said>[^.;]*)",
    re.IGNORECASE,
)
_KEPT: Final = Lazy(
    r"\b(?:keep|limit|make|write|restrict)\s+(?:each|every|"
    r"all)\s+(?:of the\s+)?(?P<noun>[\w-]+(?: point)?)\b(?P<said>[^.;]*)",
    re.IGNORECASE,
)
_AFTER: Final = Lazy(
    rf"(?P<noun>{_UNITS})\s*,?\s*\(?,?\s*each\s+(?P<said>(?:of|with|under|no|having|between|at|"
    rf"in|less|fewer|not|up|max)\b[^.;)]*)\)?",
    re.IGNORECASE,
)
_EACH_LAST: Final = Lazy(
    rf"(?P<noun>{_UNITS})\s+(?P<said>(?:of|with|under|no|between|at)\b[^.;,)]*?)\s+each\b", re.IGNORECASE
)


def find_parts(clause: str, scope: Scope) -> Iterator[Aspect]:
    """Yield every limit that the clause sets for each part."""
    for match in _matches(clause):
        form = _form(match.group("noun"), scope)
        if form is None:
            continue
        at = match.start("said")
        for found in find_lengths(match.group("said"), scope):
            if not found.predicate.startswith(("words", "characters", "letters", "sentences", "lines")):
                continue
            said = found.text.removeprefix("The output ")
            yield replace(
                found,
                text=f"In the output, each {form[1]} {said}",
                predicate=f"{form[0]}: {found.predicate}",
                start=match.start() + (match.group().find("each") if pattern_is_late(match) else 0),
                end=at + found.end,
            )


def pattern_is_late(match: re.Match[str]) -> bool:
    """Whether the parts are named, and counted, before what is required of each."""
    return match.re is _AFTER.compiled


def without_parts(clause: str, scope: Scope) -> str:
    """Return the clause with what it says about each part replaced by blanks."""
    for match in list(_matches(clause)):
        if _form(match.group("noun"), scope) is not None:
            low = match.end("noun") if match.re in (_AFTER.compiled, _EACH_LAST.compiled) else match.start()
            clause = clause[:low] + " " * (match.end() - low) + clause[match.end() :]
    return clause


def _matches(clause: str) -> Iterator[re.Match[str]]:
    for pattern in (_AFTER, _EACH_LAST, _KEPT, _SUBJECT):
        if match := pattern.search(clause):
            yield match
            return


def _form(noun: str, scope: Scope) -> tuple[str, str] | None:
    if scope.array:
        return "each json item", "item of the array"
    if scope.structured and scope.fields:
        return None  # an item is a part of the JSON
    for pattern, form, name in _FORMS:
        if re.fullmatch(pattern, noun, re.IGNORECASE):
            return form, name
    return None
