"""Find two statements that cannot both be true, by exact means: a different number, or a negation."""

from __future__ import annotations

import re
from typing import Final

from proctor.lexicon.comparable_claims import Saying
from proctor.lexicon.match import matcher, words_of
from proctor.text.figures import agree
from proctor.text.quantities import Quantity, comparable

__all__ = ["apart", "conflict", "kinship", "readable", "rival_numbers"]

SAME_WORDS: Final = 0.75
# Japanese words are counted as character bigrams, and inflections add bigrams of their own.
SAME_WORDS_JAPANESE: Final = 0.6
ORDINALS: Final = frozenset({"volume number", "number"})

_HELD = re.compile(
    r"\b(?:if|unless|except|otherwise|either|depending|may|might|sometimes|usually|only|because)\b|場合|限り|"
    r"除[きく]|または",
    re.IGNORECASE,
)


def kinship(one: Saying, other: Saying) -> float:
    """Return the share of words that two statements have in common, without numbers and units."""
    together = one.words | other.words
    return len(one.words & other.words) / len(together) if together else 0.0


def apart(one: Saying, other: Saying) -> bool:
    """Whether they are about different things or times: other names, another volume, another kind of delivery.

    A statement that something changed does not contradict the earlier state; list items are about the same thing only
    if they name the same.
    """
    for left, right in ((one.names, other.names), (one.codes, other.codes)):
        if left and right and not left & right:
            return True
    if _other_subject(one, other) or _other_subject(other, one):
        return True
    if one.changed != other.changed:
        return True
    if (one.listed or other.listed) and not one.own & other.own:
        return True
    for unit in ORDINALS:
        here = {each.value for each in one.quantities if each.unit == unit}
        there = {each.value for each in other.quantities if each.unit == unit}
        if here and there and not here & there:
            return True
    return _contrasted(one, other)


def _other_subject(one: Saying, other: Saying) -> bool:
    """Whether one begins with a possible name, and the other names other things without that word."""
    return bool(one.subject) and not one.names and bool(other.names) and not one.subject & (other.words | other.names)


def readable(one: Saying, other: Saying) -> bool:
    """Whether a network can compare the two: both are whole sentences about the world."""
    return not (one.listed or other.listed or one.process or other.process)


def conflict(one: Saying, other: Saying) -> str | None:
    """Return why both cannot be true; ``None`` if there is no exact conflict."""
    if apart(one, other) or _HELD.search(one.text) or _HELD.search(other.text):
        return None
    if _alike(one, other):
        if _forms(one) == _forms(other) and (differs := _other_number(one, other)):
            return differs
        settled = all(any(agree(each, its) for its in other.quantities) for each in one.quantities)
        enough = SAME_WORDS if one.text.isascii() else SAME_WORDS_JAPANESE
        close = kinship(one, other) >= enough and len(one.words & other.words) >= 2
        if one.denies != other.denies and settled and close:
            return "one says the contrary of the other"
        return None
    return _other_number(one, other, only=words_of("fixed_unit")) if _one_thing(one, other) else None


def rival_numbers(one: Saying, other: Saying) -> bool:
    """Whether both count the same kind of thing with different numbers."""
    return _other_number(one, other) is not None


def _alike(one: Saying, other: Saying) -> bool:
    """Whether they use nearly the same words: one's words are a subset of the other's, or 3/4 are shared."""
    if not one.words and not other.words:
        return bool(one.names & other.names)
    few, many = sorted((one, other), key=lambda each: len(each.words))
    # A statement with an additional name is about something else.
    inside = few.words <= many.words and len(few.words) >= 2 and many.own <= few.names
    return kinship(one, other) >= SAME_WORDS or inside


def _one_thing(one: Saying, other: Saying) -> bool:
    """Whether they name the same thing, and neither a special form of it (a set, a sale, a discount)."""
    few, many = sorted((one.own, other.own), key=len)
    return bool(few) and few <= many and not _forms(one) and not _forms(other)


def _forms(one: Saying) -> frozenset[str]:
    """Return its words that mark a special form of a thing."""
    return frozenset(one.text[hit.start : hit.end].casefold() for hit in matcher("special_form").hits(one.text))


def _contrasted(one: Saying, other: Saying) -> bool:
    """Whether a shared word is qualified differently: standard delivery, express delivery."""
    for word in one.kinds.keys() & other.kinds.keys():
        left, right = one.kinds[word], other.kinds[word]
        if left and right and not left & right and not left & other.words and not right & one.words:
            return True
    return False


def _other_number(one: Saying, other: Saying, *, only: frozenset[str] | None = None) -> str | None:
    """Describe a quantity that differs between the two, if none of that kind is equal in both."""
    for each in one.quantities:
        if only is not None and (each.unit or "").casefold() not in only:
            continue
        rivals = [its for its in other.quantities if comparable(each, its) and each.unit not in ORDINALS]
        own = [its for its in one.quantities if comparable(each, its)]
        # Several quantities of a kind are a table or a range of choices, which cannot be compared.
        if len(rivals) == 1 and len(own) == 1 and not agree(each, rivals[0]) and not _within(each, rivals[0]):
            return f"{each.quote.strip()} against {rivals[0].quote.strip()}"
    return None


def _within(one: Quantity, other: Quantity) -> bool:
    """Whether one is a range that contains the other: 3 to 5 days and 4 days do not conflict."""
    for wide, point in ((one, other), (other, one)):
        if wide.high is not None and wide.day is None and wide.unit != "clock":
            return wide.value <= point.value and (point.high or point.value) <= wide.high
    return False
