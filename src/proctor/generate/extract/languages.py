"""Extract the required language of the output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect
from proctor.text.lazy_pattern import Lazy

__all__ = ["CODES", "find_languages"]

CODES: Final = {
    "english": "en",
    "american english": "en",
    "british english": "en",
    "french": "fr",
    "german": "de",
    "spanish": "es",
    "italian": "it",
    "portuguese": "pt",
    "brazilian portuguese": "pt",
    "dutch": "nl",
    "japanese": "ja",
    "chinese": "zh",
    "simplified chinese": "zh",
    "traditional chinese": "zh",
    "mandarin": "zh",
    "korean": "ko",
    "russian": "ru",
    "polish": "pl",
    "swedish": "sv",
    "danish": "da",
    "norwegian": "no",
    "finnish": "fi",
    "turkish": "tr",
    "arabic": "ar",
    "hebrew": "he",
    "hindi": "hi",
    "thai": "th",
    "vietnamese": "vi",
    "indonesian": "id",
    "greek": "el",
    "czech": "cs",
    "ukrainian": "uk",
    "hungarian": "hu",
    "romanian": "ro",
}
_NAMES: Final = "(?P<name>" + "|".join(sorted(CODES, key=len, reverse=True)) + ")"
_PLAIN: Final = (
    r"(?:(?:plain|simple|clear|fluent|natural|formal|modern|standard|proper|idiomatic|polite|everyday|"
    r"native)\s+(?:and\s+\w+\s+)?)*"
)
_ASKED: Final = Lazy(
    rf"\b(?:in|into|to)\s+{_PLAIN}{_NAMES}\b(?!\s+(?:or|and|text|sentence|word|input|speak|class|"
    r"language model|literature|grammar))",
    re.IGNORECASE,
)
_ONLY: Final = Lazy(
    rf"\b(?:use|speak|write|answer|respond|reply)\s+(?:only\s+)?{_PLAIN}{_NAMES}(?:\s+only)?\b\s*(?:[.,;]|only|$)",
    re.IGNORECASE,
)
_SAME: Final = Lazy(
    r"\b(?:in\s+)?the\s+same\s+language\s+(?:as|that|in which|of|the)\b[^.;]{0,60}|"
    r"\bin\s+the\s+(?:user'?s|customer'?s|input'?s?|original|source)\s+language\b|"
    r"\blanguage (?:of|used by|used in) the (?:user|input|question|customer|text|message)\b",
    re.IGNORECASE,
)
_OTHER: Final = Lazy(
    r"\bfrom\s+$|\b(?:the|this|following|input|user[’']?s?|each|given|source|original)\s+(?:text|"
    r"article|review|message|document|input|sentence|question)s?\s+"
    r"(?:is\s+|are\s+)?(?:written\s+)?$|"
    r"\b(?:not|n't|never)\b[^.]*$",
    re.IGNORECASE,
)
_DENIED: Final = Lazy(r"\b(?:not|n't|never)\b[^.]*$", re.IGNORECASE)
_GOAL: Final = Lazy(r"(?:in)?to\b", re.IGNORECASE)
_VARIABLE: Final = Lazy(
    r"\b(?:in|into|to)\s+\{\{\s*(?P<name>\w*(?:lang|language|locale|idioma|sprache)\w*)\s*\}\}", re.IGNORECASE
)


def find_languages(clause: str) -> Iterator[Aspect]:
    """Yield the language of the whole output, if the clause names one."""
    if match := _SAME.search(clause):
        yield Aspect(
            text="The output is in the same language as the input.",
            predicate="same language as the input",
            start=match.start(),
            end=match.end(),
        )
        return
    if match := _VARIABLE.search(clause):
        name = match.group("name")
        yield Aspect(
            text=f"The output is in the language that the input {name} names.",
            predicate=f'language is the input "{name}"',
            start=match.start(),
            end=match.end(),
        )
        return
    for pattern in (_ASKED, _ONLY):
        found = [
            match
            for match in pattern.finditer(clause)
            if not (_DENIED if _GOAL.match(match.group()) else _OTHER).search(clause, 0, match.start())
        ]
        names = {CODES[match.group("name").lower()] for match in found}
        styled = found and re.search(r"\b(?:plain|simple|clear|everyday)\s", found[-1].group(), re.IGNORECASE)
        if len(names) == 1 and not (styled and names == {"en"}):
            match = found[-1]
            name = match.group("name").title()
            yield Aspect(
                text=f"The output is in {name}.",
                predicate=f"language is {names.pop()}",
                start=match.start(),
                end=match.end(),
            )
            return
