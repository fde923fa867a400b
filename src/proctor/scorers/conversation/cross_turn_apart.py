"""Decide whether two statements are about different things, by what they and the text before them name."""

from __future__ import annotations

import re
from typing import Final

from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.conversation.cross_turn_pairs import Pair
from proctor.scorers.conversation.cross_turn_said import Spoken
from proctor.scorers.conversation.cross_turn_things import LONGEST, Things, segments, things
from proctor.text.claims import statements
from proctor.text.content_words import content

__all__ = ["TELLS", "other_names", "other_questions", "other_things", "same_thing"]

_NOTHING: Final = Things(named=frozenset(), words=frozenset())
_DEFINITE = re.compile(r"\b(?:the|your|this|that|these|those|it|its|they|them)\b", re.IGNORECASE)
# Words that state a time or a price of any thing.
TELLS: Final = content(
    "takes take gets goes arrives arrive arriving reach reaches comes come wait need needs expect until till"
    " costs cost price pay pays"
)


def other_things(pair: Pair, *, same_question: bool = False) -> bool:
    """Whether each of two statements is about something that the other and its context do not mention.

    A statement is about what it names; one that names nothing is about what precedes it in its answer, or in the
    question. ``same_question``: both answer one question, which therefore cannot separate them.
    """
    own = things(pair.one.text), things(pair.two.text)
    if _differ(*own):
        return True
    if _other_before(pair):
        return True
    if same_question:
        return False
    return _differ(
        own[0] | _asked_about(pair.earlier, pair.one, own[0]), own[1] | _asked_about(pair.later, pair.two, own[1])
    )


def other_names(pair: Pair) -> bool:
    """Whether two statements have different names or numbers, or name nothing and follow different things.

    Nouns are ignored where statements are compared by meaning: one thing may have two words.
    """
    own = things(pair.one.text), things(pair.two.text)
    if pair.one.own - own[1].words - pair.two.own and pair.two.own - own[0].words - pair.one.own:
        return _differ(*own)
    return not (own[0].named and own[1].named) and other_things(pair)


def other_questions(one: str, two: str) -> bool:
    """Whether each of two questions names something that the other does not."""
    return _differ(things(one), things(two))


def same_thing(one: Saying, two: Saying) -> bool:
    """Whether both name the same thing and differ only in words for duration or cost."""
    left, right = things(one.text), things(two.text)
    return bool(left.named) and left.named == right.named and left.words ^ right.words <= TELLS


def _differ(one: Things, two: Things) -> bool:
    return bool(one.named - two.words) and bool(two.named - one.words)


def _asked_about(spoken: Spoken, saying: Saying, own: Things) -> Things:
    """Return what the question adds: all it names if the statement names nothing, else parts on the same thing."""
    asked = spoken.asked[:LONGEST]
    if not own.named:
        before = _before(spoken, saying)
        nearest = next((found for found in map(things, reversed(before)) if found.named), None)
        return nearest | Things(named=frozenset(), words=things(asked).words) if nearest else _questions(asked)
    found = _NOTHING
    for segment in segments(asked):
        part = things(segment)
        found |= part if part.words & own.named else Things(named=frozenset(), words=part.words)
    return found


def _questions(asked: str) -> Things:
    """Return what the questions of a message name; if they name nothing, what the whole message names."""
    found = _NOTHING
    for each in statements(asked):
        if each.kind == "question":
            found |= things(each.text)
    return Things(named=found.named or things(asked).named, words=things(asked).words)


def _before(spoken: Spoken, saying: Saying) -> list[str]:
    """Return the statements of the answer before this one."""
    texts = [each.text for each in spoken.sayings]
    return texts[: texts.index(saying.text)] if saying.text in texts else []


def _other_before(pair: Pair) -> bool:
    """Whether two statements that refer back follow two that say the same of different things."""
    if not (_DEFINITE.search(pair.one.text) and _DEFINITE.search(pair.two.text)):
        return False
    earlier, later = _before(pair.earlier, pair.one), _before(pair.later, pair.two)
    if not earlier or not later:
        return False
    one, two = things(earlier[-1]), things(later[-1])
    return _differ(one, two) and bool(one.words & two.words)
