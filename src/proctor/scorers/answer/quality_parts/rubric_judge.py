"""Score one part of a dimension with a judge: a rubric and a scale from 1 to 5; an error if the judge fails."""

from __future__ import annotations

from dataclasses import replace

from proctor.core.case import Case
from proctor.core.score import Score
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.judge import Judge
from proctor.scorers.judge_material import Included

__all__ = ["CONFIDENCE", "by_judge"]

# Confidence in a judge that has not been compared with human ratings.
CONFIDENCE = 0.8
SCALE = (1.0, 5.0)


async def by_judge(
    part: str, *, weight: float, rubric: str, include: tuple[Included, ...], judge: Model, case: Case, run: Trajectory
) -> Score:
    """Return the judge's score for one part; an error if the reply is unusable."""
    asked = Judge(rubric=rubric, kind="score", scale=SCALE, include=include, judge=judge)
    score = await asked.score(case, run)
    sure = CONFIDENCE if score.value is not None else None
    return replace(score, name=part, weight=weight, confidence=sure, producer="judge")
