"""Pairs of statements read by a network, both ways round, and weighed with how near they are."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from proctor.core.sockets import Entailer
from proctor.lexicon.claim_conflicts import apart, kinship, readable, rival_numbers
from proctor.scorers.conversation.cross_turn_apart import other_names, other_things
from proctor.scorers.conversation.cross_turn_exact import derived, same_condition
from proctor.scorers.conversation.cross_turn_opposites import turned_round
from proctor.scorers.conversation.cross_turn_pairs import NEAR, Pair
from proctor.text.script import language_of

__all__ = ["ENOUGH", "likelihood", "read_pairs", "worth_reading"]

# The network alone takes sentences that have nothing to do with each other for contradictions. These weights of
# nearness, its reading and a plain turning round were fitted on 2,250 sentence pairs of SNLI, MNLI, CAD and JSICK
# (licences that allow it) and as many strangers put together; no dialogue was among them.
_NEARNESS: Final = 5.2
_READING: Final = 2.06
_TURNED: Final = 0.93
_BIAS: Final = -2.0
# One contradiction fails a whole conversation, so it has to be plain: far above the even chance of 0.5.
ENOUGH: Final = {"en": 0.95, "ja": 0.96}
ENOUGH_ELSEWHERE: Final = 0.975
# Without a denial, an opposite or a rival number in sight the network may only dislike the wording.
ENOUGH_UNTURNED: Final = 0.98
# The weaker of both directions must not speak against it.
AT_LEAST: Final = 0.5
NEAR_IN_WORDS: Final = 0.25
# A call written out is no sentence.
_NO_PROSE = re.compile(r"\w\([^)]*=[^)]*\)|[{}]|^\S+$", re.MULTILINE)
_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\b)|\b\d{1,2}:\d\d\b|\d{1,2}時")
_IF = re.compile(
    r"\b(?:if|unless|when|in case|for (?:orders|bookings|tickets|items|customers)|otherwise)\b|場合|なら", re.IGNORECASE
)


def worth_reading(pair: Pair) -> bool:
    """Whether a network can be asked: whole sentences about the same thing, near in meaning or in words."""
    if (
        not readable(pair.one, pair.two)
        or apart(pair.one, pair.two)
        or _NO_PROSE.search(f"{pair.one.text}\n{pair.two.text}")
    ):
        return False
    if other_names(pair):
        return False
    if _rivals(pair) and (_two_things(pair) or other_things(pair)):
        return False
    if _IF.search(pair.one.text) and _IF.search(pair.two.text) and not same_condition(pair.one, pair.two):
        return False  # cheaper and dearer, early and late: each has a rule of its own
    if pair.near is not None:
        return pair.near >= NEAR
    return kinship(pair.one, pair.two) >= NEAR_IN_WORDS


def _rivals(pair: Pair) -> bool:
    clocks = [set(_CLOCK.findall(saying.text.casefold())) for saying in (pair.one, pair.two)]
    return rival_numbers(pair.one, pair.two) or bool(clocks[0] and clocks[1] and not clocks[0] & clocks[1])


def _two_things(pair: Pair) -> bool:
    """Whether two numbers are of two things, which no network tells: for an adult and a child; paid and paid again."""
    one, two = pair.one, pair.two
    if derived(one) or derived(two) or (one.changed and two.changed):
        return True
    return bool(one.words - two.words and two.words - one.words)


def likelihood(near: float, forth: float, back: float, *, turned: bool) -> float:
    """How likely two texts contradict each other, from 0 to 1: by their nearness and both readings of the network."""
    reading = min(0.98, max(0.02, (forth + back) / 2))
    total = _NEARNESS * near + _READING * math.log(reading / (1 - reading)) + _TURNED * turned + _BIAS
    return 1 / (1 + math.exp(-total))


async def read_pairs(pairs: Sequence[Pair], entailer: Entailer) -> list[tuple[Pair, float]]:
    """The pairs that are plainly contradictions, each with its likelihood."""
    if not pairs:
        return []
    asked = [(pair.one.text, pair.two.text) for pair in pairs]
    rows = await entailer.entails([*asked, *((two, one) for one, two in asked)])
    found = []
    for index, pair in enumerate(pairs):
        forth, back = rows[index]["contradiction"], rows[index + len(pairs)]["contradiction"]
        near = kinship(pair.one, pair.two) if pair.near is None else pair.near
        turned = turned_round(pair.one.text, pair.two.text)
        sure = likelihood(near, forth, back, turned=turned)
        enough = ENOUGH.get(language_of(pair.two.text), ENOUGH_ELSEWHERE)
        if not turned and not rival_numbers(pair.one, pair.two):
            enough = max(enough, ENOUGH_UNTURNED)
        if sure >= enough and min(forth, back) >= AT_LEAST:
            found.append((pair, sure))
    return found
