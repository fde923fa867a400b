"""Find exact contradictions between answers: a different window, amount or date, or yes against no."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from proctor.lexicon.claim_conflicts import apart, conflict, kinship, rival_numbers
from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.conversation.cross_turn_apart import TELLS, other_questions, other_things, same_thing
from proctor.scorers.conversation.cross_turn_pairs import Pair
from proctor.scorers.conversation.cross_turn_said import Spoken
from proctor.scorers.conversation.cross_turn_wording import plain_words
from proctor.text.content_words import content
from proctor.text.quantities import find_quantities

__all__ = ["conflict_of", "derived", "opposite_answers", "same_condition"]

# Minimum word overlap for two statements with different numbers to be about the same window or amount.
SAME_MATTER: Final = 0.4
NEAR_ENOUGH: Final = 0.86
SHARED: Final = 2
SAME_OUTCOME: Final = 0.6
SAME_SUM: Final = 0.3

_CONDITION = re.compile(
    r"\b(?:if|unless|except|provided|as long as|in case|for|with|on|when|once|after)\b([^,.;]{3,80})"
    r"|([^、。]{2,30})(?:場合|の際|限り)",
    re.IGNORECASE,
)
_TURNS: Final = (
    ("before", re.compile(r"\b(?:before|prior to|in advance|ahead of|notice)\b|前", re.IGNORECASE)),
    (
        "after",
        re.compile(r"\b(?:after|since|following|from (?:the )?(?:date|day|delivery|receipt))\b|後", re.IGNORECASE),
    ),
)
# Per-unit and partial amounts are not totals; do not compare them.
_PART = re.compile(
    r"\b(?:per|each|every|first|second|third|additional|extra|another|remaining|left|between"
    r"|from(?! (?-i:[A-Z]))|or|either|both|option|total|difference|discount|off"
    r"|about|around|roughly|approximately|estimated?|average|usually)\b"
    r"|約|ごと|毎",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\b(?:total|difference|refund|remain|balance|lowest|cheapest|less|more)|^(?:it|this|that|which)\b", re.IGNORECASE
)
# A sum derived from another, so that each option has its own.
_DERIVED = re.compile(
    r"\b(?:difference|cheapest|lowest|(?:above|below|over|under) [$€£¥]|(?:need|left) to pay\b)", re.IGNORECASE
)
_MEASURING: Final = content("least latest earliest advance notice prior time start made make full") | {"most"}


def conflict_of(pair: Pair, *, same_question: bool = False) -> str | None:
    """Return why the two statements cannot both be true; ``None`` if there is no exact conflict."""
    one, two = pair.one, pair.two
    if other_things(pair, same_question=same_question):
        return None
    if one.denies != two.denies and _but_for_denial(one) == _but_for_denial(two) and not apart(one, two):
        return "one says the contrary of the other"
    # Intentions may change, an event may happen twice, and statements that differ in all figures are about different
    # things.
    if one.process or two.process or (one.changed and two.changed) or _variants(one, two):
        return None
    if derived(one) or derived(two):
        return None
    same_question = same_question or pair.asked_again
    if (why := conflict(one, two)) is not None:
        # One thing may have a price, a balance and a fee: different sums conflict only if the words match too.
        return why if same_question or kinship(one, two) >= SAME_SUM else None
    if _apart(one, two) or not rival_numbers(one, two) or not _same_matter(pair, same_question):
        return None
    same_but = _but_for_number(one) == _but_for_number(two) and not _sums(one)
    return _rivals(one, two) if same_but or _one_rule(one, two) else None


def _apart(one: Saying, two: Saying) -> bool:
    if same_thing(one, two):  # then "takes 5 days" and "wait 5 days" count as one kind of days
        one, two = replace(one, kinds={}), replace(two, kinds={})
    return apart(one, two)


def _one_rule(one: Saying, two: Saying) -> bool:
    """Whether both state the same window or amount, and neither a share, a tier or a special case of it."""
    if _PART.search(plain_words(one.text)) or _PART.search(plain_words(two.text)):
        return False
    return not _other_way(one, two) and not _tiers(one, two) and same_condition(one, two)


def same_condition(one: Saying, two: Saying) -> bool:
    """Whether neither has a condition that the other does not mention."""
    return not (_condition(one) - two.words or _condition(two) - one.words)


def opposite_answers(earlier: Spoken, later: Spoken) -> str | None:
    """Return why two answers to the same yes/no question cannot both be true."""
    if earlier.whether is None or later.whether is None or earlier.whether == later.whether:
        return None
    first, second = _matter(earlier.asked), _matter(later.asked)
    if other_questions(earlier.asked, later.asked):
        return None
    if first != second:  # another date, number of people or order is another question
        return None
    words = ("yes", "no") if earlier.whether else ("no", "yes")
    return f"the same question was answered with {words[0]} before and with {words[1]} now"


def _but_for_number(saying: Saying) -> str:
    return re.sub(r"\d[\d.,]*", "#", saying.text.casefold())


def _but_for_denial(saying: Saying) -> str:
    plain = re.sub(r"n['’]t\b|\b(?:not|no longer)\b|(?<=can)not\b", "", saying.text.casefold())
    return re.sub(r"\W+", " ", plain).strip()


def _sums(saying: Saying) -> bool:
    """Whether it is a sum stated separately for every item, or of something named only before it."""
    return any(each.unit.isupper() for each in saying.quantities) and _ANEW.search(saying.text) is not None


def derived(saying: Saying) -> bool:
    """Whether it states a derived sum: a difference, an amount left to pay."""
    return any(each.unit.isupper() for each in saying.quantities) and _DERIVED.search(saying.text) is not None


def _variants(one: Saying, two: Saying) -> bool:
    """Whether they differ in two kinds of figures at once: 8 hours for $226, 6 hours for $232."""
    units = {each.unit for each in one.quantities} & {each.unit for each in two.quantities}
    apart_in = 0
    for unit in units:
        here, there = ([each for each in saying.quantities if each.unit == unit] for saying in (one, two))
        apart_in += not any(each.same(other) for each in here for other in there)
    return apart_in > 1


def _same_matter(pair: Pair, same_question: bool) -> bool:
    shared = len(pair.one.words & pair.two.words)
    if same_thing(pair.one, pair.two):
        return True
    if same_question:
        return shared >= 1
    if shared < SHARED:
        return False
    return kinship(pair.one, pair.two) >= SAME_MATTER or (pair.near is not None and pair.near >= NEAR_ENOUGH)


def _other_way(one: Saying, two: Saying) -> bool:
    """Whether one counts up to an event and the other from it: 24 hours before, 24 hours after."""
    ways = [{way for way, words in _TURNS if words.search(saying.text)} for saying in (one, two)]
    return bool(ways[0] and ways[1]) and not ways[0] & ways[1]


def _tiers(one: Saying, two: Saying) -> bool:
    """Whether each number is a condition with its own outcome: 10 days before, all of it; 2 days before, half."""
    if any(sum(bool(each.unit) for each in saying.quantities) > 1 for saying in (one, two)):
        return True
    both = all(re.search(r"\b(?:if|when)\b|場合|なら", saying.text, re.IGNORECASE) for saying in (one, two))
    return both and kinship(one, two) < SAME_OUTCOME


def _condition(saying: Saying) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for match in _CONDITION.finditer(plain_words(saying.text)):
        found |= content(match.group(1) or match.group(2) or "")
    units = frozenset(word for each in saying.quantities for word in content(each.quote))
    return found - units - _MEASURING - TELLS


def _rivals(one: Saying, two: Saying) -> str | None:
    for each in one.quantities:
        for other in two.quantities:
            if each.unit == other.unit and each.unit and not each.same(other):
                return f"{each.quote.strip()} against {other.quote.strip()}"
    return None


def _matter(asked: str) -> frozenset[str]:
    """Return the numbers, dates and codes a question is about."""
    codes = re.findall(r"\b[A-Z]{1,6}-?\d{2,}\w*\b|#\w*\d{2,}", asked)
    return frozenset((*codes, *(f"{each.value} {each.unit} {each.quote.lower()}" for each in find_quantities(asked))))
