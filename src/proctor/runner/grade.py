"""Convert scores to pass, fail or unscored."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any, Final

from proctor.core.case import Case
from proctor.core.record import dataclass
from proctor.core.report import IN_DOUBT, Outcome
from proctor.core.score import Score
from proctor.core.sockets import Scorer
from proctor.core.trajectory import Trajectory

__all__ = ["Grade", "Grader", "grade", "outcome_of"]

_REASON: Final = 160  # characters of one scorer's reason in the reason of a result
_REASONS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """A scorer as used in a suite: its name, its threshold, its weight.

    ``asks`` is true if it calls a model or another slow part, so that several of them run concurrently.
    ``named`` is false if the suite sets no threshold: a score with its own (by intent, for example) keeps it.
    ``turn`` limits it to one turn of the conversation, counted from 0.
    """

    scorer: Scorer
    name: str
    threshold: float | None
    weight: float = 1.0
    asks: bool = False
    named: bool = True
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """All scores of one trajectory and their outcome."""

    outcome: Outcome
    value: float | None
    reason: str
    scores: tuple[Score, ...] = ()


async def grade(case: Case, run: Trajectory, graders: Sequence[Grader]) -> Grade:
    """Score one trajectory. One without an answer is unscored."""
    if run.error is not None:
        return Grade(outcome="unscored", value=None, reason=f"no answer: {run.error}")
    asking = [grader for grader in graders if grader.asks]
    if len(asking) > 1:
        tasks = {id(grader): asyncio.ensure_future(_score(grader, case, run)) for grader in asking}
        scores = [await (tasks.get(id(grader)) or _score(grader, case, run)) for grader in graders]
    else:
        scores = [await _score(grader, case, run) for grader in graders]
    outcome, reason = outcome_of(scores)
    return Grade(outcome=outcome, value=_mean(scores), reason=reason, scores=tuple(scores))


async def _score(grader: Grader, case: Case, run: Trajectory) -> Score:
    try:
        score = await _scored(grader, case, run)
    except Exception as error:  # a broken scorer is one missing score, never a lost run
        score = Score(
            name=grader.name,
            status="error",
            reason=f"the scorer broke: {type(error).__name__}: {error}"[:500],
            version=grader.scorer.version,
        )
    threshold = grader.threshold if grader.named or score.threshold is None else score.threshold
    return dataclasses.replace(score, name=grader.name, threshold=threshold, weight=grader.weight)


async def _scored(grader: Grader, case: Case, run: Trajectory) -> Score:
    if grader.turn is None:
        return _checked(await _called(grader.scorer, case, run))
    exchange = _only_turn(case, run, grader.turn)
    if exchange is None:
        reason = f"the conversation ended before turn {grader.turn + 1}"
        return Score(name=grader.name, status="error", reason=reason, version=grader.scorer.version)
    return _placed(_checked(await _called(grader.scorer, *exchange)), grader.turn)


async def _called(scorer: Scorer, case: Case, run: Trajectory) -> object:
    """Return what a scorer gave.

    Raises:
        TypeError: its `score` is no coroutine.
    """
    given: object = scorer.score(case, run)
    if not inspect.isawaitable(given):
        raise TypeError(f"`score` of {type(scorer).__qualname__} must be `async def`")
    return await given


def _checked(given: object) -> Score:
    """Return what a scorer gave.

    Raises:
        TypeError: it is no score.
    """
    if not isinstance(given, Score):
        raise TypeError(f"`score` returned {type(given).__name__}, not a Score")
    return given


def outcome_of(scores: Sequence[Score]) -> tuple[Outcome, str]:
    """Return the outcome of scores, and why.

    One score under its threshold fails the case, even if others could not be judged. Otherwise, one that
    could not be judged leaves the case unscored; so does having nothing to judge.
    """
    failed = [score for score in scores if score.passed is False]
    if failed:
        return "fail", "; ".join(_why(score) for score in failed)
    broken = [score for score in scores if score.status == "error" and score.threshold is not None]
    if broken:
        return "unscored", "; ".join(f"{score.name}: {score.reason}" for score in broken)
    if any(score.passed for score in scores):
        doubts = [score.reason.removeprefix(f"{IN_DOUBT}, to be reviewed: ") for score in scores if score.in_doubt]
        told = [f"{IN_DOUBT}, to be reviewed: {'; '.join(doubts)}"] if doubts else []
        return "pass", "; ".join((*told, *filter(None, map(_coverage, scores))))
    return "unscored", f"nothing to judge: {_skipped(scores) or 'no scorer applied to this case'}"


def _skipped(scores: Sequence[Score]) -> str:
    """Return why the scorers that decide skipped the case, shortened to fit a list."""
    skipped = [score for score in scores if score.status == "skipped" and score.threshold is not None and score.reason]
    told = [f"{score.name}: {score.reason}" for score in skipped]
    cut = [text if len(text) <= _REASON else f"{text[: _REASON - 1]}…" for text in told[:_REASONS]]
    return "; ".join((*cut, *([f"and {len(told) - len(cut)} more"] if len(told) > len(cut) else [])))


def _coverage(score: Score) -> str:
    """Return how many of a score's deciding parts were checked, if some were skipped: "7 of 13 checked"."""
    deciding = [part for part in score.parts if part.threshold is not None]
    checked = sum(part.status == "ok" for part in deciding)
    return f"{checked} of {len(deciding)} checked" if score.passed and checked < len(deciding) else ""


def _why(score: Score) -> str:
    figure = f"{score.value:.2f} < {score.threshold:g}" if score.value is not None else ""
    return f"{score.name} {figure}: {score.reason}" if score.reason else f"{score.name} {figure}"


def _mean(scores: Sequence[Score]) -> float | None:
    """Return the weighted mean of the deciding scores; None if one of them could not be scored."""
    deciding = [score for score in scores if score.threshold is not None and score.status != "skipped"]
    weight = sum(score.weight for score in deciding)
    if not weight or any(score.value is None for score in deciding):
        return None
    return sum(score.weight * (score.value or 0.0) for score in deciding) / weight


def _only_turn(case: Case, run: Trajectory, turn: int) -> tuple[Case, Trajectory] | None:
    """Return the exchange of a turn (counted from 0), with the earlier ones as its history; ``None`` without one."""
    if turn >= len(run.turns):
        return None
    ask = case.turns[turn]
    before = tuple(message for each in run.turns[:turn] for message in each.messages)
    one = dataclasses.replace(
        case,
        input=ask.text,
        turns=(),
        history=(*case.history, *before),
        expect=ask.expect or case.expect,
        checks=ask.checks,
        recorded=None,
    )
    return one, dataclasses.replace(run, turns=(run.turns[turn],))


def _placed(score: Score, turn: int) -> Score:
    """Return a score of one turn with its evidence at its place in the whole conversation."""
    evidence = tuple(
        each if each.turn is None else dataclasses.replace(each, turn=turn + each.turn) for each in score.evidence
    )
    changes: dict[str, Any] = {"evidence": evidence, "parts": tuple(_placed(part, turn) for part in score.parts)}
    return dataclasses.replace(score, **changes)
