"""Find statements without figures that a source denies, a yes/no field contradicts, or that name an unknown code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

from proctor.scorers.checked_answers import quoted
from proctor.scorers.conversation.cross_turn_terms import is_charged_otherwise
from proctor.scorers.conversation.known_texts import AgentMessage, known_text
from proctor.text.charges import is_charged_extra, is_part_of_price
from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.number_words import find_number_words
from proctor.text.polarity import denied_root, find_opposite, is_denied, is_free, root_words, split_clauses
from proctor.text.quantities import Quantity, find_quantities
from proctor.text.shared_runs import squeezed

__all__ = ["charged_otherwise", "contradicted_by", "unknown_code"]

_SAME_WORDS: Final = 0.65  # share of a clause's words in the clause of the source that says the opposite
_CODE: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9-]{1,19}(?![\w-])")
_ORDINAL: Final = re.compile(r"\d{1,3}(?:st|nd|rd|th|er|ère|e|ème|te|ste|ten|de)")  # "the 21st" is a date or a place
_FLAG: Final = re.compile(r"(?:^|[\n.] ?)([^\W\d][\w ]{2,40}): (True|False)\b")
# A condition or a possibility is no statement of what holds.
_CASE: Final = re.compile(
    r"\b(?:if|unless|whether|would|could|may|might|wenn|falls|ob|si|sauf|se|als|indien|om|jeśli|если|eğer)\b|場合|如果|면|إذا",
    re.IGNORECASE,
)
_LEAST_SHARED, _SHARE = 2, 0.4  # words, and share of a clause's words, that a source has beside another number
_LEAST_NUMBER, _MOST_NUMBER = 3, 199
_IN_CODE: Final = re.compile(
    r"[\w:/#+-]|[.,]\d|\s\d"
)  # what stands beside a number that is part of an id or a phone number
_SHORT: Final = 5  # letters of a field's word; shorter ones are too common
_PART: Final = re.compile(r"[;；]")
_LEAST_CHARGED: Final = 2  # words that a price of a source shares with what the agent charges


def unknown_code(sentence: str, message: AgentMessage) -> str | None:
    """Return that a sentence names a code which nobody gave, or ``None``."""
    code = None if is_denied(sentence) else _unknown_code(sentence, message)
    return None if code is None else f"nobody gave {code!r}"


def contradicted_by(sentence: str, message: AgentMessage) -> str | None:
    """Return what seems to contradict a sentence of the agent by its words, or ``None``.

    Words alone are weak evidence: on conversations that were not seen before, right answers are met about as often
    as wrong ones.
    """
    if (other := _other_number(sentence, message)) is not None:
        return f"a source says {quoted(other, 100)!r}"
    if _CASE.search(sentence):
        return None
    prose = [each.text for each in message.told if not each.data and each.name != "instructions"]
    found = find_opposite(sentence, prose, _SAME_WORDS) if prose else None
    shared = root_words(found.clause) & root_words(found.source) if found is not None else frozenset[str]()
    if found is not None and len(shared) > 1 and not (is_free(found.source) or is_free(found.clause)):
        return f"a source says the contrary: {quoted(found.source, 100)!r}"
    if (denied := _denied_word(sentence, prose)) is not None:
        return f"a source says the contrary: {quoted(denied, 100)!r}"
    return _against_field(sentence, message)


def _denied_word(sentence: str, prose: Sequence[str]) -> str | None:
    """Return a clause of a source that denies the word which the sentence affirms of the same thing: not transferable.

    A clause with a condition or a figure of its own is another case, and one that affirms the word settles it.
    """
    clauses = [each for text in prose for each in split_clauses(text)]
    for said in split_clauses(sentence):
        if is_denied(said) or find_quantities(said):
            continue
        words = root_words(said)
        for clause in clauses:
            denied = denied_root(clause)
            if denied not in words or _CASE.search(clause) or find_quantities(clause):
                continue
            shared = len(words & root_words(clause))
            if shared >= _LEAST_SHARED and not any(
                denied in root_words(other) and not is_denied(other) for other in clauses
            ):
                return clause
    return None


def _other_number(sentence: str, message: AgentMessage) -> str | None:
    """Return the sentence of a source with another number for the same: from 16 where the agent says from 14.

    These are numbers that are too common to need a source: without a unit, or one of a unit in words ("an hour"). They
    are compared only with a sentence of a source that has most of their own clause's words.
    """
    known = known_text(message)
    numbers = _numbers(known)
    for clause in split_clauses(sentence):
        for one in find_quantities(clause):
            if not _is_plain(clause, one) or one.value in numbers.get(one.unit, frozenset()):
                continue
            for text in (
                text for each in message.told if each.name != "instructions" for text in _sentences(each.text)
            ):
                if not _are_alike(clause, text):
                    continue
                rivals = [other for other in find_quantities(text) if other.unit == one.unit and other.day is None]
                if any(_is_plain(text, other) or other.unit for other in rivals):
                    return text
    return None


def _are_alike(clause: str, source: str) -> bool:
    """Whether a source has much of a clause's words: by their beginnings, or by their stems."""
    for words in (root_words, content):
        wanted = words(clause)
        shared = len(wanted & words(source))
        if shared >= _LEAST_SHARED and shared >= _SHARE * len(wanted):
            return True
    return False


def _is_plain(text: str, one: Quantity) -> bool:
    """Whether a figure is a small number of things nobody counts, or one of a period in words."""
    if one.day is not None or one.high is not None:
        return False
    if one.unit:
        return one.is_article and one.unit in ("hour", "month", "business day")
    return (
        _LEAST_NUMBER <= one.value <= _MOST_NUMBER
        and one.value == one.value.to_integral_value()
        and not _IN_CODE.match(text[max(0, one.start - 1) : one.start])
        and not _IN_CODE.match(text, one.end)
    )


@lru_cache(maxsize=256)
def _numbers(text: str) -> Mapping[str, frozenset[Decimal]]:
    """Return the values of a text by unit; a number without a unit may be of any."""
    found: dict[str, set[Decimal]] = {"": {each.value for each in find_number_words(text)}}
    for one in find_quantities(text):
        ends = [one.value_written, one.value, *([one.high] if one.high is not None else [])]
        found[""].update(ends)
        found.setdefault(one.unit, set()).update(ends)
    return {unit: frozenset(values) for unit, values in found.items()}


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(each.text for each in statements(text, most=200) if any(map(str.isdigit, each.text)))


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
