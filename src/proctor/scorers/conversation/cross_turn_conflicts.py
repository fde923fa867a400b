"""Two statements that contradict each other: by what can be told exactly, or as a network reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from proctor.core.sockets import Entailer
from proctor.lexicon.claim_conflicts import apart, conflict, kinship, readable, rival_numbers
from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.conversation.cross_turn_statements import NEAR, Pair, Spoken
from proctor.scorers.conversation.cross_turn_things import LONGEST, Things, plain_words, segments, things
from proctor.text.claims import statements
from proctor.text.content_words import content, negated
from proctor.text.figures import agree
from proctor.text.polarity import is_denied, root_words
from proctor.text.quantities import find_quantities
from proctor.text.script import language_of

__all__ = ["ENOUGH", "conflict_of", "likelihood", "opposite_answers", "read_pairs", "turned_round", "worth_reading"]

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
# "RAM: 16 GB" in a list is about what the list is about.
_FIELD: Final = re.compile(r"\W*[^\W\d][\w ]{0,30}:(?!(?<=\d:)\d)\W*\S+(?:\s\S+){0,3}$")
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
    if other_things(pair, same_question=same_question) or (_FIELD.match(one.text) and _FIELD.match(two.text)):
        return None
    if one.denies != two.denies and _but_for_denial(one) == _but_for_denial(two) and not apart(one, two):
        return "one says the contrary of the other"
    # Intentions may change, an event may happen twice, and statements that differ in all figures are about different
    # things.
    if one.process or two.process or (one.changed and two.changed) or _variants(one, two):
        return None
    if derived(one) or derived(two) or _two_events(one, two):
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


def _two_events(one: Saying, two: Saying) -> bool:
    """Whether both give times of day, each with a word of its own: the boat leaves at 9, and returns at 5."""
    timed = all(any(each.unit == "clock" for each in saying.quantities) for saying in (one, two))
    return timed and bool(one.words - two.words) and bool(two.words - one.words)


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
    # Another date, number of people or order is another question.
    if other_questions(earlier.asked, later.asked) or _matter(earlier.asked) != _matter(later.asked):
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
        apart_in += not any(agree(each, other) for each in here for other in there)
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
            if each.unit == other.unit and each.unit and not agree(each, other):
                return f"{each.quote.strip()} against {other.quote.strip()}"
    return None


def _matter(asked: str) -> frozenset[str]:
    """Return the numbers, dates and codes a question is about."""
    codes = re.findall(r"\b[A-Z]{1,6}-?\d{2,}\w*\b|#\w*\d{2,}", asked)
    return frozenset((*codes, *(f"{each.value} {each.unit} {each.quote.lower()}" for each in find_quantities(asked))))


# The network alone reports unrelated sentences as contradictions. The weights were fitted on 840 sentence pairs of the
# development sets of SNLI, MNLI and CAD, which the network has not seen, and 470 unrelated pairs; slope and offset
# on one half of other people's dialogue pairs, so that the probability means what it says on the other half.
_READING: Final = 1.315  # mean log odds of contradiction, both ways
_FOLLOWING: Final = -1.473  # mean log odds of entailment
_NEARNESS: Final = 4.145
_TURNED: Final = 1.347
_SHARED: Final = 1.486  # share of the words of the shorter sentence
_BIAS: Final = -3.918
# Probability from which one pair alone is a contradiction. One contradiction fails a whole conversation, so the odds
# have to rise with the number of pairs that are read.
ENOUGH: Final = 0.67
_FEW_PAIRS: Final = 3
# The network is weaker outside English, and without a negation or another number it may only react to the wording.
_ODDS_ELSEWHERE: Final = 3.0
_ODDS_UNTURNED: Final = 2.0
# Minimum of the weaker direction, among many pairs.
AT_LEAST: Final = 0.5
NEAR_IN_WORDS: Final = 0.25
# A written-out tool call is not a sentence.
_NO_PROSE = re.compile(r"\w\([^)]*=[^)]*\)|[{}]|^\S+$", re.MULTILINE)
_OPENING = re.compile(r"^\W*\w+,\s+")  # "Yes, ", "Tak, "
_IF = re.compile(
    r"\b(?:if|unless|when|in case|for (?:orders|bookings|tickets|items|customers)|otherwise)\b|場合|なら", re.IGNORECASE
)


def worth_reading(pair: Pair) -> bool:
    """Whether a network can read the pair: whole sentences on the same thing, similar in meaning or words."""
    if (
        not readable(pair.one, pair.two)
        or apart(pair.one, pair.two)
        or _NO_PROSE.search(f"{pair.one.text}\n{pair.two.text}")
    ):
        return False
    if other_names(pair):
        return False
    if rival_numbers(pair.one, pair.two) and (_two_things(pair) or other_things(pair)):
        return False
    if _IF.search(pair.one.text) and _IF.search(pair.two.text) and not same_condition(pair.one, pair.two):
        return False  # different conditions, each with its own rule
    if pair.near is not None:
        return pair.near >= NEAR
    return kinship(pair.one, pair.two) >= NEAR_IN_WORDS


def _two_things(pair: Pair) -> bool:
    """Whether two numbers belong to different things, which the network does not notice: an adult and a child."""
    one, two = pair.one, pair.two
    if derived(one) or derived(two) or (one.changed and two.changed):
        return True
    return bool(one.words - two.words and two.words - one.words)


def turned_round(one: str, other: str) -> bool:
    """Whether the two share a word and one of them denies."""
    return negated(one) != negated(other) and bool(content(one) & content(other))


def likelihood(one: str, other: str, near: float, forth: Mapping[str, float], back: Mapping[str, float]) -> float:
    """Return the probability that two texts contradict each other, from their similarity and both readings."""
    words = content(one), content(other)
    shared = len(words[0] & words[1]) / max(1, min(len(words[0]), len(words[1])))
    total = (
        _READING * (_log_odds(forth["contradiction"]) + _log_odds(back["contradiction"])) / 2
        + _FOLLOWING * (_log_odds(forth["entailment"]) + _log_odds(back["entailment"])) / 2
        + _NEARNESS * near
        + _TURNED * turned_round(one, other)
        + _SHARED * shared
        + _BIAS
    )
    return 1 / (1 + math.exp(-total))


def _log_odds(share: float) -> float:
    share = min(0.98, max(0.02, share))
    return math.log(share / (1 - share))


def _says_the_same(pair: Pair) -> bool:
    """Whether one statement has all the words of the other, denies as it does and gives no other number."""
    one, two = (_OPENING.sub("", saying.text) for saying in (pair.one, pair.two))
    words = content if one.isascii() and two.isascii() else root_words
    same = is_denied(pair.one.text) == is_denied(pair.two.text) and not rival_numbers(pair.one, pair.two)
    return same and (words(one) <= words(two) or words(two) <= words(one))


async def read_pairs(pairs: Sequence[Pair], entailer: Entailer) -> list[tuple[Pair, float]]:
    """Return the pairs that are clear contradictions, each with its probability."""
    if not pairs:
        return []
    asked = [(pair.one.text, pair.two.text) for pair in pairs]
    rows = await entailer.entails([*asked, *((two, one) for one, two in asked)])
    found = []
    for index, pair in enumerate(pairs):
        forth, back = rows[index], rows[index + len(pairs)]
        near = kinship(pair.one, pair.two) if pair.near is None else pair.near
        sure = likelihood(pair.one.text, pair.two.text, near, forth, back)
        odds = ENOUGH / (1 - ENOUGH) * len(pairs)
        if language_of(pair.two.text) != "en":
            odds *= _ODDS_ELSEWHERE
        if _says_the_same(pair):
            continue
        if not turned_round(pair.one.text, pair.two.text) and not rival_numbers(pair.one, pair.two):
            odds *= _ODDS_UNTURNED if len(pairs) > 1 else 1.0
        both = min(forth["contradiction"], back["contradiction"])
        if sure / (1 - sure) >= odds and (both >= AT_LEAST or len(pairs) <= _FEW_PAIRS):
            found.append((pair, sure))
    return found
