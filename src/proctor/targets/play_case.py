"""Send a case's messages to a conversation and record the trajectory."""

from __future__ import annotations

import dataclasses
import inspect
import time
from collections.abc import Callable
from typing import Literal

from proctor.core.case import Ask, Case
from proctor.core.errors import BudgetError, ModelError, ReplyError, TargetError, TimedOutError
from proctor.core.sockets import Conversation
from proctor.core.trajectory import Trajectory, Turn
from proctor.text.redact import redact

__all__ = ["AnswerError", "Kind", "drive"]

Kind = Literal["target", "model", "timeout", "budget"]
_MAX_ERROR_CHARS = 2_000
LONGEST_RAW = 2_000


class AnswerError(TargetError):
    """The target gave no valid answer; ``raw`` is the beginning of its reply."""

    def __init__(self, message: str, *, kind: Kind = "target", raw: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.raw = raw


async def drive(case: Case, begin: Callable[[], Conversation], *, target: str) -> Trajectory:
    """Send the case's messages one after the other and stop at the first without an answer.

    A recorded case is not run: its recording is scored. Errors are recorded in the
    trajectory; the turns before them are kept.
    """
    if case.recorded is not None:
        return case.recorded
    turns: list[Turn] = []
    conversation: Conversation | None = None
    error: Exception | None = None
    try:
        conversation = begin()
        for ask in case.asks or (Ask(text=""),):
            turns.append(await _timed(conversation, ask.text))
            if turns[-1].error is not None:
                break
    except Exception as raised:  # the run continues, whatever a target does
        error = raised
    finally:
        await _close(conversation)
    made = Trajectory(turns=tuple(turns), target=target, session=getattr(conversation, "session", None))
    if error is None and turns and turns[-1].error is not None:
        error = AnswerError(turns[-1].error)
    return made if error is None else _failed(made, error)


async def _timed(conversation: Conversation, text: str) -> Turn:
    clock = time.perf_counter()
    turn = await conversation.say(text)
    if turn.latency is not None:
        return turn
    return dataclasses.replace(turn, latency=time.perf_counter() - clock)


async def _close(conversation: Conversation | None) -> None:
    """Close a conversation that holds resources (a process, a user's object)."""
    close = getattr(conversation, "close", None)
    if close is None:
        return
    try:
        waiting = close()
        if inspect.isawaitable(waiting):
            await waiting
    except Exception:  # noqa: S110 - the answers are complete; an error while closing does not matter
        pass


def _failed(made: Trajectory, error: Exception) -> Trajectory:
    message, kind, raw = _told(error)
    # Redact before truncating: half a secret is still one.
    return dataclasses.replace(
        made,
        error=redact(message)[:_MAX_ERROR_CHARS],
        error_kind=kind,
        raw=None if raw is None else redact(raw)[:LONGEST_RAW],
    )


def _told(error: Exception) -> tuple[str, Kind, str | None]:
    if isinstance(error, AnswerError):
        return str(error), error.kind, error.raw
    if isinstance(error, BudgetError):
        return str(error), "budget", None
    if isinstance(error, (TimedOutError, TimeoutError)):
        return str(error) or "timed out", "timeout", None
    if isinstance(error, ModelError):
        return str(error), "model", error.raw if isinstance(error, ReplyError) else None
    name = "" if isinstance(error, TargetError) else f"{type(error).__name__}: "
    return f"{name}{error}", "target", None
