"""Numbers an output is asked to be: only a number, a score on a scale, a score with an explanation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect, Scope

__all__ = ["find_ranges"]

_ALONE: Final = re.compile(
    r"\b(?:only|just|nothing but|exactly)\s+(?:with\s+)?(?:the|a|an|"
    r"one)?\s*(?:single\s+)?(?:numeric(?:al)?\s+)?(?P<kind>number|score|rating|integer|"
    r"digit)\b(?!\s+(?:of|and|followed))|"
    r"\b(?P<other>number|score|rating|integer) only\b",
    re.IGNORECASE,
)
_SCALE: Final = re.compile(
    r"\b(?:scale|score|rate|rating|rated|number|integer|value|grade|points?)\b[^.;\"]{0,80}?\b(?:from|"
    r"of|between)?\s*(?P<low>-?\d{1,4}(?:\.\d+)?)\s*(?:-|–|to|and|"
    r"through)\s*(?P<high>\d{1,4}(?:\.\d+)?)\b(?!\s*(?:words|characters|sentences|%))",
    re.IGNORECASE,
)
_EXPLAINED: Final = re.compile(r"\b(?:numeric(?:al)? )?(?:score|number|rating),? followed by a colon\b", re.IGNORECASE)


def find_ranges(clause: str, scope: Scope) -> Iterator[Aspect]:
    """What the clause says of the number that the output is; nothing where a number is only a part of it."""
    if match := _ALONE.search(clause):
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
            yield Aspect(
                text=f"The number in the output is from {low} to {high}.",
                predicate=f"number between {low} and {high}",
                start=match.start("low"),
                end=match.end("high"),
            )
    if match := _EXPLAINED.search(clause):
        yield Aspect(
            text="The output is a number, a colon, and a text after it.",
            predicate=r"matches /^\s*\d+(?:\.\d+)?\s*:\s*\S/",
            start=match.start(),
            end=match.end(),
        )
