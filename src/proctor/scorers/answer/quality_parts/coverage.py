"""Measure how many expected facts an answer states: by values, then by entailment in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer, entailer_for_facts
from proctor.scorers.answer.quality_parts.exchanged_values import ValueExchange, exchanges
from proctor.scorers.answer.quality_parts.stated_facts import FactDecision, FactReading, decided, read_fact
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.scorers.model_trust import trust
from proctor.text.claims import plain
from proctor.text.facts import WORD_FOR_WORD, FactMatch, compare, prepare
from proctor.text.find_phrase import fold, occurrences

__all__ = ["NAME", "REVIEW", "fact_coverage"]

NAME: Final = "fact_coverage"
REVIEW: Final = "in doubt"  # label of a score that a person has to settle
_LETTERS: Final = 6_000  # characters of the answer; the network rejects more


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    fact: str
    decision: FactDecision
    quote: str
    note: str
    confidence: float
    producer: str


async def fact_coverage(facts: Sequence[str], answer: str, entailer: Entailer | None) -> Score:
    """Return the share of the facts that the answer states.

    Numbers, units, dates, ranges, times and negation are compared as values. A network reads only the rest, in both
    directions, and cannot overrule a value. If a fact stays in doubt and none is missing, there is no score.
    """
    wanted = [fact for fact in dict.fromkeys(facts) if fact.strip()]
    if not wanted:
        return Score(name=NAME, status="skipped", reason="the case expects no facts")
    given = prepare(answer)
    rules = [_by_rule(fact, compare(fact, given), answer, wanted, alone=entailer is None) for fact in wanted]
    pending = [fact for fact, found in zip(wanted, rules, strict=True) if found is None]
    try:
        asked = await _asked(pending, wanted, answer, entailer) if pending and entailer is not None else {}
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    findings = [asked.get(fact) or found for fact, found in zip(wanted, rules, strict=True)]
    return _told([each for each in findings if each is not None])


def _told(findings: Sequence[_Finding]) -> Score:
    stated = [each for each in findings if each.decision == "stated"]
    missing = [each for each in findings if each.decision == "not stated"]
    doubtful = [each for each in findings if each.decision == "in doubt"]
    reason = f"{len(stated)} of {len(findings)} facts are stated"
    for label, some in (("not", missing), ("in doubt", doubtful)):
        if some:
            reason += f"; {label}: " + "; ".join(f"{quoted(each.fact, 80)!r} ({each.note})" for each in some[:3])
    evidence = tuple(
        Evidence(quote=quoted(each.quote), note=f"{_VERBS[each.decision]} {quoted(each.fact, 100)!r}: {each.note}")
        for each in (*missing, *doubtful, *stated)
    )[:MOST_EVIDENCE]
    producer = "+".join(dict.fromkeys(each.producer for each in findings))
    if doubtful and not missing:
        return Score(name=NAME, status="error", reason=reason, evidence=evidence, producer=producer, label=REVIEW)
    return Score(
        name=NAME,
        value=len(stated) / (len(stated) + len(missing)),
        reason=reason,
        confidence=sum(each.confidence for each in findings) / len(findings),
        producer=producer,
        evidence=evidence,
    )


_VERBS: Final = {"stated": "states", "not stated": "does not state", "in doubt": "may state"}


def _by_rule(fact: str, found: FactMatch, answer: str, wanted: Sequence[str], *, alone: bool) -> _Finding | None:
    """Return what values and words settle; None for what a network has to read."""

    def made(decision: FactDecision, confidence: float, note: str = "") -> _Finding:
        return _Finding(
            fact=fact,
            decision=decision,
            quote=found.quote,
            note=note or found.reason,
            confidence=confidence,
            producer="rule",
        )

    if (found.verdict == "stated" and found.reason == WORD_FOR_WORD) or _is_name(fact, answer):
        return made("stated", 0.95)
    reading = read_fact(fact, answer, beside=() if alone else wanted)
    if found.verdict == "stated" and not reading.doubt and not reading.missing:
        return made("stated", 0.95)
    if reading.has_numbers and reading.missing:
        note = found.reason if found.verdict in ("conflict", "absent") else f"{reading.missing!r} is not said"
        return made("not stated", 0.95 if found.verdict == "conflict" else 0.9, note)
    if reading.is_bare:
        return made("stated", 0.85, "the value is there")
    if found.verdict == "conflict" and (not reading.has_numbers or alone):
        return made("not stated", 0.95)
    if alone:
        return made("stated" if found.verdict == "stated" else "not stated", 0.4)
    return None


def _is_name(fact: str, answer: str) -> bool:
    """Whether the fact is only a name or a word and occurs in the answer."""
    return len(fact.split()) <= 3 and bool(occurrences(fact, fold(answer, ignore_case=True), whole_words=True, most=1))


async def _asked(pending: Sequence[str], wanted: Sequence[str], answer: str, entailer: Entailer) -> dict[str, _Finding]:
    """Ask the network about the open facts: the fact from the answer, and the answer's nearest text from the fact.

    Where the answer has the values of several wanted facts, it is also asked which value belongs to which fact.
    """
    whole = " ".join(plain(answer).split())[:_LETTERS]
    given = prepare(answer)
    near = {fact: compare(fact, given).quote[:_LETTERS] or whole for fact in pending}
    pairs = [
        pair for fact in pending for pair in ((near[fact], fact), (whole, fact), (fact, near[fact]), (fact, whole))
    ]
    rivalled = {fact for fact in pending if read_fact(fact, answer, beside=wanted).rivals}
    swaps = [each for each in exchanges(wanted, answer) if rivalled & {*each.facts}] if rivalled else []
    shares = await entailer_for_facts(entailer).entails([*pairs, *(pair for each in swaps for pair in each.pairs)])
    told = [(each, each.decided(shares[len(pairs) + 4 * n :][:4])) for n, each in enumerate(swaps)]
    made: dict[str, _Finding] = {}
    for index, fact in enumerate(pending):
        settled = [each.other(fact)[1] for each, found in told if found == "as they are" and fact in each.facts]
        reading = read_fact(fact, answer, beside=wanted, settled=settled)
        made[fact] = _read(fact, answer, near[fact], reading, shares[4 * index : 4 * index + 4])
    for swap, found in told:
        if found == "exchanged":
            made |= {fact: _exchanged(fact, answer, swap) for fact in swap.facts}
    return made


def _read(fact: str, answer: str, quote: str, reading: FactReading, shares: Sequence[Mapping[str, float]]) -> _Finding:
    close, wide, back, back_wide = shares
    forth = max(close, wide, key=lambda each: each["entailment"])
    again = max(back, back_wide, key=lambda each: each["entailment"])
    decision = decided(reading, forth, again)
    note = f"entailment {forth['entailment']:.2f}, contradiction {forth['contradiction']:.2f}"
    return _Finding(
        fact=fact,
        decision=decision,
        quote=quote,
        note=f"{reading.doubt}; {note}" if reading.doubt else note,
        confidence=trust(f"{fact} {answer}") * (0.9 if decision != "in doubt" else 0.3),
        producer="local model",
    )


def _exchanged(fact: str, answer: str, swap: ValueExchange) -> _Finding:
    other, _ = swap.other(fact)
    return _Finding(
        fact=fact,
        decision="not stated",
        quote=swap.part_with(fact),
        note=f"its value and that of {quoted(other, 80)!r} are exchanged",
        confidence=trust(f"{fact} {answer}") * 0.9,
        producer="local model",
    )
