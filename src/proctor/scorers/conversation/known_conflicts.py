"""Find statements without figures that a source denies, a yes/no field contradicts, or that name an unknown code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from proctor.scorers.checked_answers import quoted
from proctor.scorers.conversation.known_texts import AgentMessage, known_text
from proctor.text.polarity import find_opposite, is_denied, is_free, root_words, split_clauses
from proctor.text.quantities import find_quantities

__all__ = ["contradicted_by"]

_SAME_WORDS: Final = 0.65  # share of a clause's words in the clause of the source that says the opposite
_CODE: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9-]{1,19}(?![\w-])")
_FLAG: Final = re.compile(r"(?:^|[\n.] ?)([^\W\d][\w ]{2,40}): (True|False)\b")
# A condition or a possibility is no statement of what holds.
_CASE: Final = re.compile(
    r"\b(?:if|unless|whether|would|could|may|might|wenn|falls|ob|si|sauf|se|als|indien|om|jeśli|если|eğer)\b|場合|如果|면|إذا",
    re.IGNORECASE,
)
_SHORT: Final = 5  # letters of a field's word; shorter ones are too common
_SIGNS: Final = re.compile(r"[\W_]+")


def contradicted_by(sentence: str, message: AgentMessage) -> str | None:
    """Return what contradicts a sentence of the agent, or ``None``."""
    if not is_denied(sentence) and (code := _unknown_code(sentence, message)) is not None:
        return f"nobody gave {code!r}"
    if _CASE.search(sentence):
        return None
    prose = [each.text for each in message.told if not each.data and each.name != "instructions"]
    found = find_opposite(sentence, prose, _SAME_WORDS) if prose else None
    shared = root_words(found.clause) & root_words(found.source) if found is not None else frozenset[str]()
    if found is not None and len(shared) > 1 and not (is_free(found.source) or is_free(found.clause)):
        return f"a source says the contrary: {quoted(found.source, 100)!r}"
    return _against_field(sentence, message)


def _unknown_code(sentence: str, message: AgentMessage) -> str | None:
    """Return a code that nothing known has, where tools gave others of the same shape: seat 22A beside 14C."""
    hits = list(_CODE.finditer(sentence))
    if not hits:
        return None
    known = _squeezed(known_text(message))
    shapes = {_shape(each) for passage in message.told if passage.data for each in _CODE.findall(passage.text)}
    figures = [(one.start, one.end) for one in find_quantities(sentence) if one.unit]
    for hit in hits:
        inside = any(start < hit.end() and hit.start() < end for start, end in figures)
        if not inside and _shape(hit.group()) in shapes and _squeezed(hit.group()) not in known:
            return hit.group()
    return None


def _against_field(sentence: str, message: AgentMessage) -> str | None:
    """Return a yes/no field whose name the sentence has, and whose value it contradicts."""
    flags = [flag for passage in message.told if passage.data for flag in _flags(passage.text)]
    for clause in split_clauses(sentence):
        folded = clause.casefold()
        for name, value in flags:
            words = [each for each in name.split() if len(each) >= _SHORT]
            once = sum(other == name for other, _ in flags) == 1  # a list of variants has one for each
            if once and words and all(each in folded for each in words) and value == is_denied(clause):
                return f"the record has {name}: {str(value).lower()}"
    return None


@lru_cache(maxsize=512)
def _flags(text: str) -> tuple[tuple[str, bool], ...]:
    return tuple((name.strip().lower(), value == "True") for name, value in _FLAG.findall(text))


@lru_cache(maxsize=256)
def _squeezed(text: str) -> str:
    return _SIGNS.sub("", text.lower())


def _shape(code: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"\d", "0", code.lower()))
