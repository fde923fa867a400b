"""Read pairs of statements with a network in both directions, and combine the result with their similarity."""

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

# The network alone reports unrelated sentences as contradictions. These weights of similarity, network reading and
# negation or antonym were fitted on 2,250 sentence pairs of SNLI, MNLI, CAD and JSICK (permissive licences) and as many
# unrelated pairs; no dialogue was included.
_NEARNESS: Final = 5.2
_READING: Final = 2.06
_TURNED: Final = 0.93
_BIAS: Final = -2.0
# One contradiction fails a whole conversation, so the threshold is far above even odds.
ENOUGH: Final = {"en": 0.95, "ja": 0.96}
ENOUGH_ELSEWHERE: Final = 0.975
# Without a negation, an antonym or a different number, the network may only react to the wording.
ENOUGH_UNTURNED: Final = 0.98
# Minimum of the weaker direction.
AT_LEAST: Final = 0.5
NEAR_IN_WORDS: Final = 0.25
# A written-out tool call is not a sentence.
_NO_PROSE = re.compile(r"\w\([^)]*=[^)]*\)|[{}]|^\S+$", re.MULTILINE)
_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\b)|\b\d{1,2}:\d\d\b|\d{1,2}時")
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
    if _rivals(pair) and (_two_things(pair) or other_things(pair)):
        return False
    if _IF.search(pair.one.text) and _IF.search(pair.two.text) and not same_condition(pair.one, pair.two):
        return False  # different conditions, each with its own rule
    if pair.near is not None:
        return pair.near >= NEAR
    return kinship(pair.one, pair.two) >= NEAR_IN_WORDS


def _rivals(pair: Pair) -> bool:
    clocks = [set(_CLOCK.findall(saying.text.casefold())) for saying in (pair.one, pair.two)]
    return rival_numbers(pair.one, pair.two) or bool(clocks[0] and clocks[1] and not clocks[0] & clocks[1])


def _two_things(pair: Pair) -> bool:
    """Whether two numbers belong to different things, which the network does not notice: an adult and a child."""
    one, two = pair.one, pair.two
    if derived(one) or derived(two) or (one.changed and two.changed):
        return True
    return bool(one.words - two.words and two.words - one.words)


def likelihood(near: float, forth: float, back: float, *, turned: bool) -> float:
    """Return the probability that two texts contradict each other, from their similarity and both readings."""
    reading = min(0.98, max(0.02, (forth + back) / 2))
    total = _NEARNESS * near + _READING * math.log(reading / (1 - reading)) + _TURNED * turned + _BIAS
    return 1 / (1 + math.exp(-total))


async def read_pairs(pairs: Sequence[Pair], entailer: Entailer) -> list[tuple[Pair, float]]:
    """Return the pairs that are clear contradictions, each with its probability."""
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
