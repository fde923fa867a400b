"""Write a predicate in the form that is sure, or leave it to a judge.

Counted over prompts at their first reading, some forms of predicates fail right answers far more often than others:
fixed beginnings, bans of quoted phrases, exact numbers of questions, and limits of a part that an answer may leave
out. Each has a weaker form that a right answer keeps. Schemas, closed lists, named words and marks stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.aspects import checkable, quoted, quoted_texts
from proctor.generate.extract.limit_subject import names_answer
from proctor.text.lazy_pattern import Lazy

__all__ = ["doubt_of_kind", "sure_form"]

_TEXT: Final = r'"(?:[^"\\]|\\.)*"'
_START: Final = re.compile(rf"starts with {_TEXT}(?:, {_TEXT})*")
_PHRASE_BAN: Final = re.compile(rf"contains none ({_TEXT}) ignoring case")
_PART: Final = re.compile(rf"after ({_TEXT}) (?:before ({_TEXT}) )?")
# ``After each guess, start with``: a time makes a case.
_TEMPORAL: Final = Lazy(
    r"\b(?:after|before|until|nach(?:dem)?|bevor|bis|après|avant|jusqu|después|antes|hasta|depois|até|dopo|prima|"
    r"finché|nadat|voordat|totdat)\b|之后|以后|之前|した後|する前",
    re.IGNORECASE,
)
_SENTENCE_MARK: Final = re.compile(r"[,.!?;:…'’]")
_MEASURE: Final = re.compile(r"\(?(?P<measure>[a-z][a-z ]*?) (?:<=?|>=?|=|between) (?P<bound>\d[^()]*)\)?")


def doubt_of_kind(predicate: str, said: str) -> str:
    """Return why a predicate of this kind is not written for a sentence; nothing if its kind is sure."""
    bounds: dict[str, set[str]] = {}
    for each in predicate.split(" and "):
        if match := _MEASURE.fullmatch(each):
            bounds.setdefault(match["measure"], set()).add(each)
    if any(len(each) > 1 for each in bounds.values()):
        return "the sentence sets two limits for the same thing, so each is for a part"
    if _START.fullmatch(predicate) and _TEMPORAL.search(said):
        return "some answers come before or after what the sentence names"
    ban = _PHRASE_BAN.fullmatch(predicate)
    phrase = quoted_texts(ban[1])[0] if ban else ""
    if " " in phrase and _SENTENCE_MARK.search(phrase):
        return f'"{phrase}" may be a phrase that is asked for'
    return ""


def sure_form(predicate: str, said: str, made: Sequence[str]) -> str:
    """Return the predicate, weaker where its kind needs it; ``said`` is its sentence, ``made`` are nouns of the answer.

    A beginning is one of the answer only if the sentence names the answer; something may stand above it otherwise.
    """
    if _START.fullmatch(predicate) and not names_answer(said, made):
        texts = "|".join(re.escape(text).replace("/", r"\/") for text in quoted_texts(predicate))
        return checkable(rf"matches /^[ \t>*#-]*(?:{texts})/m") or predicate
    if part := _PART.match(predicate):  # a part that is not there keeps its limit, and one with little to say is short
        marks = [quoted_texts(each)[0] for each in part.groups() if each]
        upper = re.sub(r"between \d+ and (?=\d+$)", "<= ", predicate)
        return checkable(f"when contains all {quoted(marks)}: {upper}") or predicate
    return re.sub(r"^questions = (?=[1-9])", "questions <= ", predicate)
