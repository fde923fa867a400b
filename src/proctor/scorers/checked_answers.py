"""Select the answers of a conversation that a scorer checks, and combine their scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeVar

from proctor.core.case import Case, Expectation
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory

__all__ = [
    "MOST_EVIDENCE",
    "Passage",
    "ScorerIdentity",
    "Where",
    "combine",
    "last_expectation",
    "no_answer",
    "no_conversation",
    "passages",
    "quoted",
    "score_expected",
    "scored",
    "skipped",
    "turn_label",
    "unjudged",
    "unless_broken_off",
]

Where = Literal["answer", "any", "every"]
Wanted = TypeVar("Wanted")

MOST_EVIDENCE = 20
QUOTE_LENGTH = 200


class ScorerIdentity(Protocol):
    """The name and version that identify a score's scorer."""

    @property
    def name(self) -> str:
        """The scorer's name."""
        ...

    @property
    def version(self) -> str:
        """The scorer's version."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One answer and its turn index, from 0."""

    turn: int
    text: str


def scored(scorer: ScorerIdentity, value: float, reason: str, **more: Any) -> Score:
    """Return a score by this scorer."""
    return Score(name=scorer.name, version=scorer.version, value=float(value), reason=reason, **more)


def skipped(scorer: ScorerIdentity, reason: str, **more: Any) -> Score:
    """Return a skipped score: there was nothing to check."""
    return Score(name=scorer.name, version=scorer.version, status="skipped", reason=reason, **more)


def unjudged(scorer: ScorerIdentity, reason: str, **more: Any) -> Score:
    """Return an error score: it could not be judged."""
    return Score(name=scorer.name, version=scorer.version, status="error", reason=reason, **more)


def quoted(text: str, length: int = QUOTE_LENGTH) -> str:
    """Return the text, truncated to fit a report."""
    return text if len(text) <= length else text[: length - 1] + "…"


def no_answer(scorer: ScorerIdentity, run: Trajectory) -> Score | None:
    """Return the score of a conversation without a last answer, or ``None`` if there is one to check."""
    if run.error is not None:
        return unjudged(scorer, f"the target did not answer: {quoted(run.error)}", raw=run.raw)
    if not run.turns:
        return skipped(scorer, "there is no answer to check")
    last = run.turns[-1]
    if last.error is not None and not last.answer:
        return unjudged(scorer, f"the target did not answer: {quoted(last.error)}")
    return None


def no_conversation(scorer: ScorerIdentity, run: Trajectory) -> Score | None:
    """Return the score of a run in which the agent did nothing, or ``None`` if there is something to check.

    A failed last turn does not count as nothing: the actions of earlier turns still happened.
    """
    if any(turn.answer or turn.tool_calls for turn in run.turns):
        return None
    return no_answer(scorer, run) or skipped(scorer, "there is no conversation to check")


def unless_broken_off(scorer: ScorerIdentity, run: Trajectory, found: Score) -> Score:
    """Return the finding, or no score if nothing was wrong and the last answer is missing.

    A rule broken in an earlier turn stays broken, however the conversation ended.
    """
    if found.status == "error" or (found.value is not None and found.value < 1.0):
        return found
    return no_answer(scorer, run) or found


def passages(run: Trajectory, where: Where) -> tuple[Passage, ...]:
    """Return the last answer; with ``any`` or ``every``, each turn's answer."""
    answers = tuple(Passage(turn=index, text=turn.answer) for index, turn in enumerate(run.turns))
    return answers[-1:] if where == "answer" else answers


def last_expectation(case: Case, run: Trajectory) -> tuple[Expectation, ...]:
    """Return the expectations for the last answer: those of its turn and of the case."""
    index = len(run.turns) - 1
    asks = case.asks
    asked = asks[index].expect if 0 <= index < len(asks) else None
    return (case.expect,) if asked is None else (asked, case.expect)


def combine(scorer: ScorerIdentity, where: Where, found: Sequence[tuple[str, Score]]) -> Score:
    """Combine several scores: the best for ``any``, otherwise the worst, with each as a part."""
    if len(found) == 1:
        return found[0][1]
    parts = tuple(dataclasses.replace(score, name=label) for label, score in found)
    judged = [(label, score) for label, score in found if score.value is not None]
    broken = [(label, score) for label, score in found if score.status == "error"]
    # An error matters unless another score is already the best (any) or the worst (every) possible.
    settled = any(score.value == (1.0 if where == "any" else 0.0) for _, score in judged)
    if broken and not settled:
        label, score = broken[0]
        return unjudged(scorer, f"{label}: {score.reason}", parts=parts, raw=score.raw)
    if not judged:
        return skipped(scorer, found[0][1].reason if found else "there is nothing to check", parts=parts)
    pick = max if where == "any" else min
    label, chosen = pick(judged, key=lambda each: each[1].value or 0.0)
    evidence = tuple(one for _, score in judged for one in score.evidence)[:MOST_EVIDENCE]
    return dataclasses.replace(chosen, reason=f"{label}: {chosen.reason}", evidence=evidence, parts=parts)


def score_expected(
    scorer: ScorerIdentity,
    case: Case,
    run: Trajectory,
    *,
    where: Where,
    given: Wanted | None,
    pick: Callable[[Expectation], Wanted | None],
    check: Callable[[Passage, Wanted], Score],
    nothing: str,
) -> Score:
    """Check answers against a setting or, if it is not given, against the expectations of case and turns.

    The case's expectation applies to the last answer (or as ``where`` selects), a turn's to its own answer.
    """
    if (unanswered := no_answer(scorer, run)) is not None:
        return unanswered
    found: list[tuple[str, Score]] = []
    wanted = given if given is not None else pick(case.expect)
    if wanted is not None:
        each = [(turn_label(passage.turn), check(passage, wanted)) for passage in passages(run, where)]
        found.append(("conversation" if len(each) > 1 else each[0][0], combine(scorer, where, each)))
    if given is None:
        found.extend(_by_turn(scorer, case, run, pick, check))
    return combine(scorer, "every", found) if found else skipped(scorer, nothing)


def _by_turn(
    scorer: ScorerIdentity,
    case: Case,
    run: Trajectory,
    pick: Callable[[Expectation], Wanted | None],
    check: Callable[[Passage, Wanted], Score],
) -> list[tuple[str, Score]]:
    found = []
    for index, ask in enumerate(case.asks):
        wanted = pick(ask.expect) if ask.expect is not None else None
        if wanted is None:
            continue
        if index < len(run.turns):
            score = check(Passage(turn=index, text=run.turns[index].answer), wanted)
        else:
            score = unjudged(scorer, "the conversation ended before this turn")
        found.append((turn_label(index), score))
    return found


def turn_label(index: int) -> str:
    """Return the label of a turn, counted from 1."""
    return f"turn {index + 1}"
