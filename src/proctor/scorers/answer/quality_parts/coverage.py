"""Measure how many expected facts an answer states: by numbers and units, then by entailment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.scorers.model_trust import trust
from proctor.text.claims import plain
from proctor.text.facts import FactMatch, compare, prepare
from proctor.text.find_phrase import fold, occurrences

__all__ = ["NAME", "fact_coverage"]

NAME: Final = "fact_coverage"
_ENTAILED: Final = 0.5
_CONTRADICTED: Final = 0.6
_LETTERS: Final = 6_000  # characters of the answer; the network rejects more


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    fact: str
    stated: bool
    quote: str
    note: str
    confidence: float
    producer: str


async def fact_coverage(facts: Sequence[str], answer: str, entailer: Entailer | None) -> Score:
    """Return the share of the facts that the answer states.

    Numbers, units, dates and negation are decided by rules. A network reads only the rest and cannot overrule a number.
    """
    wanted = [fact for fact in dict.fromkeys(facts) if fact.strip()]
    if not wanted:
        return Score(name=NAME, status="skipped", reason="the case expects no facts")
    given = prepare(answer)
    rules = [(fact, compare(fact, given)) for fact in wanted]
    pending = [(fact, found) for fact, found in rules if found.verdict == "open"]
    try:
        asked = await _asked(pending, answer, entailer) if pending and entailer is not None else {}
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    findings = [asked.get(fact) or _by_rule(fact, found, answer) for fact, found in rules]
    stated = [each for each in findings if each.stated]
    missing = [f"{quoted(each.fact, 80)!r} ({each.note})" for each in findings if not each.stated]
    return Score(
        name=NAME,
        value=len(stated) / len(findings),
        reason=f"{len(stated)} of {len(findings)} facts are stated"
        + (f"; not: {'; '.join(missing[:3])}" if missing else ""),
        confidence=sum(each.confidence for each in findings) / len(findings),
        producer="+".join(dict.fromkeys(each.producer for each in findings)),
        evidence=tuple(
            Evidence(
                quote=quoted(each.quote),
                note=f"{'states' if each.stated else 'does not state'} {quoted(each.fact, 100)!r}: {each.note}",
            )
            for each in sorted(findings, key=lambda each: each.stated)
        )[:MOST_EVIDENCE],
    )


def _by_rule(fact: str, found: FactMatch, answer: str) -> _Finding:
    """Return the rules' finding; an open fact counts as not stated unless it is a name in the answer."""
    sure = {"stated": 0.95, "conflict": 0.95, "absent": 0.9, "open": 0.4}[found.verdict]
    stated = found.verdict == "stated" or (found.verdict == "open" and _is_name(fact, answer))
    return _Finding(
        fact=fact,
        stated=stated,
        quote=found.quote,
        note=found.reason,
        confidence=0.9 if stated and found.verdict == "open" else sure,
        producer="rule",
    )


def _is_name(fact: str, answer: str) -> bool:
    """Whether the fact is only a name or a word and occurs in the answer."""
    return len(fact.split()) <= 3 and bool(occurrences(fact, fold(answer, ignore_case=True), whole_words=True, most=1))


async def _asked(pending: Sequence[tuple[str, FactMatch]], answer: str, entailer: Entailer) -> dict[str, _Finding]:
    """Ask the network about the open facts, against the nearest text and against the whole answer."""
    whole = " ".join(plain(answer).split())[:_LETTERS]
    pairs = [(text, fact) for fact, found in pending for text in (found.quote[:_LETTERS] or whole, whole)]
    shares = await entailer.entails(pairs)
    made: dict[str, _Finding] = {}
    for index, (fact, found) in enumerate(pending):
        near, wide = shares[2 * index], shares[2 * index + 1]
        entailed = max(near["entailment"], wide["entailment"])
        against = near["contradiction"]
        # The numbers and words match: only a clear contradiction overrules them.
        stated = entailed >= _ENTAILED and entailed > against
        if found.numbers and found.share >= 0.5:
            stated = against < _CONTRADICTED
        if _is_name(fact, answer):
            stated = True
        made[fact] = _Finding(
            fact=fact,
            stated=stated,
            quote=found.quote,
            note=f"entailment {entailed:.2f}, contradiction {against:.2f}",
            confidence=trust(f"{fact} {answer}") * max(entailed, 1 - entailed),
            producer="local model",
        )
    return made
