"""Extract requirements on numeric outputs: only a number, a score on a scale, a score with an explanation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect, Scope
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_ranges"]

_ALONE: Final = Lazy(
    r"\b(?:only|just|nothing but|exactly)\s+(?:with\s+)?(?:the|a|an|"
    r"one)?\s*(?:single\s+)?(?:numeric(?:al)?\s+)?(?P<kind>number|score|rating|integer|"
    r"digit)\b(?!\s+(?:of|and|followed))|"
    r"\b(?:the|a|an|numeric|single|whole|with)\s+(?:\w+\s+)?(?P<other>number|score|rating|integer) only\b",
    re.IGNORECASE,
)
_SCALE: Final = Lazy(
    r"\b(?:scale|score|rate|rating|rated|number|integer|value|grade|points?)\b[^.;\"]{0,80}?\b(?:from|"
    r"of|between)?\s*(?P<low>-?\d{1,4}(?:\.\d+)?)\s*(?:\([^()]{1,60}\)\s*)?(?:-|–|to|and|"
    r"through)\s*(?P<high>\d{1,4}(?:\.\d+)?)\b(?!\s*(?:words|characters|sentences|%))",
    re.IGNORECASE,
)
_EXPLAINED: Final = Lazy(r"\b(?:numeric(?:al)? )?(?:score|number|rating),? followed by a colon\b", re.IGNORECASE)

_NOTHING_ELSE: Final = Lazy(
    r"\b(?:whole number|number|integer|score|rating)\b[^.;]{0,80}\b(?:and )?nothing else\b", re.IGNORECASE
)
_BARE: Final = Lazy(r"(?:number|integer|value)\b", re.IGNORECASE)
_BRACKETS: Final = Lazy(r"(?:\s*\([^()]{1,60}\))?")
_SENTENCE_AFTER: Final = Lazy(
    r",?\s*(?:and|followed by|then|and then)?\s*(?:by\s+)?(?:1|one|a|a single)\s+(?:\w+\s+)?sentence\b"
    r"(?:\s+(?:of\s+)?(?:explaining|explanation|that explains|justifying|to explain|for)\b[^.;]*)?",
    re.IGNORECASE,
)


def find_ranges(clause: str, scope: Scope) -> Iterator[Aspect]:
    """Yield what the clause requires of a numeric output; nothing if a number is only a part of it."""
    if (match := _ALONE.search(clause)) and not scope.structured:
        kind = "integer" if "integer" in match.group().lower() else "number"
        yield Aspect(
            text=f"The output is only {'an integer' if kind == 'integer' else 'the number'}.",
            predicate=f"is {kind}",
            start=match.start(),
            end=match.end(),
        )
    if (match := _SCALE.search(clause)) and scope.numeric and not scope.structured:
        low, high = match.group("low"), match.group("high")
        if float(low) < float(high):
            alone = _NOTHING_ELSE.search(clause)
            kind = "integer" if re.search(r"\b(?:whole|integer)\b", clause, re.IGNORECASE) else "number"
            whole = f"The output is only {'an integer' if kind == 'integer' else 'a number'} from {low} to {high}."
            yield Aspect(
                text=whole if alone else f"The number in the output is from {low} to {high}.",
                predicate=f"is {kind} and number between {low} and {high}"
                if alone
                else f"number between {low} and {high}",
                start=match.start() if _BARE.match(match.group()) else match.start("low"),
                end=_BRACKETS.match(clause, match.end("high")).end(),  # type: ignore[union-attr]
            )
    if match := _EXPLAINED.search(clause):
        lone = _SENTENCE_AFTER.match(clause, match.end())
        yield Aspect(
            text="The output is a number, a colon, and " + ("one sentence." if lone else "a text after it."),
            predicate='before ":" is number and ' + f'after ":" {"sentences = 1" if lone else "words >= 1"}',
            start=match.start(),
            end=lone.end() if lone else match.end(),
        )
