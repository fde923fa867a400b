"""Detect wording after which a person must take over: legal or press threats, danger to somebody, self-harm."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from proctor.text.pattern_files import wording
from proctor.text.pattern_prefilter import Haystack

__all__ = ["DANGERS", "DangerMention", "dangers", "without_set_phrases"]

DANGERS: Final = ("self_harm", "safety_incident", "legal_threat", "media_complaint")
_LONGEST: Final = 100_000
_ENDS: Final = ".!?？！。؟।\n"
_ASKED: Final = re.compile(r"[?？؟]\s*[\"'”’」』)）]*\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class DangerMention:
    """A dangerous mention: its kind and span."""

    kind: str
    start: int
    end: int


def dangers(text: str) -> Iterator[DangerMention]:
    """Yield the first mention of each kind; questions about rules and idioms do not count."""
    source = text[:_LONGEST]
    known = _wording()
    seen: set[str] = set()
    for number, hit in known.dangers.find(source):
        kind = known.kinds[number]
        if kind not in seen and _is_meant(kind, _sentence(source, hit.start())):
            seen.add(kind)
            yield DangerMention(kind=kind, start=hit.start(), end=hit.end())


def without_set_phrases(text: str) -> str:
    """Return the text without sentences whose idioms a classifier may misread."""
    source = text[:_LONGEST]
    known = _wording()
    places = [hit.start() for words in (*known.ruled_out.values(), known.harmless) for _, hit in words.find(source)]
    for begin, end in sorted({_bounds(source, place) for place in places}, reverse=True):
        source = f"{source[:begin]} {source[end:]}"
    return source + text[_LONGEST:]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wording:
    """Patterns of each kind, and patterns that exclude it; questions about rules exclude most kinds."""

    dangers: Haystack
    kinds: tuple[str, ...]  # of each pattern
    ruled_out: Mapping[str, Haystack]
    harmless: Haystack
    questions: Haystack


@cache
def _wording() -> _Wording:
    sections = wording("danger.txt")
    told = [(kind, pattern) for kind in DANGERS for pattern in sections[kind]]
    return _Wording(
        dangers=Haystack(tuple(pattern for _, pattern in told)),
        kinds=tuple(kind for kind, _ in told),
        ruled_out={kind: Haystack(tuple(sections[f"not {kind}"])) for kind in DANGERS},
        harmless=Haystack(
            tuple(pattern for heading in sections if heading.startswith("harmless ") for pattern in sections[heading])
        ),
        questions=Haystack(tuple(sections["questions"])),
    )


def _is_meant(kind: str, sentence: str) -> bool:
    known = _wording()
    if known.ruled_out[kind].has(sentence):
        return False
    if kind == "self_harm" or _ASKED.search(sentence) is None:
        return True
    return not known.questions.has(sentence)


def _sentence(text: str, place: int) -> str:
    """Return the sentence at an index."""
    begin, end = _bounds(text, place)
    return text[begin:end]


def _bounds(text: str, place: int) -> tuple[int, int]:
    begin = max(text.rfind(sign, 0, place) for sign in _ENDS) + 1
    after = [at for sign in _ENDS if (at := text.find(sign, place)) >= 0]
    return begin, min(min(after, default=len(text)) + 1, len(text))
