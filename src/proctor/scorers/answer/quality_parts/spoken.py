"""Who said what before: the turns of a conversation with everything that was said before each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory

__all__ = ["Exchange", "Line", "exchanges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something said before: by whom, and in which turn (``None``: before the case began)."""

    role: str
    text: str
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One turn: what was asked, what was answered, and all that was said before."""

    turn: int
    asked: str
    answer: str
    before: tuple[Line, ...]

    @property
    def answers_before(self) -> Sequence[Line]:
        """What was said before and not by the user: answers, and summaries of answers."""
        return [line for line in self.before if line.role not in ("user", "tool") and line.text.strip()]


def exchanges(case: Case, run: Trajectory) -> list[Exchange]:
    """Every turn in order, each with the history of the case and the turns before it."""
    said = [Line(role=message.role, text=message.content) for message in case.history]
    asks = case.asks
    made: list[Exchange] = []
    for index, turn in enumerate(run.turns):
        asked = turn.asked or (asks[index].text if index < len(asks) else "")
        made.append(Exchange(turn=index, asked=asked, answer=turn.answer, before=tuple(said)))
        said.append(Line(role="user", text=asked, turn=index))
        said.append(Line(role="assistant", text=turn.answer, turn=index))
    return made
