"""Score the grammar of an answer and report what was not checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal

from proctor.core.score import Evidence, Score
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.text import english, japanese
from proctor.text.answer_format import repetitions, unbalanced, unfinished
from proctor.text.script import Slip, broken_characters, language_of, mixed_words
from proctor.text.split import sentences

__all__ = ["Checker", "score_grammar"]

Checker = Literal["auto", "own", "harper"]

COST: Final = 0.25
LONGEST: Final = 20_000
_HARPER_KINDS = frozenset(
    {"Agreement", "BoundaryError", "Eggcorn", "Grammar", "Malapropism", "Miscellaneous", "Nonstandard"}
)
_HARPER_KINDS |= {"Punctuation", "Repetition", "Typo", "Usage", "WordChoice"}
# An unknown word in lowercase ASCII is a slip; any other may be a name.
_COMMON_WORD = re.compile(r"[a-z]{4,}")


def score_grammar(answer: str, *, checker: Checker = "auto") -> Score:
    """Score the slips found relative to the length of the answer."""
    if not answer.strip():
        return Score(name="grammar", value=0.0, confidence=1.0, reason="the answer is empty")
    language = language_of(answer)
    text = answer[:LONGEST]
    found = list(_any_language(text))
    confidence, missed, by = 0.3, f"the grammar of this language ({language})", ""
    if language == "en":
        linter = _harper() if checker != "own" else None
        if checker == "harper" and linter is None:
            reason = "harper is not installed: pip install harper-py, or set `checker: own`"
            return Score(name="grammar", status="error", reason=reason)
        found += english.english_slips(text)
        confidence, missed = 0.55, english.NOT_CHECKED
        if linter is not None:
            # Two checks that report the same place found one slip.
            found += [
                slip for slip in _by_harper(linter, text) if not any(abs(slip.start - s.start) < 13 for s in found)
            ]
            confidence, missed, by = 0.75, "sense and most of sentence structure", " with harper"
    elif language == "ja":
        found += japanese.japanese_slips(text)
        confidence, missed = 0.5, japanese.NOT_CHECKED
    elif language == "none":
        confidence, missed = 0.5, "there are no words"
    if len(answer) > LONGEST:
        missed += f", what comes after {LONGEST:,} characters"
    kept = sorted(found, key=lambda slip: slip.start)
    value = max(0.0, 1.0 - COST * sum(slip.weight for slip in kept) / math.sqrt(max(1, len(sentences(text)))))
    what = "; ".join(dict.fromkeys(slip.note for slip in kept)) if kept else f"no slip found{by}"
    return Score(
        name="grammar",
        value=value,
        confidence=confidence,
        reason=quoted(f"{what}; not checked: {missed}", 500),
        evidence=tuple(Evidence(quote=slip.quote, note=f"{slip.kind}: {slip.note}") for slip in kept[:MOST_EVIDENCE]),
        label=language,
    )


def _any_language(text: str) -> Iterator[Slip]:
    yield from broken_characters(text)
    yield from mixed_words(text)
    yield from unbalanced(text)
    yield from repetitions(text)
    if (broken_off := unfinished(text)) is not None:
        yield broken_off


@cache
def _harper() -> Any:
    """Return the linter of harper-py if it is installed; cached because it loads a dictionary."""
    try:
        return import_module("harper").Linter()
    except ImportError:
        return None


def _by_harper(linter: Any, text: str) -> list[Slip]:
    found = []
    for lint in linter.lint(text):
        words = str(lint.problem_text)
        known = lint.lint_kind in _HARPER_KINDS
        if not text[lint.span.start : lint.span.end].isascii():
            continue
        if known or (lint.lint_kind == "Spelling" and _COMMON_WORD.fullmatch(words)):
            weight = 1.0 if known else 0.5
            note = f"{str(lint.message).rstrip('.')}"
            found.append(
                Slip(
                    kind=str(lint.lint_kind).lower(), quote=words, start=int(lint.span.start), note=note, weight=weight
                )
            )
    return found
