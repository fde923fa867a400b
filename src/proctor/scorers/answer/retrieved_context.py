"""Decide which retrieved sources bear on what a case expects: by id, or by what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from proctor.core.case import Case
from proctor.core.score import Score
from proctor.core.sockets import Grounder
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.checked_answers import ScorerIdentity, last_expectation, no_answer, skipped
from proctor.scorers.safety.citation_spans import documents
from proctor.text.claims import claims
from proctor.text.facts import compare

__all__ = [
    "By",
    "ContextComparison",
    "ExpectedContext",
    "compared_context",
    "expected_context",
    "retrieved_sources",
    "states",
]

By = Literal["auto", "ids", "text"]
MOST_STATEMENTS: Final = 20
MOST_SOURCES: Final = 40
_MAX_SOURCE_CHARS: Final = 6_000
SUPPORTED: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedContext:
    """What a good retrieval brings: ids of sources, or statements that a source must contain."""

    ids: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


def expected_context(case: Case, run: Trajectory, by: By) -> ExpectedContext:
    """Return the expected ids of the case; without them, its facts, else the claims of its reference."""
    expects = last_expectation(case, run)
    ids = tuple(dict.fromkeys(each for expect in expects for each in expect.sources))
    if by != "text" and ids:
        return ExpectedContext(ids=ids)
    if by == "ids":
        return ExpectedContext()
    stated = [fact for expect in expects for fact in expect.facts if fact.strip()]
    if not stated:
        stated = [claim for expect in expects if expect.reference for claim in claims(expect.reference)]
    return ExpectedContext(statements=tuple(dict.fromkeys(stated))[:MOST_STATEMENTS])


def retrieved_sources(run: Trajectory) -> list[Source]:
    """Return what was retrieved, in its order and without duplicates: sources, then documents of tool results."""
    found: dict[str, Source] = {}
    for source in run.sources:
        found.setdefault(source.id, source)
    for call in run.tool_calls:
        if call.result is not None and call.error is None:
            for source in documents(call):
                found.setdefault(source.id, source)
    return list(found.values())[:MOST_SOURCES]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextComparison:
    """What the case expects to be retrieved, and what was."""

    expected: ExpectedContext
    retrieved: Sequence[Source]


def compared_context(scorer: ScorerIdentity, case: Case, run: Trajectory, by: By) -> ContextComparison | Score:
    """Return both sides of the comparison, or the score of a run that cannot be compared."""
    if run.error is not None and (broken := no_answer(scorer, run)) is not None:
        return broken
    expected = expected_context(case, run, by)
    if not expected.ids and not expected.statements:
        return skipped(scorer, "the case expects no sources, facts or reference")
    retrieved = retrieved_sources(run)
    if not retrieved:
        return skipped(scorer, "the target reported no retrieved source")
    return ContextComparison(expected=expected, retrieved=retrieved)


async def states(pairs: Sequence[tuple[str, str]], grounder: Grounder | None) -> list[bool]:
    """Return for each (source text, statement) whether the text states it: by words and numbers, else by the network.

    Raises:
        ProctorError: the network did not answer.
    """
    verdicts = [
        compare(statement, text[:_MAX_SOURCE_CHARS]).verdict if text.strip() else "absent" for text, statement in pairs
    ]
    open_ones = [index for index, verdict in enumerate(verdicts) if verdict == "open"]
    shares: dict[int, float] = {}
    if grounder is not None and open_ones:
        asked = await grounder.supports([(pairs[index][0][:_MAX_SOURCE_CHARS], pairs[index][1]) for index in open_ones])
        shares = dict(zip(open_ones, asked, strict=True))
    return [verdict == "stated" or shares.get(index, 0.0) >= SUPPORTED for index, verdict in enumerate(verdicts)]
