"""Compare answers with references where the comparison is asynchronous, all pairs in one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from proctor.core.case import Case, Expectation
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import Passage, ScorerIdentity, Where, score_expected, skipped

__all__ = ["check_reference", "reference_of", "score_pairs", "score_with_reference"]

Wanted = TypeVar("Wanted")


def reference_of(expect: Expectation) -> str | None:
    """Return the reference of an expectation, unless it is blank."""
    return expect.reference if expect.reference and expect.reference.strip() else None


def check_reference(reference: str | None) -> None:
    """Raise a ValueError if a reference is set and blank."""
    if reference is not None and not reference.strip():
        raise ValueError("reference is empty: there is nothing to compare with")


async def score_with_reference(
    scorer: ScorerIdentity,
    case: Case,
    run: Trajectory,
    *,
    where: Where,
    reference: str | None,
    measure: Callable[[Sequence[tuple[Passage, str]]], Awaitable[Sequence[Score]]],
) -> Score:
    """Compare the answers with ``reference`` or, if it is not set, with the references of the case."""
    nothing = "there is no reference to compare with"
    return await score_pairs(
        scorer, case, run, where=where, given=reference, pick=reference_of, measure=measure, nothing=nothing
    )


async def score_pairs(
    scorer: ScorerIdentity,
    case: Case,
    run: Trajectory,
    *,
    where: Where,
    given: Wanted | None,
    pick: Callable[[Expectation], Wanted | None],
    measure: Callable[[Sequence[tuple[Passage, Wanted]]], Awaitable[Sequence[Score]]],
    nothing: str,
) -> Score:
    """Like ``score_expected`` with a measure that reads all pairs of answer and expectation at once."""
    pairs: list[tuple[Passage, Wanted]] = []

    def collect(passage: Passage, wanted: Wanted) -> Score:
        pairs.append((passage, wanted))
        return skipped(scorer, nothing)

    first = score_expected(scorer, case, run, where=where, given=given, pick=pick, check=collect, nothing=nothing)
    if not pairs:
        return first
    found = iter(await measure(pairs))  # score_expected asks for the pairs in the same order both times
    return score_expected(
        scorer, case, run, where=where, given=given, pick=pick, check=lambda *_: next(found), nothing=nothing
    )
