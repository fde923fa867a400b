"""One turn of a conversation as a case and a trajectory of its own, for checks that belong to that turn."""

from __future__ import annotations

import dataclasses
from typing import Any

from proctor.core.case import Case
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory

__all__ = ["only_turn", "placed"]


def only_turn(case: Case, run: Trajectory, turn: int) -> tuple[Case, Trajectory] | None:
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


def placed(score: Score, turn: int) -> Score:
    """Return a score of one turn with its evidence at its place in the whole conversation."""
    evidence = tuple(
        each if each.turn is None else dataclasses.replace(each, turn=turn + each.turn) for each in score.evidence
    )
    changes: dict[str, Any] = {"evidence": evidence, "parts": tuple(placed(part, turn) for part in score.parts)}
    return dataclasses.replace(score, **changes)
