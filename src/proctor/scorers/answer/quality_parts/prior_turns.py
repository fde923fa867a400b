"""Turns of a conversation, each with everything said before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory

__all__ = ["AnsweredTurn", "SpokenLine", "exchanges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenLine:
    """A message said earlier: its role and its turn (``None``: before the case began)."""

    role: str
    text: str
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredTurn:
    """One turn: the question, the answer and all earlier messages."""

    turn: int
    asked: str
    answer: str
    before: tuple[SpokenLine, ...]

    @property
    def answers_before(self) -> Sequence[SpokenLine]:
        """Earlier messages that are not from the user or a tool: answers, and summaries of answers."""
        return [line for line in self.before if line.role not in ("user", "tool") and line.text.strip()]


def exchanges(case: Case, run: Trajectory) -> list[AnsweredTurn]:
    """Return every turn in order, each with the case's history and the earlier turns."""
    said = [SpokenLine(role=message.role, text=message.content) for message in case.history]
    asks = case.asks
    made: list[AnsweredTurn] = []
    for index, turn in enumerate(run.turns):
        asked = turn.asked or (asks[index].text if index < len(asks) else "")
        made.append(AnsweredTurn(turn=index, asked=asked, answer=turn.answer, before=tuple(said)))
        said.append(SpokenLine(role="user", text=asked, turn=index))
        said.append(SpokenLine(role="assistant", text=turn.answer, turn=index))
    return made
