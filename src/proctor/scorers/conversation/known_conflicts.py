"""Find statements that name a code which nobody gave, or charge otherwise than a source."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from proctor.scorers.conversation.cross_turn_terms import is_charged_otherwise
from proctor.scorers.conversation.known_texts import AgentMessage, known_text
from proctor.text.charges import is_charged_extra, is_part_of_price
from proctor.text.claims import statements
from proctor.text.polarity import is_denied, root_words
from proctor.text.quantities import find_quantities
from proctor.text.shared_runs import squeezed

__all__ = ["charged_otherwise", "unknown_code"]

_CODE: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9-]{1,19}(?![\w-])")
_ORDINAL: Final = re.compile(r"\d{1,3}(?:st|nd|rd|th|er|ère|e|ème|te|ste|ten|de)")  # "the 21st" is a date or a place
_PART: Final = re.compile(r"[;；]")
_LEAST_CHARGED: Final = 2  # words that a price of a source shares with what the agent charges


def unknown_code(sentence: str, message: AgentMessage) -> str | None:
    """Return that a sentence names a code which nobody gave, or ``None``."""
    code = None if is_denied(sentence) else _unknown_code(sentence, message)
    return None if code is None else f"nobody gave {code!r}"


def _unknown_code(sentence: str, message: AgentMessage) -> str | None:
    """Return a code that nothing known has, where tools gave others of the same shape: seat 22A beside 14C."""
    hits = list(_CODE.finditer(sentence))
    if not hits:
        return None
    known = squeezed(known_text(message))
    shapes = {_shape(each) for passage in message.told if passage.data for each in _CODE.findall(passage.text)}
    figures = [(one.start, one.end) for one in find_quantities(sentence) if one.unit]
    for hit in hits:
        inside = any(start < hit.end() and hit.start() < end for start, end in figures)
        if inside or _ORDINAL.fullmatch(hit.group()):
            continue
        if _shape(hit.group()) in shapes and squeezed(hit.group()) not in known:
            return hit.group()
    return None


@lru_cache(maxsize=256)
def _shape(code: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"\d", "0", code.lower()))


def charged_otherwise(sentence: str, message: AgentMessage) -> str | None:
    """Return the sentence of a source that includes in a price what this one charges extra, or the reverse.

    One that agrees with it, and speaks of as much of it, settles it.
    """
    if not is_charged_extra(sentence) and not is_part_of_price(sentence):
        return None
    parts = [
        part
        for each in message.told
        if not each.data and each.name != "instructions"  # whole handbooks speak of many prices
        for statement in statements(each.text)
        for part in _PART.split(statement.text)
    ]
    against = [part for part in parts if is_charged_otherwise(part, sentence)]
    if not against:
        return None
    words = root_words(sentence)
    shared, most = max((len(words & root_words(part)), part) for part in against)
    same = is_charged_extra if is_charged_extra(sentence) else is_part_of_price
    agreed = max((len(words & root_words(part)) for part in parts if same(part)), default=0)
    return most.strip() if shared >= _LEAST_CHARGED and shared > agreed else None
