"""Detect promises in languages other than English, and wording that makes them conditional."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from proctor.text.pattern_files import wording
from proctor.text.pattern_prefilter import Haystack

__all__ = ["asks_first", "promised"]


@lru_cache(maxsize=64)  # each registry entry checks the same sentence
def promised(sentence: str) -> frozenset[str]:
    """Return the topics in which a sentence promises something, unless its wording is conditional."""
    known = _known()
    sentence = known.soothing.sub("", sentence)
    told = {known.kinds[number] for number, _ in known.says.find(sentence)}
    closed = {language: not known.open[language].has(sentence) for language, _ in told}
    return frozenset(matter for language, matter in told if closed[language])


def asks_first(message: str) -> bool:
    """Whether the message asks the customer to agree before anything is done."""
    return _known().proposes.has(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Promise patterns with their language and topic; and by language, patterns that make it conditional."""

    says: Haystack
    kinds: tuple[tuple[str, str], ...]
    open: Mapping[str, Haystack]
    proposes: Haystack
    soothing: re.Pattern[str]


@cache
def _known() -> _Known:
    sections = wording("promises.txt")
    told: list[tuple[tuple[str, str], str]] = []
    left: dict[str, Haystack] = {}
    for heading, patterns in sections.items():
        language, matter = heading.split()
        if matter == "open":
            left[language] = Haystack(tuple(patterns))
        elif language != "any":
            told += (((language, matter), pattern) for pattern in patterns)
    return _Known(
        says=Haystack(tuple(pattern for _, pattern in told)),
        kinds=tuple(kind for kind, _ in told),
        open=left,
        proposes=Haystack(tuple(sections["any proposes"])),
        soothing=re.compile("|".join(sections["any soothing"]), re.IGNORECASE),
    )
