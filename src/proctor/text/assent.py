"""Detect whether a customer agrees to what the agent has just asked."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["agrees", "asks"]

_OPENING: Final = 120  # characters; agreement is at or near the beginning of a message
_POLITE: Final = (
    r"^\W*(?:(?:oh|ah|well|great|perfect|thanks?|thank you|awesome|wonderful|excellent|good|alright|fine|hi|hello|um+|"
    r"uh+|hmm+|ok(?:ay)?|so)\W+){0,3}"
)
# Words that agree to anything said before.
_YES: Final = re.compile(
    _POLITE
    + r"(?:yes|yeah|yep|yup|correct|absolutely|definitely|please do|go ahead|do it|proceed|confirm(?:ed)?|agreed|"
    r"affirmative|y|s[ií]|claro|oui|d['’]accord|jawohl|sim|va bene|evet)(?![\w'’])"
    r"|^\W*(?:はい|ええ|お願い|それで|了解|承知|是的?|好的|对|네|예|да|نعم|हाँ)"
    r"|(?:[.!?)\n—–]|\band)\s*yes\b(?! i (?:have|do|am|was|did|can)\b)",
    re.IGNORECASE,
)
# Words that agree to a question, but are only politeness without one.
_FINE: Final = re.compile(
    _POLITE + r"(?:(?:sure|ok(?:ay)?|right|exactly|certainly|of course|fine|great|perfect|ja|genau|tak|da|iya)"
    r"(?!\W+(?:my|it['’]?s|here|the \w+ is|i(?:['’]m| am|['’]d| would| want))\b)|"
    r"(?:sounds?|looks?) (?:good|great|fine|right|correct)|"
    r"that(?:['’]s| is| works| all looks| looks| sounds)\b(?! (?:not|wrong|incorrect)))(?![\w'’])|"
    r"[.!?]\s*(?:fine|ok(?:ay)?|alright),|^\W*(?:大丈夫|可以)",
    re.IGNORECASE,
)
_AGREED: Final = re.compile(
    r"\b(?:go ahead|please (?:proceed|continue|do so|process|go)|(?:you can|let['’]?s|please|i(?:['’]d| would) like to|"
    r"ready to|want to|happy to|i(?:['’]ll| will)) proceed|i (?:do |hereby )?(?:confirm|agree|accept|approve|consent)|"
    r"i(?:['’]m| am) (?:okay|ok|fine|happy) with|yes,? please|"
    r"that(?:['’]s| is) (?:correct|right|fine|good|okay|ok|perfect|exactly)|"
    r"(?:looks?|sounds?) (?:good|great|right|correct|fine)|"
    r"(?:it|everything|all)(?: of (?:it|that))?(?:['’]s| is| looks) (?:correct|right|good|fine)|"
    r"adelante|de acuerdo|confirmo|vas-y|allez-y|mach das|einverstanden)\b|お願いします|進めて|問題ありません",
    re.IGNORECASE,
)
# An order to act counts as agreement if the agent asked whether it should act.
_ORDERED: Final = re.compile(
    r"\b(?:please|just|then|let['’]s)\s+(?:just\s+)?(?:do|start|submit|process|cancel|make|change|update|book|return|"
    r"exchange|continue|refund|remove)\b|^\W*continue\b|\bmake it happen\b|\bdo (?:it|that)\b",
    re.IGNORECASE,
)
_SHALL_I: Final = re.compile(
    r"proceed|go ahead|shall i|should i|would you like me to|do you want me to|(?:please|can you|to) confirm|よろしい",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"^\W*(?:no\b(?! (?:problem|worries|other|more|further|longer|need))|nope|nah|not (?:yet|now|really|sure)|wait\b|"
    r"hold on|stop|"
    r"actually,? no|never ?mind|nein|non\b|いいえ|いや|不)"
    r"|\b(?:do not|don['’]?t|please don['’]?t|rather not|not) (?:proceed|go ahead|do (?:it|that)|confirm|want to "
    r"(?:proceed|confirm|go))\b|\bbefore (?:you|we|i) (?:proceed|go ahead|do|confirm)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"[?？؟]|(?:please (?:confirm|reply|respond|let me know|say)|to confirm|confirm (?:that|if|whether|by|with|"
    r"your|the)|(?:reply|respond|answer|say|type)(?: with)? [\"'“(]?yes|let me know (?:if|whether|which|what|how|when|"
    r"your)|would you like|shall i|do you (?:want|wish|agree|confirm)|\(yes(?:/| or )no\))|ですか|ますか|でしょうか",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether an agent's message asks for an answer."""
    return _ASKS.search(text) is not None


def agrees(text: str, asked: str) -> bool:
    """Whether this text agrees to the agent's last message; false if there is none."""
    if not asked.strip() or _NO.search(text[: 2 * _OPENING]):
        return False
    if _YES.search(text) is not None or _AGREED.search(text) is not None:
        return True
    if not asks(asked):
        return False
    return _FINE.search(text[:_OPENING]) is not None or bool(_SHALL_I.search(asked) and _ORDERED.search(text))
