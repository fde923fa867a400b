"""Score the grammar of an answer and report what was not checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal

from proctor.core.acceptability import Acceptability
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import WordingReader
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.scorers.model_trust import trust
from proctor.text import english, japanese
from proctor.text.answer_format import repetitions, unbalanced, unfinished
from proctor.text.claims import plain
from proctor.text.script import Slip, broken_characters, language_of, mixed_words
from proctor.text.split import sentences, words
from proctor.text.text_damage import TextDamage, text_damage

__all__ = ["Checker", "score_grammar", "with_wording"]

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
    damage = text_damage(text)
    value = min(value, 1.0 - max((each.share for each in damage), default=0.0))
    what = "; ".join(dict.fromkeys(slip.note for slip in kept)) if kept else f"no slip found{by}"
    if damage:
        what = "; ".join([*(each.note for each in damage), *([what] if kept else [])])
    return Score(
        name="grammar",
        value=value,
        confidence=max(confidence, 0.8) if damage else confidence,
        reason=quoted(f"{what}; not checked: {missed}", 500),
        evidence=_evidence(damage, kept),
        label=language,
    )


def _evidence(damage: Sequence[TextDamage], kept: Sequence[Slip]) -> tuple[Evidence, ...]:
    found = [Evidence(quote=quoted(each.quote), note=f"{each.kind}: {each.note}") for each in damage]
    found += [Evidence(quote=slip.quote, note=f"{slip.kind}: {slip.note}") for slip in kept]
    return tuple(found[:MOST_EVIDENCE])


# How far each fault makes a text unreadable. The network takes one fluent text in ten for bad grammar (brands, slang,
# terse replies), so that fault weighs little unless it marks several words or a rule finds a slip too.
_SEVERITY: Final[Mapping[str, float]] = {"order": 1.0, "woven": 1.0, "garbled": 0.95, "repeated": 1.0, "cut": 0.6}
_GRAMMAR, _GRAMMAR_CLEAR, _MARKS = 0.2, 0.5, 3
_FEW_WORDS: Final = 6
_FAULTS: Final[Mapping[str, str]] = {
    "order": "the words are out of order",
    "grammar": "forms or small words look wrong",
    "woven": "two sentences are mixed up",
    "cut": "the text breaks off",
    "garbled": "characters are garbled",
    "repeated": "the same words again and again",
}


async def with_wording(by_rule: Score, answer: str, reader: WordingReader) -> Score:
    """Return the grammar score with what the network says about the text, which rules cannot see."""
    if by_rule.value is None:
        return by_rule
    text = plain(answer[:LONGEST])
    try:
        (found,) = await reader.wording([text])
    except ProctorError as error:
        return Score(name="grammar", status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    loss = _loss(found, slips=by_rule.value < 1.0) * min(1.0, len(words(text)) / _FEW_WORDS)
    # Rules and network see different faults, so both count.
    value = max(0.0, min(by_rule.value, by_rule.value * (1.0 - loss)))
    fault = max(_FAULTS, key=lambda name: found.kinds.get(name, 0.0))
    reason, evidence = by_rule.reason, by_rule.evidence
    if loss >= 0.2:
        reason = quoted(f"{_FAULTS[fault]} ({found.kinds.get(fault, 0.0):.2f}); {reason}", 500)
        marked = tuple(Evidence(quote=quoted(each, 120), note=_FAULTS[fault]) for each in found.wrong)
        evidence = (*marked, *evidence)[:MOST_EVIDENCE]
    sure = max(by_rule.confidence or 0.0, trust(text))
    return replace(by_rule, value=value, reason=reason, evidence=evidence, confidence=sure, producer="rule+local model")


def _loss(found: Acceptability, *, slips: bool) -> float:
    """Return how unreadable the text is, from 0 to 1; ``slips``: whether rules found something too."""
    loss = sum(share * found.kinds.get(name, 0.0) for name, share in _SEVERITY.items())
    clear = slips or len(found.wrong) >= _MARKS
    return min(1.0, loss + (_GRAMMAR_CLEAR if clear else _GRAMMAR) * found.kinds.get("grammar", 0.0))


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
