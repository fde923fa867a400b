"""Normalise the wording of statements, so that one rule in two wordings compares as equal."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from proctor.lexicon.comparable_claims import Saying
from proctor.text.content_words import content
from proctor.text.quantities import find_quantities

__all__ = ["plain_words", "said_plainly"]

# Customer-service terms and their synonyms.
_PLAIN: Final = tuple(
    (re.compile(form, re.IGNORECASE), word)
    for form, word in (
        (r"\bcall(?:s|ed|ing)?((?: \w+){0,4}?) off\b", r"cancel\1"),
        (r"\bcancell?(?:s|ed|ing|ations?)\b", "cancel"),
        (r"\bwithdraw(?:s|n|ing|als?)?\b", "cancel"),
        (r"\b(?:your|the|all your|all the|my) money back\b|\bmoney back\b", "refund"),
        (r"\breimburse(?:s|d|ment)?\b|\brefund(?:s|ed|able|ing)\b", "refund"),
        (r"\b(?:begin(?:s|ning)?|commence[sd]?|departure|departs?|starts|starting)\b", "start"),
        (r"\b(?:reschedul(?:e|es|ed|ing)|rebook(?:s|ed|ing)?|modif(?:y|ies|ied|ication)|amend(?:s|ed)?)\b", "change"),
        (r"\bsend(?:s|ing)?((?: \w+){0,3}?) back\b", r"return\1"),
        (r"\b(?:baggage|suitcases?|bags?)\b", "luggage"),
        (r"\breservations?\b|\bbookings\b", "booking"),
        (r"\b(?:ship(?:s|ped|ping|ment)?|dispatch(?:ed|es)?)\b", "deliver"),
        (r"\bdeliver(?:y|ies|ed|s)\b", "deliver"),
        (r"\b(?:in full|complete|entire|whole|100 ?%)(?= refund|$|\W)", "full"),
        (r"\b(?:pets?|animals?)\b", "animal"),
        (r"\b(?:kids?|child|children)\b", "child"),
        (r"\b(?:permitted|admitted)\b", "allowed"),
        (r"払い戻し|払戻し", "返金"),
        (r"取り消し|取消し?|解約", "キャンセル"),
    )
)


@lru_cache(maxsize=8192)
def plain_words(text: str) -> str:
    """Return the text with synonyms replaced by one word."""
    for form, word in _PLAIN:
        text = form.sub(word, text)
    return text


def said_plainly(saying: Saying) -> Saying:
    """Return the statement with normalised words; its text stays as it was said."""
    plain = plain_words(saying.text)
    if plain == saying.text:
        return saying
    rest, at = [], 0
    for each in find_quantities(plain):
        if each.unit:
            rest.append(plain[at : each.start])
            at = each.end
    return replace(saying, words=content(" ".join([*rest, plain[at:]])))
