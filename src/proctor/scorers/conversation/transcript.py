"""Render a conversation for a judge: turn by turn with messages, calls and results, within a size limit."""

from __future__ import annotations

from proctor.core.trajectory import Trajectory
from proctor.core.transcript import result_text
from proctor.scorers.conversation.steps.step import StepsView, TraceStep, view_of
from proctor.scorers.match_calls import shown

__all__ = ["transcript"]

_LONGEST_STEP = 4_000
_LONGEST = 120_000
_WHO = {"request": "customer", "answer": "agent", "remark": "agent"}


def transcript(run: Trajectory | StepsView) -> str:
    """Render every step on its own lines; truncation is marked."""
    view = run if isinstance(run, StepsView) else view_of(run)
    lines: list[str] = []
    turn, size = -1, 0
    for step in view.steps:
        told = ([f"turn {step.turn + 1}"] if step.turn != turn else []) + [_line(step)]
        size += sum(map(len, told))
        if size > _LONGEST:
            lines.append(f"[the rest of {view.turns} turns is cut here: it is too long to show]")
            break
        lines += told
        turn = step.turn
    return "\n".join(lines)


def _line(step: TraceStep) -> str:
    if step.call is not None:
        outcome = f"failed: {step.call.error}" if step.call.error else f"returned {_cut(result_text(step.call))}"
        return f"  agent calls {_cut(shown(step.call))}\n    {outcome}"
    if step.kind == "hand-off":
        return f"  the conversation is handed to a person: {_cut(step.text)}"
    return f"  {_WHO[step.kind]}: {_cut(step.text)}"


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_STEP:
        return text
    return f"{text[:_LONGEST_STEP]} [{len(text) - _LONGEST_STEP} more characters are cut here]"
