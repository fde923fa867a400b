"""Check the figures and free offers of every answer against what the conversation's tools and sources said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.quality_parts.source_passages import ready_for
from proctor.scorers.answer.quality_parts.value_conflicts import find_conflict
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    no_conversation,
    quoted,
    scored,
    skipped,
    turn_label,
    unless_broken_off,
)
from proctor.scorers.conversation.derived_figures import PERIODS, RECORD_FIELD, follows
from proctor.scorers.conversation.known_conflicts import charged_otherwise, unknown_code
from proctor.scorers.conversation.known_texts import AgentMessage, agent_messages
from proctor.text.claims import statements
from proctor.text.clock_times import find_times
from proctor.text.known_values import KnownValues
from proctor.text.money import CURRENCIES
from proctor.text.polarity import is_denied, is_free, is_included, root_words, split_clauses
from proctor.text.quantities import Quantity, find_quantities
from proctor.text.script import language_of
from proctor.text.units import find_unit

__all__ = ["TurnFacts"]

_UNITS: Final = frozenset({"percent", "hour", "business day", "month", "date", "clock", "weekday"})
_MANY_AMOUNTS: Final = 10  # known amounts from which any sum may be computed
_ZERO: Final = re.compile(r"(?<![\d.,])0(?:[.,]0+)?(?![\d.,]*\d)")
_MOST_KEPT: Final = 40  # figures of earlier answers that may be computed with
_LEAST_FIT: Final = 2  # words of a field's name
_LEAST_SHARED: Final = 2  # words of two clauses about the same thing
_LEAST_LED: Final = 4  # words right before two figures of the same thing
_ANY_WORD: Final = re.compile(r"[^\W\d_]+")
# The kind of a figure by its unit; all others are amounts of money.
_KINDS: Final = {
    "percent": "percent",
    "hour": "period",
    "business day": "period",
    "month": "period",
    "date": "date",
    "clock": "clock",
    "weekday": "weekday",
}
_DENY_AT_THE_END: Final = frozenset({"ja", "ko", "tr", "hi"})  # the verb, and with it the denial, is the last word
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_PRICE: Final = re.compile(
    r"price|amount|total|fare|cost|fee|balance|business|economy|preis|betrag|prix|montant|precio|importe|prezzo|valor",
    re.I,
)
_AGO: Final = re.compile(
    r"\s*(?:ago|old|fa|geleden|sedan|temu|назад|önce|gamla?|alt|vieux)\b|\s*(?:前|전|之前|以前)", re.IGNORECASE
)
_SINCE: Final = re.compile(r"\b(?:vor|il y a|hace|há|för|منذ|قبل)\s(?:\w+\s)?$|منذ\s$", re.IGNORECASE)
_NO_GIFT: Final = re.compile(
    r"\b(?:feel|are|be|is|am|were) free(?: to)?\b|\bfree to\b|\b(?:if|whether|for|about|of|without knowing) any"
    r"(?: \w+)? (?:charge|cost|fee)s?\b|-free\b"
    r"|\bno (?:\w+ )?(?:charge|fee|cost)s? (?:were|was|appl(?:y|ies))\b"
    r"|\bfree (?:up|time|slot|seat|spot|space|room|table|copy|text)s?\b",
    re.IGNORECASE,
)
_WAIVED: Final = re.compile(r"waive|exempt|compliment|coupon|voucher|discount|gratis|promo", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    message: AgentMessage
    sentence: str
    why: str
    against: bool
    check: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """Every amount, deadline, date and free offer of an answer follows from what tools, sources and customer said."""

    name: ClassVar[str] = "turn_facts"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    known: tuple[str, ...] = ()

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the figures of each answer with everything that was known when it was given."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        return unless_broken_off(self, run, self._judged(run))

    def _judged(self, run: Trajectory) -> Score:
        found: list[_Finding] = []
        explained: list[Quantity] = []
        before: list[str] = []
        checked = 0
        for message in agent_messages(run):
            if message.has_sources:
                checked += 1
                found += _problems(message, self.known, explained, before)
            before.append(message.text)
        if not checked:
            return skipped(self, "no tool, source or instruction is recorded that an answer could rest on")
        if not found:
            return scored(self, 1.0, f"the figures of {checked} answers follow from what was known", confidence=0.75)
        first = found[0]
        reason = f"{turn_label(first.message.turn)}: {first.why}: {quoted(first.sentence, 160)!r}"
        reason += f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        sure = 0.85 if first.against else 0.7
        return scored(self, 0.0, quoted(reason, 500), evidence=_evidence(found), confidence=sure)


def _evidence(found: Sequence[_Finding]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(quote=quoted(each.sentence), turn=each.message.turn, note=each.why, check=each.check)
        for each in found[:MOST_EVIDENCE]
    )


def _problems(
    message: AgentMessage, known_texts: Sequence[str], explained: list[Quantity], before: Sequence[str]
) -> Iterator[_Finding]:
    """Yield the first figure of each kind in a message that follows from nothing, or else a code or a charge.

    ``explained`` collects the other figures; ``before`` are the agent's earlier messages.
    """
    known = KnownValues.of((*(each.text for each in message.told), *known_texts), message.heard, message.text)
    said = [each.text for each in statements(message.text) if each.kind in ("claim", "courtesy", "offer")]
    left: list[tuple[str, Quantity]] = []
    for sentence in said:
        figures = (*find_quantities(sentence), *find_times(sentence))
        for one in figures:
            if not _is_checked(one) or _is_elapsed(sentence, one):
                continue
            if known.explains(one, explained[-_MOST_KEPT:]) or follows(one, known, figures, message):
                explained.append(one)
            elif not _is_denied_figure(sentence, one):
                left.append((sentence, one))
    kinds = set[str]()
    for sentence, one in (
        each for each in left if "=" not in each[0]
    ):  # an equation shows how; a difference of two explained figures of the same message is explained too
        kind = _KINDS.get(one.unit, "amount")
        if kind in kinds or known.explains(one, explained[-_MOST_KEPT:]) or not _can_be_known(one, known, message):
            continue
        conflict = find_conflict(sentence, known, [ready_for(each) for each in message.told])
        if conflict is not None and conflict.passage is not None:
            why = f"{conflict.passage.name} says {quoted(conflict.told, 60)!r}, not {quoted(conflict.said, 60)!r}"
        else:
            why = f"no tool, source or customer gave {one.quote.strip()!r}"
        kinds.add(kind)
        check = kind if conflict is None or conflict.passage is None else f"{kind}_conflict"
        firm = check == f"{kind}_conflict" and kind not in ("clock", "weekday")  # a source already says otherwise
        if not firm and (other := _said_before(sentence, one, before)) is not None:
            why, check = f"the agent said {quoted(other, 80)!r} before, and nothing has changed it", f"{kind}_changed"
        if check == "clock":  # times are moved and proposed: of those that only nobody gave, none was a fault
            continue
        yield _Finding(message=message, sentence=sentence, why=why, against=conflict is not None, check=check)
    if not kinds:
        yield from _word_problems(said, message)


def _said_before(sentence: str, one: Quantity, before: Sequence[str]) -> str | None:
    """Return the clause in which the agent gave another figure of the same kind for the same thing."""
    clause = _clause_of(sentence, one)
    words = root_words(clause)
    for earlier in reversed(before):
        for other in split_clauses(earlier):
            figures = [each for each in (*find_quantities(other), *find_times(other)) if each.unit == one.unit]
            if (
                figures
                and (len(words & root_words(other)) >= _LEAST_SHARED or _led_alike(clause, one, other, figures[0]))
                and not is_denied(other)
                and not any(_ends(each) & _ends(one) for each in figures)
            ):
                return other
    return None


def _led_alike(clause: str, one: Quantity, other: str, figure: Quantity) -> bool:
    """Whether the same words lead up to two figures: "back at the wharf by" 5 pm, and by 6:30."""
    led = [
        tuple(_ANY_WORD.findall(text.partition(each.quote.strip())[0].lower())[-_LEAST_LED:])
        for text, each in ((clause, one), (other, figure))
    ]
    return led[0] == led[1] and len(led[0]) == _LEAST_LED


def _ends(one: Quantity) -> set[Decimal]:
    return {one.value, one.high if one.high is not None else one.value}


def _clause_of(sentence: str, one: Quantity) -> str:
    quote = one.quote.strip()
    return next((each for each in split_clauses(sentence) if quote in each), sentence)


def _word_problems(said: Sequence[str], message: AgentMessage) -> Iterator[_Finding]:
    """Yield a code that nobody gave, another charge than a source has, or a free offer that nothing explains."""
    for sentence in said:
        if (code := unknown_code(sentence, message)) is not None:
            yield _Finding(message=message, sentence=sentence, why=code, against=True, check="code")
            return
        if (source := charged_otherwise(sentence, message)) is not None:
            why = f"a source charges it otherwise: {quoted(source, 100)!r}"
            yield _Finding(message=message, sentence=sentence, why=why, against=True, check="charge")
            return
        if (priced := _price_of_gift(sentence, message)) is not None:
            why = f"called free, and the record has {priced}"
            yield _Finding(message=message, sentence=sentence, why=why, against=True, check="free")
            return
        if _is_unfounded_gift(sentence, message):
            why = "called free, and nothing that was read says so"
            yield _Finding(message=message, sentence=sentence, why=why, against=False, check="free")
            return


def _can_be_known(one: Quantity, known: KnownValues, message: AgentMessage) -> bool:
    """Whether what was read would tell a figure of this kind.

    Without the agent's instructions or a document, a period that no tool speaks of may stand in the instructions.
    """
    if one.unit in CURRENCIES:
        return _amounts(known) + _priced(message) <= _MANY_AMOUNTS
    if one.unit not in PERIODS or any(not each.data for each in message.told):
        return True
    return any(_names_unit(each.text, one.unit) for each in message.told)


def _priced(message: AgentMessage) -> int:
    """Return how many whole amounts the records have in fields of prices."""
    found = {
        written
        for each in message.told
        if each.data
        for name, written in RECORD_FIELD.findall(each.text)
        if "." not in written and _PRICE.search(name)
    }
    return len(found)


@lru_cache(maxsize=512)
def _names_unit(text: str, unit: str) -> bool:
    """Whether a record has a field or a value of this unit: "free until hours before: 72"."""
    return any(_unit_of(word) == unit for word in set(_WORD.findall(text.lower())))


@lru_cache(maxsize=8192)
def _unit_of(word: str) -> str:
    found = find_unit(f"1 {word}", 1)
    return found.base if found is not None and found.end == len(word) + 2 else ""


def _is_checked(one: Quantity) -> bool:
    return (one.unit in _UNITS or one.unit in CURRENCIES) and not one.is_article


def _is_elapsed(sentence: str, one: Quantity) -> bool:
    """Whether a period counts from now, which the record does not tell: "29 hours ago"."""
    return one.unit in PERIODS and (
        _AGO.match(sentence, one.end) is not None
        or _SINCE.search(sentence[max(0, one.start - 14) : one.start]) is not None
    )


def _amounts(known: KnownValues) -> int:
    return len(
        {each.value for each in known.stated if each.unit in CURRENCIES or (not each.unit and "." in each.quote)}
    )


def _is_denied_figure(sentence: str, one: Quantity) -> bool:
    """Whether the clause of a figure denies it: "not 24 hours but 72"; "300 EUR without approval" does not."""
    clause = _clause_of(sentence, one)
    before = clause.partition(one.quote.strip())[0]
    return is_denied(clause if language_of(sentence) in _DENY_AT_THE_END else before)


def _price_of_gift(sentence: str, message: AgentMessage) -> str | None:
    """Return the price field that speaks of what a sentence calls free, if it fits better than any field of 0.

    A field fits by the words of its name in the sentence and in what the customer asked: "replacement, broken: 7.5".
    """
    clauses = [each for each in split_clauses(_NO_GIFT.sub(" ", sentence)) if is_free(each) and not is_denied(each)]
    claimed = root_words(" ".join(clauses) + " é")
    if not claimed:
        return None
    spoken = claimed | root_words(f"{message.heard[-1] if message.heard else ''} é")
    best, zero, found = 0, 0, ""
    for each in message.told:
        for name, written in RECORD_FIELD.findall(each.text) if each.data else ():
            words = root_words(f"{name} é")
            fit = len(words & spoken) if words & claimed else 0
            if not Decimal(written):
                zero = max(zero, fit)
            elif fit > best and ("." in written or _PRICE.search(name)):
                best, found = fit, f"{name.strip()}: {written}"
    return found if best >= _LEAST_FIT and best > zero else None


def _is_unfounded_gift(sentence: str, message: AgentMessage) -> bool:
    """Whether a clause calls something free although nothing known is free, included or costs nothing."""
    clauses = split_clauses(_NO_GIFT.sub(" ", sentence))
    if not any(is_free(each) and not is_denied(each) for each in clauses):
        return False
    if message.has_calls and any(one.unit in CURRENCIES and not one.value for one in find_quantities(sentence)):
        return False  # "price difference: $0 (no charge)" was computed from what the tools gave
    texts = [*(each.text for each in message.told), *message.heard]
    return not any(is_free(text) or is_included(text) or _ZERO.search(text) or _WAIVED.search(text) for text in texts)
