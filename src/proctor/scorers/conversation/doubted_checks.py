"""Which findings of a gate fail a conversation, and which only put it in doubt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import orjson

from proctor.core.score import Evidence, Score

__all__ = ["DOUBTED", "DOUBT_CONFIDENCE", "doubt_agreed", "doubt_unlikely", "in_doubt"]

DOUBT_CONFIDENCE: Final = 0.3  # confidence of a pass that a person should look at
# Checks that fail more clean conversations than a fifth of the faults they find, on conversations that their author had
# not seen, and that compare values or calls all the same; the counts are in docs/benchmarks_conversations.md, and
# `python -m benchmarks.blind.talk_checks` makes them.
DOUBTED: Final = (
    "turn_facts.date",
    "turn_facts.date_conflict",
    "turn_facts.amount_conflict",
    "turn_facts.period_conflict",
    "cross_turn.read",
    "commitments.likely",
    "commitments.other_act",
    "commitments.result",
    "pii_shown.new_value",
    "pii_shown.record",
    "loops.closed",
    "loops.customer_repeats",
    "loops.passed_over",
    "loops.value_given_again",
    "argument_origin.choice",
    "argument_origin.id",
)


UNLIKELY: Final = 0.1
# Gates that read what is said. Others compare values, calls and permissions, which the network is no judge of.
READING: Final = frozenset(
    ("citations", "commitments", "completion", "cross_turn", "loops", "person_requests", "premises", "turn_facts")
)


def in_doubt(part: Score, doubted: Collection[str]) -> Score:
    """Return the score of a gate; one that failed by a doubted check alone passes in doubt, with its findings."""
    if part.passed is not False or not part.evidence:
        return part
    firm = [one for one in part.evidence if not _is_doubted(part.name, one, doubted)]
    if firm and len(firm) < len(part.evidence):  # what fails it comes first, so that its turn is the one reported
        return replace(part, evidence=(*firm, *(one for one in part.evidence if one not in firm)))
    if firm or _agree(part.evidence):
        return part
    return replace(part, value=1.0, threshold=1.0, confidence=DOUBT_CONFIDENCE, in_doubt=True)


def doubt_agreed(parts: Sequence[Score], before: Sequence[Score]) -> list[Score]:
    """Return the scores; two gates that are in doubt about the same turn agree, and each fails as it did before."""
    turns = [(part.name, one.turn) for part in parts if part.in_doubt for one in part.evidence if one.turn is not None]
    agreed = {name for name, turn in turns if any(other != name and place == turn for other, place in turns)}
    return [old if part.name in agreed else part for part, old in zip(parts, before, strict=True)]


def doubt_unlikely(parts: Sequence[Score]) -> list[Score]:
    """Return the scores; what a gate found in turns where the large network sees no fault only puts in doubt."""
    raw = next((part.raw for part in parts if part.name == "turn_faults" and part.raw), None)
    if raw is None:
        return list(parts)
    likeliest = orjson.loads(raw)  # the highest probability of a fault in each turn
    return [_unless_unlikely(part, likeliest) for part in parts]


def _unless_unlikely(part: Score, likeliest: Mapping[str, float]) -> Score:
    turns = [one.turn for one in part.evidence]
    if part.name not in READING or part.passed is not False or not turns:
        return part
    if any(turn is None or likeliest.get(str(turn), 1.0) >= UNLIKELY for turn in turns):
        return part
    return replace(part, value=1.0, threshold=1.0, confidence=DOUBT_CONFIDENCE, in_doubt=True)


def _agree(evidence: Sequence[Evidence]) -> bool:
    """Whether two checks of one gate found the same turn: each confirms the other."""
    first = evidence[0]
    return len({one.check for one in evidence if one.turn == first.turn}) > 1


def _is_doubted(gate: str, one: Evidence, doubted: Collection[str]) -> bool:
    return gate in doubted or f"{gate}.{one.check}" in doubted
