"""Makes claims that a passage does not support out of claims that it does: one fact is changed."""

from __future__ import annotations

import random
import re

__all__ = ["corrupted", "names_in"]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’-]+(?:\s+(?:of|de|the|van|von)\s+[A-Z][\w'’-]+|\s+[A-Z][\w'’-]+)*")
_SWAPS = [
    ("more", "less"), ("increase", "decrease"), ("increased", "decreased"), ("rose", "fell"), ("higher", "lower"),
    ("before", "after"), ("first", "last"), ("always", "never"), ("won", "lost"), ("largest", "smallest"),
    ("best", "worst"), ("older", "younger"), ("north", "south"), ("east", "west"), ("male", "female"), ("he", "she"),
    ("his", "her"), ("man", "woman"), ("men", "women"), ("early", "late"), ("above", "below"), ("with", "without"),
    ("inside", "outside"), ("started", "ended"), ("began", "stopped"), ("open", "closed"), ("bought", "sold"),
    ("all", "none"), ("many", "few"), ("agreed", "refused"), ("accepted", "rejected"), ("can", "cannot"),
    ("positive", "negative"), ("up", "down"), ("good", "bad"), ("brother", "sister"), ("father", "mother"),
    ("son", "daughter"), ("husband", "wife"), ("black", "white"), ("left", "right"), ("hot", "cold"), ("new", "old"),
    ("same", "different"), ("support", "oppose"), ("supports", "opposes"), ("gained", "lost"), ("morning", "evening"),
    ("monday", "thursday"), ("january", "june"), ("march", "october"), ("july", "december"), ("american", "french"),
    ("british", "german"), ("english", "spanish"), ("million", "billion"), ("north america", "south america"),
]  # fmt: skip
_OTHER = {a: b for a, b in _SWAPS} | {b: a for a, b in _SWAPS}
_SWAP = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _OTHER), key=len, reverse=True)) + r")\b", re.IGNORECASE)
_VERB = re.compile(r"\b(is|are|was|were|has|have|had|can|will|does|did|would|could|should)\b(?!\s+not\b|n't)")
_DENIED = re.compile(r"\b(is|are|was|were|has|have|had|can|will|does|did|would|could|should)(?:\s+not\b|n't\b)")


def names_in(text: str) -> list[str]:
    """Names: runs of capitalised words that do not begin a sentence."""
    return [m.group() for m in _NAME.finditer(text)]


def _number(claim: str, dice: random.Random) -> str | None:
    found = list(_NUMBER.finditer(claim))
    if not found:
        return None
    match = dice.choice(found)
    old = match.group()
    if re.fullmatch(r"(1[89]|20)\d\d", old):
        new = str(int(old) + dice.choice([-20, -10, -7, -3, -2, -1, 1, 2, 3, 5, 8, 12]))
    else:
        digits = [i for i, c in enumerate(old) if c.isdigit()]
        at = dice.choice(digits)
        new = old[:at] + dice.choice([d for d in "123456789" if int(d) != int(old[at])]) + old[at + 1 :]
    return claim[: match.start()] + new + claim[match.end() :]


def _name(claim: str, passage: str, others: list[str], dice: random.Random) -> str | None:
    mine = names_in(claim)
    pool = [n for n in (names_in(passage) if dice.random() < 0.75 else others) if n not in claim]
    if not mine or not pool:
        return None
    old = dice.choice(mine)
    near = [n for n in pool if len(n.split()) == len(old.split())] or pool
    return claim.replace(old, dice.choice(near), 1)


def _word(claim: str, dice: random.Random) -> str | None:
    found = list(_SWAP.finditer(claim))
    if not found:
        return None
    match = dice.choice(found)
    new = _OTHER[match.group().lower()]
    return claim[: match.start()] + (new.capitalize() if match.group()[0].isupper() else new) + claim[match.end() :]


def _denial(claim: str, dice: random.Random) -> str | None:
    found = list(_DENIED.finditer(claim))
    if found:
        match = dice.choice(found)
        return claim[: match.start()] + match.group(1) + claim[match.end() :]
    found = list(_VERB.finditer(claim))
    if not found:
        return None
    match = dice.choice(found)
    return claim[: match.end()] + " not" + claim[match.end() :]


def corrupted(claim: str, passage: str, others: list[str], dice: random.Random) -> str | None:
    """The claim with one number, name, word or denial changed; none when it holds nothing to change."""
    makers = [
        lambda: _number(claim, dice),
        lambda: _name(claim, passage, others, dice),
        lambda: _name(claim, passage, others, dice),
        lambda: _word(claim, dice),
        lambda: _denial(claim, dice),
    ]
    dice.shuffle(makers)
    for make in makers:
        new = make()
        if new and new != claim:
            return new
    return None
