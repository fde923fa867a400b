"""The things, places and numbers of orders that a text names, and its words where one thing goes by several."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from proctor.lexicon.comparable_claims import Saying
from proctor.text.content_words import content
from proctor.text.figures import find_figures

__all__ = ["LONGEST", "Things", "plain_words", "said_plainly", "segments", "things"]

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
    for each in find_figures(plain):
        if each.unit:
            rest.append(plain[at : each.start])
            at = each.end
    return replace(saying, words=content(" ".join([*rest, plain[at:]])))


LONGEST: Final = 4_000
# Maximum words of a name: the blue gift card.
_LONGEST_NAME: Final = 4
_OPENS: Final = frozenset(
    """
    the a an your my our their his her its this that these those any all each every no some to for in from with of at
    on by near via into onto until till about between regarding concerning per through across and or plus
    """.split()  # noqa: SIM905 - a page of words reads better than a page of quotation marks
)
_TOKEN = re.compile(r"[^\W\d_]\w*(?:['’][^\W\d_]+)*|\d\w*|[^\w\s]")
_SEGMENT = re.compile(
    r"[.!?;:,\n()]+|\b(?:if|because|when|while|but|although|i|you|we|they|so|who|whether)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ][\w'’-]+")
# Order 4411, seat 12A, gate B: names, not amounts.
_NUMBERED = re.compile(
    r"\b([^\W\d_]{2,})(?: (?:number|no\.?|nr\.?|id|code))?[ ]?(?:#?((?=\w*\d)[A-Za-z0-9-]{1,20})|([A-Z]))\b"
    r"(?! ?(?:%|percent|°|[:.]\d))"
)
_COUNTED: Final = content("take arrive cost pay charge need require last reach come wait expect around before after")
# Words for what happens to a thing, how long, how much and for whom: statements about one thing differ in them.
_FRAME: Final = content(
    """
    goes gets takes has gives makes wants needs sees sends stands
    take arrive reach come last require need cost pay charge expect wait show run leave go bring keep hold stay receive
    allow accept include apply count issue process handle complete finish start begin end open-ended due remain
    day week month year hour minute second time date moment morning evening afternoon night noon midnight weekday
    weekend today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december business working calendar consecutive
    before after until till since during prior advance notice early late earliest latest least most maximum minimum
    first next further again always usually normally generally typically approximately about around roughly exactly
    full whole total entire amount sum price rate figure number quantity limit window period deadline
    duration length policy rule term condition standard regular normal usual general way case thing item product
    order booking purchase customer guest client traveller passenger person people everyone anyone
    online website site app page account card bank payment method email mail message request team desk
    euro dollar pound yen money able possible available valid free long short quick fast still moreover soon actual
    question answer information detail help kind sort type part side rest
    """
)
# These distinguish things only beside another word of the name: the night tour, the spare part.
_BESIDE: Final = content("card part night")


@dataclass(frozen=True, slots=True, kw_only=True)
class Things:
    """The things a text names, and all its words; a thing found in another text's words is named in both."""

    named: frozenset[str]
    words: frozenset[str]

    def __or__(self, other: Things) -> Things:
        return Things(named=self.named | other.named, words=self.words | other.words)


@lru_cache(maxsize=8192)
def things(text: str) -> Things:
    """Return the nouns after an article, a preposition or a clause start, the proper names and the order numbers."""
    plain, numbers = _without_figures(plain_words(text[:LONGEST]))
    names = [re.sub(r"['’]s?$", "", name) for name in _NAME.findall(plain)]
    words = content(plain) | numbers
    named = set(numbers)
    for segment in segments(plain.replace("(", ", the ")):  # a word in brackets specifies a thing: cleaner (robotic)
        named |= _named(segment)
    named.update(stem for name in names for stem in content(name) - _FRAME)
    return Things(named=frozenset(named), words=words)


def segments(text: str) -> list[str]:
    """Split the text where the subject may change."""
    return _SEGMENT.split(text)


def _without_figures(text: str) -> tuple[str, frozenset[str]]:
    """Return the text without amounts, and the numbers that name something: order 4411, seat 12A, gate B."""
    rest, at = [], 0
    for each in find_figures(text):
        if each.unit and not each.unit.endswith("number"):
            rest.append(text[at : each.start])
            at = each.end
    plain = " # ".join([*rest, text[at:]])
    numbers = set()
    for noun, number, letter in _NUMBERED.findall(plain):
        if content(noun) and not content(noun) <= _COUNTED:
            numbers.add((number or letter).casefold())
    return plain, frozenset(numbers)


def _named(segment: str) -> set[str]:
    found: set[str] = set()
    left = _LONGEST_NAME if segment[:1].strip() and segment[:1].isupper() else 0
    name: list[str] = []
    for token in _TOKEN.findall(segment):
        word = content(token)
        if token.casefold() in _OPENS:
            found |= _kept(name)
            left, name = _LONGEST_NAME, []
        elif not word:  # a function word, a figure or a sign ends a name
            found |= _kept(name)
            left, name = 0, []
        elif left:
            name.extend(word)
            left -= 1
    return found | _kept(name)


def _kept(name: list[str]) -> set[str]:
    told = {word for word in name if word not in _FRAME}
    return told | {word for word in name if word in _BESIDE and len(name) > 1} if told else told
