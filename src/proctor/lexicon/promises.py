"""Detect promises in languages other than English, and wording that makes them conditional."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from proctor.lexicon.match import Matcher, matcher

__all__ = ["asks_first", "promised"]

_MATTERS: Final = {
    "promise_refund": "refund",
    "promise_waiver": "waiver",
    "promise_guarantee": "guarantee",
    "promise_compensation": "compensation",
    "promise_discount": "discount",
    "promise_liability": "liability",
}


def promised(sentence: str) -> frozenset[str]:
    """Return the topics in which a sentence promises something, unless its wording is conditional."""
    return _promised(sentence, matcher(*_MATTERS), matcher("reassurance"))


@lru_cache(maxsize=64)  # each registry entry checks the same sentence
def _promised(sentence: str, promises: Matcher, reassurance: Matcher) -> frozenset[str]:
    sentence = reassurance.without(sentence)
    return frozenset(_MATTERS[found.concept] for found in promises.find(sentence, whole=True))


def asks_first(message: str) -> bool:
    """Whether the message asks the customer to agree before anything is done."""
    return matcher("asks_consent").has(message)
