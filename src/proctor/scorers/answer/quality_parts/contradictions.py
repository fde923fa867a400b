"""Find statements that contradict each other: by numbers and negation, or by a network for similar wording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.sockets import Embedder, Entailer
from proctor.lexicon.claim_conflicts import apart, conflict, kinship, readable, rival_numbers
from proctor.lexicon.comparable_claims import Saying
from proctor.text.script import language_of

__all__ = ["MOST_PAIRS", "Contradiction", "Looked", "contradictions", "remaining", "trust"]

# A network call takes milliseconds and most pairs of statements are unrelated, so only the nearest pairs are read, up
# to this number.
MOST_PAIRS: Final = 24
MOST_STATEMENTS: Final = 400
MOST_EMBEDDED: Final = 96
NEAR_IN_WORDS: Final = 0.2
NEAR_IN_MEANING: Final = 0.6
# If both directions are read, their mean must reach this value and neither may be under AT_LEAST. Japanese and other
# languages need more because the network reads them less well.
ENOUGH: Final = {"en": 0.66, "ja": 0.7}
ENOUGH_ELSEWHERE: Final = 0.74
AT_LEAST: Final = 0.45
# Two different numbers of one kind lower the required value.
EASIER: Final = 0.12
EXACT: Final = 0.9
_CORRECTS = re.compile(
    r"\b(?:correction|to correct|i was wrong|i misspoke|my mistake|i made a mistake|apologi[sz]e for the "
    r"(?:confusion|mistake|error)"
    r"|sorry for the (?:confusion|mistake))\b|訂正|先ほどの(?:説明|回答|案内)(?:に|は)誤り|間違えて|"
    r"誤った(?:情報|案内)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two statements that cannot both be true, with the strength and the reason."""

    earlier: str
    later: str
    strength: float
    reason: str
    exact: bool
    turn: int
    earlier_turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """The contradictions found and how many pairs were compared."""

    found: tuple[Contradiction, ...] = ()
    pairs: int = 0
    read: int = 0
    language: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    earlier: Saying
    later: Saying
    earlier_turn: int | None
    near: float


async def contradictions(
    earlier: Sequence[tuple[int | None, Saying]] | None,
    later: Sequence[Saying],
    *,
    turn: int,
    entailer: Entailer | None,
    embedder: Embedder | None,
    most_pairs: int = MOST_PAIRS,
) -> Looked:
    """Compare each later statement with each earlier one; without earlier ones, compare the later with each other."""
    if earlier is not None:
        # Keep only the newest statements of a very long conversation.
        pairs = [(when, one, two) for when, one in earlier[-MOST_STATEMENTS:] for two in later[:MOST_STATEMENTS]]
    else:
        few = later[:MOST_STATEMENTS]
        # Items of one list differ by intent.
        pairs = [
            (turn, one, two) for at, one in enumerate(few) for two in few[at + 1 :] if not (one.listed and two.listed)
        ]
    together = [(when, one, two) for when, one, two in pairs if one.text != two.text and not apart(one, two)]
    found: list[Contradiction] = []
    open_pairs: list[_Pair] = []
    for when, one, two in together:
        if why := conflict(one, two):
            found.append(
                Contradiction(
                    earlier=one.text,
                    later=two.text,
                    strength=EXACT,
                    reason=why,
                    exact=True,
                    turn=turn,
                    earlier_turn=when,
                )
            )
        elif readable(one, two):
            open_pairs.append(_Pair(earlier=one, later=two, earlier_turn=when, near=kinship(one, two)))
    language = language_of(" ".join(saying.text for saying in later[:20]))
    read: list[_Pair] = []
    if entailer is not None and open_pairs:
        read = await _nearest(open_pairs, embedder, most_pairs)
        found.extend(await _by_network(read, entailer, language, turn))
    softened = [_softened(each, later) for each in found]
    return Looked(found=tuple(softened), pairs=len(pairs), read=len(read), language=language)


async def _nearest(pairs: Sequence[_Pair], embedder: Embedder | None, most: int) -> list[_Pair]:
    """Return the pairs worth reading: those similar in words or meaning, the nearest first."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.earlier.text, pair.later.text)))
    if embedder is not None and len(texts) <= MOST_EMBEDDED:
        vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
        ranked = []
        for pair in pairs:
            one, two = vectors[pair.earlier.text], vectors[pair.later.text]
            meaning = float(sum(a * b for a, b in zip(one, two, strict=True)))
            if meaning >= NEAR_IN_MEANING:
                ranked.append((meaning, pair))
    else:
        ranked = [(pair.near, pair) for pair in pairs if pair.near >= NEAR_IN_WORDS]
    ranked.sort(key=lambda each: -each[0])
    return [pair for _, pair in ranked[:most]]


async def _by_network(pairs: Sequence[_Pair], entailer: Entailer, language: str, turn: int) -> list[Contradiction]:
    asked = [(pair.earlier.text, pair.later.text) for pair in pairs]
    rows = await entailer.entails([*asked, *((two, one) for one, two in asked)])
    enough = ENOUGH.get(language, ENOUGH_ELSEWHERE)
    found = []
    for index, pair in enumerate(pairs):
        forth, back = rows[index]["contradiction"], rows[index + len(pairs)]["contradiction"]
        strength = (forth + back) / 2
        ease = EASIER if rival_numbers(pair.earlier, pair.later) else 0.0
        if strength >= enough - ease and min(forth, back) >= AT_LEAST - ease:
            found.append(
                Contradiction(
                    earlier=pair.earlier.text,
                    later=pair.later.text,
                    strength=strength,
                    reason="read as a contradiction",
                    exact=False,
                    turn=turn,
                    earlier_turn=pair.earlier_turn,
                )
            )
    return found


def _softened(one: Contradiction, later: Sequence[Saying]) -> Contradiction:
    """Halve the strength if the answer openly corrects itself."""
    if not any(_CORRECTS.search(saying.text) for saying in later):
        return one
    return Contradiction(
        earlier=one.earlier,
        later=one.later,
        strength=one.strength / 2,
        reason=f"{one.reason}, openly corrected",
        exact=one.exact,
        turn=one.turn,
        earlier_turn=one.earlier_turn,
    )


def remaining(found: Sequence[Contradiction]) -> float:
    """Return the remaining score: each of the three strongest contradictions multiplies it by 1 - strength."""
    left = 1.0
    for each in sorted(found, key=lambda each: -each.strength)[:3]:
        left *= 1.0 - each.strength
    return left


def trust(language: str, *, network: bool) -> float:
    """Return the confidence in a finding about contradictions, by the language of the answer."""
    if not network:
        return 0.5
    return {"en": 0.75, "ja": 0.55, "none": 0.5}.get(language, 0.35)
