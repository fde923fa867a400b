"""Commands of English prompts: which sentences begin with one, and the commands that a sentence strings together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.verbs import COMMANDS, THINKING, looks_like_command
from proctor.text.lazy_pattern import Lazy

__all__ = ["CHARGE", "is_command", "pieces_of", "without_opening"]

_OPENING: Final = Lazy(
    r"\W*(?:\b(?:please|first|firstly|second|secondly|third|thirdly|then|next|finally|lastly|also|additionally|"
    r"furthermore|moreover|now|remember|note|important|kindly|and|but|however|so|therefore|instead|after that|in "
    r"addition|in general|in all cases|at all times|critical|warning|reminder|as such|overall|ideally|preferably|"
    r"most importantly|above all|it is (?:very )?(?:important|crucial|essential|critical|vital) (?:that "
    r")?(?!to\b)(?=\w)|step \d+)\b(?:\s*[,:!]+\s*|\s+|$)(?:that\s+)?)+",
    re.IGNORECASE,
)
CHARGE: Final = Lazy(
    r"\W*(?:you (?:must|should|shall|will|have to|need to|are to|ought to|can only|may only)(?: always| only| also)?|"
    r"you'll|(?:your|the) (?:\w+ )?(?:task|job|role|goal|mission|objective|purpose|aim)(?: here)?(?: is|:| will "
    r"be)(?: to)?|i (?:want|need|would like|'d like) you to|we (?:want|need) you to|(?:be sure|make sure|remember|"
    r"try|take care|aim|strive)(?: always)? to|help me|can you|could you|you)\s+(?!be given|be provided)",
    re.IGNORECASE,
)
_COMMAND: Final = Lazy(
    r"(?P<adverb>(?:(?:always|only|never|do not|don[’']t|dont|not|simply|just|briefly|clearly|carefully|politely|"
    r"strictly|directly|also|ever|kindly)\s+)*)(?P<verb>[A-Za-z]+)\b[,]?(?:\s+(?P<next>\S+))?",
    re.IGNORECASE,
)


def is_command(text: str, *, sure: bool = False) -> bool:
    """Whether an English text begins with a command that an answer can keep: no thinking, no noun."""
    match = _COMMAND.match(without_opening(text))
    if match is None:
        return False
    verb, following, adverb = match["verb"].lower(), (match["next"] or "").strip(" :"), match["adverb"].lower()
    begun = text[:1].isupper() and verb in COMMANDS and re.match(r"[a-z\"'“`{<]", following) is not None
    if not (sure or begun or looks_like_command(verb, following, adverb=adverb)):
        return False
    if verb in THINKING and not re.search(r"not|n[’']t|dont|never", adverb):
        return False
    return re.match(r"(?:is|are|was|must|should|will|can|may|shall)\b", following) is None


def without_opening(text: str) -> str:
    """Return a sentence without words such as ``please`` or ``note that`` before it."""
    match = _OPENING.match(text)
    rest = text[match.end() :] if match else text
    return rest if rest.strip() else text


_JOINT: Final = Lazy(r"\s*;\s*|,?\s+(?:and|but|then|and then|and also)\s+|,\s+(?:then\s+)?", re.IGNORECASE)
_LEAST_WORDS: Final = 2


def pieces_of(text: str, safe: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans of the commands that an English sentence strings together; one span if it is not so.

    ``safe`` are spans that are not cut. A sentence with a condition or a place before it stays whole, since those are
    of all of it, and so does what a negation may govern.
    """
    charge = CHARGE.match(text)
    if is_conditional(text) or not (is_command(text) or (charge and is_command(text[charge.end() :], sure=True))):
        return [(0, len(text))]
    found, start = [], 0
    for joint in _JOINT.finditer(text):
        rest, before = text[joint.end() :], text[start : joint.start()]
        if any(low <= joint.start() < high for low, high in safe) or len(before.split()) < _LEAST_WORDS:
            continue
        match = _COMMAND.match(rest)
        idle = match is not None and match["verb"].lower() in ("have", "be", "do") and not match["adverb"].strip()
        if match is None or idle or not is_command(rest) or len(re.split(r"[,.;]", rest)[0].split()) < _LEAST_WORDS:
            continue
        bare = joint.group().strip() == ","
        denied = re.search(NEGATION, before, re.IGNORECASE) is not None and not match["adverb"].strip()
        if denied or (
            bare
            and not match["adverb"]
            and not re.match(r"(?:the|a|an|your|each|every|all|it|them)\b", match["next"] or "")
        ):
            continue
        found.append((start, joint.start()))
        start = joint.end()
    return [*found, (start, len(text))]
