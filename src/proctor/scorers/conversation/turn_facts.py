"""Check the figures of every answer against what the conversation's tools and sources said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.quality_parts.source_passages import ready_for
from proctor.scorers.answer.quality_parts.value_conflicts import ValueConflict, find_conflict
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
from proctor.scorers.conversation.known_texts import AgentMessage, agent_messages
from proctor.text.claims import statements
from proctor.text.known_values import KnownValues
from proctor.text.money import CURRENCIES
from proctor.text.polarity import is_denied, split_clauses
from proctor.text.quantities import Quantity, find_quantities
from proctor.text.script import language_of

__all__ = ["TurnFacts"]

_MANY_AMOUNTS: Final = 10  # known amounts from which any sum may be computed
_MOST_KEPT: Final = 40  # figures of earlier answers that may be computed with
# The kind of a figure by its unit; all others are amounts of money.
_KINDS: Final = {
    "percent": "percent",
    "hour": "period",
    "business day": "period",
    "month": "period",
    "date": "date",
}
_DENY_AT_THE_END: Final = frozenset({"ja", "ko", "tr", "hi"})  # the verb, and with it the denial, is the last word
_PRICE: Final = re.compile(
    r"price|amount|total|fare|cost|fee|balance|business|economy|preis|betrag|prix|montant|precio|importe|prezzo|valor",
    re.I,
)
_AGO: Final = re.compile(
    r"\s*(?:ago|old|fa|geleden|sedan|temu|назад|önce|gamla?|alt|vieux)\b|\s*(?:前|전|之前|以前)", re.IGNORECASE
)
_SINCE: Final = re.compile(r"\b(?:vor|il y a|hace|há|för|منذ|قبل)\s(?:\w+\s)?$|منذ\s$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    message: AgentMessage
    sentence: str
    why: str
    against: bool
    check: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """Every amount, share, date and period of an answer follows from what tools, sources and customer said."""

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
        checked = 0
        for message in agent_messages(run):
            if message.has_sources:
                checked += 1
                found += _problems(message, self.known, explained)
        if not checked:
            return skipped(self, "no tool, source or instruction is recorded that an answer could rest on")
        if not found:
            return scored(
                self,
                1.0,
                f"the amounts, shares and dates of {checked} answers follow from what was known",
                confidence=0.75,
            )
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


def _problems(message: AgentMessage, known_texts: Sequence[str], explained: list[Quantity]) -> Iterator[_Finding]:
    """Yield the first figure of each kind in a message that follows from nothing; ``explained`` collects the others.

    A period counts only against a source that has another one: many stand in no record.
    """
    known = KnownValues.of((*(each.text for each in message.told), *known_texts), message.heard, message.text)
    said = [each.text for each in statements(message.text) if each.kind in ("claim", "courtesy", "offer")]
    left: list[tuple[str, Quantity]] = []
    first = len(explained)
    for sentence in said:
        figures = find_quantities(sentence)
        for one in figures:
            if not _is_checked(one) or _is_elapsed(sentence, one):
                continue
            spoken = explained[first:]
            known_before = explained[-_MOST_KEPT:]
            if (
                any(one.same(each) for each in known_before)
                or known.explains(one, known_before)
                or follows(one, known, figures, message, spoken)
            ):
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
        against = conflict is not None and conflict.passage is not None
        if not against and kind == "period":
            continue
        kinds.add(kind)
        yield _Finding(
            message=message,
            sentence=sentence,
            why=_why(one, conflict),
            against=against,
            check=f"{kind}_conflict" if against else kind,
        )


def _why(one: Quantity, conflict: ValueConflict | None) -> str:
    if conflict is None or conflict.passage is None:
        return f"no tool, source or customer gave {one.quote.strip()!r}"
    return f"{conflict.passage.name} says {quoted(conflict.told, 60)!r}, not {quoted(conflict.said, 60)!r}"


def _clause_of(sentence: str, one: Quantity) -> str:
    quote = one.quote.strip()
    return next((each for each in split_clauses(sentence) if quote in each), sentence)


def _can_be_known(one: Quantity, known: KnownValues, message: AgentMessage) -> bool:
    """Whether few enough amounts are known that one cannot be any sum of them."""
    return one.unit not in CURRENCIES or _amounts(known) + _priced(message) <= _MANY_AMOUNTS


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


def _is_checked(one: Quantity) -> bool:
    return (one.unit in _KINDS or one.unit in CURRENCIES) and not one.is_article


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
