"""Detect wording after which a person must take over: legal or press threats, danger to somebody, self-harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.lexicon.match import Matcher, matcher, sentence_bounds
from proctor.text.record_codes import is_inside_code

__all__ = ["DANGERS", "DangerMention", "dangers", "without_set_phrases"]

DANGERS: Final = ("self_harm", "safety_incident", "legal_threat", "media_complaint")
_LONGEST: Final = 100_000
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
    known, questions = matcher(*DANGERS), matcher("policy_question")
    seen: set[str] = set()
    for found in known.hits(source):
        kind = found.concept
        if kind in seen or is_inside_code(source, found.start, found.end):
            continue
        begin, end = sentence_bounds(source, found.start)
        sentence = source[begin:end]
        if not known.rules_out(kind, sentence, found.language) and not _is_question(kind, sentence, questions):
            seen.add(kind)
            yield DangerMention(kind=kind, start=found.start, end=found.end)


def without_set_phrases(text: str) -> str:
    """Return the text without sentences whose idioms a classifier may misread."""
    source = text[:_LONGEST]
    known = matcher(*DANGERS)
    places = [found.start for found in (*known.exception_hits(source), *matcher("harmless_phrase").hits(source))]
    for begin, end in sorted({sentence_bounds(source, place) for place in places}, reverse=True):
        source = f"{source[:begin]} {source[end:]}"
    return source + text[_LONGEST:]


def _is_question(kind: str, sentence: str, questions: Matcher) -> bool:
    """Whether a sentence asks what a rule covers; a question about self-harm is always taken seriously."""
    return kind != "self_harm" and _ASKED.search(sentence) is not None and questions.has(sentence)
